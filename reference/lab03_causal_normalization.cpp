// Lab 03: read labs/lab03_causal_normalization/README.md, write the functions below, run: ctest -L lab03
#include "normalized_attention.hpp"

// BEGIN SOLUTION
#include <limits>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

// Before the first token.
CausalState nothing_seen(const Shape& leading, std::size_t c, std::size_t d_v) {
    return {zeros(join(leading, {c, d_v})), zeros(join(leading, {c}))};
}

void take_in(CausalState& state, const Tensor& phi_k, const Tensor& v) {
    state.S += expand_dims(phi_k, -1) * expand_dims(v, -2);
    state.z += phi_k;
}

Tensor read(const CausalState& state, const Tensor& phi_q, double epsilon) {
    const Tensor numerator = sum(expand_dims(phi_q, -1) * state.S, -2);
    const Tensor denominator = sum(phi_q * state.z, -1, keep_dims) + epsilon;
    return numerator / denominator;
}

}  // namespace
// END SOLUTION

Tensor attention_weights(const Tensor& Q, const Tensor& K, const FeatureMap& phi, Mask mask, double epsilon) {
    require_rank(Q, "Q", 2, "(…, n, d_k)");
    require_shape(K, "K", shape_of(Q), "(…, n, d_k), the shape of Q,");
    // One row for each query, one column for each key. Mask::causal allows j ≤ i, Mask::none every j.
    // BEGIN SOLUTION
    Tensor weights = matmul(phi(Q), matrix_transpose(phi(K)));
    if (mask == Mask::causal) {
        const std::size_t n = length(Q, -2);
        weights = where(cumsum(ones({n, 1}), 0) >= cumsum(ones({1, n}), 1), weights, 0.0);
    }
    return weights / (sum(weights, -1, keep_dims) + epsilon);
    // END SOLUTION
}

Tensor normalized_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                   double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The numerator has a state S, (…, c, d_v); the denominator has one too: z, (…, c). Neither product is n×n.
    // BEGIN SOLUTION
    const Tensor phi_Q = phi(Q), phi_K = phi(K);
    const Tensor z = expand_dims(sum(phi_K, -2), -1);
    return matmul(phi_Q, matmul(matrix_transpose(phi_K), V)) / (matmul(phi_Q, z) + epsilon);
    // END SOLUTION
}

Tensor causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                               double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Every output has a numerator and a denominator of its own. For n = 0 there are no outputs: (…, 0, d_v).
    // BEGIN SOLUTION
    const std::size_t c = length(phi(zeros({shape.d_k})), -1);
    return causal_linear_attention_resume(Q, K, V, nothing_seen(shape.leading, c, shape.d_v), phi, epsilon).output;
    // END SOLUTION
}

OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const CausalState& state,
                                            const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    const Tensor phi_k = phi(k);
    require_shape(state.S, "state.S", join(shape.leading, {length(phi_k, -1), shape.d_v}), "(…, c, d_v)");
    require_shape(state.z, "state.z", join(shape.leading, {length(phi_k, -1)}), "(…, c)");
    // Do not change the state that is passed in: make a new one.
    // BEGIN SOLUTION
    CausalState after = state;
    take_in(after, phi_k, v);
    return {read(after, phi(q), epsilon), after};
    // END SOLUTION
}

OutputAndState causal_linear_attention_resume(const Tensor& Q, const Tensor& K, const Tensor& V,
                                              const CausalState& state, const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    const std::size_t c = length(phi(zeros({shape.d_k})), -1);  // only φ knows how wide its features are
    require_shape(state.S, "state.S", join(shape.leading, {c, shape.d_v}), "(…, c, d_v)");
    require_shape(state.z, "state.z", join(shape.leading, {c}), "(…, c)");
    // Continue from the state that is passed in as if its tokens had just been read. Apply φ to one token at a time.
    // BEGIN SOLUTION
    OutputAndState result{zeros(shape_of(V)), state};
    for (std::size_t i = 0; i < shape.n; ++i) {
        take_in(result.state, phi(token(K, i)), token(V, i));
        set_token(result.output, i, read(result.state, phi(token(Q, i)), epsilon));
    }
    return result;
    // END SOLUTION
}

Tensor masked_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& key_padding_mask,
                                      const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(key_padding_mask, "key_padding_mask", join(shape.leading, {shape.n}), "(…, n)");
    // A padded key counts in no output, whatever it or its value holds. A padded query still has an output.
    // BEGIN SOLUTION
    const Tensor is_token = expand_dims(key_padding_mask, -1);
    CausalState state = nothing_seen(shape.leading, length(phi(zeros({shape.d_k})), -1), shape.d_v);
    Tensor output = zeros(shape_of(V));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor counts = token(is_token, i);
        take_in(state, where(counts, phi(token(K, i)), 0.0), where(counts, token(V, i), 0.0));
        set_token(output, i, read(state, phi(token(Q, i)), epsilon));
    }
    return output;
    // END SOLUTION
}

Tensor streaming_exp_attention(const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Keep the largest key entry so far, one for each channel. When it grows, rescale S and z to the new unit. What was
    // subtracted from the keys is added to the query's exponents; then subtract the largest of these exponents.
    // BEGIN SOLUTION
    CausalState state = nothing_seen(shape.leading, shape.d_k, shape.d_v);
    Tensor largest = full(join(shape.leading, {shape.d_k}), -std::numeric_limits<double>::infinity());
    Tensor output = zeros(shape_of(V));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor k = token(K, i);
        const Tensor before = largest;
        largest = maximum(before, k);
        const Tensor shrink = exp(before - largest);  // 0 at the first token, where there is nothing to shrink
        state.S *= expand_dims(shrink, -1);
        state.z *= shrink;
        take_in(state, exp(k - largest), token(V, i));
        const Tensor exponent = token(Q, i) + largest;
        set_token(output, i, read(state, exp(exponent - amax(exponent, -1, keep_dims)), epsilon));
    }
    return output;
    // END SOLUTION
}

Tensor packed_causal_linear_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& begins,
                                      const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(begins, "begins", join(shape.leading, {shape.n}), "(…, n)");
    // Forget the state where a sequence begins, for each leading index by itself, before its first token is added.
    // BEGIN SOLUTION
    const Tensor is_first = expand_dims(begins, -1);
    CausalState state = nothing_seen(shape.leading, length(phi(zeros({shape.d_k})), -1), shape.d_v);
    Tensor output = zeros(shape_of(V));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor forget = token(is_first, i);
        state = {where(expand_dims(forget, -1), 0.0, state.S), where(forget, 0.0, state.z)};
        take_in(state, phi(token(K, i)), token(V, i));
        set_token(output, i, read(state, phi(token(Q, i)), epsilon));
    }
    return output;
    // END SOLUTION
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
    // BEGIN SOLUTION
    const std::size_t last = kept / every;
    const Tensor S = slice(saved.S, -3, last, last + 1);
    CausalState state{reshape(S, join(shape.leading, {c, shape.d_v})), token(saved.z, last)};
    for (std::size_t i = last * every; i < kept; ++i) take_in(state, phi(token(K, i)), token(V, i));
    return state;
    // END SOLUTION
}

}  // namespace linattn
