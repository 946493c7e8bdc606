// Causal linear attention in float32 on one core: chunkwise, as lab 05 asks for it and with vectors of its own, beside the
// token recurrence and the speed of BLAS's matrix product. And lab 09's gated delta rule with vectors, and the CPU run.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <vector>

#include "chunkwise.hpp"
#include "forgetting.hpp"
#include "matrix.hpp"
#include "random.hpp"
#include "token_loops.hpp"

extern "C" void cblas_sgemm();                                   // only its address is asked for
extern "C" char* openblas_get_corename() __attribute__((weak));  // another BLAS does not have it

namespace {

constexpr int n = 4096;
constexpr float epsilon = 1e-6f;

struct Inputs {
    linattn::Sizes sizes;
    std::vector<float> Q, K, V;

    explicit Inputs(int d) : Inputs(linattn::Sizes{1, n, d, d}) {}
    explicit Inputs(const linattn::Sizes& all)
        : sizes(all), Q(static_cast<std::size_t>(all.heads * all.n * all.d_k)), K(Q.size()), V(Q.size()) {
        std::mt19937 engine(1);
        std::normal_distribution<float> normal;
        for (std::vector<float>* array : {&Q, &K, &V})
            for (float& entry : *array) entry = normal(engine);
    }
};

void count_tokens(benchmark::State& state) {
    state.counters["ns/token"] =
        benchmark::Counter(n * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

bool agrees(const std::vector<float>& output, const Inputs& inputs) {
    const linattn::Array chunkwise =
        linattn::chunkwise_linear_attention(inputs.Q, inputs.K, inputs.V, inputs.sizes, 16, epsilon);
    return std::equal(output.begin(), output.end(), chunkwise.values.begin(), chunkwise.values.end(),
                      [](float x, float y) { return std::abs(x - y) < 1e-3f; });  // false for a NaN
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

template <linattn::Step TakeToken, auto Features>
std::vector<float> tokens(const Inputs& inputs) {
    std::vector<float> output(inputs.V.size());
    linattn::token_recurrence<TakeToken, Features>(inputs.Q.data(), inputs.K.data(), inputs.V.data(), output.data(), n,
                                                   static_cast<std::size_t>(inputs.sizes.d_k), epsilon);
    return output;
}

template <auto Recurrence>
void recurrence(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    if (!agrees(Recurrence(inputs), inputs)) return state.SkipWithError("token by token and chunkwise do not agree");
    for (auto _ : state) benchmark::DoNotOptimize(Recurrence(inputs));
    count_tokens(state);
}
#define RECURRENCE(name, ...) \
    BENCHMARK(recurrence<__VA_ARGS__>)->Name(name)->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond)
RECURRENCE("tokens", tokens<linattn::two_sweeps, linattn::features>);
RECURRENCE("tokens_one_sweep", tokens<linattn::one_sweep, linattn::features>);
RECURRENCE("tokens_one_sweep_vector_exp", tokens<linattn::one_sweep, linattn::features_by_vectors>);

// A chunk at a time ---------------------------------------------------------------------------------------------------

void chunkwise(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(linattn::chunkwise_linear_attention(inputs.Q, inputs.K, inputs.V, inputs.sizes,
                                                                     static_cast<int>(state.range(1)), epsilon));
    count_tokens(state);
}
BENCHMARK(chunkwise)->ArgNames({"d", "C"})->ArgsProduct({{64, 128}, {16, 32, 64}})->Unit(benchmark::kMillisecond);

// With vectors of its own; the output's memory is not asked for anew each time.
void fused(benchmark::State& state) {
    const Inputs inputs(static_cast<int>(state.range(0)));
    std::vector<float> output(inputs.V.size());
    const auto run = [&] {
        linattn::chunkwise_fused(inputs.Q, inputs.K, inputs.V, inputs.sizes, epsilon, output, 1);
        benchmark::ClobberMemory();
    };
    run();
    if (!agrees(output, inputs)) return state.SkipWithError("the fused kernel and chunkwise do not agree");
    for (auto _ : state) run();
    count_tokens(state);
}
BENCHMARK(fused)->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

void fused_delta(benchmark::State& state) {
    using namespace linattn;
    const std::size_t d = static_cast<std::size_t>(state.range(0)), length = n;
    const auto of_length_one = [](const Tensor& x) { return Tensor(x / sqrt(sum(x * x, -1, keep_dims))); };
    const Tensor Q = of_length_one(normal({length, d}, 1)), K = of_length_one(normal({length, d}, 2)),
                 V = normal({length, d}, 3), beta = 1.0 / (1.0 + exp(-normal({length}, 4))),
                 log_decay = -0.1 * abs(normal({length}, 5));
    const auto in_float = [](const Tensor& x) { return std::vector<float>(x.begin(), x.end()); };
    const std::vector<float> q = in_float(Q), k = in_float(K), v = in_float(V), b = in_float(beta),
                             a = in_float(log_decay),
                             expected = in_float(gated_delta_rule_chunkwise(Q, K, V, beta, log_decay, 32));
    const Sizes sizes{1, n, static_cast<int>(d), static_cast<int>(d)};
    std::vector<float> output(v.size());
    const auto run = [&] {
        gated_delta_fused(q, k, v, b, a, sizes, output, 1);
        benchmark::ClobberMemory();
    };
    run();
    if (!std::equal(output.begin(), output.end(), expected.begin(), expected.end(),
                    [](float x, float y) { return std::abs(x - y) < 1e-4f; }))
        return state.SkipWithError("the fused kernel and the gated delta rule in double do not agree");
    for (auto _ : state) run();
    count_tokens(state);
}
BENCHMARK(fused_delta)->ArgName("d")->Arg(64)->Arg(128)->Unit(benchmark::kMillisecond);

// The CPU run of the kernel without checks: 8 heads of 1024 tokens.
void cpu_run(benchmark::State& state) {
    const Inputs x(linattn::Sizes{8, 1024, 64, 64});
    for (auto _ : state)
        benchmark::DoNotOptimize(linattn::chunkwise_forward(x.Q, x.K, x.V, x.sizes, 64, epsilon, {.checked = false}));
}
BENCHMARK(cpu_run)->Unit(benchmark::kMillisecond);

// Which BLAS it is decides everything: it belongs in the results.
const bool said_which_blas = [] {
    Dl_info found{};
    if (::dladdr(reinterpret_cast<void*>(&cblas_sgemm), &found) != 0 && found.dli_fname != nullptr)
        benchmark::AddCustomContext(
            "sgemm",
            std::filesystem::canonical(found.dli_fname).filename().string() +
                (openblas_get_corename ? std::string(" with its kernels for ") + openblas_get_corename() : ""));
    return true;
}();

}  // namespace
