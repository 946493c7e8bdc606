// One more token of a whole model when n are there, and what is kept for it: the memories of linear attention, softmax with
// a cache of keys and values, softmax recomputed from the start. The same weights for all three, in double, with the labs'
// vocabulary.
#include <benchmark/benchmark.h>

#include <cmath>

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

// Logits of the last of n tokens by softmax, from those from `first` on and from the caches of the ones before: of none, or of
// all but the last, whose place is there. The caches receive the keys and values.
Tensor by_softmax(std::size_t first, std::size_t n, std::vector<Cache>& caches) {
    const Model& w = model();
    Tensor X = tokens(rows(w.embedding, ids_until(n)), first, n) + tokens(w.positions, first, n);
    for (std::size_t l = 0; l < blocks; ++l) {
        const Block& block = w.blocks[l];
        const Tensor u = layer_norm(X, block.before_attention);
        const auto in_heads = [&](const Affine& p) { return split_heads(affine(u, p), heads); };
        Cache now{in_heads(block.attention.K), in_heads(block.attention.V)};
        if (first == 0) {
            caches[l] = std::move(now);
        } else {
            set_token(caches[l].K, n - 1, token(now.K, 0));
            set_token(caches[l].V, n - 1, token(now.V, 0));
        }
        const Tensor O = softmax_attention_of_last(in_heads(block.attention.Q), caches[l].K, caches[l].V);
        X = feed_forward(X + affine(merge_heads(O), block.attention.O), block);
    }
    return head_of(tokens(X, n - 1 - first, n - first));
}

// Linear attention: token i through all blocks. \return what the last block gives
Tensor by_linear(std::size_t i, const std::vector<Memory>& memories, std::vector<Memory>* after = nullptr) {
    const Model& w = model();
    Tensor x = token(rows(w.embedding, full({1}, ids_until(i + 1)(i))), 0) + token(w.positions, i);
    for (std::size_t l = 0; l < blocks; ++l) {
        BlockStep step = block_step(x, w.blocks[l], heads, memories[l]);
        x = std::move(step.output);
        if (after != nullptr) (*after)[l] = std::move(step.memory);
    }
    return x;
}
void require_equal(benchmark::State& state, const Tensor& output, const Tensor& expected) {
    const Tensor off = abs(reshape(output, {output.size()}) - reshape(expected, {expected.size()}));
    if (!(amax(off, -1)() <= 1e-10)) state.SkipWithError("the logits differ from those of the whole sequence");
}

std::size_t tokens_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

void recomputed(benchmark::State& state) {
    const std::size_t n = tokens_of(state);
    std::vector<Cache> caches(blocks);
    for (auto _ : state) benchmark::DoNotOptimize(by_softmax(0, n, caches));
    state.counters["kept_bytes"] = static_cast<double>(n * sizeof(double));  // the ids
}

void cached(benchmark::State& state) {
    const std::size_t n = tokens_of(state);
    std::vector<Cache> caches(blocks);
    const Tensor expected = by_softmax(0, n, caches);
    require_equal(state, by_softmax(n - 1, n, caches), expected);
    for (auto _ : state) benchmark::DoNotOptimize(by_softmax(n - 1, n, caches));
    state.counters["kept_bytes"] = static_cast<double>(2 * blocks * n * d * sizeof(double));
}

void linear(benchmark::State& state) {
    const std::size_t n = tokens_of(state);
    std::vector<Memory> memories(blocks, Memory{zeros({heads, e, e}), zeros({heads, e})});
    for (std::size_t i = 0; i + 1 < n; ++i) by_linear(i, memories, &memories);
    const auto last_logits = [&] { return head_of(expand_dims(by_linear(n - 1, memories), 0)); };
    require_equal(state, last_logits(), token(logits(ids_until(n), model()), n - 1));
    for (auto _ : state) benchmark::DoNotOptimize(last_logits());
    state.counters["kept_bytes"] = static_cast<double>(blocks * heads * (e * e + e) * sizeof(double));
}

void lengths(benchmark::internal::Benchmark* program) {
    program->ArgName("n")->RangeMultiplier(4)->Range(16, longest)->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}
BENCHMARK(recomputed)->Name("generation/recomputed")->Apply(lengths);
BENCHMARK(cached)->Name("generation/cached")->Apply(lengths);
BENCHMARK(linear)->Name("generation/linear")->Apply(lengths);

}  // namespace
