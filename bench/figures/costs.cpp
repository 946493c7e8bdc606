// What the plots of labs 02 and 06 show, over the number of tokens of one head: time and memory of causal attention in five
// forms, and of its gradients in four; and the time for one more token.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "chunkwise.hpp"
#include "feature_maps.hpp"
#include "gradients.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"
#include "peak_memory.hpp"
#include "random.hpp"
#include "token_loops.hpp"

namespace {

using namespace linattn;

constexpr std::size_t d = 64, chunk = 32;
constexpr double epsilon = 1e-6;

const FeatureMap phi("elu_plus_one", [](const Tensor& x) { return elu_plus_one(x); });

struct Inputs {
    std::size_t n;
    Tensor Q, K, V, dO;

    explicit Inputs(const benchmark::State& state) : Inputs(static_cast<std::size_t>(state.range(0))) {}
    explicit Inputs(std::size_t tokens)
        : n(tokens), Q(normal({n, d}, 1)), K(normal({n, d}, 2)), V(normal({n, d}, 3)), dO(normal({n, d}, 4)) {}
};
struct FloatInputs {
    std::vector<float> q, k, v;
    Sizes sizes;

    explicit FloatInputs(const benchmark::State& state) : FloatInputs(Inputs(state)) {}
    explicit FloatInputs(const Inputs& x)
        : q(x.Q.begin(), x.Q.end()),
          k(x.K.begin(), x.K.end()),
          v(x.V.begin(), x.V.end()),
          sizes{1, static_cast<int>(x.n), static_cast<int>(d), static_cast<int>(d)} {}
};
struct Features : Inputs {
    explicit Features(const benchmark::State& state) : Inputs(state) {
        Q = elu_plus_one(Q);
        K = elu_plus_one(K);
    }
};

// Measures call(inputs): once for what it allocates at its peak, beside its inputs and what it returns; then for the time.
template <class Inputs, class Call>
bool add(const char* name, int longest, Call call) {
    benchmark::RegisterBenchmark(name,
                                 [call](benchmark::State& state) {
                                     const Inputs x(state);
                                     restart_peak();
                                     {
                                         const auto result = call(x);
                                         state.counters["peak_bytes"] =
                                             static_cast<double>(peak_bytes() - held_bytes());
                                     }
                                     for (auto _ : state) benchmark::DoNotOptimize(call(x));
                                 })
        ->ArgName("n")
        ->RangeMultiplier(2)
        ->Range(128, longest)
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.05);
    return true;
}

const bool added[] = {
    add<Inputs>("attention_cost/softmax", 4096,
                [](const auto& x) { return softmax_attention(x.Q, x.K, x.V, Mask::causal); }),
    add<Inputs>("attention_cost/parallel", 4096,
                [](const auto& x) { return linear_attention_parallel(x.Q, x.K, x.V, phi); }),
    add<Inputs>("attention_cost/recurrent", 4096,
                [](const auto& x) { return linear_attention_recurrent(x.Q, x.K, x.V, phi); }),
    // In float32 without the labs' vocabulary: what the chunks are compared with.
    add<FloatInputs>("attention_cost/loop", 4096, [](const auto& x) { return token_by_token(x.q, x.k, x.v, d); }),
    add<FloatInputs>("attention_cost/chunkwise", 4096,
                     [](const auto& x) {
                         return chunkwise_linear_attention(x.q, x.k, x.v, x.sizes, static_cast<int>(chunk), 1e-6f);
                     }),
    add<Features>("gradient_cost/quadratic", 2048,
                  [](const auto& x) { return attention_backward_quadratic(x.Q, x.K, x.V, x.dO, epsilon); }),
    add<Features>("gradient_cost/parallel", 2048,
                  [](const auto& x) { return causal_attention_backward_parallel(x.Q, x.K, x.V, x.dO, epsilon); }),
    add<Features>("gradient_cost/loops", 2048,
                  [](const auto& x) { return causal_attention_backward(x.Q, x.K, x.V, x.dO, epsilon); }),
    add<Features>("gradient_cost/chunkwise", 2048, [](const auto& x) {
        return causal_attention_backward_chunkwise(x.Q, x.K, x.V, x.dO, epsilon, chunk);
    })};

// One more token when n are there ------------------------------------------------------------------------------------

void require_equal(benchmark::State& state, const Tensor& output, const Tensor& expected) {
    const Tensor off = abs(reshape(output, {d}) - expected);
    if (!(amax(off, -1)() <= 1e-12)) state.SkipWithError("the output differs from that of the lab's function");
}

void recomputed(benchmark::State& state) {
    const Inputs x(state);
    for (auto _ : state) benchmark::DoNotOptimize(softmax_attention(x.Q, x.K, x.V, Mask::causal));
}

// The last row of softmax attention, from keys and values that were kept. Its place is there: nothing is copied.
Tensor attend_from_cache(const Tensor& q, const Tensor& k, const Tensor& v, Inputs& kept) {
    set_token(kept.K, kept.n - 1, k);
    set_token(kept.V, kept.n - 1, v);
    const Tensor scores = matmul(kept.K, expand_dims(q, -1)) / std::sqrt(static_cast<double>(d));
    const Tensor weights = exp(scores - amax(scores, 0));
    return matmul(reshape(weights, {1, kept.n}), kept.V) / sum(weights, 0);
}

void cached(benchmark::State& state) {
    Inputs x(state);
    const Tensor q = token(x.Q, x.n - 1), k = token(x.K, x.n - 1), v = token(x.V, x.n - 1);
    const Tensor expected = softmax_attention(x.Q, x.K, x.V, Mask::causal);
    require_equal(state, attend_from_cache(q, k, v, x), token(expected, x.n - 1));
    for (auto _ : state) benchmark::DoNotOptimize(attend_from_cache(q, k, v, x));
}

// Lab 03's step with products of matrices, as above, and with a state that changes in place.
Tensor attend_from_state(const Tensor& q, const Tensor& k, const Tensor& v, CausalState& state) {
    const Tensor phi_q = expand_dims(elu_plus_one(q), 0), phi_k = elu_plus_one(k);
    state.S += matmul(expand_dims(phi_k, -1), expand_dims(v, 0));
    state.z += phi_k;
    return matmul(phi_q, state.S) / (matmul(phi_q, expand_dims(state.z, -1)) + epsilon);
}

void with_state(benchmark::State& state) {
    const Inputs x(state);
    const Tensor q = token(x.Q, x.n - 1), k = token(x.K, x.n - 1), v = token(x.V, x.n - 1);
    CausalState kept{zeros({d, d}), zeros({d})};
    kept = causal_linear_attention_resume(x.Q, x.K, x.V, kept, phi, epsilon).state;
    const Tensor expected = causal_linear_attention_step(q, k, v, kept, phi, epsilon).output;
    require_equal(state, attend_from_state(q, k, v, kept), expected);
    for (auto _ : state) benchmark::DoNotOptimize(attend_from_state(q, k, v, kept));
}

void lengths(benchmark::internal::Benchmark* program) {
    program->ArgName("n")->RangeMultiplier(2)->Range(16, 4096)->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}
BENCHMARK(recomputed)->Name("token_cost/recomputed")->Apply(lengths);
BENCHMARK(cached)->Name("token_cost/cached")->Apply(lengths);
BENCHMARK(with_state)->Name("token_cost/state")->Apply(lengths);

}  // namespace
