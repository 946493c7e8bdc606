// The forms of lab 09 in double, one head on one core: each memory token by token and a chunk at a time, and gradients.
#include <benchmark/benchmark.h>

#include "forgetting.hpp"
#include "random.hpp"

namespace {

using namespace linattn;

constexpr std::size_t n = 1024;

struct Inputs {
    std::size_t d;
    Tensor Q, K, V, beta, log_decay;

    explicit Inputs(std::size_t width)
        : d(width),
          Q(unit(normal({n, d}, 1))),
          K(unit(normal({n, d}, 2))),
          V(normal({n, d}, 3)),
          beta(1.0 / (1.0 + exp(-normal({n}, 4)))),
          log_decay(-0.1 * abs(normal({n}, 5))) {}

    static Tensor unit(const Tensor& x) { return x / sqrt(sum(x * x, -1, keep_dims)); }
};

enum Rule { gated, delta, both };

Tensor token_by_token(Rule rule, const Inputs& x) {
    if (rule == gated) return gated_attention_recurrent(x.Q, x.K, x.V, x.log_decay);
    if (rule == delta) return delta_rule_recurrent(x.Q, x.K, x.V, x.beta);
    return gated_delta_rule_resume(x.Q, x.K, x.V, x.beta, x.log_decay, zeros({x.d, x.d})).output;
}

Tensor in_chunks(Rule rule, const Inputs& x, std::size_t chunk) {
    if (rule == gated) return gated_attention_chunkwise(x.Q, x.K, x.V, x.log_decay, chunk);
    if (rule == delta) return delta_rule_chunkwise(x.Q, x.K, x.V, x.beta, chunk);
    return gated_delta_rule_chunkwise(x.Q, x.K, x.V, x.beta, x.log_decay, chunk);
}

template <class Call>
void measure(benchmark::State& state, const Call& call) {
    for (auto _ : state) benchmark::DoNotOptimize(call());
    state.counters["ns/token"] =
        benchmark::Counter(n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <Rule rule>
void tokens_of(benchmark::State& state) {
    const Inputs inputs(static_cast<std::size_t>(state.range(0)));
    measure(state, [&] { return token_by_token(rule, inputs); });
}

template <Rule rule>
void chunks_of(benchmark::State& state) {
    const Inputs inputs(static_cast<std::size_t>(state.range(0)));
    const std::size_t chunk = static_cast<std::size_t>(state.range(1));
    const Tensor apart = abs(in_chunks(rule, inputs, chunk) - token_by_token(rule, inputs));
    if (!(amax(reshape(apart, {apart.size()}), 0)() < 1e-10))
        return state.SkipWithError("chunks and token by token do not agree");
    measure(state, [&] { return in_chunks(rule, inputs, chunk); });
}

void backward_in_loops(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    measure(state, [&] { return gated_attention_backward(x.Q, x.K, x.V, x.log_decay, x.V); });
}

void backward_in_chunks(benchmark::State& state) {
    const Inputs x(static_cast<std::size_t>(state.range(0)));
    const std::size_t chunk = static_cast<std::size_t>(state.range(1));
    measure(state, [&] { return gated_delta_rule_backward(x.Q, x.K, x.V, x.beta, x.log_decay, x.V, chunk); });
}

#define TOKENS(rule) \
    BENCHMARK(tokens_of<rule>)->Name(#rule "_tokens")->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond)
#define CHUNKS(name, ...)                        \
    BENCHMARK(__VA_ARGS__)                       \
        ->Name(name)                             \
        ->ArgNames({"d", "C"})                   \
        ->ArgsProduct({{64, 128}, {16, 32, 64}}) \
        ->Unit(benchmark::kMillisecond)
TOKENS(gated);
CHUNKS("gated_chunks", chunks_of<gated>);
TOKENS(delta);
CHUNKS("delta_chunks", chunks_of<delta>);
TOKENS(both);
CHUNKS("both_chunks", chunks_of<both>);
BENCHMARK(backward_in_loops)->Name("gated_backward")->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);
CHUNKS("both_backward", backward_in_chunks);

}  // namespace
