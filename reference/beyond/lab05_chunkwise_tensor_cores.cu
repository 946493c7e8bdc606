// Beyond lab 05: chunkwise_forward on tensor cores, which docs/fast_kernels.md tours. Same contract; launched with one
// block of 16 warps per head and per slice of `columns` values, whose columns of V, S and O it works on. Compute
// capability 8.0 or later.
//
// Every product is made of 16×16 tiles, each by one warp. All lengths are padded to multiples of 16 with zeros, which add
// nothing. V has a column of ones behind it, so that the products that give S and the outputs give z and the normalisers,
// too.
//
// Precision (3×TF32). A number x is split in hi = tf32(x) and lo = tf32(x - hi), each rounded to 11 significant bits, so
// that |x - hi - lo| ≤ 2⁻²²|x|. Of the four products of parts, lo·lo ≤ 2⁻²²|xy| is left out. A product is therefore off by
// 3·2⁻²² of its size at most, 12 roundings of float32, where one product in TF32 alone would be off by 2⁻¹⁰. Sums are kept
// in float32. Finite inputs only: infinity has no second part.
#include <mma.h>

#include <stdexcept>
#include <string>

#include "chunkwise.hpp"
#include "gpu/gpu.hpp"

namespace linattn {
namespace kernels {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int warps = 16, side = 16, depth_of_step = 8;

template <class Use, class Layout>
using Operand = wmma::fragment<Use, side, side, depth_of_step, wmma::precision::tf32, Layout>;
using Accumulator = wmma::fragment<wmma::accumulator, side, side, depth_of_step, float>;

__host__ __device__ constexpr int padded(int length) { return (length + side - 1) / side * side; }

/// A matrix in shared memory, of whole tiles. Rows lie 4 entries further apart than they are long where a warp reads 8 rows
/// by 4 columns of it at a time, as of the left operand of a product or the transpose of the right one: the stride is
/// then an odd multiple of 4, and those entries are in 32 different banks. Where it reads 4 rows by 8 columns, they lie 8
/// entries further apart, and the stride is an odd multiple of 8.
constexpr int eight_rows = 4, four_rows = 8;

struct Tiles {
    float* entries;
    int rows, columns, stride;

    __device__ float& operator()(int row, int column) const { return entries[row * stride + column]; }

    __device__ static Tiles take(gpu::SharedMemory& shared, int rows, int columns, int gap, const char* name) {
        const int stride = columns + gap;
        return {shared.take<float>(static_cast<std::size_t>(rows) * stride, name, stride), rows, columns, stride};
    }
    static std::size_t bytes(int rows, int columns, int gap) {
        return gpu::shared_bytes<float>(static_cast<std::size_t>(rows) * (columns + gap));
    }
};

struct TensorCoreTiles {
    Tiles phi_Q, phi_K;  // chunk × d_k
    Tiles V;             // chunk × (columns + 1): a column of ones behind
    Tiles A;  // chunk × chunk: φ(q_i)·φ(k_j) where j ≤ i, 0 above that; tiles above the diagonal are not used
    Tiles O;  // chunk × (columns + 1): the outputs, not yet normalised; the normalisers without ε behind
    Tiles S;  // d_k × (columns + 1): S, and z behind

    __device__ TensorCoreTiles(int keys, int values, int chunk) {
        const int rows = padded(chunk), d_k = padded(keys), width = padded(values + 1);
        gpu::SharedMemory shared;
        phi_Q = Tiles::take(shared, rows, d_k, eight_rows, "phi_Q");
        phi_K = Tiles::take(shared, rows, d_k, four_rows, "phi_K");
        V = Tiles::take(shared, rows, width, four_rows, "V");
        A = Tiles::take(shared, rows, rows, eight_rows, "A");
        O = Tiles::take(shared, rows, width, four_rows, "O");
        S = Tiles::take(shared, d_k, width, four_rows, "S");
    }
    static std::size_t bytes(int keys, int values, int chunk) {
        const int rows = padded(chunk), d_k = padded(keys), width = padded(values + 1);
        return Tiles::bytes(rows, d_k, eight_rows) + Tiles::bytes(rows, d_k, four_rows) +
               2 * Tiles::bytes(rows, width, four_rows) + Tiles::bytes(rows, rows, eight_rows) +
               Tiles::bytes(d_k, width, four_rows);
    }
};

/// A fragment in two parts, of which each is TF32.
template <class Use, class Layout>
struct Split {
    Operand<Use, Layout> hi, lo;

    __device__ Split(const float* from, int stride) {
        wmma::load_matrix_sync(hi, from, stride);
        for (int i = 0; i < hi.num_elements; ++i) {
            const float x = hi.x[i];
            hi.x[i] = wmma::__float_to_tf32(x);
            lo.x[i] = wmma::__float_to_tf32(x - hi.x[i]);
        }
    }
};

/// sum ← sum + A B for one tile. A is given from its row on, B from its column on, each as it lies in memory or
/// (col_major) transposed; `depth` is how many columns of A and rows of B there are.
template <class LayoutA, class LayoutB>
__device__ void add_product(Accumulator& sum, const float* A, int stride_A, const float* B, int stride_B, int depth) {
    const int step_A = std::is_same_v<LayoutA, wmma::row_major> ? depth_of_step : depth_of_step * stride_A;
    const int step_B = std::is_same_v<LayoutB, wmma::row_major> ? depth_of_step * stride_B : depth_of_step;
    for (int k = 0; k < depth; k += depth_of_step, A += step_A, B += step_B) {
        const Split<wmma::matrix_a, LayoutA> a(A, stride_A);
        const Split<wmma::matrix_b, LayoutB> b(B, stride_B);
        wmma::mma_sync(sum, a.lo, b.hi, sum);  // the small ones first
        wmma::mma_sync(sum, a.hi, b.lo, sum);
        wmma::mma_sync(sum, a.hi, b.hi, sum);
    }
}

__device__ void store(const Tiles& to, int row, int column, const Accumulator& sum) {
    wmma::store_matrix_sync(&to(row, column), sum, to.stride, wmma::mem_row_major);
}

// The steps of a chunk. All threads of the block call each, and none of them waits for the block.

__device__ float elu_plus_one(float x) { return x > 0.0f ? x + 1.0f : __expf(x); }

// A warp loads a row, so that no entry's place takes a division, and each of its threads several rows in one turn.

/// φ of `rows` tokens of `width` numbers; all else is 0.
__device__ void load_features(const Tiles& tiles, const float* __restrict__ x, int rows, int width) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int a = lane; a < tiles.columns; a += 32) {
#pragma unroll 4
        for (int i = warp; i < tiles.rows; i += warps) {
            const bool is_there = i < rows && a < width;
            const float value = is_there ? __ldg(x + static_cast<std::size_t>(i) * width + a) : 0.0f;
            tiles(i, a) = is_there ? elu_plus_one(value) : 0.0f;
        }
    }
}

/// The same without φ, of rows that lie `stride` numbers apart, and with a column of ones.
__device__ void load_values(const Tiles& tiles, const float* __restrict__ v, int rows, int width, int stride) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int b = lane; b < tiles.columns; b += 32) {
#pragma unroll 4
        for (int i = warp; i < tiles.rows; i += warps) {
            const bool is_value = i < rows && b < width, is_one = i < rows && b == width;
            const float value = is_value ? __ldg(v + static_cast<std::size_t>(i) * stride + b) : 0.0f;
            tiles(i, b) = is_one ? 1.0f : value;
        }
    }
}

/// A = φ(Q)φ(K)ᵀ on and below the diagonal. The warp that makes a tile on the diagonal masks it.
__device__ void multiply_within(const TensorCoreTiles& tile) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, across = tile.A.columns / side;
    for (int t = warp; t < across * across; t += warps) {
        const int i = t / across * side, j = t % across * side;
        if (j > i) continue;
        Accumulator sum;
        wmma::fill_fragment(sum, 0.0f);
        add_product<wmma::row_major, wmma::col_major>(sum, &tile.phi_Q(i, 0), tile.phi_Q.stride, &tile.phi_K(j, 0),
                                                      tile.phi_K.stride, tile.phi_Q.columns);
        store(tile.A, i, j, sum);
        __syncwarp();
        for (int e = lane; i == j && e < side * side; e += 32)
            if (e % side > e / side) tile.A(i + e / side, j + e % side) = 0.0f;
    }
}

/// O = A V + φ(Q) S
__device__ void multiply_outputs(const TensorCoreTiles& tile) {
    const int warp = threadIdx.x / 32, across = tile.O.columns / side;
    for (int t = warp; t < tile.O.rows / side * across; t += warps) {
        const int i = t / across * side, b = t % across * side;
        Accumulator sum;
        wmma::fill_fragment(sum, 0.0f);
        add_product<wmma::row_major, wmma::row_major>(sum, &tile.A(i, 0), tile.A.stride, &tile.V(0, b), tile.V.stride,
                                                      i + side);
        add_product<wmma::row_major, wmma::row_major>(sum, &tile.phi_Q(i, 0), tile.phi_Q.stride, &tile.S(0, b),
                                                      tile.S.stride, tile.S.rows);
        store(tile.O, i, b, sum);
    }
}

/// S ← S + φ(K)ᵀV
__device__ void add_chunk(const TensorCoreTiles& tile) {
    const int warp = threadIdx.x / 32, across = tile.S.columns / side;
    for (int t = warp; t < tile.S.rows / side * across; t += warps) {
        const int a = t / across * side, b = t % across * side;
        Accumulator sum;
        wmma::load_matrix_sync(sum, &tile.S(a, b), tile.S.stride, wmma::mem_row_major);
        add_product<wmma::col_major, wmma::row_major>(sum, &tile.phi_K(0, a), tile.phi_K.stride, &tile.V(0, b),
                                                      tile.V.stride, tile.V.rows);
        store(tile.S, a, b, sum);
    }
}

}  // namespace

__global__ void __launch_bounds__(warps * 32)
    chunkwise_forward_tensor_cores(const float* Q, const float* K, const float* V, float* O, Sizes sizes, int chunk,
                                   int columns, float epsilon) {
    const TensorCoreTiles tile(sizes.d_k, columns, chunk);
    const int n = sizes.n, d_k = sizes.d_k, d_v = sizes.d_v;
    const int first_column = blockIdx.y * columns, width = min(columns, d_v - first_column);  // of this block's slice
    const std::size_t first_token = static_cast<std::size_t>(blockIdx.x) * n;
    V += first_column;
    O += first_column;
    for (int e = threadIdx.x; e < tile.S.rows * tile.S.columns; e += blockDim.x)
        tile.S(e / tile.S.columns, e % tile.S.columns) = 0.0f;

    for (int start = 0; start < n; start += chunk) {
        const int rows = min(chunk, n - start);
        const std::size_t token = first_token + start;
        load_features(tile.phi_Q, Q + token * d_k, rows, d_k);
        load_features(tile.phi_K, K + token * d_k, rows, d_k);
        load_values(tile.V, V + token * d_v, rows, width, d_v);
        __syncthreads();  // the chunk is loaded

        multiply_within(tile);
        __syncthreads();  // A is complete

        multiply_outputs(tile);
        __syncthreads();  // O is complete, and everybody has read S

        for (int e = threadIdx.x; e < rows * width; e += blockDim.x) {
            const int i = e / width, b = e % width;
            O[(token + i) * d_v + b] = tile.O(i, b) / (tile.O(i, width) + epsilon);
        }
        add_chunk(tile);
        __syncthreads();  // the next chunk may overwrite this one
    }
}

/// What it is launched with: threads of a block, and its shared memory.
int tensor_core_threads() { return warps * 32; }
std::size_t tensor_core_bytes(const Sizes& sizes, int chunk, int columns) {
    return TensorCoreTiles::bytes(sizes.d_k, columns, chunk);
}

}  // namespace kernels

/// \param columns of V for one block: d_v for one block per head
Array chunkwise_forward_tensor_cores(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                     const Sizes& sizes, int chunk, int columns, float epsilon,
                                     const gpu::RunOptions& run) {
    require_attention_arrays(Q, K, V, sizes, chunk);
    if (columns < 1) throw std::invalid_argument("columns: at least 1, not " + std::to_string(columns));
    const gpu::RunScope scope(run);
    Array output{
        {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n), static_cast<std::size_t>(sizes.d_v)},
        std::vector<float>(V.size())};
    if (V.empty()) return output;
    const gpu::Buffer<float> device_Q(Q, "Q"), device_K(K, "K"), device_V(V, "V"), device_O(V.size(), "O");
    const dim3 grid(static_cast<unsigned>(sizes.heads), static_cast<unsigned>((sizes.d_v + columns - 1) / columns));
    gpu::launch(kernels::chunkwise_forward_tensor_cores, grid, static_cast<unsigned>(kernels::tensor_core_threads()),
                kernels::tensor_core_bytes(sizes, chunk, columns), device_Q.data(), device_K.data(), device_V.data(),
                device_O.data(), sizes, chunk, columns, epsilon);
    device_O.copy_to(output.values);
    return output;
}

}  // namespace linattn
