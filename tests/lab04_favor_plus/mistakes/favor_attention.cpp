#include <cmath>

#include "random_features.hpp"

namespace linattn::testing {
namespace {

#define FAVOR_MISTAKE(name, explanation)                                                                     \
    MISTAKE(favor_attention,                                                                                 \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, [[maybe_unused]] Mask mask, \
             [[maybe_unused]] double epsilon),                                                               \
            name, "§4.5", explanation)

// The checks that stand in the stub already.
void check(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W) {
    require_attention_shapes(Q, K, V, "favor_attention");
    require_rank(W, "W", 2, "(m, d)", "favor_attention");
    require_shape(W, "W", {length(W, 0), length(Q, -1)}, "(m, d), with the d of Q,", "favor_attention");
}

Tensor of_queries(const Tensor& Q, const Tensor& W) { return positive_features(Q, W, Shared::token); }
Tensor of_keys(const Tensor& K, const Tensor& W) { return positive_features(K, W, Shared::head); }

Tensor averaged(const Weights& weights, const Weights& normalizers, const Tensor& V, double epsilon) {
    return weighted_sum(weights, V) / (sum(normalizers, -1, keep_dims) + epsilon);
}
Tensor averaged(const Weights& weights, const Tensor& V, double epsilon) {
    return averaged(weights, weights, V, epsilon);
}

FAVOR_MISTAKE("per-token shift on the keys",
              "A shift of its own reweights a key. Keys need Stabilizer::per_sequence; per token is for queries.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), positive_features(K, W, Shared::token), allowed_by(mask)),
                    V, epsilon);
}
FAVOR_MISTAKE(
    "per-sequence shift on the queries",
    "A query needs Stabilizer::per_token: with the head's shift ε weighs more against short sums than long ones.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(positive_features(Q, W, Shared::head), of_keys(K, W), allowed_by(mask)), V,
                    epsilon);
}
FAVOR_MISTAKE("stabilizers exchanged", "Stabilizer::per_token is for queries, Stabilizer::per_sequence for keys.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(positive_features(Q, W, Shared::head), positive_features(K, W, Shared::token),
                                          allowed_by(mask)),
                    V, epsilon);
}
FAVOR_MISTAKE("ε added to the features", "ε belongs to the denominator: features with ε have other weights.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W) + epsilon, of_keys(K, W) + epsilon, allowed_by(mask)), V,
                    0.0);
}
FAVOR_MISTAKE("features of the keys made of Q", "The second call takes K: every query is to meet the keys.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(Q, W), allowed_by(mask)), V, epsilon);
}
FAVOR_MISTAKE("another W for the keys",
              "φ(q)·φ(k) estimates the kernel only if both use the same directions, in the same order.") {
    check(Q, K, V, W);
    Tensor other = W;
    for (std::size_t r = 0; r < length(W, 0); ++r) set_token(other, r, token(W, length(W, 0) - 1 - r));
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, other), allowed_by(mask)), V, epsilon);
}
FAVOR_MISTAKE("sines and cosines instead of positive features",
              "Their weights can be negative and their sum 0: use the features of 4.3.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(trigonometric_features(Q, W), trigonometric_features(K, W), allowed_by(mask)),
                    V, epsilon);
}
FAVOR_MISTAKE("scaled by 1/√d once more", "The features scale by d^(-1/4) on both sides already: that makes 1/√d.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q * scale_of(Q, 0.5), W), of_keys(K, W), allowed_by(mask)), V,
                    epsilon);
}
FAVOR_MISTAKE("not normalised", "Divide by the sum of the weights.") {
    check(Q, K, V, W);
    return weighted_sum(weights_by_definition(of_queries(Q, W), of_keys(K, W), allowed_by(mask)), V);
}
FAVOR_MISTAKE("normaliser not causal", "With Mask::causal the weights that are summed end at token i, in z as in S.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), allowed_by(mask)),
                    weights_by_definition(of_queries(Q, W), of_keys(K, W), everywhere), V, epsilon);
}
FAVOR_MISTAKE("mask ignored", "With Mask::causal token i may look at j ≤ i only.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), everywhere), V, epsilon);
}
FAVOR_MISTAKE("causal without a mask", "With Mask::none token i looks at all tokens, later ones too.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), causal), V, epsilon);
}
FAVOR_MISTAKE("state read before it is updated",
              "Token i must see itself: add φ(k_i) to z and φ(k_i)v_iᵀ to S first.") {
    check(Q, K, V, W);
    const Allowed before = [](std::size_t i, std::size_t j) { return j < i; };
    return averaged(
        weights_by_definition(of_queries(Q, W), of_keys(K, W), mask == Mask::none ? Allowed(everywhere) : before), V,
        epsilon);
}
FAVOR_MISTAKE("ε left out", "Add ε to the sum of the weights before dividing.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), allowed_by(mask)), V, 0.0);
}
FAVOR_MISTAKE("ε added to every weight", "Add ε once, to the sum.") {
    check(Q, K, V, W);
    const Tensor phi_Q = of_queries(Q, W), phi_K = of_keys(K, W);
    const Weights counted = weights_by_definition(ones(shape_of(phi_Q)), ones(shape_of(phi_K)), allowed_by(mask)) /
                            static_cast<double>(length(W, 0));
    const Weights weights = weights_by_definition(phi_Q, phi_K, allowed_by(mask));
    return averaged(weights, weights + counted * epsilon, V, 0.0);
}
FAVOR_MISTAKE("a state kept for every token",
              "One S and one z are enough: token i adds to them, and reads them at once.") {
    check(Q, K, V, W);
    const Tensor every_state = zeros({heads_of(V), length(V, -2), length(W, 0), length(V, -1)});
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), allowed_by(mask)), V, epsilon);
}
FAVOR_MISTAKE("computed in O(n²)", "Sum φ(k)vᵀ and φ(k) over the keys once, and let every query read the sums.") {
    check(Q, K, V, W);
    return averaged(weights_by_definition(of_queries(Q, W), of_keys(K, W), allowed_by(mask)), V, epsilon);
}

}  // namespace
}  // namespace linattn::testing
