// Causal linear attention on a GPU: the kernels of lab 05, and one on tensor cores, beside the floor of one pass over
// memory, which is the time of a device-to-device copy that moves as many bytes. Prints a table in Markdown, whose last two
// columns are compared: it ends with 1 where a result is wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "chunkwise.hpp"
#include "gpu/gpu.hpp"
#include "kernels.hpp"

namespace linattn::kernels {
__global__ void chunkwise_forward_tensor_cores(const float* Q, const float* K, const float* V, float* O, Sizes sizes,
                                               int chunk, int columns, float epsilon);
int tensor_core_threads();
std::size_t tensor_core_bytes(const Sizes& sizes, int chunk, int columns);
}  // namespace linattn::kernels

namespace {

using linattn::Sizes;
namespace kernels = linattn::kernels;

constexpr int batch = 4, heads_each = 16, repetitions = 9;
constexpr float epsilon = 1e-6f;

/// Token by token, what the chunkwise kernels are compared with: one block per head, one thread per column of S, which it
/// keeps in registers. d_k = d_v = D threads.
template <int D>
__global__ void __launch_bounds__(D) token_recurrence(const float* Q, const float* K, const float* V, float* O, int n) {
    __shared__ float q[D], k[D], z[D];
    const int column = threadIdx.x;
    const auto phi = [](float x) { return x > 0.0f ? x + 1.0f : __expf(x); };
    float S[D];
    for (int a = 0; a < D; ++a) S[a] = 0.0f;
    z[column] = 0.0f;
    std::size_t at = static_cast<std::size_t>(blockIdx.x) * n * D + column;
    for (int i = 0; i < n; ++i, at += D) {
        __syncthreads();  // everybody has read the token before
        q[column] = phi(Q[at]);
        k[column] = phi(K[at]);
        z[column] += k[column];
        __syncthreads();  // and everybody reads this one
        const float v = V[at];
        float sum = 0.0f, normalizer = epsilon;
#pragma unroll
        for (int a = 0; a < D; ++a) {
            S[a] += k[a] * v;
            sum += q[a] * S[a];
            normalizer += q[a] * z[a];
        }
        O[at] = sum / normalizer;
    }
}

/// Numbers in [-2, 2), from the index alone.
__global__ void fill(float* x, std::size_t count, unsigned seed) {
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
         i += std::size_t{gridDim.x} * blockDim.x) {
        unsigned h = static_cast<unsigned>(i) * 2654435761u + seed * 40503u;
        h = (h ^ (h >> 15)) * 2246822519u;
        x[i] = static_cast<float>((h ^ (h >> 13)) & 0xffffffu) * 0x1p-22f - 2.0f;
    }
}

/// The largest difference between two outputs; grows in place.
__global__ void compare(const float* x, const float* y, std::size_t count, int* largest) {
    float worst = 0.0f;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
         i += std::size_t{gridDim.x} * blockDim.x) {
        const float difference = fabsf(x[i] - y[i]);
        if (difference > worst || isnan(difference)) worst = difference;  // a NaN stays
    }
    atomicMax(largest, __float_as_int(worst));  // floats that are not negative order like their bits
}

/// How far two outputs may lie apart. Both are weighted means of values in [-2, 2), each off by no more than twice (in the
/// numerator and in the normaliser) 24 roundings of 2⁻²⁴ in its products and min(m, 7√m) in its sums of m numbers, of which
/// the kernel on tensor cores has the most. φ is the same in both.
double most_apart(const Sizes& sizes) {
    const double terms = 3.0 * (sizes.n + sizes.d_k) + 8.0;
    return 2.0 * 2.0 * 2.0 * (24.0 + std::min(terms, 7.0 * std::sqrt(terms))) * 0x1p-24;
}

using Run = std::function<void()>;

/// Milliseconds, the median of some runs after one that does not count.
double median_time(const Run& run) {
    cudaEvent_t begin, end;
    gpu::check(cudaEventCreate(&begin), "cudaEventCreate");
    gpu::check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<float> times(repetitions + 1);
    for (float& time : times) {
        gpu::check(cudaEventRecord(begin), "cudaEventRecord");
        run();
        gpu::check(cudaEventRecord(end), "cudaEventRecord");
        gpu::check(cudaEventSynchronize(end), "a benchmark");
        gpu::check(cudaEventElapsedTime(&time, begin, end), "cudaEventElapsedTime");
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    std::sort(times.begin() + 1, times.end());
    return static_cast<double>(times[1 + repetitions / 2]);
}

template <class Kernel, class... Arguments>
void start(Kernel kernel, dim3 grid, int threads, std::size_t shared_bytes, Arguments... arguments) {
    gpu::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared_bytes)),
               "shared memory for one block");
    kernel<<<grid, threads, shared_bytes>>>(arguments...);
    gpu::check(cudaGetLastError(), "launch");
}

bool wrong = false;  // a result differs by more than rounding explains, or there is none

struct Variant {
    std::string name;
    Run run;
};

/// A row for each; the first writes what the outputs of the others, in O, are compared with.
void measure(const Sizes& sizes, const gpu::Buffer<float>& O, const std::vector<Variant>& variants) {
    const std::size_t bytes = O.size() * sizeof(float);
    const gpu::Buffer<char> from(2 * bytes, "from"),
        to(2 * bytes, "to");  // a copy reads and writes: half of Q, K, V, O
    const auto copy = [](void* there, const void* here, std::size_t count) {
        gpu::check(cudaMemcpyAsync(there, here, count, cudaMemcpyDeviceToDevice), "copy");
    };
    const double floor = median_time([&] { copy(to.data(), from.data(), 2 * bytes); });
    const auto print = [&](const std::string& name, double time, const std::string& compared) {
        std::printf("| %d | %d | %s | %.3f ms | %.0f | %.2f | %s |\n", sizes.d_k, sizes.n, name.c_str(), time,
                    4.0 * static_cast<double>(bytes) / time * 1e-6, floor / time, compared.c_str());
        std::fflush(stdout);
    };
    print("device-to-device copy (the floor)", floor, " | ");
    const gpu::Buffer<float> expected(O.size(), "expected");
    for (const Variant& each : variants) try {
            gpu::check(cudaMemset(O.data(), 0xFF, bytes), "cudaMemset");
            const double time = median_time(each.run);
            if (&each == &variants.front()) copy(expected.data(), O.data(), bytes);
            const gpu::Buffer<int> largest(std::vector<int>{0}, "largest");
            compare<<<1024, 256>>>(O.data(), expected.data(), O.size(), largest.data());
            std::vector<int> bits(1);
            largest.copy_to(bits);
            const double apart = static_cast<double>(std::bit_cast<float>(bits[0])), most = most_apart(sizes);
            wrong = wrong || !(apart <= most);  // of a NaN too
            char compared[48];
            std::snprintf(compared, sizeof compared, "%.1e | %.1e", apart, most);
            print(each.name, time, compared);
        } catch (const gpu::Error& error) {
            std::printf("| %d | %d | %s | %s | | | | |\n", sizes.d_k, sizes.n, each.name.c_str(), error.what());
            // A card may have too little shared memory for a kernel.
            wrong = wrong || !std::string(error.what()).starts_with("shared memory for one block");
            cudaGetLastError();
        }
}

template <int D>
void measure_all(int n) {
    const Sizes sizes{batch * heads_each, n, D, D};
    const auto heads = static_cast<unsigned>(sizes.heads);
    const std::size_t count = static_cast<std::size_t>(sizes.heads) * n * D;
    const gpu::Buffer<float> q(count, "Q"), k(count, "K"), v(count, "V"), o(count, "O");
    unsigned seed = 0;
    for (const gpu::Buffer<float>* x : {&q, &k, &v}) fill<<<1024, 256>>>(x->data(), count, ++seed);
    const float *Q = q.data(), *K = k.data(), *V = v.data();
    float* O = o.data();

    constexpr int chunk = 64, threads = kernels::threads_per_block;
    std::vector<Variant> variants{{"token by token", [=] { start(token_recurrence<D>, heads, D, 0, Q, K, V, O, n); }},
                                  {"chunkwise_forward, C = 64", [=] {
                                       start(kernels::chunkwise_forward, heads, threads,
                                             kernels::ForwardTiles::bytes(sizes, chunk), Q, K, V, O, sizes, chunk,
                                             epsilon);
                                   }}};
    constexpr int smaller = D > 64 ? 32 : 64;  // its tiles are wider
    for (const int columns : {D, D / 2, D / 4}) {
        const std::string slices = columns == D ? "" : ", " + std::to_string(D / columns) + " blocks per head";
        variants.push_back({"tensor cores, C = " + std::to_string(smaller) + slices, [=] {
                                start(kernels::chunkwise_forward_tensor_cores,
                                      dim3(heads, static_cast<unsigned>(D / columns)), kernels::tensor_core_threads(),
                                      kernels::tensor_core_bytes(sizes, smaller, columns), Q, K, V, O, sizes, smaller,
                                      columns, epsilon);
                            }});
    }
    const int chunks = linattn::chunks_of(sizes, chunk);
    const dim3 per_chunk(static_cast<unsigned>(chunks), heads);
    const std::size_t states = static_cast<std::size_t>(sizes.heads) * chunks * D;
    const gpu::Buffer<float> S(states * D, "S"), z(states, "z");
    variants.push_back({"three passes, C = 64", [&] {
                            start(kernels::chunk_states, per_chunk, threads, kernels::StateTiles::bytes(sizes, chunk),
                                  K, V, S.data(), z.data(), sizes, chunk);
                            start(kernels::scan_states, static_cast<unsigned>(sizes.heads * D * (D + 1) / threads + 1),
                                  threads, 0, S.data(), z.data(), sizes, chunks);
                            start(kernels::chunk_outputs, per_chunk, threads, kernels::OutputTiles::bytes(sizes, chunk),
                                  Q, K, V, S.data(), z.data(), O, sizes, chunk, epsilon);
                        }});
    measure(sizes, o, variants);
}

}  // namespace

int main() try {
    if (!gpu::available()) {
        std::fputs("bench: no NVIDIA GPU answers here, so nothing was measured; run it on a machine with one\n",
                   stderr);
        return 1;
    }
    cudaDeviceProp properties{};
    gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    std::printf(
        "%s; batch %d, %d heads, float32, median of %d runs. GB/s counts Q, K, V and the output once; the floor is "
        "a device-to-device copy\nthat moves as many bytes; \"of the floor\" is its time divided by the row's.\n\n"
        "| d | N | what | time | GB/s | of the floor | differs from token by token by | at most |\n|-|-|-|-|-|-|-|-|\n",
        properties.name, batch, heads_each, repetitions);
    for (int n = 4096; n <= 65536; n *= 4) measure_all<64>(n);
    for (int n = 4096; n <= 65536; n *= 4) measure_all<128>(n);
    if (wrong) std::fputs("\nbench: a row above is wrong: it differs by too much, or has no result\n", stderr);
    return wrong ? 1 : 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 1;
}
