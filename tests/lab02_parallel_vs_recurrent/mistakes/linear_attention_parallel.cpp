#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define PARALLEL_MISTAKE(name, explanation)                                                                        \
    MISTAKE(linear_attention_parallel, (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi), \
            name, "§2.4", explanation)

PARALLEL_MISTAKE("total instead of the running sum",
                 "Output i uses S_i, the sum up to token i, not the sum over all tokens.") {
    return attention_by_definition(Q, K, V, phi, everywhere);
}
PARALLEL_MISTAKE("state read before it is updated", "Token i must see itself: S_i includes φ(k_i)v_iᵀ.") {
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j < i; });
}
PARALLEL_MISTAKE("running sum from the end", "Sum from the first token on: S_i adds up tokens 0 to i.") {
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j >= i; });
}
PARALLEL_MISTAKE("feature map left out", "Apply φ to Q and K before anything else.") {
    return weighted_sum(weights_by_definition(Q, K, causal), V);
}
PARALLEL_MISTAKE("running sum over the features", "The running sum goes over the tokens, axis -3 of (…, n, c, d_v).") {
    return weighted_sum(
        weights_by_definition(phi(Q), cumsum(phi(K), -1), [](std::size_t i, std::size_t j) { return i == j; }), V);
}
PARALLEL_MISTAKE("computed in O(n²)",
                 "Form φ(k_j)v_jᵀ for every token and sum along the tokens: no n×n matrix of weights.") {
    return attention_by_definition(Q, K, V, phi, causal);
}

}  // namespace
}  // namespace linattn::testing
