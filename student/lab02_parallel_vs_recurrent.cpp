// Lab 02: read labs/lab02_parallel_vs_recurrent/README.md, write the functions below, run: ctest -L lab02
#include "linear_attention.hpp"

namespace linattn {

Tensor softmax_attention(const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Scores are scaled by 1/√d_k. A token that the mask forbids gets the score -∞, so that its weight is 0.
    // Subtract each row's maximum before exp: weights stay the same and nothing overflows.
    // YOUR CODE HERE
    throw NotImplemented("softmax_attention");
}

Tensor linear_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, Mask mask) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The n×n weights first, then their product with V.
    // YOUR CODE HERE
    throw NotImplemented("linear_attention_quadratic");
}

Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The same product with the other bracket first: nothing of size n×n is ever made.
    // YOUR CODE HERE
    throw NotImplemented("linear_attention_bidirectional");
}

Tensor linear_attention_parallel(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Every S_i at once: the running sum over the tokens of φ(k_j)v_jᵀ, an array of shape (…, n, c, d_v).
    // YOUR CODE HERE
    throw NotImplemented("linear_attention_parallel");
}

Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // One state S per leading index. Update it with token i first, then read it.
    // YOUR CODE HERE
    throw NotImplemented("linear_attention_recurrent");
}

AttentionStep linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& S,
                                    const FeatureMap& phi) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    const Tensor phi_k = phi(k);
    require_shape(S, "S", join(shape.leading, {length(phi_k, -1), shape.d_v}), "(…, c, d_v)");
    // The state that came in stays as it is: make a new one.
    // YOUR CODE HERE
    throw NotImplemented("linear_attention_step");
}

std::vector<std::string> inclusive_scan(const std::vector<std::string>& states, const Combine& combine) {
    // Up the tree: entry i takes in the 2, 4, 8, … entries before it. Down again: fill in what lies between.
    // YOUR CODE HERE
    throw NotImplemented("inclusive_scan");
}

}  // namespace linattn
