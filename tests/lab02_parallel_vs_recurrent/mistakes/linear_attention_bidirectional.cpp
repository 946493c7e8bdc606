#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define BIDIRECTIONAL_MISTAKE(name, explanation) \
    MISTAKE(linear_attention_bidirectional, (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi), \
            name, "§2.3", explanation)

BIDIRECTIONAL_MISTAKE("causal sum instead of the total", "Without a mask every output uses the sum over all tokens.") {
    return attention_by_definition(Q, K, V, phi, causal);
}
BIDIRECTIONAL_MISTAKE("feature map applied to K only", "The similarity is φ(q)·φ(k): apply φ to Q as well.") {
    return weighted_sum(weights_by_definition(Q, phi(K), everywhere), V);
}
BIDIRECTIONAL_MISTAKE("rows normalised", "This lab has no normaliser: the weights are φ(q)·φ(k), whatever they sum to.") {
    const Weights weights = weights_by_definition(phi(Q), phi(K), everywhere);
    return weighted_sum(weights / sum(weights, -1, keep_dims), V);
}
BIDIRECTIONAL_MISTAKE("states mixed across heads", "Every leading index has its own state φ(K)ᵀV: never sum over leading axes.") {
    const std::size_t n = length(V, -2), heads = n == 0 ? 0 : V.size() / (n * length(V, -1));
    Tensor output = zeros(shape_of(V));
    for (std::size_t shift = 0; shift < heads; ++shift) {  // every head's queries meet every head's keys and values
        const auto rotated = [&](const Tensor& x) {
            Tensor y = x;
            const std::size_t block = x.size() / heads;
            for (std::size_t h = 0; h < heads; ++h)
                std::copy_n(x.data() + (h + shift) % heads * block, block, y.data() + h * block);
            return y;
        };
        output += attention_by_definition(Q, rotated(K), rotated(V), phi, everywhere);
    }
    return output;
}
BIDIRECTIONAL_MISTAKE("computed in O(n²)", "Multiply φ(K)ᵀV first: a c×d_v matrix, where φ(Q)φ(K)ᵀ is n×n.") {
    return attention_by_definition(Q, K, V, phi, everywhere);
}

}  // namespace
}  // namespace linattn::testing
