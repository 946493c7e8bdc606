// Lab 07: read labs/lab07_transformer_layer/README.md, write the functions below, run: ctest -L lab07
#include "transformer.hpp"

#include "attention.hpp"
#include "random.hpp"

// BEGIN SOLUTION
#include <algorithm>
#include <cmath>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

Tensor elu_plus_one(const Tensor& x) { return where(x > 0.0, x + 1.0, exp(minimum(x, 0.0))); }

Tensor causal_mask(std::size_t n) { return cumsum(ones({n, 1}), 0) >= cumsum(ones({1, n}), 1); }

Tensor affine(const Tensor& X, const Affine& w) { return matmul(X, w.W) + w.b; }

Tensor feed_forward(const Tensor& X, const FeedForward& w) { return affine(gelu(affine(X, w.up)), w.down); }

// The leading axes of tokens (…, n, d).
Shape leading_of(const Tensor& X) {
    Shape shape = shape_of(X);
    shape.resize(shape.size() - 2);
    return shape;
}

Memory nothing_seen(const Shape& leading, std::size_t heads, std::size_t e) {
    return {zeros(join(leading, {heads, e, e})), zeros(join(leading, {heads, e}))};
}

// Adds a token to the sums S and z, then reads them. q and k (…, e), v (…, e_v).
template <class Sums>
Tensor linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, Sums& memory) {
    const Tensor phi_q = elu_plus_one(q), phi_k = elu_plus_one(k);
    memory.S += expand_dims(phi_k, -1) * expand_dims(v, -2);
    memory.z += phi_k;
    const Tensor numerator = sum(expand_dims(phi_q, -1) * memory.S, -2);
    return numerator / (sum(phi_q * memory.z, -1, keep_dims) + attention_epsilon);
}

// The next tokens X (…, n, d) of a sequence. The memory then holds them as well. Each chunk reads the sums of the tokens
// before it, and its own tokens by the quadratic form.
Tensor attention(const Tensor& X, const Attention& w, std::size_t heads, Memory& memory) {
    const Tensor phi_Q = elu_plus_one(split_heads(affine(X, w.Q), heads));
    const Tensor phi_K = elu_plus_one(split_heads(affine(X, w.K), heads));
    const Tensor V = split_heads(affine(X, w.V), heads);
    const std::size_t n = length(X, -2), chunk = 32;
    Tensor O = zeros(shape_of(V));
    for (std::size_t begin = 0; begin < n; begin += chunk) {
        const std::size_t end = std::min(begin + chunk, n);
        const Tensor q = tokens(phi_Q, begin, end), k = tokens(phi_K, begin, end), v = tokens(V, begin, end);
        const Tensor A = matmul(q, matrix_transpose(k)) * causal_mask(end - begin);
        const Tensor denominator =
            sum(A, -1, keep_dims) + sum(q * expand_dims(memory.z, -2), -1, keep_dims) + attention_epsilon;
        set_tokens(O, begin, (matmul(A, v) + matmul(q, memory.S)) / denominator);
        memory.S += matmul(matrix_transpose(k), v);
        memory.z += sum(k, -2);
    }
    return affine(merge_heads(O), w.O);
}

Tensor block(const Tensor& X, const Block& w, std::size_t heads, Memory& memory) {
    const Tensor Y = X + attention(layer_norm(X, w.before_attention), w.attention, heads, memory);
    return Y + feed_forward(layer_norm(Y, w.before_feed_forward), w.feed_forward);
}

// One memory for each block, before the first token.
std::vector<Memory> memories_for(const Model& w, const Shape& leading) {
    return std::vector<Memory>(w.blocks.size(), nothing_seen(leading, w.heads, length(w.embedding, -1) / w.heads));
}

// The logits of the next ids (…, n), of which the first stands at `position`. The memories then hold them as well.
Tensor next_logits(const Tensor& ids, std::size_t position, const Model& w, std::vector<Memory>& memories) {
    Tensor X = rows(w.embedding, ids) + tokens(w.positions, position, position + length(ids, -1));
    for (std::size_t l = 0; l < w.blocks.size(); ++l) X = block(X, w.blocks[l], w.heads, memories[l]);
    return matmul(layer_norm(X, w.last), w.head.W) + w.head.b;
}

// The smallest id among those of the largest entry: (…, vocab_size) → (…, 1).
Tensor most_likely(const Tensor& x) {
    const std::size_t vocab_size = length(x, -1);
    const Tensor candidates = where(x == amax(x, -1, keep_dims), arange(vocab_size), vocab_size);
    return -amax(-candidates, -1, keep_dims);
}

}  // namespace
// END SOLUTION

Tensor split_heads(const Tensor& X, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    const std::size_t e = require_heads(length(X, -1), heads);
    // Reshape the columns of a token to (heads, e); then swap the axes of heads and tokens.
    // BEGIN SOLUTION
    return swap_axes(reshape(X, join(leading_of(X), {length(X, -2), heads, e})), -2, -3);
    // END SOLUTION
}

Tensor merge_heads(const Tensor& X) {
    require_rank(X, "X", 3, "(…, h, n, e)");
    // The steps of split_heads in reverse.
    // BEGIN SOLUTION
    const Tensor side_by_side = swap_axes(X, -2, -3);
    Shape shape = shape_of(side_by_side);
    shape.pop_back();
    shape.back() = length(X, -3) * length(X, -1);
    return reshape(side_by_side, shape);
    // END SOLUTION
}

Tensor layer_norm(const Tensor& X, const Norm& w) {
    require_rank(X, "X", 1, "(…, d)");
    require_norm(w, "w", length(X, -1));
    // Mean and variance of each token are (…, 1): keep_dims.
    // BEGIN SOLUTION
    const Tensor centred = X - mean(X, -1, keep_dims);
    const Tensor variance = mean(centred * centred, -1, keep_dims);
    return centred / sqrt(variance + norm_epsilon) * w.gain + w.bias;
    // END SOLUTION
}

Tensor gelu(const Tensor& X) {
    // x times Φ(x), the probability that a normal number is below x. `erf` gives Φ.
    // BEGIN SOLUTION
    return X * (1.0 + erf(X / std::sqrt(2.0))) / 2.0;
    // END SOLUTION
}

Tensor dropout(const Tensor& X, double p, std::uint64_t seed) {
    if (!(p >= 0.0 && p < 1.0)) reject("dropout", "p", "at least 0 and below 1", std::to_string(p));
    // SplitMix64 random(seed); then each random.uniform() is another number in [0, 1).
    // BEGIN SOLUTION
    Tensor result = zeros(shape_of(X));
    SplitMix64 random(seed);
    for (std::size_t i = 0; i < X.size(); ++i)
        if (random.uniform() >= p) result.data()[i] = X.data()[i] / (1.0 - p);
    return result;
    // END SOLUTION
}

Tensor multi_head_attention(const Tensor& X, const Attention& w, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    const std::size_t e = require_heads(length(X, -1), heads);
    require_attention(w, "w", length(X, -1));
    // Project, split into heads, attend in each head, merge, project. φ is applied after the split, before attending.
    // BEGIN SOLUTION
    Memory memory = nothing_seen(leading_of(X), heads, e);
    return attention(X, w, heads, memory);
    // END SOLUTION
}

Tensor transformer_block(const Tensor& X, const Block& w, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    require_heads(length(X, -1), heads);
    require_block(w, "w", length(X, -1));
    // Two halves of the same form: the input, plus a layer applied to its norm.
    // BEGIN SOLUTION
    Memory memory = nothing_seen(leading_of(X), heads, length(X, -1) / heads);
    return block(X, w, heads, memory);
    // END SOLUTION
}

Tensor logits(const Tensor& ids, const Model& w) {
    require_model(w, "w");
    require_ids(ids, "ids", length(w.embedding, -2));
    require_positions(w, "ids", length(ids, -1));
    // rows(w.embedding, ids) looks up every id at once.
    // BEGIN SOLUTION
    Shape leading = shape_of(ids);
    leading.pop_back();
    std::vector<Memory> memories = memories_for(w, leading);
    return next_logits(ids, 0, w, memories);
    // END SOLUTION
}

BlockStep block_step(const Tensor& x, const Block& w, std::size_t heads, const Memory& memory) {
    require_rank(x, "x", 1, "(…, d)");
    const std::size_t d = length(x, -1), e = require_heads(d, heads);
    require_block(w, "w", d);
    Shape leading = shape_of(x);
    leading.pop_back();
    require_shape(memory.S, "memory.S", join(leading, {heads, e, e}), "(…, h, e, e)");
    require_shape(memory.z, "memory.z", join(leading, {heads, e}), "(…, h, e)");
    // matmul takes (…, n, d): one token is a sequence with n = 1. Do not change the memory passed in.
    // BEGIN SOLUTION
    Memory after = memory;
    const Tensor Y = block(expand_dims(x, -2), w, heads, after);
    return {token(Y, 0), after};
    // END SOLUTION
}

Tensor generate(const Tensor& prompt, std::size_t count, const Model& w) {
    require_model(w, "w");
    require_ids(prompt, "prompt", length(w.embedding, -2));
    if (length(prompt, -1) == 0) reject("generate", "prompt", "at least one id long", to_string(shape_of(prompt)));
    if (count == 0) reject("generate", "count", "at least 1", "0");
    require_positions(w, "count", count);
    require_positions(w, "prompt and count", length(prompt, -1) + count - 1);
    // Read the prompt, choose a symbol, read it, choose the next. Each block keeps a memory of its own throughout.
    // BEGIN SOLUTION
    const std::size_t n = length(prompt, -1);
    Shape leading = shape_of(prompt);
    leading.pop_back();
    std::vector<Memory> memories = memories_for(w, leading);
    Tensor answer = zeros(join(leading, {count, 1}));
    Tensor next = most_likely(token(next_logits(prompt, 0, w, memories), n - 1));
    for (std::size_t i = 0; i < count; ++i) {
        set_token(answer, i, next);
        if (i + 1 < count) next = most_likely(token(next_logits(next, n + i, w, memories), 0));
    }
    return reshape(answer, join(leading, {count}));
    // END SOLUTION
}

Tensor hybrid_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate, std::size_t window) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(gate, "gate", join(shape.leading, {shape.n}), "(…, n)");
    if (window == 0) reject("hybrid_attention", "window", "at least 1", "0");
    // For token i: softmax attention over tokens(K, begin, i + 1), and linear attention over all tokens up to i.
    // BEGIN SOLUTION
    const Tensor gates = expand_dims(gate, -1);
    const auto& [leading, n, d_k, d_v] = shape;
    HybridMemory memory{zeros(join(leading, {d_k, d_v})), zeros(join(leading, {d_k})), zeros(join(leading, {0, d_k})),
                        zeros(join(leading, {0, d_v}))};
    Tensor O = zeros(shape_of(V));
    for (std::size_t i = 0; i < n; ++i) {
        const Tensor g = reshape(token(gates, i), leading);
        HybridStep step = hybrid_attention_step(token(Q, i), token(K, i), token(V, i), g, window, memory);
        set_token(O, i, step.output);
        memory = std::move(step.memory);
    }
    return O;
    // END SOLUTION
}

HybridStep hybrid_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& gate,
                                 std::size_t window, const HybridMemory& memory) {
    const auto& [leading, n, d_k, d_v] = require_step_shapes(q, k, v);
    require_shape(gate, "gate", leading, "(…)");
    if (window == 0) reject("hybrid_attention_step", "window", "at least 1", "0");
    require_shape(memory.S, "memory.S", join(leading, {d_k, d_v}), "(…, d_k, d_v)");
    require_shape(memory.z, "memory.z", join(leading, {d_k}), "(…, d_k)");
    require_rank(memory.K, "memory.K", 2, "(…, m, d_k)");
    const std::size_t kept = length(memory.K, -2);
    require_shape(memory.K, "memory.K", join(leading, {kept, d_k}), "(…, m, d_k)");
    require_shape(memory.V, "memory.V", join(leading, {kept, d_v}), "(…, m, d_v)");
    if (kept > window)
        reject("hybrid_attention_step", "memory.K", "at most window = " + std::to_string(window) + " keys",
               std::to_string(kept));
    // Add the token to K and V, remove the oldest if there are more than window, then read them.
    // BEGIN SOLUTION
    HybridMemory after = memory;
    const Tensor linear = linear_attention_step(q, k, v, after);
    const std::size_t first = kept == window ? 1 : 0;
    after.K = tokens(concatenate(memory.K, expand_dims(k, -2), -2), first, kept + 1);
    after.V = tokens(concatenate(memory.V, expand_dims(v, -2), -2), first, kept + 1);
    const Tensor scores = sum(expand_dims(q, -2) * after.K, -1) / std::sqrt(static_cast<double>(d_k));
    const Tensor weights = exp(scores - amax(scores, -1, keep_dims));
    const Tensor local = sum(expand_dims(weights / sum(weights, -1, keep_dims), -1) * after.V, -2);
    const Tensor g = expand_dims(gate, -1);
    return {g * local + (1.0 - g) * linear, after};
    // END SOLUTION
}

}  // namespace linattn
