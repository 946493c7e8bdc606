// The CPU run of lab 05's kernel without checks: 8 heads of 1024 tokens, d = 64, chunks of 64.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "chunkwise.hpp"

namespace {

void cpu_run(benchmark::State& state) {
    const linattn::Sizes sizes{8, 1024, 64, 64};
    std::vector<float> Q(8 * 1024 * 64), K(Q.size()), V(Q.size());
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    for (std::vector<float>* array : {&Q, &K, &V})
        for (float& entry : *array) entry = normal(engine);
    for (auto _ : state)
        benchmark::DoNotOptimize(linattn::chunkwise_forward(Q, K, V, sizes, 64, 1e-6f, {.checked = false}));
}
BENCHMARK(cpu_run)->Unit(benchmark::kMillisecond);

}  // namespace
