// Lab 05: read labs/lab05_chunkwise_cuda/README.md, write the kernels below, run: ctest -L lab05
// The same file runs on the CPU and, compiled by nvcc, on a GPU.
#include "kernels.hpp"

namespace linattn::kernels {

__device__ float feature_map_fused(float x) {
    // elu(x) + 1 = x + 1 where x > 0, e^x elsewhere.
    // BEGIN SOLUTION: return gpu::not_implemented("feature_map_fused");
    return x > 0.0f ? x + 1.0f : __expf(x);
    // END SOLUTION
}

// Given: feature_map_fused at work. One thread per entry; the last block has threads to spare.
__global__ void apply_feature_map(const float* x, float* y, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) y[i] = feature_map_fused(x[i]);
}

// BEGIN SOLUTION
// What kernels have in common. Every function is called by all threads of the block; only the last one waits at barriers.

// φ of `rows` tokens of x, chunk × width. Rows past the end are 0, and not φ(0) = 1: they must add nothing.
__device__ inline void load_features(const Tile& tile, const float* x, int rows, int chunk, int width) {
    for (int e = threadIdx.x; e < chunk * width; e += blockDim.x) {
        const int i = e / width, a = e % width;
        tile(i, a) = i < rows ? feature_map_fused(x[e]) : 0.0f;
    }
}

__device__ inline void load_values(const Tile& tile, const float* v, int rows, int chunk, int width) {
    for (int e = threadIdx.x; e < chunk * width; e += blockDim.x) {
        const int i = e / width, b = e % width;
        tile(i, b) = i < rows ? v[e] : 0.0f;
    }
}

// A = φQ φKᵀ below and on the diagonal. Above it, A is neither written nor read.
__device__ inline void multiply_within(const Tile& A, const Tile& phi_Q, const Tile& phi_K, int chunk, int d_k) {
    for (int e = threadIdx.x; e < chunk * chunk; e += blockDim.x) {
        const int i = e / chunk, j = e % chunk;
        if (j > i) continue;
        float sum = 0.0f;
        for (int a = 0; a < d_k; ++a) sum += phi_Q(i, a) * phi_K(j, a);
        A(i, j) = sum;
    }
}

// φ(q_i)·z + ε, where z is that of the tokens before the chunk and A has the rest.
__device__ inline void normalize(float* normalizer, const Tile& A, const Tile& phi_Q, const float* z, int chunk,
                                 int d_k, float epsilon) {
    for (int i = threadIdx.x; i < chunk; i += blockDim.x) {
        float sum = epsilon;
        for (int a = 0; a < d_k; ++a) sum += phi_Q(i, a) * z[a];
        for (int j = 0; j <= i; ++j) sum += A(i, j);
        normalizer[i] = sum;
    }
}

// A sequence of n tokens, chunk by chunk: chunkwise_forward and packed_chunkwise_forward.
__device__ inline void attend(const ForwardTiles& tile, const float* Q, const float* K, const float* V, float* O, int n,
                              int d_k, int d_v, int chunk, float epsilon) {
    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;
    for (int a = threadIdx.x; a < d_k; a += blockDim.x) tile.z[a] = 0.0f;

    for (int start = 0; start < n; start += chunk) {
        const int rows = min(chunk, n - start);
        const std::size_t token = start;
        load_features(tile.phi_Q, Q + token * d_k, rows, chunk, d_k);
        load_features(tile.phi_K, K + token * d_k, rows, chunk, d_k);
        load_values(tile.V, V + token * d_v, rows, chunk, d_v);
        __syncthreads();  // the chunk is loaded

        multiply_within(tile.A, tile.phi_Q, tile.phi_K, chunk, d_k);
        __syncthreads();  // A is complete

        normalize(tile.normalizer, tile.A, tile.phi_Q, tile.z, chunk, d_k, epsilon);
        __syncthreads();  // the normalisers are complete

        for (int e = threadIdx.x; e < rows * d_v; e += blockDim.x) {
            const int i = e / d_v, b = e % d_v;
            float sum = 0.0f;
            for (int a = 0; a < d_k; ++a) sum += tile.phi_Q(i, a) * tile.S(a, b);
            for (int j = 0; j <= i; ++j) sum += tile.A(i, j) * tile.V(j, b);
            O[token * d_v + e] = sum / tile.normalizer[i];
        }
        __syncthreads();  // everybody has read S

        for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) {
            const int a = e / d_v, b = e % d_v;
            float sum = tile.S(a, b);
            for (int j = 0; j < chunk; ++j) sum += tile.phi_K(j, a) * tile.V(j, b);
            tile.S(a, b) = sum;
        }
        for (int a = threadIdx.x; a < d_k; a += blockDim.x)
            for (int j = 0; j < chunk; ++j) tile.z[a] += tile.phi_K(j, a);
        __syncthreads();  // the next chunk may overwrite this one
    }
}
// END SOLUTION

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
    // BEGIN SOLUTION: gpu::not_implemented("chunkwise_forward");
    attend(tile, Q, K, V, O, n, d_k, d_v, chunk, epsilon);
    // END SOLUTION
}

// Launched with one block per chunk (blockIdx.x) and head (blockIdx.y) and StateTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    chunk_states(const float* K, const float* V, float* S, float* z, Sizes sizes, int chunk) {
    const StateTiles tile(sizes, chunk);
    const int d_k = sizes.d_k, d_v = sizes.d_v;
    const int start = blockIdx.x * chunk, rows = min(chunk, sizes.n - start);
    const std::size_t token = static_cast<std::size_t>(blockIdx.y) * sizes.n + start;         // this chunk's first one
    const std::size_t state = static_cast<std::size_t>(blockIdx.y) * gridDim.x + blockIdx.x;  // this chunk's number
    // BEGIN SOLUTION: gpu::not_implemented("chunk_states");
    load_features(tile.phi_K, K + token * d_k, rows, chunk, d_k);
    load_values(tile.V, V + token * d_v, rows, chunk, d_v);
    __syncthreads();

    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) {
        const int a = e / d_v, b = e % d_v;
        float sum = 0.0f;
        for (int j = 0; j < rows; ++j) sum += tile.phi_K(j, a) * tile.V(j, b);
        S[state * d_k * d_v + e] = sum;
    }
    for (int a = threadIdx.x; a < d_k; a += blockDim.x) {
        float sum = 0.0f;
        for (int j = 0; j < rows; ++j) sum += tile.phi_K(j, a);
        z[state * d_k + a] = sum;
    }
    // END SOLUTION
}

// Launched with one thread for every entry of a head's S and z, heads·d_k·(d_v + 1) of them in all, and some to spare.
__global__ void __launch_bounds__(threads_per_block) scan_states(float* S, float* z, Sizes sizes, int chunks) {
    const int entry = blockIdx.x * blockDim.x + threadIdx.x;
    // A thread's entry is in S as long as entry < heads·d_k·d_v, and in z after that.
    // BEGIN SOLUTION: gpu::not_implemented("scan_states");
    const int in_S = sizes.d_k * sizes.d_v, in_z = sizes.d_k;  // entries of one chunk
    const bool is_S = entry < sizes.heads * in_S;
    const int number = is_S ? entry : entry - sizes.heads * in_S;
    const int width = is_S ? in_S : in_z;
    if (number >= sizes.heads * width) return;  // to spare; there is no barrier to miss

    float* state = (is_S ? S : z) + static_cast<std::size_t>(number / width) * chunks * width + number % width;
    float before = 0.0f;
    for (int m = 0; m < chunks; ++m, state += width) {
        const float added = *state;
        *state = before;
        before += added;
    }
    // END SOLUTION
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
    // BEGIN SOLUTION: gpu::not_implemented("chunk_outputs");
    S += state * d_k * d_v;
    z += state * d_k;
    load_features(tile.phi_Q, Q + token * d_k, rows, chunk, d_k);
    load_features(tile.phi_K, K + token * d_k, rows, chunk, d_k);
    load_values(tile.V, V + token * d_v, rows, chunk, d_v);
    __syncthreads();

    multiply_within(tile.A, tile.phi_Q, tile.phi_K, chunk, d_k);
    __syncthreads();

    normalize(tile.normalizer, tile.A, tile.phi_Q, z, chunk, d_k, epsilon);
    __syncthreads();

    for (int e = threadIdx.x; e < rows * d_v; e += blockDim.x) {
        const int i = e / d_v, b = e % d_v;
        float sum = 0.0f;
        for (int a = 0; a < d_k; ++a) sum += tile.phi_Q(i, a) * S[a * d_v + b];
        for (int j = 0; j <= i; ++j) sum += tile.A(i, j) * tile.V(j, b);
        O[token * d_v + e] = sum / tile.normalizer[i];
    }
    // END SOLUTION
}

// Launched with one block per sequence (blockIdx.x) and head (blockIdx.y) and ForwardTiles::bytes of shared memory.
__global__ void __launch_bounds__(threads_per_block)
    packed_chunkwise_forward(const float* Q, const float* K, const float* V, const int* borders, float* O, Sizes sizes,
                             int chunk, float epsilon) {
    const ForwardTiles tile(sizes, chunk);
    // The block's sequence begins at token borders[blockIdx.x] of the head and ends before token borders[blockIdx.x + 1].
    // BEGIN SOLUTION: gpu::not_implemented("packed_chunkwise_forward");
    const int first = borders[blockIdx.x], n = borders[blockIdx.x + 1] - first, d_k = sizes.d_k, d_v = sizes.d_v;
    const std::size_t token = static_cast<std::size_t>(blockIdx.y) * sizes.n + first;
    attend(tile, Q + token * d_k, K + token * d_k, V + token * d_v, O + token * d_v, n, d_k, d_v, chunk, epsilon);
    // END SOLUTION
}

}  // namespace linattn::kernels
