// Answers that are right at some sizes only: for every even n, for powers of two, for multiples of 16. All calls of an
// exercise together show it, so it is said once, at the end.
#pragma once

#include <string>

#include "comparison.hpp"

namespace linattn::testing {

/// One call whose result was compared.
void note_sizes(const Expected& expected, bool right);

/// "right where n = 2, 4, 64, wrong where n = 3, 15: …", or "" when the calls so far show no rule. Of at least two sizes
/// right and two wrong, none is both.
std::string rule_of_right_sizes();

}  // namespace linattn::testing
