// Time and memory of a call on inputs that are made for a number of tokens.
#pragma once

#include <benchmark/benchmark.h>

#include "peak_memory.hpp"

/// Once for what it allocates at its peak, beside its inputs and what it returns; then for the time.
template <class Inputs, class Call>
void measure(benchmark::State& state, Call call) {
    const Inputs x(state);
    restart_peak();
    {
        const auto result = call(x);
        state.counters["peak_bytes"] = static_cast<double>(peak_bytes() - held_bytes());
    }
    for (auto _ : state) benchmark::DoNotOptimize(call(x));
}

/// The call names the inputs x, of type Inputs.
#define MEASURE(name, longest, call)                                  \
    void name(benchmark::State& state) {                              \
        measure<Inputs>(state, [](const Inputs& x) { return call; }); \
    }                                                                 \
    BENCHMARK(name)->ArgName("n")->RangeMultiplier(2)->Range(128, longest)->Unit(benchmark::kMillisecond)->MinTime(0.05)
