// One more token of a whole model when n are there, and what is kept for it: the memories of linear attention, softmax with
// a cache of keys and values, softmax recomputed from the start. The same weights for all three, in double, with the labs'
// vocabulary.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>

#include "training.hpp"
#include "transformer.hpp"

namespace {

using namespace linattn;

constexpr std::size_t longest = 4096, d = 64, heads = 4, e = d / heads, blocks = 2;

const Model& model() {
    static const Model w = initial_model(11, longest, blocks, d, heads, 1);
    return w;
}
Tensor ids_until(std::size_t n) {
    Tensor ids = zeros({n});
    for (std::size_t i = 0; i < n; ++i) ids(i) = static_cast<double>(7 * i * i % 11);
    return ids;
}

Tensor affine(const Tensor& X, const Affine& w) { return matmul(X, w.W) + w.b; }
Tensor feed_forward(const Tensor& X, const Block& w) {
    const Tensor inner = gelu(affine(layer_norm(X, w.before_feed_forward), w.feed_forward.up));
    return X + affine(inner, w.feed_forward.down);
}
Tensor head_of(const Tensor& X) { return affine(layer_norm(X, model().last), model().head); }

struct Cache {
    Tensor K, V;  // (heads, n, e)
};

// Softmax attention of the queries Q (heads, n, e), which are the last ones of those that K and V belong to. A piece of
// queries at a time, so that n² weights need no room.
Tensor softmax_attention_of_last(const Tensor& Q, const Tensor& K, const Tensor& V) {
    const std::size_t count = length(Q, -2), before = length(K, -2) - count, piece = 64;
    Tensor O = zeros(shape_of(Q));
    for (std::size_t begin = 0; begin < count; begin += piece) {
        const std::size_t end = std::min(count, begin + piece), seen = before + end;
        const Tensor products = matmul(tokens(Q, begin, end), matrix_transpose(tokens(K, 0, seen)));
        Tensor scores = products / std::sqrt(static_cast<double>(e));
        if (end - begin > 1) {
            const Tensor row = expand_dims(arange(end - begin), 1) + (before + begin);
            scores = where(row >= arange(seen), scores, -1e300);
        }
        const Tensor weights = exp(scores - amax(scores, -1, keep_dims));
        const Tensor out = matmul(weights, tokens(V, 0, seen)) / sum(weights, -1, keep_dims);
        for (std::size_t i = begin; i < end; ++i) set_token(O, i, token(out, i - begin));
    }
    return O;
}

// Logits of the last token by softmax, from all tokens. The caches receive the keys and values.
Tensor recompute(std::size_t n, std::vector<Cache>* caches = nullptr) {
    const Model& w = model();
    Tensor X = rows(w.embedding, ids_until(n)) + tokens(w.positions, 0, n);
    for (const Block& block : w.blocks) {
        const Tensor u = layer_norm(X, block.before_attention);
        const auto in_heads = [&](const Affine& p) { return split_heads(affine(u, p), heads); };
        const Cache now{in_heads(block.attention.K), in_heads(block.attention.V)};
        const Tensor O = softmax_attention_of_last(in_heads(block.attention.Q), now.K, now.V);
        X = feed_forward(X + affine(merge_heads(O), block.attention.O), block);
        if (caches != nullptr) caches->push_back(now);
    }
    return head_of(tokens(X, n - 1, n));
}

// The same from the caches: the last token takes its place in them, which is there.
Tensor from_caches(std::size_t n, std::vector<Cache>& caches) {
    const Model& w = model();
    Tensor X = tokens(rows(w.embedding, ids_until(n)), n - 1, n) + tokens(w.positions, n - 1, n);
    for (std::size_t l = 0; l < blocks; ++l) {
        const Block& block = w.blocks[l];
        const Tensor u = layer_norm(X, block.before_attention);
        const auto in_heads = [&](const Affine& p) { return split_heads(affine(u, p), heads); };
        set_token(caches[l].K, n - 1, token(in_heads(block.attention.K), 0));
        set_token(caches[l].V, n - 1, token(in_heads(block.attention.V), 0));
        const Tensor O = softmax_attention_of_last(in_heads(block.attention.Q), caches[l].K, caches[l].V);
        X = feed_forward(X + affine(merge_heads(O), block.attention.O), block);
    }
    return head_of(X);
}

// Linear attention: the last token, from the memories of those before it.
Tensor from_memories(std::size_t n, const std::vector<Memory>& memories) {
    const Model& w = model();
    const Tensor id = full({1}, ids_until(n)(n - 1));
    Tensor x = token(rows(w.embedding, id), 0) + token(w.positions, n - 1);
    for (std::size_t l = 0; l < blocks; ++l) x = block_step(x, w.blocks[l], heads, memories[l]).output;
    return head_of(expand_dims(x, 0));
}
std::vector<Memory> memories_after(std::size_t n) {
    const Model& w = model();
    std::vector<Memory> memories(blocks, Memory{zeros({heads, e, e}), zeros({heads, e})});
    const Tensor ids = ids_until(n);
    for (std::size_t i = 0; i < n; ++i) {
        Tensor x = token(rows(w.embedding, full({1}, ids(i))), 0) + token(w.positions, i);
        for (std::size_t l = 0; l < blocks; ++l) {
            BlockStep step = block_step(x, w.blocks[l], heads, memories[l]);
            x = step.output;
            memories[l] = std::move(step.memory);
        }
    }
    return memories;
}

void require_equal(benchmark::State& state, const Tensor& output, const Tensor& expected) {
    const Tensor off = abs(reshape(output, {output.size()}) - reshape(expected, {expected.size()}));
    if (!(amax(off, -1)() <= 1e-10)) state.SkipWithError("the logits differ from those of the whole sequence");
}

std::size_t tokens_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void recomputed(benchmark::State& state) {
    const std::size_t n = tokens_of(state);
    for (auto _ : state) benchmark::DoNotOptimize(recompute(n));
    state.counters["kept_bytes"] = static_cast<double>(n * sizeof(double));  // the ids
}

void cached(benchmark::State& state) {
    static std::map<std::size_t, std::vector<Cache>> ready;  // a run is made several times
    const std::size_t n = tokens_of(state);
    if (!ready.contains(n)) {
        const Tensor expected = recompute(n, &ready[n]);
        require_equal(state, from_caches(n, ready[n]), expected);
    }
    for (auto _ : state) benchmark::DoNotOptimize(from_caches(n, ready[n]));
    state.counters["kept_bytes"] = static_cast<double>(2 * blocks * n * d * sizeof(double));
}

void linear(benchmark::State& state) {
    static std::map<std::size_t, std::vector<Memory>> ready;
    const std::size_t n = tokens_of(state);
    if (!ready.contains(n)) {
        ready[n] = memories_after(n - 1);
        require_equal(state, from_memories(n, ready[n]), token(logits(ids_until(n), model()), n - 1));
    }
    for (auto _ : state) benchmark::DoNotOptimize(from_memories(n, ready[n]));
    state.counters["kept_bytes"] = static_cast<double>(blocks * heads * (e * e + e) * sizeof(double));
}

void lengths(benchmark::internal::Benchmark* program) {
    program->ArgName("n")->RangeMultiplier(4)->Range(16, longest)->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}
BENCHMARK(recomputed)->Apply(lengths);
BENCHMARK(cached)->Apply(lengths);
BENCHMARK(linear)->Apply(lengths);

}  // namespace
