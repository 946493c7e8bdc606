// Lab 09: states that forget, and states that correct what they hold.
//     gated        S_i = a_i S_{i-1} + k_i v_iᵀ
//     delta rule   S_i = S_{i-1} + β_i k_i (v_i - S_{i-1}ᵀk_i)ᵀ
//     both         S̃ = a_i S_{i-1},  S_i = S̃ + β_i k_i (v_i - S̃ᵀk_i)ᵀ
// Shapes: Q, K \shape{(…, n, d_k)}, V and dO \shape{(…, n, d_v)}, log_decay and beta \shape{(…, n)}, state S
// \shape{(…, d_k, d_v)}, zeros before the first token. Every token writes before it reads: o_i = S_iᵀq_i. There is no
// feature map and no denominator: queries and keys are used as they come.
//
// Decays are passed as their logarithms, log_decay_i = log a_i, from -inf (forgets all) to 0 (forgets nothing): a product
// of decays is e to a sum. No exponent need be above 0, and none need be a difference of two sums, which -inf makes NaN.
#pragma once

#include "attention.hpp"

namespace linattn {

// Forgetting ---------------------------------------------------------------------------------------------------------

/// Gated attention, token by token: S_i = e^{log_decay_i} S_{i-1} + k_i v_iᵀ, o_i = S_iᵀq_i. No state is kept for any token
/// but the current one. One decay for all tokens is RetNet's; one for each token is Mamba-2's.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param log_decay logarithms of the decays \shape{(…, n)}
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or an entry of log_decay is above 0 or NaN
/// \complexity{n\,d_k\,d_v, d_k\,d_v}   \paper{dao2024, equation 2 and section 5.1}   \solves{9,1}
Tensor gated_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay);

/// What is left at token i of what token j wrote: D_ij = exp(Σ_{t=j+1..i} log_decay_t) for j ≤ i, 0 for j > i; D_ii = 1.
/// Never NaN. An entry is as accurate as a sum of its own terms alone: its relative error is at most 2 (i - j + 2) 2^-53
/// times 1 + Σ|log_decay_t| over these terms, whatever stands before token j or after token i. What is below 1e-300 may be 0.
/// \param log_decay logarithms of the decays \shape{(…, n)}
/// \return \shape{(…, n, n)}
/// \throws std::invalid_argument when log_decay has no axis, or an entry is above 0 or NaN
/// \complexity{n^2, n^2}   \paper{dao2024, equation 6}   \solves{9,2}
Tensor decay_mask(const Tensor& log_decay);

/// The same as 9.1 by matrices: ((QKᵀ) ⊙ D)V.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param log_decay logarithms of the decays \shape{(…, n)}
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or an entry of log_decay is above 0 or NaN
/// \complexity{n^2(d_k + d_v), n^2}   \paper{dao2024, equation 16}   \solves{9,3}
Tensor gated_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay);

/// The same a chunk of tokens at a time: the masked product inside a chunk, S from chunk to chunk.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param log_decay logarithms of the decays \shape{(…, n)}
/// \param chunk tokens in a chunk, at least 1; the last chunk may be shorter
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, an entry of log_decay is above 0 or NaN, or chunk
/// is 0
/// \complexity{n(d_k\,d_v + C(d_k + d_v)), d_k\,d_v + C(C + d_k + d_v)} for chunks of C tokens
/// \paper{yang2024gated, equations 1 and 2}   \solves{9,4}
Tensor gated_attention_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                 std::size_t chunk);

/// The gradients of a loss with respect to the arguments of gated attention.
struct GatedGradients {
    Tensor Q;          ///< \shape{(…, n, d_k)}
    Tensor K;          ///< \shape{(…, n, d_k)}
    Tensor V;          ///< \shape{(…, n, d_v)}
    Tensor log_decay;  ///< \shape{(…, n)}; that of the first token is 0 up to rounding
};

/// The gradients of gated attention in two loops over the tokens: S forwards, and the gradient R with respect to S
/// backwards. No state is kept for any token but the current one. Rows as wide as a query or a value may be kept for each
/// token.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param log_decay logarithms of the decays \shape{(…, n)}   \param dO upstream gradient \shape{(…, n, d_v)}
/// \return the four gradients; empty ones for n = 0. That of log_decay is taken with respect to log a, not a.
/// \throws std::invalid_argument when the shapes do not belong together, or an entry of log_decay is above 0 or NaN
/// \complexity{n\,d_k\,d_v, d_k\,d_v + n(d_k + d_v)}   \paper{yang2023, section 4.3 and appendix B}   \solves{9,5}
GatedGradients gated_attention_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                        const Tensor& dO);

/// Gated attention with a decay for each entry of a key, so for each row of S: S_i = diag(e^{log_decay_i}) S_{i-1} + k_i v_iᵀ.
/// No state is kept for any token but the current one.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param log_decay logarithms of the decays \shape{(…, n, d_k)}
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or an entry of log_decay is above 0 or NaN
/// \complexity{n\,d_k\,d_v, d_k\,d_v}   \paper{yang2023, equation 3}   \solves{9,6}
Tensor channel_gated_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay);

// Correcting ---------------------------------------------------------------------------------------------------------

/// The delta rule, token by token: S_i = S_{i-1} + β_i k_i (v_i - S_{i-1}ᵀk_i)ᵀ, o_i = S_iᵀq_i. What the state returned for
/// the key is subtracted from the value before it is written. Keys are used as they come: none is normalised. Apart from
/// the output the memory does not grow with n.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param beta how strongly each token writes \shape{(…, n)}, any numbers
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,d_k\,d_v, d_k\,d_v}   \paper{schlag2021, equation 24}   \solves{9,7}
Tensor delta_rule_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta);

/// The X with (I + L)X = B, where L is the part of A below its diagonal, by forward substitution: row i of X is row i of B
/// less the rows of X before it, each times its entry of L. Accurate for entries of any size. The diagonal of A and what
/// is above it is never read; it may hold NaN.
/// \param A \shape{(…, C, C)}   \param B \shape{(…, C, m)}
/// \return X \shape{(…, C, m)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{C^2\,m, C(C + m)}   \paper{yang2024delta, equation 10}   \solves{9,8}
Tensor solve_unit_lower(const Tensor& A, const Tensor& B);

/// The delta rule a chunk of tokens at a time. With the state S before the chunk, one triangular system says what each of
/// its tokens writes: (I + L)U = diag(β)(V - KS), L the part of diag(β)KKᵀ below the diagonal.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param beta how strongly each token writes \shape{(…, n)}, any numbers
/// \param chunk tokens in a chunk, at least 1; the last chunk may be shorter
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or chunk is 0
/// \complexity{n(d_k\,d_v + C(d_k + d_v)), d_k\,d_v + C(C + d_k + d_v)} for chunks of C tokens
/// \paper{yang2024delta, equations 8 to 11}   \solves{9,9}
Tensor delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, std::size_t chunk);

/// Outputs, and the state after the last token.
struct GatedDeltaResult {
    Tensor output;  ///< \shape{(…, n, d_v)}
    Tensor S;       ///< \shape{(…, d_k, d_v)}
};

/// The gated delta rule, token by token, from a state on: first forget, S̃ = e^{log_decay_i} S_{i-1}, then compare,
/// S_i = S̃ + β_i k_i (v_i - S̃ᵀk_i)ᵀ. Two calls, the second with the state of the first, equal one call with all tokens.
/// The state that comes in is not modified. Apart from the result the memory does not grow with n.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param beta how strongly each token writes \shape{(…, n)}, any numbers
/// \param log_decay logarithms of the decays \shape{(…, n)}   \param S state before the first token \shape{(…, d_k, d_v)}
/// \return the outputs \shape{(…, n, d_v)} and the state \shape{(…, d_k, d_v)} after the last token: S itself when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or an entry of log_decay is above 0 or NaN
/// \complexity{n\,d_k\,d_v, d_k\,d_v}   \paper{yang2024gated, equation 10}   \solves{9,10}
GatedDeltaResult gated_delta_rule_resume(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                         const Tensor& log_decay, const Tensor& S);

/// The gated delta rule from a state of zeros, a chunk of tokens at a time. No exponent is above 0.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param beta how strongly each token writes \shape{(…, n)}, any numbers
/// \param log_decay logarithms of the decays \shape{(…, n)}
/// \param chunk tokens in a chunk, at least 1; the last chunk may be shorter
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, an entry of log_decay is above 0 or NaN, or chunk
/// is 0
/// \complexity{n(d_k\,d_v + C(d_k + d_v)), d_k\,d_v + C(C + d_k + d_v)} for chunks of C tokens
/// \paper{yang2024gated, section 3.3}   \solves{9,11}
Tensor gated_delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                  const Tensor& log_decay, std::size_t chunk);

/// The gradients of a loss with respect to the arguments of the gated delta rule.
struct GatedDeltaGradients {
    Tensor Q;          ///< \shape{(…, n, d_k)}
    Tensor K;          ///< \shape{(…, n, d_k)}
    Tensor V;          ///< \shape{(…, n, d_v)}
    Tensor beta;       ///< \shape{(…, n)}
    Tensor log_decay;  ///< \shape{(…, n)}; that of the first token is 0 up to rounding
};

/// The gradients of the gated delta rule from a state of zeros, a chunk of tokens at a time. Of the states, only those
/// before each chunk are kept; what lies between is computed again on the way back.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param beta how strongly each token writes \shape{(…, n)}, any numbers
/// \param log_decay logarithms of the decays \shape{(…, n)}   \param dO upstream gradient \shape{(…, n, d_v)}
/// \param chunk tokens in a chunk, at least 1; the last chunk may be shorter
/// \return the five gradients; empty ones for n = 0
/// \throws std::invalid_argument when the shapes do not belong together, an entry of log_decay is above 0 or NaN, or chunk
/// is 0
/// \complexity{n(d_k\,d_v + C(d_k + d_v)), \lceil n / C \rceil\,d_k\,d_v + C(C + d_k + d_v)} for chunks of C tokens
/// \paper{yang2024delta, section 3.2}   \solves{9,12}
GatedDeltaGradients gated_delta_rule_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                              const Tensor& log_decay, const Tensor& dO, std::size_t chunk);

/// The state that fits all pairs so far best: S_i is the S with the least Σ_{j≤i}‖v_j - Sᵀk_j‖² + ridge ‖S‖², and
/// o_i = S_iᵀq_i. It goes token by token, with one d_k × d_k matrix next to S, by the formula of Sherman and Morrison, and
/// solves no system anew. Apart from the output the memory does not grow with n.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param ridge weight of the sum of squares of S, ridge > 0, finite
/// \return \shape{(…, n, d_v)}; empty when n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or ridge is not a finite number above 0
/// \complexity{n\,d_k(d_k + d_v), d_k(d_k + d_v)}   \paper{sherman1950}   \solves{9,13}
Tensor least_squares_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, double ridge);

}  // namespace linattn
