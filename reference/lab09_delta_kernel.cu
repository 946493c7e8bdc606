// Lab 09: read labs/lab09_forgetting_and_correcting/README.md, write the kernel below, run: ctest -L lab09
// The same file runs on the CPU and, compiled by nvcc, on a GPU.
#include "kernels.hpp"

namespace linattn::kernels {

// BEGIN SOLUTION
// The steps of a chunk. Every function is called by all threads of the block; none of them waits at a barrier, so that the
// kernel shows its own.

__device__ inline void load(const Tile& tile, const float* x, int rows, int width) {
    for (int e = threadIdx.x; e < rows * width; e += blockDim.x) tile(e / width, e % width) = x[e];
}

// Column j of D, from the diagonal down: a running sum of the column's own terms, so that no exponent is above 0 and no two
// sums are subtracted. A holds D until the products take its place.
__device__ inline void find_decays(const DeltaTiles& tile, const float* log_decay, int rows) {
    for (int j = threadIdx.x; j < rows; j += blockDim.x) {
        float sum = 0.0f;
        for (int i = j; i < rows; ++i) {
            if (i > j) sum += log_decay[i];
            tile.A(i, j) = expf(sum);
            if (j == 0) tile.since_begin[i] = expf(log_decay[0] + sum);
        }
        tile.until_end[j] = expf(sum);
    }
}

// (q_i·k_j) D_ij, and β_i (k_i·k_j) D_ij below the diagonal.
__device__ inline void multiply_within(const DeltaTiles& tile, const float* beta, int rows, int d_k) {
    for (int e = threadIdx.x; e < rows * rows; e += blockDim.x) {
        const int i = e / rows, j = e % rows;
        if (j > i) continue;
        float of_query = 0.0f, of_key = 0.0f;
        for (int a = 0; a < d_k; ++a) {
            of_query += tile.q(i, a) * tile.k(j, a);
            of_key += tile.k(i, a) * tile.k(j, a);
        }
        const float decay = tile.A(i, j);
        tile.A(i, j) = of_query * decay;
        if (j < i) tile.L(i, j) = beta[i] * of_key * decay;
    }
}

// β_i (v_i - since_begin_i Sᵀk_i)
__device__ inline void find_right_sides(const DeltaTiles& tile, const float* V, const float* beta, int rows, int d_k,
                                        int d_v) {
    for (int e = threadIdx.x; e < rows * d_v; e += blockDim.x) {
        const int i = e / d_v, b = e % d_v;
        float read = 0.0f;
        for (int a = 0; a < d_k; ++a) read += tile.k(i, a) * tile.S(a, b);
        tile.u(i, b) = beta[i] * (V[e] - tile.since_begin[i] * read);
    }
}

// (I + L)u = right sides, in their place: a thread solves columns of its own, from the first row to the last.
__device__ inline void solve(const DeltaTiles& tile, int rows, int d_v) {
    for (int b = threadIdx.x; b < d_v; b += blockDim.x)
        for (int i = 1; i < rows; ++i) {
            float sum = tile.u(i, b);
            for (int j = 0; j < i; ++j) sum -= tile.L(i, j) * tile.u(j, b);
            tile.u(i, b) = sum;
        }
}
// END SOLUTION

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
    // BEGIN SOLUTION: gpu::not_implemented("gated_delta_forward");
    for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) tile.S(e / d_v, e % d_v) = 0.0f;

    for (int start = 0; start < n; start += chunk) {
        const int rows = min(chunk, n - start);
        const std::size_t token = start;
        load(tile.q, Q + token * d_k, rows, d_k);
        load(tile.k, K + token * d_k, rows, d_k);
        find_decays(tile, log_decay + token, rows);
        __syncthreads();  // the chunk is loaded

        multiply_within(tile, beta + token, rows, d_k);
        find_right_sides(tile, V + token * d_v, beta + token, rows, d_k, d_v);
        __syncthreads();  // A, L and the right sides are complete

        solve(tile, rows, d_v);
        __syncthreads();  // u is solved

        for (int e = threadIdx.x; e < rows * d_v; e += blockDim.x) {
            const int i = e / d_v, b = e % d_v;
            float of_state = 0.0f, of_chunk = 0.0f;
            for (int a = 0; a < d_k; ++a) of_state += tile.q(i, a) * tile.S(a, b);
            for (int j = 0; j <= i; ++j) of_chunk += tile.A(i, j) * tile.u(j, b);
            O[token * d_v + e] = tile.since_begin[i] * of_state + of_chunk;
        }
        __syncthreads();  // everybody has read S

        for (int e = threadIdx.x; e < d_k * d_v; e += blockDim.x) {
            const int a = e / d_v, b = e % d_v;
            float sum = tile.since_begin[rows - 1] * tile.S(a, b);
            for (int j = 0; j < rows; ++j) sum += tile.until_end[j] * tile.k(j, a) * tile.u(j, b);
            tile.S(a, b) = sum;
        }
        __syncthreads();  // the next chunk may overwrite this one
    }
    // END SOLUTION
}

}  // namespace linattn::kernels
