// Causal linear attention in float32 on one core: chunkwise, as lab 05 asks for it, beside the token recurrence.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "chunkwise.hpp"

namespace {

constexpr int n = 4096;
constexpr float epsilon = 1e-6f;

struct Inputs {
    linattn::Sizes sizes;
    std::vector<float> Q, K, V;

    explicit Inputs(int d) : sizes{1, n, d, d}, Q(entries()), K(entries()), V(entries()) {
        std::mt19937 engine(1);
        std::normal_distribution<float> normal;
        for (std::vector<float>* array : {&Q, &K, &V})
            for (float& entry : *array) entry = normal(engine);
    }

private:
    std::size_t entries() const { return static_cast<std::size_t>(n) * static_cast<std::size_t>(sizes.d_k); }
};

void count_tokens(benchmark::State& state) {
    state.counters["ns/token"] = benchmark::Counter(
        n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void chunkwise(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(linattn::chunkwise_linear_attention(
            inputs.Q, inputs.K, inputs.V, inputs.sizes, static_cast<int>(state.range(1)), epsilon));
    count_tokens(state);
}
BENCHMARK(chunkwise)->ArgNames({"d", "C"})->ArgsProduct({{64, 128}, {16, 32, 64}})->Unit(benchmark::kMillisecond);

}  // namespace
