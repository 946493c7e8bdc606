// Lab 09: read labs/lab09_forgetting_and_correcting/README.md, write the kernel below, run: ctest -L lab09
// The same file runs on the CPU and, compiled by nvcc, on a GPU.
#include "kernels.hpp"

namespace linattn::kernels {

// Launched with one block per head (blockIdx.x) and DeltaTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    gated_delta_forward(const float* Q, const float* K, const float* V, const float* beta, const float* log_decay,
                        float* O, Sizes sizes, int chunk) {
    const DeltaTiles tile(sizes, chunk);
    const int n = sizes.n, d_k = sizes.d_k, d_v = sizes.d_v;
    const std::size_t first_token = static_cast<std::size_t>(blockIdx.x) * n;  // of this block's head
    Q += first_token * d_k;
    K += first_token * d_k;
    V += first_token * d_v;
    O += first_token * d_v;
    beta += first_token;
    log_decay += first_token;
    // S starts at 0. Then, for every chunk: load it and find its decays; A, L and the right sides; solve; write the outputs;
    // update S.
    // Between two steps of which one writes what the other reads, or reads what the other overwrites: __syncthreads().
    // YOUR CODE HERE
    gpu::not_implemented("gated_delta_forward");
}

}  // namespace linattn::kernels
