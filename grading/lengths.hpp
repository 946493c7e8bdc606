// Which arguments have the lengths that a message about shapes speaks of.
#pragma once

#include <string>
#include <vector>

namespace linattn::testing {

struct Input;  // exercise.hpp

/// "2 is the width of Q and K, 3 that of V: …?" for a message in which both lengths occur; "" when it names fewer than two that
/// belong to arguments: then they explain nothing.
std::string lengths_in(const std::string& message, const std::vector<Input>& inputs);

}  // namespace linattn::testing
