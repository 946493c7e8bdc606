#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define BIDIRECTIONAL_MISTAKE(name, explanation) \
    MISTAKE(linear_attention_bidirectional,      \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi), name, "§2.3", explanation)

BIDIRECTIONAL_MISTAKE("causal sum instead of the total", "Without a mask every output uses the sum over all tokens.") {
    return attention_by_definition(Q, K, V, phi, causal);
}
BIDIRECTIONAL_MISTAKE("feature map applied to K only", "The similarity is φ(q)·φ(k): apply φ to Q as well.") {
    return weighted_sum(weights_by_definition(Q, phi(K), everywhere), V);
}
BIDIRECTIONAL_MISTAKE("rows normalised",
                      "This lab has no normaliser: the weights are φ(q)·φ(k), whatever they sum to.") {
    const Weights weights = weights_by_definition(phi(Q), phi(K), everywhere);
    return weighted_sum(weights / sum(weights, -1, keep_dims), V);
}
BIDIRECTIONAL_MISTAKE("states mixed across heads",
                      "Every leading index has its own state φ(K)ᵀV: never sum over leading axes.") {
    Tensor output = zeros(shape_of(V));  // every head's queries meet every head's keys and values
    for (std::size_t by = 0; by < heads_of(V); ++by)
        output += attention_by_definition(Q, heads_rotated(K, by), heads_rotated(V, by), phi, everywhere);
    return output;
}
BIDIRECTIONAL_MISTAKE("computed in O(n²)", "Multiply φ(K)ᵀV first: a c×d_v matrix, where φ(Q)φ(K)ᵀ is n×n.") {
    return attention_by_definition(Q, K, V, phi, everywhere);
}

}  // namespace
}  // namespace linattn::testing
