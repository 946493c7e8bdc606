// Lab 09: read labs/lab09_forgetting_and_correcting/README.md, write the functions below, run: ctest -L lab09
#include "forgetting.hpp"

#include "forgetting_arguments.hpp"

namespace linattn {

Tensor gated_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    // The order is: forget, write, read.
    // YOUR CODE HERE
    throw NotImplemented("gated_attention_recurrent");
}

Tensor decay_mask(const Tensor& log_decay) {
    require_decays(log_decay);
    // The sum of an entry's own terms. A difference of two running sums would be another number.
    // YOUR CODE HERE
    throw NotImplemented("decay_mask");
}

Tensor gated_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    // YOUR CODE HERE
    throw NotImplemented("gated_attention_quadratic");
}

Tensor gated_attention_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                 std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    require_chunk(chunk);
    // Three decays: between two tokens of a chunk, from its beginning to a token, from a token to its end.
    // YOUR CODE HERE
    throw NotImplemented("gated_attention_chunkwise");
}

GatedGradients gated_attention_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay,
                                        const Tensor& dO) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_decays(log_decay, shape);
    require_upstream(dO, V);
    // The first loop runs from the first token to the last, the second from the last to the first. The gradient of
    // log_decay needs neither S nor R.
    // YOUR CODE HERE
    throw NotImplemented("gated_attention_backward");
}

Tensor channel_gated_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& log_decay) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_channel_decays(log_decay, shape);
    // YOUR CODE HERE
    throw NotImplemented("channel_gated_attention");
}

Tensor delta_rule_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    // The order is: compare, write, read.
    // YOUR CODE HERE
    throw NotImplemented("delta_rule_recurrent");
}

Tensor solve_unit_lower(const Tensor& A, const Tensor& B) {
    require_system(A, B);
    // Row by row, from the first: each needs the rows of X before it.
    // YOUR CODE HERE
    throw NotImplemented("solve_unit_lower");
}

Tensor delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_chunk(chunk);
    // U first: what each token of the chunk writes. Then it is plain linear attention with U instead of V.
    // YOUR CODE HERE
    throw NotImplemented("delta_rule_chunkwise");
}

GatedDeltaResult gated_delta_rule_resume(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                         const Tensor& log_decay, const Tensor& S) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_state(S, shape);
    // The order is: forget, compare, write, read.
    // YOUR CODE HERE
    throw NotImplemented("gated_delta_rule_resume");
}

Tensor gated_delta_rule_chunkwise(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                  const Tensor& log_decay, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_chunk(chunk);
    // As 9.9, with a decay on everything that lies some tokens back: pairs of tokens, the state, the keys.
    // YOUR CODE HERE
    throw NotImplemented("gated_delta_rule_chunkwise");
}

GatedDeltaGradients gated_delta_rule_backward(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                              const Tensor& log_decay, const Tensor& dO, std::size_t chunk) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_strengths(beta, shape);
    require_decays(log_decay, shape);
    require_upstream(dO, V);
    require_chunk(chunk);
    // Forwards, keep the state before each chunk. Backwards, compute a chunk again from it, then its gradients.
    // YOUR CODE HERE
    throw NotImplemented("gated_delta_rule_backward");
}

Tensor least_squares_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, double ridge) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_ridge(ridge);
    // Next to S, keep the inverse of ridge I + Σ_{j≤i} k_j k_jᵀ.
    // YOUR CODE HERE
    throw NotImplemented("least_squares_recurrent");
}

}  // namespace linattn
