// Lab 04: random features whose dot product estimates the softmax kernel exp(q·k/√d), and attention in O(n) with them.
// Everywhere x̂ = x·d^(-1/4), so that q̂·k̂ = q·k/√d. The rows w_1 … w_m of a projection W \shape{(m, d)} are directions.
// The seed alone determines the random numbers: the same seed gives the same numbers, another seed independent ones.
#pragma once

#include <cstdint>

#include "attention.hpp"
#include "linear_algebra.hpp"
#include "random.hpp"

namespace linattn {

/// Independent directions: every entry of W is N(0, 1), independent of all others.
/// \param m directions, m ≥ 0   \param d width of a query, d ≥ 1   \param seed any number
/// \return \shape{(m, d)}
/// \complexity{m\,d, m\,d}   \paper{choromanski2021, section 2.3}   \solves{4,1}
Tensor gaussian_projection(std::size_t m, std::size_t d, std::uint64_t seed);

/// Orthogonal directions. Every d consecutive rows form a block: the rows of a uniformly distributed (Haar) orthogonal
/// matrix, each multiplied by a length of its own from the χ_d distribution, that of the norm of d independent N(0, 1)
/// numbers. A single row is distributed as in gaussian_projection, and the rows of a block are at right angles, up to
/// a cosine of 1e-4 that rounding may leave. Blocks are independent of each other; the last has fewer than d rows if d
/// does not divide m.
/// \param m directions, m ≥ 0   \param d width of a query, d ≥ 1   \param seed any number
/// \return \shape{(m, d)}
/// \throws std::invalid_argument when d is 0
/// \complexity{m\,d^2, m\,d}   \paper{choromanski2021, section 2.4}   \solves{4,2}
Tensor orthogonal_projection(std::size_t m, std::size_t d, std::uint64_t seed);

/// Positive features: φ(x)_r = exp(w_r·x̂ - ‖x̂‖²/2 - shift)/√m. Without the shifts, the mean of φ(q)·φ(k) over W is
/// exp(q·k/√d). A NaN makes the features of its token NaN, and possibly all features with the same shift, but no
/// others.
/// \param x \shape{(…, n, d)}   \param W \shape{(m, d)}, m ≥ 1
/// \param stabilizer the shift: the largest exponent w_r·x̂ - ‖x̂‖²/2 of each token, or of all tokens of a head
/// \return \shape{(…, n, m)}, entries in [0, 1/√m], the largest of each token or head 1/√m
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,m\,d, n(m + d)} per head   \paper{choromanski2021, lemma 1}   \solves{4,3}
Tensor positive_random_features(const Tensor& x, const Tensor& W, Stabilizer stabilizer);

/// Trigonometric features: e^{‖x̂‖²/2} [cos w_1·x̂, …, cos w_m·x̂, sin w_1·x̂, …, sin w_m·x̂]/√m. The mean of φ(q)·φ(k)
/// over W is also exp(q·k/√d), but a single φ(q)·φ(k) can be negative.
/// \param x \shape{(…, n, d)}   \param W \shape{(m, d)}, m ≥ 1
/// \return \shape{(…, n, 2m)}, first all cosines, then all sines; infinite where ‖x̂‖² exceeds about 1400
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,m\,d, n(m + d)} per head   \paper{choromanski2021, section 2.3}   \solves{4,4}
Tensor trigonometric_random_features(const Tensor& x, const Tensor& W);

/// Attention with positive features: o_i = Σ_j a_ij v_j / (Σ_j a_ij + ε) with a_ij = φ(q_i)·φ(k_j), over the tokens j
/// that the mask allows. The features of Q are shifted per token, those of K per sequence. Both shifts cancel in o_i,
/// except for ε, which is added to the sum of the shifted weights. With Mask::causal a later token can change an output
/// only through the shift of K, which all tokens of a head share: by ε and rounding, or by underflow of the earlier
/// keys if its exponents are larger by 700 or more. For the same reason a NaN in K may make its whole head NaN. With
/// Mask::causal a NaN in V makes its own and all later outputs of its head NaN, and possibly earlier ones if an answer
/// works in chunks.
/// \param Q \shape{(…, n, d)}   \param K \shape{(…, n, d)}   \param V \shape{(…, n, d_v)}
/// \param W \shape{(m, d)}, m ≥ 1, the same for queries and keys and for all heads
/// \param mask Mask::causal allows j ≤ i only
/// \param epsilon ≥ 0; with ε > 0 outputs are finite for all finite inputs up to ±1e3
/// \return \shape{(…, n, d_v)}
/// \throws std::invalid_argument when the shapes do not belong together
/// \complexity{n\,m(d + d_v), n\,m + m\,d_v} per head   \paper{choromanski2021, section 2.2}   \solves{4,5}
Tensor favor_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask, double epsilon);

/// The variance of the estimate φ(q)·φ(k) of exp(q·k/√d) over all W with independent directions, for positive features
/// without a shift: e^{2 q̂·k̂} (e^{‖q̂ + k̂‖²} - 1)/m.
/// \param q \shape{(…, d)}   \param k \shape{(…, d)}   \param m directions, m ≥ 1
/// \return \shape{(…)}, one variance for each pair of a query and a key
/// \throws std::invalid_argument when the shapes differ or m is 0
/// \complexity{d, d} per pair   \paper{choromanski2021, lemma 2}   \solves{4,6}
Tensor kernel_variance(const Tensor& q, const Tensor& k, std::size_t m);

}  // namespace linattn
