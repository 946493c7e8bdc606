// Tensor cores: a warp multiplies small matrices as one instruction. nvcuda::wmma is <mma.h> under nvcc, and this model
// of it on the CPU run.
//
// Modelled: float32 matrices of 16×16×8 with operands in TF32 (10 bits of fraction, 8 of exponent), which load, multiply,
// store and element-wise code on fragments need. All 32 lanes have to come to the same call; a pointer has to be a
// multiple of 32 bytes, the stride one of 4 numbers; operands have to be rounded by __float_to_tf32 before they are
// multiplied. Loads and stores are accesses like any other, watched lane by lane.
// Which entries of the matrix a lane holds is as unspecified here as it is on a GPU, and not the same.
// Not modelled: how a GPU rounds the sum of a product. Here each of the 8 terms is added in float32, in order.
#pragma once

#include "gpu.hpp"

#ifdef __CUDACC__
#include <mma.h>
#else

#include <bit>
#include <limits>

namespace gpu::engine {

// The warp's operations on fragments (engine/tensor_core.cpp). Each returns when all lanes have come.
void meet_for_access(const char* operation, const float* address, unsigned stride, unsigned row, Site site);
void meet_for_product(const float* a, const float* b, const float* c, float* d, Site site);

/// Which entry of its matrix, counted row by row, is number i of a lane's part of a fragment. Shuffled on purpose, except
/// under RunOptions::profile: then as today's GPUs have it, so that bank conflicts are counted truly.
unsigned fragment_entry(unsigned i, unsigned lane, unsigned rows, unsigned columns);

}  // namespace gpu::engine

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

/// Rounds to TF32: to the nearest, halves away from zero.
inline float __float_to_tf32(float x) {
    if (!(std::abs(x) <= std::numeric_limits<float>::max())) return x;  // NaN and infinity stay what they are
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000u) & ~0x1fffu);
}

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
    static_assert(M == 16 && N == 16 && K == 8, "the CPU run models fragments of 16×16×8 only");
    static_assert(std::is_same_v<T, std::conditional_t<std::is_same_v<Use, accumulator>, float, precision::tf32> >,
                  "the CPU run models operands of precision::tf32 and accumulators of float only");

public:
    static constexpr unsigned rows = std::is_same_v<Use, matrix_b> ? K : M;
    static constexpr unsigned columns = std::is_same_v<Use, matrix_a> ? K : N;
    static constexpr int num_elements = rows * columns / 32;
    float x[num_elements];

    fragment() { std::fill_n(x, num_elements, std::numeric_limits<float>::quiet_NaN()); }
};

template <class Use, int M, int N, int K, class T, class Layout, class Value>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& part, const Value& value) {
    std::fill_n(part.x, part.num_elements, static_cast<float>(value));
}

// Accesses are inlined, so that a message names the line of the kernel that made them.

/// Where entry `number` of a fragment lies in memory.
template <class Fragment>
std::size_t place_of(int number, unsigned stride, layout_t layout) {
    const unsigned entry = gpu::engine::fragment_entry(
        static_cast<unsigned>(number), static_cast<unsigned>(gpu::engine::lane()), Fragment::rows, Fragment::columns);
    const std::size_t row = entry / Fragment::columns, column = entry % Fragment::columns;
    return layout == mem_row_major ? row * stride + column : column * stride + row;
}

template <class Fragment>
__forceinline__ void load(Fragment& part, const float* from, unsigned stride, layout_t layout, gpu::engine::Site site) {
    gpu::engine::meet_for_access("load_matrix_sync", from, stride,
                                 layout == mem_row_major ? Fragment::columns : Fragment::rows, site);
    for (int i = 0; i < part.num_elements; ++i) part.x[i] = from[place_of<Fragment>(i, stride, layout)];
}

template <class Use, int M, int N, int K, class T, class Layout>
__forceinline__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& part, const float* from, unsigned stride,
                                      GPU_CALLED_FROM) {
    load(part, from, stride, std::is_same_v<Layout, row_major> ? mem_row_major : mem_col_major, GPU_SITE);
}

template <int M, int N, int K>
__forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, float>& part, const float* from, unsigned stride,
                                      layout_t layout, GPU_CALLED_FROM) {
    load(part, from, stride, layout, GPU_SITE);
}

template <int M, int N, int K>
__forceinline__ void store_matrix_sync(float* to, const fragment<accumulator, M, N, K, float>& part, unsigned stride,
                                       layout_t layout, GPU_CALLED_FROM) {
    using Fragment = fragment<accumulator, M, N, K, float>;
    gpu::engine::meet_for_access("store_matrix_sync", to, stride,
                                 layout == mem_row_major ? Fragment::columns : Fragment::rows, GPU_SITE);
    for (int i = 0; i < part.num_elements; ++i) to[place_of<Fragment>(i, stride, layout)] = part.x[i];
}

/// d ← a b + c. d may be c.
template <int M, int N, int K, class LayoutA, class LayoutB>
void mma_sync(fragment<accumulator, M, N, K, float>& d, const fragment<matrix_a, M, N, K, precision::tf32, LayoutA>& a,
              const fragment<matrix_b, M, N, K, precision::tf32, LayoutB>& b,
              const fragment<accumulator, M, N, K, float>& c, GPU_CALLED_FROM) {
    gpu::engine::meet_for_product(a.x, b.x, c.x, d.x, GPU_SITE);
}

}  // namespace nvcuda::wmma

#endif
