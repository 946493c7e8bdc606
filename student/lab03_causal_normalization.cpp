// Lab 03: read labs/lab03_causal_normalization/README.md, write the functions below, run: ctest -L lab03
#include "normalized_attention.hpp"

namespace linattn {

Tensor attention_weights(const Tensor& Q, const Tensor& K, const FeatureMap& phi, Mask mask, double epsilon) {
    require_rank(Q, "Q", 2, "(…, n, d_k)");
    require_shape(K, "K", shape_of(Q), "(…, n, d_k), the shape of Q,");
    // One row for each query, one column for each key. Mask::causal allows j ≤ i, Mask::none every j.
    // YOUR CODE HERE
    throw NotImplemented("attention_weights");
}

Tensor normalized_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                   double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The numerator has a state S, (…, c, d_v); the denominator has one too: z, (…, c). Neither product is n×n.
    // YOUR CODE HERE
    throw NotImplemented("normalized_linear_attention");
}

Tensor causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                               double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Every output has a numerator and a denominator of its own. For n = 0 there are no outputs: (…, 0, d_v).
    // YOUR CODE HERE
    throw NotImplemented("causal_linear_attention");
}

OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const CausalState& state,
                                            const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    const Tensor phi_k = phi(k);
    require_shape(state.S, "state.S", join(shape.leading, {length(phi_k, -1), shape.d_v}), "(…, c, d_v)");
    require_shape(state.z, "state.z", join(shape.leading, {length(phi_k, -1)}), "(…, c)");
    // Do not change the state that is passed in: make a new one.
    // YOUR CODE HERE
    throw NotImplemented("causal_linear_attention_step");
}

OutputAndState causal_linear_attention_resume(const Tensor& Q, const Tensor& K, const Tensor& V,
                                              const CausalState& state, const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    const std::size_t c = length(phi(zeros({shape.d_k})), -1);  // only φ knows how wide its features are
    require_shape(state.S, "state.S", join(shape.leading, {c, shape.d_v}), "(…, c, d_v)");
    require_shape(state.z, "state.z", join(shape.leading, {c}), "(…, c)");
    // Continue from the state that is passed in as if its tokens had just been read. Apply φ to one token at a time.
    // YOUR CODE HERE
    throw NotImplemented("causal_linear_attention_resume");
}

Tensor masked_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& key_padding_mask,
                                      const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(key_padding_mask, "key_padding_mask", join(shape.leading, {shape.n}), "(…, n)");
    // A padded key counts in no output, whatever it or its value holds. A padded query still has an output.
    // YOUR CODE HERE
    throw NotImplemented("masked_causal_linear_attention");
}

Tensor streaming_exp_attention(const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Keep the largest key entry so far, one for each channel. When it grows, rescale S and z to the new unit. What was
    // subtracted from the keys is added to the query's exponents; then subtract the largest of these exponents.
    // YOUR CODE HERE
    throw NotImplemented("streaming_exp_attention");
}

Tensor packed_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& begins,
                                      const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(begins, "begins", join(shape.leading, {shape.n}), "(…, n)");
    // Forget the state where a sequence begins, for each leading index by itself, before its first token is added.
    // YOUR CODE HERE
    throw NotImplemented("packed_causal_linear_attention");
}

CausalState rewind_state(const CausalState& saved, std::size_t every, const Tensor& K, const Tensor& V,
                         const FeatureMap& phi, std::size_t kept) {
    require_rank(K, "K", 2, "(…, n, d_k)");
    const AttentionShape shape = require_attention_shapes(K, K, V);
    if (every == 0) reject("rewind_state", "every", "at least 1", "0");
    if (kept > shape.n) reject("rewind_state", "kept", "at most n = " + std::to_string(shape.n), std::to_string(kept));
    const std::size_t c = length(phi(zeros({shape.d_k})), -1), m = shape.n / every + 1;
    require_shape(saved.S, "saved.S", join(shape.leading, {m, c, shape.d_v}), "(…, m, c, d_v)");
    require_shape(saved.z, "saved.z", join(shape.leading, {m, c}), "(…, m, c)");
    // Begin with the last saved state that holds none but kept tokens, and add the kept tokens after it. Do not subtract.
    // YOUR CODE HERE
    throw NotImplemented("rewind_state");
}

}  // namespace linattn
