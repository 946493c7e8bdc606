// @LAB_TITLE@
// What each function takes, returns and refuses. The chapter beside this file leads to them.
#pragma once

#include "contract.hpp"

namespace linattn {

/// The mean of each token and all before it: y_i = (x_0 + … + x_i) / (i + 1). Replace it by your own exercise.
/// \param x \shape{(…, n, d)}
/// \return \shape{(…, n, d)}; empty when n = 0
/// \throws std::invalid_argument when x has fewer than two axes
/// \complexity{n\,d, n\,d}   \solves{@NUMBER@,1}
Tensor @NAME@(const Tensor& x);

}  // namespace linattn
