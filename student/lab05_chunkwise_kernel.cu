// Lab 05: read labs/lab05_chunkwise_cuda/README.md, write the kernels below, run: ctest -L lab05
// The same file runs on the CPU and, compiled by nvcc, on a GPU.
#include "kernels.hpp"

namespace linattn::kernels {

__device__ float feature_map_fused(float x) {
    // elu(x) + 1 = x + 1 where x > 0, e^x elsewhere.
    // YOUR CODE HERE
    return gpu::not_implemented("feature_map_fused");
}

// Given: feature_map_fused at work. One thread per entry; the last block has threads to spare.
__global__ void apply_feature_map(const float* x, float* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = feature_map_fused(x[i]);
}

// Launched with one block per head (blockIdx.x) and ForwardTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    chunkwise_forward(const float* Q, const float* K, const float* V, float* O, Sizes sizes, int chunk, float epsilon) {
    const ForwardTiles tile(sizes, chunk);
    const int n = sizes.n, d_k = sizes.d_k, d_v = sizes.d_v;
    const std::size_t first_token = static_cast<std::size_t>(blockIdx.x) * n;  // of this block's head
    Q += first_token * d_k;
    K += first_token * d_k;
    V += first_token * d_v;
    O += first_token * d_v;
    // S and z start at 0. Then, for every chunk: load it, multiply within it, normalise, write the outputs, update S
    // and z.
    // Between two steps of which one writes what the other reads, or reads what the other overwrites: __syncthreads().
    // YOUR CODE HERE
    gpu::not_implemented("chunkwise_forward");
}

// Launched with one block per chunk (blockIdx.x) and head (blockIdx.y) and StateTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    chunk_states(const float* K, const float* V, float* S, float* z, Sizes sizes, int chunk) {
    const StateTiles tile(sizes, chunk);
    const int d_k = sizes.d_k, d_v = sizes.d_v;
    const int start = blockIdx.x * chunk, rows = min(chunk, sizes.n - start);
    const std::size_t token = static_cast<std::size_t>(blockIdx.y) * sizes.n + start;         // this chunk's first one
    const std::size_t state = static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x;  // this chunk's number
    // YOUR CODE HERE
    gpu::not_implemented("chunk_states");
}

// Launched with one thread for every entry of a head's S and z, heads·d_k·(d_v + 1) of them in all, and some to spare.
__global__ void __launch_bounds__(threads_per_block) scan_states(float* S, float* z, Sizes sizes, int chunks) {
    const int entry = blockIdx.x * blockDim.x + threadIdx.x;
    // A thread's entry is in S as long as entry < heads·d_k·d_v, and in z after that.
    // YOUR CODE HERE
    gpu::not_implemented("scan_states");
}

// Launched with one block per chunk (blockIdx.x) and head (blockIdx.y) and OutputTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    chunk_outputs(const float* Q, const float* K, const float* V, const float* S, const float* z, float* O, Sizes sizes,
                  int chunk, float epsilon) {
    const OutputTiles tile(sizes, chunk);
    const int d_k = sizes.d_k, d_v = sizes.d_v;
    const int start = blockIdx.x * chunk, rows = min(chunk, sizes.n - start);
    const std::size_t token = static_cast<std::size_t>(blockIdx.y) * sizes.n + start;
    const std::size_t state = static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x;
    // YOUR CODE HERE
    gpu::not_implemented("chunk_outputs");
}

// Launched with one block per sequence (blockIdx.x) and head (blockIdx.y) and ForwardTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    packed_chunkwise_forward(const float* Q, const float* K, const float* V, const int* borders, float* O, Sizes sizes,
                             int chunk, float epsilon) {
    const ForwardTiles tile(sizes, chunk);
    // The block's sequence begins at token borders[blockIdx.x] of the head and ends before token borders[blockIdx.x + 1].
    // YOUR CODE HERE
    gpu::not_implemented("packed_chunkwise_forward");
}

}  // namespace linattn::kernels
