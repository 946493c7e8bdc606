// Time and memory of causal attention over n tokens of one head: softmax, and three forms of linear attention.
#include <benchmark/benchmark.h>

#include <vector>

#include "chunkwise.hpp"
#include "feature_maps.hpp"
#include "linear_attention.hpp"
#include "peak_memory.hpp"
#include "random.hpp"
#include "token_loops.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t d = 64;
constexpr int chunk = 32;

struct Inputs {
    Tensor Q, K, V;

    explicit Inputs(std::size_t n)
        : Q(linattn::normal({n, d}, 1)), K(linattn::normal({n, d}, 2)), V(linattn::normal({n, d}, 3)) {}
};

std::vector<float> rounded(const Tensor& x) { return {x.begin(), x.end()}; }

// Once for what it allocates at its peak, beside its inputs and its output; then for the time.
template <class Attention>
void measure(benchmark::State& state, Attention attention) {
    restart_peak();
    {
        const auto output = attention();
        state.counters["peak_bytes"] = static_cast<double>(peak_bytes() - held_bytes());
    }
    for (auto _ : state) benchmark::DoNotOptimize(attention());
}

const linattn::FeatureMap& phi() {
    static const linattn::FeatureMap map("elu_plus_one", [](const Tensor& x) { return linattn::elu_plus_one(x); });
    return map;
}

void softmax(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    measure(state, [&] { return linattn::softmax_attention(x.Q, x.K, x.V, linattn::Mask::causal); });
}

void parallel(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    measure(state, [&] { return linattn::linear_attention_parallel(x.Q, x.K, x.V, phi()); });
}

void recurrent(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    measure(state, [&] { return linattn::linear_attention_recurrent(x.Q, x.K, x.V, phi()); });
}

void chunkwise(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    const std::vector<float> Q = rounded(x.Q), K = rounded(x.K), V = rounded(x.V);
    const linattn::Sizes sizes{1, static_cast<int>(state.range(0)), static_cast<int>(d), static_cast<int>(d)};
    measure(state, [&] { return linattn::chunkwise_linear_attention(Q, K, V, sizes, chunk, 1e-6f); });
}

// The recurrence in float32 without the labs' vocabulary: what the chunks are compared with.
void loop(benchmark::State& state) {
    const std::size_t n = static_cast<std::size_t>(state.range(0));
    const Inputs x(n);
    const std::vector<float> Q = rounded(x.Q), K = rounded(x.K), V = rounded(x.V);
    measure(state, [&] {
        std::vector<float> O(n * d);
        linattn::token_recurrence<linattn::one_sweep, linattn::features>(Q.data(), K.data(), V.data(), O.data(), n, d,
                                                                         1e-6f);
        return O;
    });
}

void lengths(benchmark::internal::Benchmark* program) {
    program->ArgName("n")->RangeMultiplier(2)->Range(128, 4096)->Unit(benchmark::kMillisecond)->MinTime(0.05);
}
BENCHMARK(softmax)->Apply(lengths);
BENCHMARK(parallel)->Apply(lengths);
BENCHMARK(recurrent)->Apply(lengths);
BENCHMARK(loop)->Apply(lengths);
BENCHMARK(chunkwise)->Apply(lengths);

}  // namespace
