#include <cmath>

#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define QUADRATIC_MISTAKE(name, explanation)                                                                     \
    MISTAKE(linear_attention_quadratic,                                                                          \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, Mask mask), name, "§2.2", \
            explanation)

QUADRATIC_MISTAKE("mask ignored", "With Mask::causal the weights of later tokens, j > i, must be 0.") {
    return attention_by_definition(Q, K, V, phi, everywhere);
}
QUADRATIC_MISTAKE("mask transposed", "Token i may look at j ≤ i, the lower triangle; this looks at the future.") {
    if (mask == Mask::none) return attention_by_definition(Q, K, V, phi, everywhere);
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j >= i; });
}
QUADRATIC_MISTAKE("diagonal masked out", "A token may look at itself: the causal mask keeps j ≤ i.") {
    if (mask == Mask::none) return attention_by_definition(Q, K, V, phi, everywhere);
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j < i; });
}
QUADRATIC_MISTAKE("feature map applied to Q only", "The similarity is φ(q)·φ(k): apply φ to K as well.") {
    return weighted_sum(weights_by_definition(phi(Q), K, allowed_by(mask)), V);
}
QUADRATIC_MISTAKE("rows normalised", "This lab has no normaliser: the weights are φ(q)·φ(k), whatever they sum to.") {
    const Weights weights = weights_by_definition(phi(Q), phi(K), allowed_by(mask));
    return weighted_sum(weights / sum(weights, -1, keep_dims), V);
}
QUADRATIC_MISTAKE("scaled by 1/√d_k", "The scale belongs to softmax attention; here φ takes its place.") {
    return attention_by_definition(Q, K, V, phi, allowed_by(mask)) / std::sqrt(static_cast<double>(length(Q, -1)));
}

}  // namespace
}  // namespace linattn::testing
