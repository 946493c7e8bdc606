// How fast the answers are on one core: lab 05's causal linear attention in float32 token by token, a chunk at a time, and
// with vectors of its own, beside the speed of BLAS's matrix product; lab 09's rules in double. `./course bench` runs it.
#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>

#include "forgetting.hpp"
#include "random.hpp"
#include "token_loops.hpp"

extern "C" void cblas_sgemm();                                   // only its address is asked for
extern "C" char* openblas_get_corename() __attribute__((weak));  // another BLAS does not have it

namespace {

using namespace linattn;

struct Row {
    std::string name, beside;  // what its time is divided by; "" for nothing
    double calls;              // how many tokens or FLOPs one call is
};
std::vector<Row> rows;

// One row. The values of what it returns are compared with `expected` first, within `apart`.
template <class Expected, class Call>
void add(const std::string& name, const std::string& beside, std::size_t tokens, const Expected& expected, double apart,
         const Call& call) {
    const auto found = call();
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (!(std::abs(static_cast<double>(found.begin()[static_cast<std::ptrdiff_t>(i)]) -
                       static_cast<double>(expected.begin()[static_cast<std::ptrdiff_t>(i)])) < apart))
            throw std::runtime_error(name + " differs from " + beside + " by too much");
    rows.push_back({name, beside, static_cast<double>(tokens)});
    benchmark::RegisterBenchmark(name.c_str(),
                                 [call](benchmark::State& state) {
                                     for (auto _ : state) benchmark::DoNotOptimize(call());
                                 })
        ->Repetitions(5)
        ->ReportAggregatesOnly();
}

std::vector<float> in_float(const Tensor& x) { return {x.begin(), x.end()}; }

struct Inputs {
    std::size_t n, d;
    Tensor Q = unit(normal({n, d}, 1)), K = unit(normal({n, d}, 2)), V = normal({n, d}, 3),
           beta = 1.0 / (1.0 + exp(-normal({n}, 4))), decay = -0.1 * abs(normal({n}, 5));
    std::vector<float> q = in_float(Q), k = in_float(K), v = in_float(V), b = in_float(beta), a = in_float(decay);
    Sizes sizes{1, static_cast<int>(n), static_cast<int>(d), static_cast<int>(d)};

    static Tensor unit(const Tensor& x) { return x / sqrt(sum(x * x, -1, keep_dims)); }
};

void add_lab05(std::size_t d) {
    const auto x = std::make_shared<const Inputs>(Inputs{4096, d});
    const std::string at = "d = " + std::to_string(d) + ": ", chunks = at + "chunkwise, C = 16",
                      floor = at + "floor, 4d²";
    const auto chunkwise = [x](int chunk) {
        return chunkwise_linear_attention(x->q, x->k, x->v, x->sizes, chunk, 1e-6f).values;
    };
    const auto expected = chunkwise(16);
    for (const auto& [words, loops] : {std::pair("token by token, plain loops", Loops::plain),
                                       std::pair("token by token, one sweep", Loops::one_sweep),
                                       std::pair("token by token, the best loop", Loops::best)})
        add(at + words, chunks, x->n, expected, 1e-3,
            [x, loops = loops] { return token_by_token(x->q, x->k, x->v, x->d, loops); });
    add(chunks, floor, x->n, expected, 1e-3, [=] { return chunkwise(16); });
    add(at + "chunkwise, C = 32", floor, x->n, expected, 1e-3, [=] { return chunkwise(32); });
    const auto output = std::make_shared<std::vector<float>>(x->v.size());  // not asked for anew each time
    add(at + "fused", floor, x->n, expected, 1e-3, [=] {
        chunkwise_fused(x->q, x->k, x->v, x->sizes, 1e-6f, *output, 1);
        return std::span<const float>(*output);
    });
    const auto rule = in_float(gated_delta_rule_chunkwise(x->Q, x->K, x->V, x->beta, x->decay, 32));
    add(at + "fused gated delta rule", at + "floor, 6d²", x->n, rule, 1e-4, [=] {
        gated_delta_fused(x->q, x->k, x->v, x->b, x->a, x->sizes, *output, 1);
        return std::span<const float>(*output);
    });
}

void add_lab09(std::size_t d) {
    const auto x = std::make_shared<const Inputs>(Inputs{1024, d});
    const auto rule = [&](const std::string& name, const auto& tokens, const auto& chunks) {
        const std::string at = "d = " + std::to_string(d) + ": " + name, by_16 = at + ", chunks of 16";
        const Tensor expected = tokens();
        add(at + ", token by token", by_16, x->n, expected, 1e-10, tokens);
        for (const std::size_t C : {16, 32})
            add(at + ", chunks of " + std::to_string(C), "", x->n, expected, 1e-10, [=] { return chunks(C); });
        return by_16;
    };
    rule(
        "gated attention", [x] { return gated_attention_recurrent(x->Q, x->K, x->V, x->decay); },
        [x](std::size_t C) { return gated_attention_chunkwise(x->Q, x->K, x->V, x->decay, C); });
    rule(
        "delta rule", [x] { return delta_rule_recurrent(x->Q, x->K, x->V, x->beta); },
        [x](std::size_t C) { return delta_rule_chunkwise(x->Q, x->K, x->V, x->beta, C); });
    const std::string both = rule(
        "gated delta rule",
        [x] {
            return gated_delta_rule_resume(x->Q, x->K, x->V, x->beta, x->decay, zeros({x->d, x->d})).output;
        },
        [x](std::size_t C) { return gated_delta_rule_chunkwise(x->Q, x->K, x->V, x->beta, x->decay, C); });
    add("d = " + std::to_string(d) + ": gradients of the gated delta rule", both, x->n, Tensor(zeros({0})), 0.0,
        [x] { return gated_delta_rule_backward(x->Q, x->K, x->V, x->beta, x->decay, x->V, 16).Q; });
}

// Prints each row beside another of the same run when all have ended.
class SideBySide : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs)
            if (run.aggregate_name == "median") medians_[run.run_name.function_name] = run.GetAdjustedCPUTime();
    }
    void Finalize() override {
        const double flop = medians_["sgemm"] / (2.0 * 1024 * 1024 * 1024);  // in ns
        std::printf("\nns per token and head; sgemm: %.0f GFLOP/s on one core\n", 1.0 / flop);
        std::map<std::string, double> ns;
        for (const int d : {64, 128})  // what the recurrences' FLOPs would take at that speed
            for (const int squares : {4, 6})
                ns["d = " + std::to_string(d) + ": floor, " + std::to_string(squares) + "d²"] = squares * d * d * flop;
        for (const Row& row : rows) ns[row.name] = medians_[row.name] / row.calls;
        for (const Row& row : rows) {
            std::printf("%-50s %8.0f", row.name.c_str(), ns[row.name]);
            if (!row.beside.empty()) std::printf("   %5.2f × %s", ns[row.name] / ns[row.beside], row.beside.c_str());
            std::puts("");
        }
    }

private:
    std::map<std::string, double> medians_;
};

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    Dl_info blas{};  // which one it is decides everything
    if (::dladdr(reinterpret_cast<void*>(&cblas_sgemm), &blas) != 0 && blas.dli_fname != nullptr)
        benchmark::AddCustomContext(
            "BLAS", std::filesystem::canonical(blas.dli_fname).filename().string() +
                        (openblas_get_corename ? std::string(", its kernels for ") + openblas_get_corename() : ""));
    const std::vector<float> A(1024 * 1024, 0.5f);
    std::vector<float> C(A.size());
    benchmark::RegisterBenchmark(
        "sgemm",
        [&](benchmark::State& state) {
            for (auto _ : state) add_product({C.data(), 1024, 1024}, {A.data(), 1024, 1024}, {A.data(), 1024, 1024});
        })
        ->Repetitions(5)
        ->ReportAggregatesOnly();
    for (const std::size_t d : {64, 128}) add_lab05(d);
    const auto x = std::make_shared<const Inputs>(Inputs{8 * 1024, 64});  // 8 heads
    add("CPU run of the kernel, d = 64, 8 heads", "", x->n, std::vector<float>(), 0.0, [x] {
        return chunkwise_forward(x->q, x->k, x->v, {8, 1024, 64, 64}, 64, 1e-6f, {.checked = false}).values;
    });
    for (const std::size_t d : {64, 128}) add_lab09(d);
    SideBySide reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
}
