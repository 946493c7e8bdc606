// The model of nvcuda::wmma: it multiplies, it rounds as TF32 does, and what CUDA forbids ends in a message.
#include <bit>
#include <cmath>
#include <random>

#include "kernel_runs.hpp"
#include "tensor_core_kernels.hpp"

namespace {

using gpu::Fault;

using namespace legal;

std::vector<float> random_numbers(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    std::vector<float> x(count);
    for (float& entry : x) entry = uniform(engine);
    return x;
}

float tf32(float x) {  // by the definition: 11 significant bits, halves away from zero
    int exponent = 0;
    const double fraction = std::frexp(static_cast<double>(x), &exponent);
    return static_cast<float>(std::ldexp(std::round(std::ldexp(fraction, 11)), exponent - 11));
}

using Multiply = void (*)(const float*, const float*, const float*, float*);

TEST_CASE("a product of matrices, however they lie, in every order of the threads") {
    const std::vector<float> a = random_numbers(16 * 24, 1), b = random_numbers(24 * 16, 2),
                             c = random_numbers(16 * 16, 3);
    const struct {
        Multiply kernel;
        bool a_transposed, b_transposed;
    } cases[] = {{multiply<wmma::row_major, wmma::row_major>, false, false},
                 {multiply<wmma::row_major, wmma::col_major>, false, true},
                 {multiply<wmma::col_major, wmma::row_major>, true, false},
                 {multiply<wmma::col_major, wmma::col_major>, true, true}};
    for (const auto& [kernel, a_transposed, b_transposed] : cases) {
        std::vector<float> first;
        for (const gpu::RunOptions& run : all_runs()) {
            CAPTURE(run.name());
            const gpu::RunScope scope(run);
            const gpu::Buffer<float> device_a(a, "a"), device_b(b, "b"), device_c(c, "c"), device_d(256, "d");
            gpu::launch(kernel, 1, 32, 0, device_a.data(), device_b.data(), device_c.data(), device_d.data());
            const std::vector<float> d = content(device_d);
            for (std::size_t i = 0; i < 16; ++i)
                for (std::size_t j = 0; j < 16; ++j) {
                    double sum = static_cast<double>(c[j * 16 + i]), size = std::fabs(sum);
                    for (std::size_t k = 0; k < 24; ++k) {
                        const double x = static_cast<double>(tf32(a_transposed ? a[k * 16 + i] : a[i * 24 + k])) *
                                         static_cast<double>(tf32(b_transposed ? b[j * 24 + k] : b[k * 16 + j]));
                        sum += x;
                        size += std::fabs(x);
                    }
                    REQUIRE(std::fabs(static_cast<double>(d[i * 16 + j]) - 2.0 * sum) <= 2.0 * 24 * 0x1p-24 * size);
                }
            if (first.empty()) first = d;
            CHECK(d == first);
        }
    }
}

TEST_CASE("TF32 has 11 significant bits, and halves go away from zero") {
    for (const float x : random_numbers(1000, 4)) REQUIRE(wmma::__float_to_tf32(x) == tf32(x));
    CHECK(wmma::__float_to_tf32(1.0f + 0x1p-11f) == 1.0f + 0x1p-10f);
    CHECK(wmma::__float_to_tf32(-1.0f - 0x1p-11f) == -1.0f - 0x1p-10f);
    CHECK(wmma::__float_to_tf32(1.0f + 0x1.fp-12f) == 1.0f);
    CHECK(std::isnan(wmma::__float_to_tf32(std::bit_cast<float>(0xFFFFFFFFu))));
    CHECK(std::isinf(wmma::__float_to_tf32(-INFINITY)));
}

// What ends in a message ----------------------------------------------------------------------------------------------

__global__ void loads_misaligned(float* x) {
    A<wmma::row_major> a;
    FAULT wmma::load_matrix_sync(a, x + 4, 8);
}
__global__ void loads_with_odd_stride(float* x) {
    A<wmma::row_major> a;
    FAULT wmma::load_matrix_sync(a, x, 10);
}
__global__ void loads_overlapping_rows(float* x) {
    B<wmma::row_major> b;
    FAULT wmma::load_matrix_sync(b, x, 8);
}
__global__ void loads_past_the_end(float* x) {
    B<wmma::col_major> b;
    FAULT wmma::load_matrix_sync(b, x + 136, 8);
    for (const float each : b.x)  // what nobody uses need not be read
        if (each > 2.0f) x[0] = 0.0f;
}
__global__ void stores_from_two_warps(float* x) {
    Sum sum;
    wmma::fill_fragment(sum, 1.0f);
    FAULT wmma::store_matrix_sync(x, sum, 16, wmma::mem_row_major);
}
__global__ void stores_where_lanes_read(float* x) {
    Sum sum;
    wmma::fill_fragment(sum, 1.0f);
    if (threadIdx.x >= 32) return;
    wmma::store_matrix_sync(x, sum, 16, wmma::mem_row_major);
    FAULT if (x[255 - threadIdx.x] > 2.0f) x[0] = 0.0f;  // __syncwarp() is missing
}
__global__ void forgets_to_round(float* x) {
    A<wmma::row_major> a;
    B<wmma::row_major> b;
    Sum sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::fill_fragment(b, 1.0f);
    wmma::load_matrix_sync(a, x, 8);
    FAULT wmma::mma_sync(sum, a, b, sum);
}
__global__ void forgets_lanes(float* x) {
    Sum sum;
    if (threadIdx.x % 32 < 16) {
        FAULT wmma::load_matrix_sync(sum, x, 16, wmma::mem_row_major);
    }
}
__global__ void gives_lanes_pointers_of_their_own(float* x) {
    A<wmma::row_major> a;
    FAULT wmma::load_matrix_sync(a, x + 8 * (threadIdx.x % 2), 8);
}

TEST_CASE("what a warp may not do ends in one message with the line") {
    const struct {
        void (*kernel)(float*);
        gpu::Symptom symptom;
        const char* words;
    } faults[] = {{loads_misaligned, {Fault::matrix_operation}, "a multiple of 32 bytes"},
                  {loads_with_odd_stride, {Fault::matrix_operation}, "at least 8 numbers and a multiple of 4, not 10"},
                  {loads_overlapping_rows, {Fault::matrix_operation}, "at least 16 numbers"},
                  {loads_past_the_end, {Fault::read_outside, "x"}, "past the end of 'x'"},
                  {stores_from_two_warps, {Fault::race_on_one_line, "x"}, "data race on x"},
                  {stores_where_lanes_read, {Fault::race_write_then_read, "x"}, "data race on x"},
                  {forgets_to_round, {Fault::matrix_operation}, "__float_to_tf32"},
                  {forgets_lanes, {Fault::warp_operation}, "not every thread"},
                  {gives_lanes_pointers_of_their_own, {Fault::matrix_operation}, "the same pointer and stride"}};
    for (const auto& [kernel, symptom, words] : faults)
        for (const gpu::RunOptions& run : all_runs()) {
            if (!run.checked) continue;
            CAPTURE(run.name());
            const gpu::Buffer<float> x(std::vector<float>(256, 0x1.000002p0f), "x");
            const gpu::Error error = error_of(kernel, x.data(), run);
            check_error(error, symptom, words);
            check_error(error, symptom, "tensor_core_test.cu:" + std::to_string(line_of_fault));
        }
    const gpu::Buffer<float> x(256, "x");
    CHECK(std::string(error_of(forgets_to_round, x.data(), {}, 1, 48).what()).find("this one has 16 threads") !=
          std::string::npos);
}

}  // namespace
