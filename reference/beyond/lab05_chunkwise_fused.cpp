// Beyond lab 05: chunkwise attention on the CPU without BLAS, which the last section of its chapter tours.
//
// OpenBLAS is made for large products. Those of a chunk are so small that the calls, the copies they make and the way
// through memory between two of them take as long as the arithmetic. Here one template, add_product, computes all four:
// a tile of the result at a time, in registers, from what the step before has left in the first cache.
//
// Vectors are the compiler's own, which g++ and clang have alike, as long as a register of the machine that the file is
// compiled for: 16 floats of AVX-512, 8 of AVX, 4 of SSE. So it runs wherever it compiles, and is fast when compiled for
// the machine that it runs on, as `./course bench` does (-march=native). For many processors with AVX-512 compilers like
// registers of half the length better, and make two of each vector: -mprefer-vector-width=512 tells them not to.
//
// Lengths are padded with zeros, which add nothing: d_k to whole vectors and tiles, d_v to whole panels, the last chunk
// to `chunk` tokens.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "chunkwise.hpp"
#include "contract.hpp"

namespace linattn {
namespace {

// How many floats fit in a register; compilers are bad at vectors that are longer than that. A tile's sums, one row of B
// and one number of A have to fit in the registers, and at least 8 sums keep a processor busy that starts two
// multiplications per cycle and waits four cycles for each.
#if defined(__AVX512F__)
constexpr std::size_t lanes = 16, tile_rows = 8;  // 16 of 32 registers hold sums
#elif defined(__AVX__)
constexpr std::size_t lanes = 8, tile_rows = 6;  // 12 of 16
#else
constexpr std::size_t lanes = 4, tile_rows = 6;  // SSE and NEON
#endif
using Vector [[gnu::vector_size(4 * lanes)]] = float;
using Integers [[gnu::vector_size(4 * lanes)]] = int;

constexpr std::size_t tile_vectors = 2, width = tile_vectors * lanes;  // of a tile
constexpr std::size_t chunk = 4 * tile_rows;

constexpr std::size_t padded(std::size_t length, std::size_t to) { return (length + to - 1) / to * to; }
constexpr std::size_t padded_chunk = padded(chunk, width);

// Not all by memcpy: g++ may do that in two halves, by way of memory, and the next instruction waits for both.
using VectorAnywhere [[gnu::vector_size(4 * lanes), gnu::aligned(4), gnu::may_alias]] = float;
void load(Vector& x, const float* from) { x = *reinterpret_cast<const VectorAnywhere*>(from); }
void store(float* to, const Vector& x) { *reinterpret_cast<VectorAnywhere*>(to) = x; }
void load(Vector& x, const float* from, std::size_t count) {
    if (count >= lanes) return load(x, from);
    x = Vector{};
    std::memcpy(&x, from, count * sizeof(float));
}
void store(float* to, const Vector& x, std::size_t count) {
    if (count >= lanes) return store(to, x);
    std::memcpy(to, &x, count * sizeof(float));
}

struct Tile {
    Vector sums[tile_rows][tile_vectors];
};

/// tile ← tile + A B. A's entry (i, k) is a[i * RowStep + k * DepthStep]. B is a panel: `depth` rows that lie PanelStep
/// numbers apart.
template <std::size_t RowStep, std::size_t DepthStep, std::size_t PanelStep = width>
[[gnu::always_inline]] inline void add_product(Tile& tile, const float* a, const float* panel, std::size_t depth) {
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (std::size_t k = 0; k < depth; ++k, a += DepthStep, panel += PanelStep) {
        Vector row[tile_vectors];
        for (std::size_t v = 0; v < tile_vectors; ++v) load(row[v], panel + v * lanes);
        for (std::size_t i = 0; i < tile_rows; ++i)
            for (std::size_t v = 0; v < tile_vectors; ++v) tile.sums[i][v] += a[i * RowStep] * row[v];
    }
}

/// Rows become columns: exchanges the halves of rows 8 apart, then their quarters with rows 4 apart, and so on.
template <int Half, int... Lane>
[[gnu::always_inline]] inline void transpose(Vector (&rows)[lanes], std::integer_sequence<int, Lane...> all) {
    constexpr int L = lanes;
    for (std::size_t i = 0; i < lanes; ++i) {
        if ((i & Half) != 0) continue;
        const Vector upper = rows[i], lower = rows[i + Half];
        rows[i] = __builtin_shufflevector(upper, lower, ((Lane & Half) != 0 ? L + Lane - Half : Lane)...);
        rows[i + Half] = __builtin_shufflevector(upper, lower, ((Lane & Half) != 0 ? L + Lane : Lane + Half)...);
    }
    if constexpr (Half > 1) transpose<Half / 2>(rows, all);
}

/// x ← φ(x) = elu(x) + 1. For x ≤ 0, e^x = 2^m e^r, where m is the integer next to x/ln 2, and e^r is a polynomial; what
/// that makes of an x > 0 is not used. A NaN stays one: it fails every comparison.
[[gnu::always_inline]] inline void elu_plus_one(Vector& x) {
    const Vector y = x < -87.0f ? Vector{} - 87.0f : x;  // e^-87 is the last one that is not subnormal
    constexpr float to_integer = 12582912.0f + 127.0f;   // 1.5·2²³: the last bit of such a number is worth 1
    const Vector shifted = y * 1.44269504f + to_integer, m = shifted - to_integer;
    const Vector r = (y - m * 0.693359375f) + m * 2.12194440e-4f;  // ln 2 in two parts
    Vector p = r * 1.39262135e-3f + 8.36320297e-3f;  // e^r is met where (e^r - 1 - r) / r² is, at Chebyshev's points
    p = p * r + 4.16665544e-2f;
    p = p * r + 1.66665768e-1f;
    p = p * r + 5.00000000e-1f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    Integers pattern;
    std::memcpy(&pattern, &shifted, sizeof pattern);
    pattern = pattern << 23;  // 2^m: the lower bits of `shifted` are m + 127
    Vector power;
    std::memcpy(&power, &pattern, sizeof power);
    x = x > 0.0f ? x + 1.0f : p * power;
}

/// Floats from a multiple of 64 bytes on, all 0.
class Lines {
public:
    explicit Lines(std::size_t count) : lines_(padded(count, lanes) / lanes) {}
    float* begin() { return lines_.data()->entries; }
    void clear() { std::fill(lines_.begin(), lines_.end(), Line{}); }

private:
    struct alignas(4 * lanes) Line {
        float entries[lanes];
    };
    std::vector<Line> lines_;
};

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
               d_v = static_cast<std::size_t>(sizes.d_v), heads = static_cast<std::size_t>(sizes.heads),
               workers = std::min(static_cast<std::size_t>(threads), heads);
    std::atomic<std::size_t> next = 0;  // a thread may start late: whoever is free takes the next head
    const auto take_heads = [&] {
        Worker worker(d_k, d_v, epsilon);
        for (std::size_t h; (h = next++) < heads;)
            worker.take_head(Q.data() + h * n * d_k, K.data() + h * n * d_k, V.data() + h * n * d_v,
                             output.data() + h * n * d_v, n);
    };
    std::vector<std::future<void>> others;
    for (std::size_t other = 1; other < workers; ++other) others.push_back(std::async(std::launch::async, take_heads));
    take_heads();
    for (std::future<void>& other : others) other.get();
}

}  // namespace linattn
