// Beyond lab 05: chunkwise attention on the CPU without BLAS, which docs/fast_kernels.md tours.
//
// OpenBLAS is made for large products. Those of a chunk are so small that the calls, the copies they make and the way
// through memory between two of them take as long as the arithmetic. Here one template, add_product (vector_tiles.hpp),
// computes all four: a tile of the result at a time, in registers, from what the step before has left in the first cache.
//
// Lengths are padded with zeros, which add nothing: d_k to whole vectors and tiles, d_v to whole panels, the last chunk
// to `chunk` tokens.
#include <string>

#include "chunkwise.hpp"
#include "contract.hpp"
#include "vector_tiles.hpp"

namespace linattn {
namespace {

using namespace vectors;

constexpr std::size_t chunk = 4 * tile_rows;
constexpr std::size_t padded_chunk = padded(chunk, width);

/// x ← φ(x) = elu(x) + 1
[[gnu::always_inline]] inline void elu_plus_one(Vector& x) {
    Vector y = x;
    exponential(y);
    x = x > 0.0f ? x + 1.0f : y;
}

/// One thread's memory, and what it does with one head.
class Worker {
public:
    Worker(std::size_t width_of_keys, std::size_t width_of_values, float epsilon)
        : d_k_(width_of_keys), d_v_(width_of_values), epsilon_(epsilon) {}

    void take_head(const float* Q, const float* K, const float* V, float* O, std::size_t n) {
        S_.clear();
        z_.clear();
        for (std::size_t start = 0; start < n; start += chunk) {
            const std::size_t rows = std::min(chunk, n - start);
            load_features(phi_Q_.begin(), nullptr, Q + start * d_k_, rows);
            load_features(phi_K_.begin(), z_of_chunk_.begin(), K + start * d_k_, rows);
            multiply_within();
            for (std::size_t column = 0; column < d_v_; column += width) {
                const std::size_t columns = std::min(width, d_v_ - column);
                float* S = S_.begin() + column * padded_d_k_;
                load_values(V + start * d_v_ + column, rows, columns);
                write_outputs(O + start * d_v_ + column, S, rows, columns);
                update(S);
            }
            for (std::size_t a = 0; a < padded_d_k_; ++a) z_.begin()[a] += z_of_chunk_.begin()[a];
        }
    }

private:
    /// φ of the chunk's rows of x, transposed: feature a of token i is features[a * padded_chunk + i]. Their sums, too.
    void load_features(float* features, float* sums, const float* x, std::size_t rows) const {
        for (std::size_t first = 0; first < chunk; first += lanes) {
            for (std::size_t a = 0; a < d_k_; a += lanes) {
                Vector block[lanes];
                load_block(block, x + first * d_k_ + a, std::max(first, rows) - first, d_k_ - a);
                if (sums != nullptr) {
                    Vector sum;
                    load(sum, sums + a, first == 0 ? 0 : lanes);
                    for (const Vector& row : block) sum += row;
                    store(sums + a, sum);
                }
                transpose<lanes / 2>(block, std::make_integer_sequence<int, lanes>());
                for (std::size_t i = 0; i < lanes; ++i) store(features + (a + i) * padded_chunk + first, block[i]);
            }
        }
    }

    /// φ of the first `rows` × `columns` entries from x on, and zeros: not φ(0) = 1.
    [[gnu::always_inline]] void load_block(Vector (&block)[lanes], const float* x, std::size_t rows,
                                           std::size_t columns) const {
        if (rows >= lanes && columns >= lanes) {
            for (std::size_t i = 0; i < lanes; ++i) {
                __builtin_prefetch(x + (i + chunk) * d_k_);
                load(block[i], x + i * d_k_);
                elu_plus_one(block[i]);
            }
            return;
        }
        for (std::size_t i = 0; i < lanes; ++i) {
            block[i] = Vector{};
            if (i >= rows) continue;
            load(block[i], x + i * d_k_, columns);
            elu_plus_one(block[i]);
            for (std::size_t lane = columns; lane < lanes; ++lane) block[i][lane] = 0.0f;
        }
    }

    /// Aᵀ = φ(K)φ(Q)ᵀ with 0 where the key comes after the query, and 1 / (Σ_j A_ij + φ(q_i)·z + ε). Transposed, the sums
    /// over keys are sums of vectors.
    void multiply_within() {
        Integers lane_number{};
        for (std::size_t lane = 0; lane < lanes; ++lane) lane_number[lane] = static_cast<int>(lane);
        for (std::size_t query = 0; query < chunk; query += width) {
            Vector normalizers[tile_vectors];
            for (Vector& sum : normalizers) sum = Vector{} + epsilon_;
            for (std::size_t key = 0; key < std::min(chunk, query + width); key += tile_rows) {
                Tile tile{};
                add_product<1, padded_chunk, padded_chunk>(tile, phi_K_.begin() + key, phi_Q_.begin() + query, d_k_);
                for (std::size_t i = 0; i < tile_rows; ++i)
                    for (std::size_t v = 0; v < tile_vectors; ++v) {
                        const int after = static_cast<int>(key + i) - static_cast<int>(query + v * lanes);
                        const Vector seen = lane_number >= after ? tile.sums[i][v] : Vector{};
                        store(scores_.begin() + (key + i) * padded_chunk + query + v * lanes, seen);
                        normalizers[v] += seen;
                    }
            }
            for (std::size_t a = 0; a < d_k_; ++a)
                for (std::size_t v = 0; v < tile_vectors; ++v) {
                    Vector features;
                    load(features, phi_Q_.begin() + a * padded_chunk + query + v * lanes);
                    normalizers[v] += z_.begin()[a] * features;
                }
            for (std::size_t v = 0; v < tile_vectors; ++v)
                store(factors_.begin() + query + v * lanes, 1.0f / normalizers[v]);
        }
    }

    void load_values(const float* V, std::size_t rows, std::size_t columns) {
        for (std::size_t j = 0; j < chunk; ++j)
            for (std::size_t b = 0; b < width; b += lanes) {
                Vector x{};
                if (j < rows && b < columns) load(x, V + j * d_v_ + b, columns - b);
                __builtin_prefetch(V + (j + chunk) * d_v_ + b);
                store(values_.begin() + j * width + b, x);
            }
    }

    /// A V + φ(Q) S, each row times its factor.
    void write_outputs(float* O, const float* S, std::size_t rows, std::size_t columns) {
        for (std::size_t first = 0; first < rows; first += tile_rows) {
            Tile tile{};
            add_product<1, padded_chunk>(tile, scores_.begin() + first, values_.begin(), first + tile_rows);
            add_product<1, padded_chunk>(tile, phi_Q_.begin() + first, S, d_k_);
            for (std::size_t i = first; i < std::min(rows, first + tile_rows); ++i)
                for (std::size_t v = 0; v < tile_vectors && v * lanes < columns; ++v)
                    store(O + i * d_v_ + v * lanes, tile.sums[i - first][v] * factors_.begin()[i], columns - v * lanes);
        }
    }

    /// S ← S + φ(K)ᵀV
    void update(float* S) {
        for (std::size_t a = 0; a < d_k_; a += tile_rows) {
            Tile tile;
            for (std::size_t i = 0; i < tile_rows; ++i)
                for (std::size_t v = 0; v < tile_vectors; ++v) load(tile.sums[i][v], S + (a + i) * width + v * lanes);
            add_product<padded_chunk, 1>(tile, phi_K_.begin() + a * padded_chunk, values_.begin(), chunk);
            for (std::size_t i = 0; i < tile_rows; ++i)
                for (std::size_t v = 0; v < tile_vectors; ++v) store(S + (a + i) * width + v * lanes, tile.sums[i][v]);
        }
    }

    std::size_t d_k_, d_v_, padded_d_k_ = padded(padded(d_k_, lanes), tile_rows);
    float epsilon_;
    Lines phi_Q_{padded_d_k_ * padded_chunk}, phi_K_{padded_d_k_ * padded_chunk};  // transposed
    Lines z_{padded_d_k_}, z_of_chunk_{padded_d_k_}, factors_{padded_chunk};
    Lines S_{padded_d_k_ * padded(d_v_, width)};  // panels of padded_d_k_ rows
    Lines scores_{chunk * padded_chunk}, values_{chunk * width};
};

}  // namespace

/// chunkwise_linear_attention into an array of the caller's, in chunks of its own choice. Each thread takes whole heads.
/// \throws std::invalid_argument when a length is not what the sizes say, or threads is less than 1
void chunkwise_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V, const Sizes& sizes,
                     float epsilon, std::span<float> output, int threads) {
    require_attention_arrays(Q, K, V, sizes, static_cast<int>(chunk));
    require_array(output, "output", "(heads, n, d_v)", {sizes.heads, sizes.n, sizes.d_v});
    if (threads < 1) reject("chunkwise_fused", "threads", "at least 1", std::to_string(threads));
    if (output.empty()) return;
    const auto n = static_cast<std::size_t>(sizes.n), d_k = static_cast<std::size_t>(sizes.d_k),
               d_v = static_cast<std::size_t>(sizes.d_v), heads = static_cast<std::size_t>(sizes.heads);
    share_heads(heads, threads, [&](const auto& next) {
        Worker worker(d_k, d_v, epsilon);
        for (std::size_t h; (h = next()) < heads;)
            worker.take_head(Q.data() + h * n * d_k, K.data() + h * n * d_k, V.data() + h * n * d_v,
                             output.data() + h * n * d_v, n);
    });
}

}  // namespace linattn
