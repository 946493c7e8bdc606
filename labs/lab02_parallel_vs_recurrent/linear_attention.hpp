// Lab 02: softmax attention, and linear attention in five forms. No normaliser yet: lab 03 adds it.
// Shapes: Q, K \shape{(…, n, d_k)}, V \shape{(…, n, d_v)}, φ(Q), φ(K) \shape{(…, n, c)}, state S \shape{(…, c, d_v)}.
#pragma once

#include <string>
#include <vector>

#include "attention.hpp"

namespace linattn {

/// Softmax attention, the baseline: o_i = Σ_j softmax_j(q_i·k_j / √d_k) v_j over the tokens j that the mask allows.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param mask Mask::causal allows j ≤ i only
/// \return \shape{(…, n, d_v)}; finite for scores up to ±1e4
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n^2(d_k + d_v), n^2}   \paper{vaswani2017, equation 1}   \solves{2,1}
Tensor softmax_attention(const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask);

/// Linear attention, left bracket first: (φ(Q)φ(K)ᵀ ⊙ M)V. With Mask::causal a NaN in a token may make earlier outputs of
/// its head NaN too, since 0 · NaN is NaN.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \param mask Mask::causal keeps j ≤ i only
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n^2(c + d_v), n^2}   \paper{katharopoulos2020, equation 4}   \solves{2,2}
Tensor linear_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, Mask mask);

/// Linear attention over all tokens, right bracket first: φ(Q)(φ(K)ᵀV).
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c(n + d_v)}   \paper{katharopoulos2020, equation 6}   \solves{2,3}
Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi);

/// Causal linear attention, all tokens at once: the running sum S_i = Σ_{j≤i} φ(k_j)v_jᵀ for every i, then o_i = φ(q_i)ᵀS_i.
/// A NaN in a token makes its own output and all later ones of its head NaN. Earlier outputs of that head may become NaN
/// too: an answer that works in chunks multiplies by the zeros of a mask, and 0 · NaN is NaN. Other heads are unaffected.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, n\,c\,d_v}   \paper{katharopoulos2020, section 3.3}   \solves{2,4}
Tensor linear_attention_parallel(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi);

/// Causal linear attention, one token at a time: S ← S + φ(k_i)v_iᵀ, then o_i = φ(q_i)ᵀS. Apart from the output the
/// memory does not grow with n, so φ is applied to one token, not to all of Q or K.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c\,d_v}   \paper{katharopoulos2020, section 3.4}   \solves{2,5}
Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi);

/// What one step returns: the token's output and the state after it.
struct AttentionStep {
    Tensor output;  ///< \shape{(…, d_v)}
    Tensor S;       ///< \shape{(…, c, d_v)}
};

/// One token of causal linear attention. The state that comes in is not modified.
/// \param q \shape{(…, d_k)}   \param k \shape{(…, d_k)}   \param v \shape{(…, d_v)}
/// \param S state before the token \shape{(…, c, d_v)}; zeros before the first
/// \param phi feature map
/// \return the output \shape{(…, d_v)} and the new state \shape{(…, c, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{c\,d_v, c\,d_v}   \paper{katharopoulos2020, equations 18 to 20}   \solves{2,6}
AttentionStep linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& S,
                                    const FeatureMap& phi);

/// Inclusive scan: entry i of the result combines states 0 to i, in order, so that many combines could run at the same
/// time. The states are strings that only the operation understands.
/// \param states n states, n ≥ 0
/// \param combine associative operation
/// \return n states; at most 2n calls of combine, none waiting for more than 2⌈log₂ n⌉ others in a row
/// \complexity{n, n}   \paper{blelloch1990, section 1.2}   \solves{2,7}
std::vector<std::string> inclusive_scan(const std::vector<std::string>& states, const Combine& combine);

/// A function that claims to be linear_attention_parallel.
using CausalAttention = Named<Tensor(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi)>;

/// Tests of linear_attention_parallel: what is wrong with a function that claims to be it. Whatever its contract leaves
/// open, such as the last digits, the tests must accept.
/// \param attention the function under test. It computes all n² weights, so call it with few tokens
/// \return a sentence for each check that fails; none for a right function. An exception also rejects the function
/// \solves{2,8}
std::vector<std::string> test_linear_attention_parallel(const CausalAttention& attention);

}  // namespace linattn
