// A product of matrices on tensor cores: tensor_core_test.cu runs it on the CPU, and nvcc compiles it too (legal_kernels.cu).
#pragma once

#include "gpu/gpu.hpp"
#include "gpu/wmma.hpp"

namespace legal {

namespace wmma = nvcuda::wmma;
template <class Layout>
using A = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, Layout>;
template <class Layout>
using B = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, Layout>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

template <class Fragment>
__device__ void round_to_tf32(Fragment& part) {
    for (int i = 0; i < part.num_elements; ++i) part.x[i] = wmma::__float_to_tf32(part.x[i]);
}

/// D = 2 (A B + C), 16×24 by 24×16; each of A and B may lie transposed.
template <class LayoutA, class LayoutB>
__global__ void multiply(const float* a, const float* b, const float* c, float* d) {
    constexpr bool a_transposed = std::is_same_v<LayoutA, wmma::col_major>,
                   b_transposed = std::is_same_v<LayoutB, wmma::col_major>;
    Sum sum;
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_col_major);
    for (int k = 0; k < 24; k += 8) {
        A<LayoutA> part_a;
        B<LayoutB> part_b;
        wmma::load_matrix_sync(part_a, a_transposed ? a + k * 16 : a + k, a_transposed ? 16 : 24);
        wmma::load_matrix_sync(part_b, b_transposed ? b + k : b + k * 16, b_transposed ? 24 : 16);
        round_to_tf32(part_a);
        round_to_tf32(part_b);
        wmma::mma_sync(sum, part_a, part_b, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= 2.0f;
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

}  // namespace legal
