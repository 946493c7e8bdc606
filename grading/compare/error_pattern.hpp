// Where a wrong result is wrong, when that says more than the first entry does: from a token on, in some heads only, in
// the last column.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "case_record.hpp"
#include "comparison.hpp"

namespace linattn::testing {

/// "right before token 16, wrong from there on", or "" when the wrong entries lie in no such pattern.
std::string error_pattern(const Tensor& got, const Expected& expected);

/// A tensor that a wrong result may have to do with.
struct KnownTensor {
    std::string words;  ///< "the argument X", "what belongs to dK"
    const Tensor* value;
};
/// "every wrong value is the right one plus the argument X", or "" when it is made of none of these. One with a number for each
/// row of the result counts, too.
std::string relation_to(const Tensor& got, const Expected& expected, const std::vector<KnownTensor>& others);

/// To how many digits wrong values are right.
Digits digits_of(const Tensor& got, const Expected& expected);

/// The first token without a wrong entry, and the first with one; 0 when there is none.
std::pair<std::size_t, std::size_t> first_right_and_wrong_token(const Tensor& got, const Expected& expected);

}  // namespace linattn::testing
