// The checks that stand in the stubs of lab 06: what a function of the lab rejects, in a sentence. Compiled once, since a
// stub is compiled at every verdict.
#pragma once

#include "attention.hpp"

namespace linattn {

/// Checks that φ(Q) and φ(K) are (…, n, c), that V and dO are (…, n, d_v) with the same leading axes, and that ε is a
/// finite number ≥ 0. In the result d_k is the width c of the features.
AttentionShape require_gradient_arguments(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO,
                                          double epsilon, const char* caller = __builtin_FUNCTION());
/// \param axis one of x, counted from 0 or, where it is negative, from the end
void require_axis(const Tensor& x, std::ptrdiff_t axis, const char* caller = __builtin_FUNCTION());
/// \param chunk tokens in a chunk, at least 1
void require_chunk(std::size_t chunk, const char* caller = __builtin_FUNCTION());
/// \param h a finite number above 0
void require_step(double h, const char* caller = __builtin_FUNCTION());

}  // namespace linattn
