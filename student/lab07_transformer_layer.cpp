// Lab 07: read labs/lab07_transformer_layer/README.md, write the functions below, run: ctest -L lab07
#include "transformer.hpp"

#include "attention.hpp"
#include "random.hpp"

namespace linattn {

Tensor split_heads(const Tensor& X, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    const std::size_t e = require_heads(length(X, -1), heads);
    // Reshape the columns of a token to (heads, e); then swap the axes of heads and tokens.
    // YOUR CODE HERE
    throw NotImplemented("split_heads");
}

Tensor merge_heads(const Tensor& X) {
    require_rank(X, "X", 3, "(…, h, n, e)");
    // The steps of split_heads in reverse.
    // YOUR CODE HERE
    throw NotImplemented("merge_heads");
}

Tensor layer_norm(const Tensor& X, const Norm& w) {
    require_rank(X, "X", 1, "(…, d)");
    require_norm(w, "w", length(X, -1));
    // Mean and variance of each token are (…, 1): keep_dims.
    // YOUR CODE HERE
    throw NotImplemented("layer_norm");
}

Tensor gelu(const Tensor& X) {
    // x times Φ(x), the probability that a normal number is below x. `erf` gives Φ.
    // YOUR CODE HERE
    throw NotImplemented("gelu");
}

Tensor dropout(const Tensor& X, double p, std::uint64_t seed) {
    if (!(p >= 0.0 && p < 1.0)) reject("dropout", "p", "at least 0 and below 1", std::to_string(p));
    // SplitMix64 random(seed); then each random.uniform() is another number in [0, 1).
    // YOUR CODE HERE
    throw NotImplemented("dropout");
}

Tensor multi_head_attention(const Tensor& X, const Attention& w, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    const std::size_t e = require_heads(length(X, -1), heads);
    require_attention(w, "w", length(X, -1));
    // Project, split into heads, attend in each head, merge, project. φ is applied after the split, before attending.
    // YOUR CODE HERE
    throw NotImplemented("multi_head_attention");
}

Tensor transformer_block(const Tensor& X, const Block& w, std::size_t heads) {
    require_rank(X, "X", 2, "(…, n, d)");
    require_heads(length(X, -1), heads);
    require_block(w, "w", length(X, -1));
    // Two halves of the same form: the input, plus a layer applied to its norm.
    // YOUR CODE HERE
    throw NotImplemented("transformer_block");
}

Tensor logits(const Tensor& ids, const Model& w) {
    require_model(w, "w");
    require_ids(ids, "ids", length(w.embedding, -2));
    require_positions(w, "ids", length(ids, -1));
    // rows(w.embedding, ids) looks up every id at once.
    // YOUR CODE HERE
    throw NotImplemented("logits");
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
    // YOUR CODE HERE
    throw NotImplemented("block_step");
}

Tensor generate(const Tensor& prompt, std::size_t count, const Model& w) {
    require_model(w, "w");
    require_ids(prompt, "prompt", length(w.embedding, -2));
    if (length(prompt, -1) == 0) reject("generate", "prompt", "at least one id long", to_string(shape_of(prompt)));
    if (count == 0) reject("generate", "count", "at least 1", "0");
    require_positions(w, "count", count);
    require_positions(w, "prompt and count", length(prompt, -1) + count - 1);
    // Read the prompt, choose a symbol, read it, choose the next. Each block keeps a memory of its own throughout.
    // YOUR CODE HERE
    throw NotImplemented("generate");
}

Tensor hybrid_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate, std::size_t window) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(gate, "gate", join(shape.leading, {shape.n}), "(…, n)");
    if (window == 0) reject("hybrid_attention", "window", "at least 1", "0");
    // For token i: softmax attention over tokens(K, begin, i + 1), and linear attention over all tokens up to i.
    // YOUR CODE HERE
    throw NotImplemented("hybrid_attention");
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
    // YOUR CODE HERE
    throw NotImplemented("hybrid_attention_step");
}

}  // namespace linattn
