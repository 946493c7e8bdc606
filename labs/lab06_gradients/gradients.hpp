// Lab 06: the gradients of normalised causal linear attention, and how to check a gradient.
//     o_i = φ(q_i)ᵀS_i / D_i,  S_i = Σ_{j≤i} φ(k_j)v_jᵀ,  z_i = Σ_{j≤i} φ(k_j),  D_i = φ(q_i)·z_i + ε
// Shapes: the features φ(Q), φ(K) \shape{(…, n, c)}, V \shape{(…, n, d_v)}. The upstream gradient dO \shape{(…, n, d_v)}
// holds the derivative of a loss L with respect to every output. A gradient has the shape of what it is taken with respect
// to.
//
// The functions return the gradient of the formula above, and nothing more. Where a D_i is 0 there is none, and the entries
// that depend on that D_i are unspecified.
#pragma once

#include "attention.hpp"

namespace linattn {

/// The gradient of a function of all entries of x, by central differences: each of its entries is (f(x⁺) - f(x⁻)) / 2h,
/// where x⁺ is x with h added to that one entry, and x⁻ is x with h subtracted from it.
/// \param f the function; it is called twice for each entry, with tensors of the shape of x
/// \param x \shape{(…)}, any shape; it is left as it was   \param h the step, h > 0
/// \return \shape{(…)}, the shape of x
/// \throws std::invalid_argument when h is not a finite number above 0
/// \complexity{N\text{ pairs of calls of } f, N} for the N entries of x   \solves{6,1}
Tensor central_differences(const ScalarFunction& f, const Tensor& x, double h);

/// The gradient of L with respect to x, when y = elu_plus_one(x) and dY is the gradient with respect to y: dY · φ'(x),
/// entry by entry.
/// φ'(x) is 1 for x ≥ 0 and eˣ below. It is finite for every x, with a relative error of at most 1e-12.
/// \param x \shape{(…)}   \param dY \shape{(…)}, the shape of x
/// \return \shape{(…)}
/// \throws std::invalid_argument when the shapes differ
/// \complexity{N, N} for the N entries of x   \solves{6,2}
Tensor elu_plus_one_backward(const Tensor& x, const Tensor& dY);

/// The running sum from the end: entry j holds x[j] + x[j+1] + … + x[n-1] along the axis, so entry j counts too. An entry is
/// as accurate as a sum of those numbers alone: earlier entries leave no rounding error in it.
/// \param x \shape{(…)}   \param axis counts from 0, or from the end where it is negative
/// \return \shape{(…)}, the shape of x
/// \throws std::invalid_argument when x has no such axis
/// \complexity{N, N} for the N entries of x   \solves{6,3}
Tensor reverse_cumsum(const Tensor& x, std::ptrdiff_t axis);

/// The gradients of L with respect to φ(Q), φ(K) and V.
struct AttentionGradients {
    Tensor phi_Q;  ///< \shape{(…, n, c)}
    Tensor phi_K;  ///< \shape{(…, n, c)}
    Tensor V;      ///< \shape{(…, n, d_v)}
};

/// The gradients of normalised causal linear attention from its n×n weights.
/// \param phi_Q \shape{(…, n, c)}   \param phi_K \shape{(…, n, c)}   \param V \shape{(…, n, d_v)}
/// \param dO upstream gradient \shape{(…, n, d_v)}   \param epsilon ε ≥ 0, finite
/// \return the three gradients; empty ones for n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or epsilon is negative, infinite or NaN
/// \complexity{n^2(c + d_v), n^2}   \solves{6,4}
AttentionGradients attention_backward_quadratic(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                const Tensor& dO, double epsilon);

/// The same gradients with all states S_i, and all R_j = Σ_{i≥j} φ(q_i)dN_iᵀ, at once; dN_i = dO_i / D_i.
/// \param phi_Q \shape{(…, n, c)}   \param phi_K \shape{(…, n, c)}   \param V \shape{(…, n, d_v)}
/// \param dO upstream gradient \shape{(…, n, d_v)}   \param epsilon ε ≥ 0, finite
/// \return the three gradients; empty ones for n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or epsilon is negative, infinite or NaN
/// \complexity{n\,c\,d_v, n\,c\,d_v}   \paper{katharopoulos2020, section 3.3.1}   \solves{6,5}
AttentionGradients causal_attention_backward_parallel(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                      const Tensor& dO, double epsilon);

/// The same gradients in two loops over the tokens: S and z forwards, R and r backwards. No state is kept for any token
/// but the current one. A few numbers for each token (its dN_i and dD_i) may be kept, too.
/// \param phi_Q \shape{(…, n, c)}   \param phi_K \shape{(…, n, c)}   \param V \shape{(…, n, d_v)}
/// \param dO upstream gradient \shape{(…, n, d_v)}   \param epsilon ε ≥ 0, finite
/// \return the three gradients; empty ones for n = 0
/// \throws std::invalid_argument when the shapes do not belong together, or epsilon is negative, infinite or NaN
/// \complexity{n\,c\,d_v, c\,d_v}   \paper{katharopoulos2020, section 3.3.1}   \solves{6,6}
AttentionGradients causal_attention_backward(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                             const Tensor& dO, double epsilon);

/// The same gradients a chunk of tokens at a time: matrices inside a chunk, S, z, R and r from chunk to chunk.
/// The method is graded, too: all tokens of a chunk change S in one product, and no other form is called.
/// A few numbers for each token may be kept, as in causal_attention_backward.
/// \param phi_Q \shape{(…, n, c)}   \param phi_K \shape{(…, n, c)}   \param V \shape{(…, n, d_v)}
/// \param dO upstream gradient \shape{(…, n, d_v)}   \param epsilon ε ≥ 0, finite
/// \param chunk tokens in a chunk, at least 1; the last chunk may be shorter
/// \return the three gradients; empty ones for n = 0
/// \throws std::invalid_argument when the shapes do not belong together, epsilon is negative, infinite or NaN, or chunk
/// is 0
/// \complexity{n(c\,d_v + C(c + d_v)), c\,d_v + C^2} for chunks of C tokens   \paper{yang2023, section 2.2}
/// \solves{6,7}
AttentionGradients causal_attention_backward_chunkwise(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                       const Tensor& dO, double epsilon, std::size_t chunk);

/// A function that claims to be causal_attention_backward.
using AttentionBackward = Named<AttentionGradients(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                   const Tensor& dO, double epsilon)>;

/// Tests of causal_attention_backward: what is wrong with a function that claims to be it. Whatever its contract leaves
/// open, such as the last digits, the tests must accept.
/// \param backward the function under test. It computes all n² weights, so call it with few tokens
/// \return a sentence for each check that fails; none for a right function. An exception also rejects the function
/// \solves{6,8}
std::vector<std::string> test_causal_attention_backward(const AttentionBackward& backward);

}  // namespace linattn
