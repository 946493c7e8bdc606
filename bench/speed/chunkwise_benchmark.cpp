// Causal linear attention in float32 on one core: chunkwise, as lab 05 asks for it, beside the token recurrence and
// beside the speed of BLAS's matrix product, which bounds them all.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <vector>

#include "chunkwise.hpp"
#include "matrix.hpp"

extern "C" void cblas_sgemm();  // only its address is asked for

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
    state.counters["ns/token"] =
        benchmark::Counter(n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The floor -----------------------------------------------------------------------------------------------------------

void sgemm(benchmark::State& state) {
    const std::size_t size = 1024;
    const std::vector<float> A(size * size, 0.5f), B(size * size, 0.25f);
    std::vector<float> C(size * size);
    for (auto _ : state) linattn::add_product({C.data(), size, size}, {A.data(), size, size}, {B.data(), size, size});
    state.counters["GFLOP/s"] =
        benchmark::Counter(2e-9 * size * size * size, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sgemm)->Unit(benchmark::kMillisecond);

// Token by token ------------------------------------------------------------------------------------------------------

void features(const float* x, float* phi, std::size_t count) {
    for (std::size_t a = 0; a < count; ++a) phi[a] = std::max(x[a], 0.0f) + std::exp(std::min(x[a], 0.0f));
}

void features_by_vectors(const float* x, float* phi, std::size_t count) {
    linattn::elu_plus_one({x, count}, {phi, count});
}

/// One token: adds it to S and z, and its output, not yet normalised, to o. \return the normaliser without ε
using Step = float (*)(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d);

/// Plain loops, over S once to update it and once to read it.
float two_sweeps(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d) {
    float normalizer = 0.0f;
    for (std::size_t a = 0; a < d; ++a) {
        const float k_a = k[a];
        z[a] += k_a;
        for (std::size_t b = 0; b < d; ++b) S[a * d + b] += k_a * v[b];
    }
    for (std::size_t a = 0; a < d; ++a) {
        const float q_a = q[a];
        normalizer += q_a * z[a];
        for (std::size_t b = 0; b < d; ++b) o[b] += q_a * S[a * d + b];
    }
    return normalizer;
}

/// An entry of S is read as soon as it is updated.
float one_sweep(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d) {
    float normalizer = 0.0f;
    for (std::size_t a = 0; a < d; ++a) {
        const float k_a = k[a], q_a = q[a];
        z[a] += k_a;
        normalizer += q_a * z[a];
        for (std::size_t b = 0; b < d; ++b) {
            S[a * d + b] += k_a * v[b];
            o[b] += q_a * S[a * d + b];
        }
    }
    return normalizer;
}

template <Step TakeToken, auto Features>
std::vector<float> token_recurrence(const Inputs& inputs) {
    const auto d = static_cast<std::size_t>(inputs.sizes.d_k);
    std::vector<float> output(inputs.V.size()), S(d * d), z(d), q(d), k(d);
    for (std::size_t i = 0; i < n; ++i) {
        float* o = &output[i * d];
        Features(&inputs.Q[i * d], q.data(), d);
        Features(&inputs.K[i * d], k.data(), d);
        const float normalizer = TakeToken(q.data(), k.data(), &inputs.V[i * d], o, S.data(), z.data(), d) + epsilon;
        for (std::size_t b = 0; b < d; ++b) o[b] /= normalizer;
    }
    return output;
}

template <auto Recurrence>
void recurrence(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    const linattn::Array chunkwise =
        linattn::chunkwise_linear_attention(inputs.Q, inputs.K, inputs.V, inputs.sizes, 16, epsilon);
    const std::vector<float> output = Recurrence(inputs);
    for (std::size_t e = 0; e < output.size(); ++e)
        if (!(std::abs(output[e] - chunkwise.values[e]) < 1e-3f))
            return state.SkipWithError("token by token and chunkwise do not agree");
    for (auto _ : state) benchmark::DoNotOptimize(Recurrence(inputs));
    count_tokens(state);
}
#define RECURRENCE(name, ...) \
    BENCHMARK(recurrence<__VA_ARGS__>)->Name(name)->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond)
RECURRENCE("tokens", token_recurrence<two_sweeps, features>);
RECURRENCE("tokens_one_sweep", token_recurrence<one_sweep, features>);
RECURRENCE("tokens_one_sweep_vector_exp", token_recurrence<one_sweep, features_by_vectors>);

// A chunk at a time ---------------------------------------------------------------------------------------------------

void chunkwise(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(linattn::chunkwise_linear_attention(inputs.Q, inputs.K, inputs.V, inputs.sizes,
                                                                     static_cast<int>(state.range(1)), epsilon));
    count_tokens(state);
}
BENCHMARK(chunkwise)->ArgNames({"d", "C"})->ArgsProduct({{64, 128}, {16, 32, 64}})->Unit(benchmark::kMillisecond);

// Which BLAS it is decides everything: it belongs in the results.
const bool said_which_blas = [] {
    Dl_info found{};
    if (::dladdr(reinterpret_cast<void*>(&cblas_sgemm), &found) != 0 && found.dli_fname != nullptr)
        benchmark::AddCustomContext("sgemm", std::filesystem::canonical(found.dli_fname).filename().string());
    return true;
}();

}  // namespace
