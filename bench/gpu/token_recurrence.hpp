// Token by token on a GPU: what the chunkwise kernels are compared with.
#pragma once

#include "chunkwise.hpp"

namespace linattn::kernels {

/// One block per head, one thread per column of S, which it keeps in registers. d_k = d_v = D threads.
template <int D>
__global__ void __launch_bounds__(D)
    token_recurrence(const float* Q, const float* K, const float* V, float* O, int n, float epsilon) {
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

}  // namespace linattn::kernels
