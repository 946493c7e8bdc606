// Which arguments have the lengths in which the two shapes of a message differ.
#pragma once

#include <string>
#include <vector>

namespace linattn::testing {

struct Input;  // exercise.hpp

/// "2 is the width of Q and K, 3 that of V: …?" for a message about two shapes that differ in these lengths; "" where one of them
/// belongs to no argument: then they explain nothing.
std::string lengths_in(const std::string& message, const std::vector<Input>& inputs);

}  // namespace linattn::testing
