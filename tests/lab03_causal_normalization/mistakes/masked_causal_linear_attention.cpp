#include "normalized_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define MASKED_MISTAKE(name, explanation)                                                                              \
    MISTAKE(masked_causal_linear_attention,                                                                            \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& key_padding_mask, const FeatureMap& phi, \
             double epsilon),                                                                                          \
            name, "§3.6", explanation)

Weights causal_weights(const Tensor& Q, const Tensor& phi_K, const FeatureMap& phi) {
    return weights_by_definition(phi(Q), phi_K, causal);
}
// Numerator and denominator from weights of their own.
Tensor divided(const Weights& above, const Weights& below, const Tensor& V, double epsilon) {
    return weighted_sum(above, V) / (sum(below, -1, keep_dims) + epsilon);
}
Tensor normalized(const Weights& weights, const Tensor& V, double epsilon) {
    return divided(weights, weights, V, epsilon);
}
// The columns of the keys that count.
Weights without(const Tensor& padding_mask, const Weights& weights) {
    return where(expand_dims(padding_mask, -2), weights, 0.0);
}

MASKED_MISTAKE("mask ignored", "A padded key must not count, neither in S nor in z.") {
    return normalized(causal_weights(Q, phi(K), phi), V, epsilon);
}
MASKED_MISTAKE("mask inverted", "1 marks a token, 0 marks padding.") {
    return normalized(without(1.0 - key_padding_mask, causal_weights(Q, phi(K), phi)), V, epsilon);
}
MASKED_MISTAKE("padding masked before φ",
               "φ(0) need not be 0, and elu + 1 makes it 1: apply φ first, then remove the padding.") {
    const Tensor masked_K = where(expand_dims(key_padding_mask, -1), K, 0.0);
    return normalized(causal_weights(Q, phi(masked_K), phi), where(expand_dims(key_padding_mask, -1), V, 0.0), epsilon);
}
MASKED_MISTAKE("only the keys masked, before φ",
               "A padded key of 0 has the weight φ(q)·φ(0) and brings its value along.") {
    const Tensor masked_K = where(expand_dims(key_padding_mask, -1), K, 0.0);
    return normalized(causal_weights(Q, phi(masked_K), phi), V, epsilon);
}
MASKED_MISTAKE("padding left in z",
               "Padding counts neither above nor below the line: remove it from z as well as from S.") {
    const Weights all = causal_weights(Q, phi(K), phi);
    return divided(without(key_padding_mask, all), all, V, epsilon);
}
MASKED_MISTAKE("padding left in S",
               "Padding counts neither above nor below the line: remove it from S as well as from z.") {
    const Weights all = causal_weights(Q, phi(K), phi);
    return divided(all, without(key_padding_mask, all), V, epsilon);
}
MASKED_MISTAKE("outputs masked instead of keys",
               "The mask says which keys count; a padded query has an output like any other.") {
    const Tensor output = normalized(causal_weights(Q, phi(K), phi), V, epsilon);
    return where(expand_dims(key_padding_mask, -1), output, 0.0);
}
MASKED_MISTAKE("outputs of padded queries set to zero",
               "The mask says which keys count; a padded query has an output like any other.") {
    const Tensor output = normalized(without(key_padding_mask, causal_weights(Q, phi(K), phi)), V, epsilon);
    return where(expand_dims(key_padding_mask, -1), output, 0.0);
}
MASKED_MISTAKE("one mask for the whole batch", "Every leading index has padding of its own.") {
    const std::size_t n = length(V, -2);
    Tensor mask = key_padding_mask;
    for (std::size_t e = 0; e < mask.size(); ++e) mask.data()[e] = key_padding_mask.data()[e % n];
    return normalized(without(mask, causal_weights(Q, phi(K), phi)), V, epsilon);
}
MASKED_MISTAKE("padding multiplied by zero",
               "0 times NaN is NaN: choose with `where`, so that what stands in the padding never counts.") {
    const Tensor counts = expand_dims(key_padding_mask, -1);
    return normalized(causal_weights(Q, phi(K) * counts, phi), V * counts, epsilon);
}
MASKED_MISTAKE("strict diagonal", "Token i must see itself: update S and z with token i first, then read them.") {
    return normalized(
        without(key_padding_mask,
                weights_by_definition(phi(Q), phi(K), [](std::size_t i, std::size_t j) { return j < i; })),
        V, epsilon);
}
MASKED_MISTAKE("computed in O(n²)", "Carry S and z from token to token: no n×n matrix of weights.") {
    return normalized(without(key_padding_mask, causal_weights(Q, phi(K), phi)), V, epsilon);
}

}  // namespace
}  // namespace linattn::testing
