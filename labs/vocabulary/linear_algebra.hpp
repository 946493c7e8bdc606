// Factorisations of matrices, computed by LAPACK, compiled once.
#pragma once

#include "tensor.hpp"

namespace linattn {

/// A = Q R. With r = min(m, n): the r columns of Q are orthonormal, R is upper triangular.
struct QR {
    Tensor Q;  ///< \shape{(m, r)}
    Tensor R;  ///< \shape{(r, n)}
};

/// The factorisation of one m×n matrix, with LAPACK's signs: an entry on the diagonal of R may be positive or negative.
/// \param A \shape{(m, n)}
/// \throws std::invalid_argument when A is not a matrix
QR qr(const Tensor& A);

}  // namespace linattn
