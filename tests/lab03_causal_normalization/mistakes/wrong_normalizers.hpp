// What the mistakes of the whole-sequence forms are written with: weights by definition, divided by something wrong.
#pragma once

#include "normalized_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// φ(q_i)·φ(k_j) for the allowed j, not divided by anything.
inline Weights raw(const Tensor& Q, const Tensor& K, const FeatureMap& phi, const Allowed& allowed) {
    return weights_by_definition(phi(Q), phi(K), allowed);
}
/// What each row sums to. \shape{(…, n, 1)}
inline Tensor row_sums(const Weights& weights) { return sum(weights, -1, keep_dims); }

/// Normalised as it should be, over other tokens than it should.
inline Tensor normalized_over(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                              const Allowed& allowed, double epsilon) {
    const Weights weights = raw(Q, K, phi, allowed);
    return weighted_sum(weights, V) / (row_sums(weights) + epsilon);
}

/// How many tokens each token may look at. \shape{(…, n, 1)}
inline Tensor tokens_in_row(const Tensor& Q, const Allowed& allowed) {
    const Tensor one = ones(join(shape_of(sum(Q, -1)), {1}));
    return row_sums(weights_by_definition(one, one, allowed));
}

/// Σ_j Σ_a φ(k_j)_a over the allowed j: z without the query. \shape{(…, n, 1)}
inline Tensor key_sums(const Tensor& K, const FeatureMap& phi, const Allowed& allowed) {
    const Tensor phi_K = phi(K);
    return row_sums(weights_by_definition(ones(shape_of(phi_K)), phi_K, allowed));
}

/// φ(q)·(z + ε) below the line. \shape{(…, n, d_v)}
inline Tensor with_epsilon_in_z(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                const Allowed& allowed, double epsilon) {
    const Weights weights = raw(Q, K, phi, allowed);
    return weighted_sum(weights, V) / (row_sums(weights) + sum(phi(Q), -1, keep_dims) * epsilon);
}

/// One S and one z for all leading indices, to which every one of them adds.
inline Tensor normalized_across_heads(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                      const Allowed& allowed, double epsilon) {
    Tensor numerator = zeros(shape_of(V)), denominator = tokens_in_row(Q, allowed) * 0.0;
    for (std::size_t by = 0; by < heads_of(V); ++by) {
        const Weights weights = raw(Q, heads_rotated(K, by), phi, allowed);
        numerator += weighted_sum(weights, heads_rotated(V, by));
        denominator += row_sums(weights);
    }
    return numerator / (denominator + epsilon);
}

}  // namespace linattn::testing
