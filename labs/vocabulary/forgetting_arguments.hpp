// The checks that stand in the stubs of lab 09: what a function of the lab rejects, in a sentence. Compiled once, since a
// stub is compiled at every verdict.
#pragma once

#include "attention.hpp"
#include "gradient_arguments.hpp"  // require_chunk

namespace linattn {

/// log_decay is (…, n), and each entry is 0 or below, -inf included: the logarithm of a decay, not the decay.
void require_decays(const Tensor& log_decay, const char* caller = __builtin_FUNCTION());
/// The same with the leading axes and the n of Q, K and V.
void require_decays(const Tensor& log_decay, const AttentionShape& shape, const char* caller = __builtin_FUNCTION());
/// The same with a decay for each entry of a key: (…, n, d_k).
void require_channel_decays(const Tensor& log_decay, const AttentionShape& shape,
                            const char* caller = __builtin_FUNCTION());
/// beta is (…, n), with the leading axes and the n of Q, K and V.
void require_strengths(const Tensor& beta, const AttentionShape& shape, const char* caller = __builtin_FUNCTION());
/// S is (…, d_k, d_v).
void require_state(const Tensor& S, const AttentionShape& shape, const char* caller = __builtin_FUNCTION());
/// dO has the shape of V.
void require_upstream(const Tensor& dO, const Tensor& V, const char* caller = __builtin_FUNCTION());
/// A is (…, C, C), and B is (…, C, m) with the same leading axes.
void require_system(const Tensor& A, const Tensor& B, const char* caller = __builtin_FUNCTION());
/// \param ridge a finite number above 0
void require_ridge(double ridge, const char* caller = __builtin_FUNCTION());

}  // namespace linattn
