#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define RECURRENT_MISTAKE(name, explanation)                                                                        \
    MISTAKE(linear_attention_recurrent, (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi), \
            name, "§2.5", explanation)

// All heads one after another as a single long sequence: what becomes of a state that is not reset.
Tensor as_one_sequence(const Tensor& x) {
    return reshape(x, {x.size() / std::max<std::size_t>(length(x, -1), 1), length(x, -1)});
}

RECURRENT_MISTAKE("state read before it is updated",
                  "Token i must see itself: add φ(k_i)v_iᵀ to S first, then compute φ(q_i)ᵀS.") {
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j < i; });
}
RECURRENT_MISTAKE("state not carried over", "Add φ(k_i)v_iᵀ to S; do not replace S by it.") {
    return attention_by_definition(Q, K, V, phi, [](std::size_t i, std::size_t j) { return j == i; });
}
RECURRENT_MISTAKE("state shared between heads",
                  "Every leading index needs a state of its own; this sums them into one.") {
    Tensor output = zeros(shape_of(V));
    for (std::size_t by = 0; by < heads_of(V); ++by)
        output += attention_by_definition(Q, heads_rotated(K, by), heads_rotated(V, by), phi, causal);
    return output;
}
RECURRENT_MISTAKE("state carried over from head to head", "Start every leading index from S = 0.") {
    return reshape(attention_by_definition(as_one_sequence(Q), as_one_sequence(K), as_one_sequence(V), phi, causal),
                   shape_of(V));
}
RECURRENT_MISTAKE("feature map applied to K only",
                  "The similarity is φ(q)·φ(k): apply φ to q_i when you read the state.") {
    return weighted_sum(weights_by_definition(Q, phi(K), causal), V);
}
RECURRENT_MISTAKE("memory grows with the sequence", "Apply φ to one token at a time and keep nothing but S.") {
    return attention_by_definition(Q, K, V, phi, causal);
}

}  // namespace
}  // namespace linattn::testing
