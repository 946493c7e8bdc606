// Lab 03: linear attention whose weights sum to one, and the state that is passed from token to token. Shapes: Q, K
// \shape{(…, n, d_k)}, V \shape{(…, n, d_v)}, φ(Q), φ(K) \shape{(…, n, c)}.
// epsilon is added once to each finished denominator, so the weights of a query sum to 1 - ε / (sum + ε). It may be 0.
// A denominator of 0 needs no special case: with features ≥ 0 the numerator is 0 as well, and the output is 0 / (0 +
// ε) = 0 or, for ε = 0, 0 / 0 = NaN: there is nothing to average.
#pragma once

#include "attention.hpp"

namespace linattn {

/// The weights of normalised linear attention, in full: w_ij = φ(q_i)·φ(k_j) / (Σ_l φ(q_i)·φ(k_l) + ε), where both j
/// and the sum's l run over the tokens that the mask allows; 0 for the others.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}
/// \param phi feature map, applied to each token of Q and K
/// \param mask Mask::causal allows j ≤ i only
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, n)}, one row for each query
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n^2 c, n^2}   \paper{katharopoulos2020, equation 4}   \solves{3,1}
Tensor attention_weights(const Tensor& Q, const Tensor& K, const FeatureMap& phi, Mask mask, double epsilon);

/// Normalised linear attention over all tokens: o_i = φ(q_i)ᵀS / (φ(q_i)·z + ε), S = Σ_j φ(k_j)v_jᵀ, z = Σ_j φ(k_j).
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c(n + d_v)}   \paper{katharopoulos2020, equation 5}   \solves{3,2}
Tensor normalized_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                   double epsilon);

/// Normalised causal linear attention: o_i = φ(q_i)ᵀS_i / (φ(q_i)·z_i + ε), S_i and z_i summed over the tokens j ≤ i.
/// A NaN in a token makes its own and all later outputs of its head NaN. Earlier outputs of that head may also become
/// NaN, since an answer that works in chunks multiplies by the zeros of a mask, and 0 · NaN is NaN. Other heads do not
/// change.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of Q and K
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c\,d_v} (all S_i at once, n·c·d_v numbers, are accepted too)
/// \paper{katharopoulos2020, section 3.3}   \solves{3,3}
Tensor causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                               double epsilon);

/// All that later tokens need to know of the earlier ones. Zeros before the first token.
struct CausalState {
    Tensor S;  ///< Σ_j φ(k_j)v_jᵀ \shape{(…, c, d_v)}
    Tensor z;  ///< Σ_j φ(k_j) \shape{(…, c)}; ε is not in it
};

/// The result for a piece of a sequence: its outputs and the state after it.
struct OutputAndState {
    Tensor output;  ///< \shape{(…, d_v)} of one token, \shape{(…, n, d_v)} of n
    CausalState state;
};

/// One token of normalised causal linear attention. The state passed in is not modified.
/// \param q \shape{(…, d_k)}   \param k \shape{(…, d_k)}   \param v \shape{(…, d_v)}
/// \param state state before the token: S \shape{(…, c, d_v)}, z \shape{(…, c)}
/// \param phi feature map
/// \param epsilon ε ≥ 0
/// \return the token's output \shape{(…, d_v)} and the state after it, of the same size
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{c\,d_v, c\,d_v}   \paper{katharopoulos2020, equations 16 to 20}   \solves{3,4}
OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const CausalState& state,
                                            const FeatureMap& phi, double epsilon);

/// The next n tokens of a sequence of whose earlier tokens only the state is known. Wherever a sequence is split, its
/// pieces, each resumed from the state after the one before, give the outputs and the state of a single call: to the
/// last bit if both add in the same order, within rounding otherwise. The state passed in is not modified, and apart
/// from the result the memory does not grow with n.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param state state before these tokens: S \shape{(…, c, d_v)}, z \shape{(…, c)}
/// \param phi feature map, applied to each token of Q and K
/// \param epsilon ε ≥ 0
/// \return the outputs \shape{(…, n, d_v)} and the state after the last token; for n = 0 the state passed in
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c\,d_v}   \paper{katharopoulos2020, section 3.4}   \solves{3,5}
OutputAndState causal_linear_attention_resume(const Tensor& Q, const Tensor& K, const Tensor& V,
                                              const CausalState& state, const FeatureMap& phi, double epsilon);

/// causal_linear_attention for sequences of different lengths in one batch: a padded key counts in neither S nor z.
/// The content of a padded key or value, even NaN, changes no output. A padded query has an output like any other, from
/// the tokens up to it; if all of these are padding, it is 0 / (0 + ε).
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param key_padding_mask 1 for a token, 0 for padding \shape{(…, n)}, with the leading axes of Q
/// \param phi feature map, applied to each token of Q and K
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c\,d_v} (all S_i at once are accepted too)   \solves{3,6}
Tensor masked_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& key_padding_mask,
                                      const FeatureMap& phi, double epsilon);

/// Normalised causal linear attention with φ(x) = eˣ, entry by entry, that neither overflows nor loses its denominator
/// as long as every q_ia + k_ja is finite: o_i = Σ_{j≤i} w_ij v_j / (Σ_{j≤i} w_ij + ε), where
/// w_ij = Σ_a exp(q_ia + k_ja - g_i) and g_i = max_{j≤i, a} (q_ia + k_ja).
/// The shift g_i cancels, except that ε is added relative to the largest term of the sum. The sum lies between 1 and
/// i·d_k. For ε = 0 this is causal_linear_attention with exp_features(per_sequence), wherever that has a denominator
/// above 0.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,d_k\,d_v, d_k\,d_v}   \paper{milakov2018, algorithm 3}   \solves{3,7}
Tensor streaming_exp_attention(const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon);

/// A function that claims to be causal_linear_attention_resume.
using ResumableAttention = Named<OutputAndState(const Tensor& Q, const Tensor& K, const Tensor& V,
                                                const CausalState& state, const FeatureMap& phi, double epsilon)>;

/// Tests of causal_linear_attention_resume: what is wrong with a function that claims to be it. Whatever its contract
/// leaves open, such as the last digits, the tests must accept.
/// \param resume the function under test. It computes all n² weights, so call it with few tokens
/// \return a sentence for each check that fails; none for a right function. An exception also rejects the function
/// \solves{3,8}
std::vector<std::string> test_causal_linear_attention_resume(const ResumableAttention& resume);

/// causal_linear_attention for several sequences in one row, without padding between them: a token sees the tokens of its
/// own sequence only. Nothing of a sequence, not even a NaN, changes an output of another one.
/// \param Q \shape{(…, n, d_k)}   \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param begins 1 where a sequence begins, 0 for its other tokens \shape{(…, n)}, with the leading axes of Q. Token 0
/// begins one in either case
/// \param phi feature map, applied to each token of Q and K
/// \param epsilon ε ≥ 0
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,c\,d_v, c\,d_v} (all S_i at once are accepted too)   \solves{3,9}
Tensor packed_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& begins,
                                      const FeatureMap& phi, double epsilon);

/// Takes a state back to an earlier token, when the later ones were wrong guesses: the state after the first `kept` tokens,
/// computed forwards from the last saved state that holds none but these. Nothing of a token that is not kept, or of a
/// later saved state, changes the result, however large it is, or NaN. Tokens before that saved state are not read.
/// \param saved the states after 0, every, 2·every, … tokens, in one array each: S \shape{(…, m, c, d_v)}, z
/// \shape{(…, m, c)} with m = ⌊n / every⌋ + 1. The first need not be zeros: K may continue an earlier text
/// \param every tokens from one saved state to the next, at least 1
/// \param K \shape{(…, n, d_k)}   \param V \shape{(…, n, d_v)}
/// \param phi feature map, applied to each token of K
/// \param kept how many of the n tokens were right
/// \return S \shape{(…, c, d_v)}, z \shape{(…, c)}
/// \throws std::invalid_argument when the shapes do not belong together, every = 0 or kept > n
/// \complexity{every\,c\,d_v, c\,d_v} (all replayed tokens at once are accepted too)   \solves{3,10}
CausalState rewind_state(const CausalState& saved, std::size_t every, const Tensor& K, const Tensor& V,
                         const FeatureMap& phi, std::size_t kept);

}  // namespace linattn
