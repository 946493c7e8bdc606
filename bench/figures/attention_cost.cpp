// Time and memory of causal attention over n tokens of one head: softmax, and three forms of linear attention.
#include <benchmark/benchmark.h>

#include <vector>

#include "chunkwise.hpp"
#include "feature_maps.hpp"
#include "linear_attention.hpp"
#include "measured.hpp"
#include "random.hpp"
#include "token_loops.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t d = 64;
constexpr int chunk = 32;

struct Inputs {
    std::size_t n;
    Tensor Q, K, V;
    std::vector<float> q, k, v;  // the same

    explicit Inputs(const benchmark::State& state)
        : n(static_cast<std::size_t>(state.range(0))),
          Q(linattn::normal({n, d}, 1)),
          K(linattn::normal({n, d}, 2)),
          V(linattn::normal({n, d}, 3)),
          q(Q.begin(), Q.end()),
          k(K.begin(), K.end()),
          v(V.begin(), V.end()) {}
};

const linattn::FeatureMap& phi() {
    static const linattn::FeatureMap map("elu_plus_one", [](const Tensor& x) { return linattn::elu_plus_one(x); });
    return map;
}

// The recurrence in float32 without the labs' vocabulary: what the chunks are compared with.
std::vector<float> loop_over(const Inputs& x) {
    std::vector<float> O(x.n * d);
    linattn::token_recurrence<linattn::one_sweep, linattn::features>(x.q.data(), x.k.data(), x.v.data(), O.data(), x.n,
                                                                     d, 1e-6f);
    return O;
}

linattn::Array chunks_of(const Inputs& x) {
    const linattn::Sizes sizes{1, static_cast<int>(x.n), static_cast<int>(d), static_cast<int>(d)};
    return linattn::chunkwise_linear_attention(x.q, x.k, x.v, sizes, chunk, 1e-6f);
}

MEASURE(softmax, 4096, linattn::softmax_attention(x.Q, x.K, x.V, linattn::Mask::causal));
MEASURE(parallel, 4096, linattn::linear_attention_parallel(x.Q, x.K, x.V, phi()));
MEASURE(recurrent, 4096, linattn::linear_attention_recurrent(x.Q, x.K, x.V, phi()));
MEASURE(loop, 4096, loop_over(x));
MEASURE(chunkwise, 4096, chunks_of(x));

}  // namespace
