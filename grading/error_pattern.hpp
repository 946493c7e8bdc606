// Where a wrong result is wrong, when that says more than the first entry does: from a token on, in some heads only, in
// the last column.
#pragma once

#include <cstddef>
#include <string>

#include "comparison.hpp"

namespace linattn::testing {

/// "right before token 16, wrong from there on: blocks of 16?", or "" when the wrong entries lie in no such pattern.
std::string error_pattern(const Tensor& got, const Expected& expected);

/// Whether all values are right to about as many digits as a float has, and not to more.
bool right_to_seven_digits(const Tensor& got, const Expected& expected);

/// The first token with a wrong entry; 0 when the result has no tokens.
std::size_t first_wrong_token(const Tensor& got, const Expected& expected);

}  // namespace linattn::testing
