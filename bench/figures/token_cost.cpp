// Time for one more token when n are there: softmax recomputed from the start, softmax with a key-value cache, and the
// state of linear attention. All in double, with the labs' vocabulary.
#include <benchmark/benchmark.h>

#include <cmath>

#include "feature_maps.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"
#include "random.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t d = 64;
constexpr double epsilon = 1e-6;

struct Inputs {
    std::size_t n;
    Tensor Q, K, V;
    Tensor q, k, v;  // of the last token

    explicit Inputs(const benchmark::State& state)
        : n(static_cast<std::size_t>(state.range(0))),
          Q(linattn::normal({n, d}, 1)),
          K(linattn::normal({n, d}, 2)),
          V(linattn::normal({n, d}, 3)),
          q(linattn::token(Q, n - 1)),
          k(linattn::token(K, n - 1)),
          v(linattn::token(V, n - 1)) {}
};

void require_equal(benchmark::State& state, const Tensor& output, const Tensor& expected) {
    const Tensor off = linattn::abs(linattn::reshape(output, {d}) - expected);
    if (!(linattn::amax(off, -1)() <= 1e-12)) state.SkipWithError("the output differs from that of the lab's function");
}

void recomputed(benchmark::State& state) {
    const Inputs x(state);
    for (auto _ : state) benchmark::DoNotOptimize(linattn::softmax_attention(x.Q, x.K, x.V, linattn::Mask::causal));
}

// The last row of softmax attention, from keys and values that were kept. Its place is there: nothing is copied.
Tensor attend_from_cache(const Tensor& q, const Tensor& k, const Tensor& v, Tensor& K, Tensor& V) {
    const std::size_t last = linattn::length(K, 0) - 1;
    linattn::set_token(K, last, k);
    linattn::set_token(V, last, v);
    const Tensor scores = linattn::matmul(K, linattn::expand_dims(q, -1)) / std::sqrt(static_cast<double>(d));
    const Tensor weights = linattn::exp(scores - linattn::amax(scores, 0));
    return linattn::matmul(linattn::reshape(weights, {1, last + 1}), V) / linattn::sum(weights, 0);
}

void cached(benchmark::State& state) {
    Inputs x(state);
    const Tensor expected = linattn::softmax_attention(x.Q, x.K, x.V, linattn::Mask::causal);
    require_equal(state, attend_from_cache(x.q, x.k, x.v, x.K, x.V), linattn::token(expected, x.n - 1));
    for (auto _ : state) benchmark::DoNotOptimize(attend_from_cache(x.q, x.k, x.v, x.K, x.V));
}

// Lab 03's step with products of matrices, as above, and with a state that changes in place.
Tensor attend_from_state(const Tensor& q, const Tensor& k, const Tensor& v, linattn::CausalState& state) {
    const Tensor phi_q = linattn::expand_dims(linattn::elu_plus_one(q), 0);
    const Tensor phi_k = linattn::elu_plus_one(k);
    state.S += linattn::matmul(linattn::expand_dims(phi_k, -1), linattn::expand_dims(v, 0));
    state.z += phi_k;
    return linattn::matmul(phi_q, state.S) / (linattn::matmul(phi_q, linattn::expand_dims(state.z, -1)) + epsilon);
}

void state(benchmark::State& state) {
    const Inputs x(state);
    const linattn::FeatureMap phi("elu_plus_one", linattn::elu_plus_one);
    linattn::CausalState kept{linattn::zeros({d, d}), linattn::zeros({d})};
    kept = linattn::causal_linear_attention_resume(x.Q, x.K, x.V, kept, phi, epsilon).state;
    const Tensor expected = linattn::causal_linear_attention_step(x.q, x.k, x.v, kept, phi, epsilon).output;
    require_equal(state, attend_from_state(x.q, x.k, x.v, kept), expected);
    for (auto _ : state) benchmark::DoNotOptimize(attend_from_state(x.q, x.k, x.v, kept));
}

void lengths(benchmark::internal::Benchmark* program) {
    program->ArgName("n")->RangeMultiplier(2)->Range(16, 4096)->Unit(benchmark::kMicrosecond)->MinTime(0.05);
}
BENCHMARK(recomputed)->Apply(lengths);
BENCHMARK(cached)->Apply(lengths);
BENCHMARK(state)->Apply(lengths);

}  // namespace
