// By what the sizes of right and wrong calls differ.
#pragma once

#include <string>
#include <vector>

#include "recorded_calls.hpp"

namespace linattn::testing {

/// "right with heads = 1; wrong with heads = 2, 3"; "" when they differ by nothing.
std::string fact_about_sizes(const std::vector<const RecordedCall*>& calls);

}  // namespace linattn::testing
