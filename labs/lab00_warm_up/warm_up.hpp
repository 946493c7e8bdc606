// Lab 00: two small functions to get to know Tensor, which the chapter introduces.
#pragma once

#include "contract.hpp"

namespace linattn {

/// The sum of each row: y_i = Σ_j x_ij. Already solved, as an example.
/// \param x \shape{(m, n)}
/// \return \shape{(m)}; zeros when n = 0
/// \throws std::invalid_argument when x does not have two axes
/// \complexity{m\,n, m}   \solves{0,1}
Tensor row_sums(const Tensor& x);

/// The outer product of two vectors: y_ij = a_i b_j.
/// \param a \shape{(m)}
/// \param b \shape{(n)}
/// \return \shape{(m, n)}; empty when m = 0 or n = 0
/// \throws std::invalid_argument when a or b does not have one axis
/// \complexity{m\,n, m\,n}   \solves{0,2}
Tensor outer_product(const Tensor& a, const Tensor& b);

}  // namespace linattn
