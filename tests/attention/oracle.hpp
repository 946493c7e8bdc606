// The definitions, as plain loops in double: what every suite compares with and what mistakes are written in. Nothing
// here is shared with reference/, and nothing is efficient.
#pragma once

#include <functional>
#include <string>

#include "attention.hpp"
#include "comparison.hpp"

namespace linattn::testing {

/// The feature maps of the course, written from their formulas: elu_plus_one, relu, identity, pairs (all products
/// x_a x_b in an order of their own, so that c = d² differs from d), elu_plus_one_times_0.001.
FeatureMap oracle_feature_map(const std::string& name);

/// An n×n matrix of weights for every leading index, with the same shape of leading axes as Q.
using Weights = Tensor;

/// w_ij = score(i, j) for every leading index, where score sees the rows q_i and k_j of φ(Q) and φ(K).
using Score = std::function<double(const double* q, const double* k, std::size_t width)>;
double dot_product(const double* a, const double* b, std::size_t width);

/// Which pairs (i, j) count.
using Allowed = std::function<bool(std::size_t i, std::size_t j)>;
bool everywhere(std::size_t i, std::size_t j);
bool causal(std::size_t i, std::size_t j);
Allowed allowed_by(Mask mask);

/// w_ij = score(q_i, k_j) where allowed, 0 elsewhere.
Weights weights_by_definition(const Tensor& phi_Q, const Tensor& phi_K, const Allowed& allowed,
                              const Score& score = dot_product);

/// o_i = Σ_j w_ij v_j.
Tensor weighted_sum(const Weights& weights, const Tensor& V);

/// Linear attention by its definition, o_i = Σ_j φ(q_i)·φ(k_j) v_j over the allowed j, with its tolerance: γ(c + n) Σ_j |φ(q_i)|·|φ(k_j)| |v_j| for either order of summation.
Expected expected_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                            const Allowed& allowed);

/// Σ_j φ(k_j) v_jᵀ over all tokens, with its tolerance. \return \shape{(…, c, d_v)}
Expected expected_state(const Tensor& K, const Tensor& V, const FeatureMap& phi);

/// Normalised attention from weights that do not sum to one yet: o_i = Σ_j w_ij v_j / (Σ_j w_ij + ε), with a tolerance.
/// \param magnitude what each weight would be if its products could not cancel: |φ(q_i)|·|φ(k_j)|
/// \param c the number of products in a weight
Expected normalized_sum(const Weights& weights, const Weights& magnitude, const Tensor& V, double epsilon,
                        std::size_t c);

/// The same from Q and K: w_ij = φ(q_i)·φ(k_j) over the allowed j.
Expected expected_normalized_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                       const Allowed& allowed, double epsilon);

/// The weights themselves, each row divided by its sum + ε. \return \shape{(…, n, n)}
Expected expected_weights(const Tensor& Q, const Tensor& K, const FeatureMap& phi, const Allowed& allowed,
                          double epsilon);

/// Softmax over the allowed j of each row of scores.
Weights softmax_rows(const Weights& scores, const Allowed& allowed);

std::size_t heads_of(const Tensor& x);

}  // namespace linattn::testing
