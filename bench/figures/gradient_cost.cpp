// Time and memory of the gradients of causal linear attention over n tokens of one head, in the four forms of lab 06.
#include <benchmark/benchmark.h>

#include "feature_maps.hpp"
#include "gradients.hpp"
#include "measured.hpp"
#include "random.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t d = 64, chunk = 32;
constexpr double epsilon = 1e-6;

struct Inputs {
    Tensor phi_Q, phi_K, V, dO;

    explicit Inputs(const benchmark::State& state)
        : phi_Q(features(state, 1)),
          phi_K(features(state, 2)),
          V(linattn::normal({tokens(state), d}, 3)),
          dO(linattn::normal({tokens(state), d}, 4)) {}

    static std::size_t tokens(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }
    static Tensor features(const benchmark::State& state, std::uint64_t seed) {
        return linattn::elu_plus_one(linattn::normal({tokens(state), d}, seed));
    }
};

MEASURE(quadratic, 2048, linattn::attention_backward_quadratic(x.phi_Q, x.phi_K, x.V, x.dO, epsilon));
MEASURE(parallel, 2048, linattn::causal_attention_backward_parallel(x.phi_Q, x.phi_K, x.V, x.dO, epsilon));
MEASURE(loops, 2048, linattn::causal_attention_backward(x.phi_Q, x.phi_K, x.V, x.dO, epsilon));
MEASURE(chunkwise, 2048, linattn::causal_attention_backward_chunkwise(x.phi_Q, x.phi_K, x.V, x.dO, epsilon, chunk));

}  // namespace
