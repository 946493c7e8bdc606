// Beyond lab 09: the gated delta rule a chunk at a time on the CPU, without BLAS; the same tiles as in
// lab05_chunkwise_fused.cpp.
//
// A panel of S, as many of its columns as a tile has, stays in the first cache while the chunk's tokens pass it, a tile of
// them at a time: what they write, then what they read. So the triangular system is solved in blocks: what the rows of U
// before a tile add to it is a product, and only the tile's own triangle is left to substitution, in registers.
//
// A decay between two tokens is the product of its own factors, each e to a log decay: no exponent is above 0, nothing is
// divided, and after a reset, whose factor is 0, nothing is lost. Lengths are padded with zeros, which add nothing: d_k to
// whole vectors and tiles, d_v to whole panels, the last chunk to `chunk` tokens.
#include <string>

#include "contract.hpp"
#include "delta_kernel.hpp"
#include "vector_tiles.hpp"

namespace linattn {
namespace {

using namespace vectors;

constexpr std::size_t chunk = 4 * tile_rows, row_step = 2 * chunk;
static_assert(chunk % lanes == 0 && tile_vectors == 2, "a tile of pairs has a vector of keys and one of queries");

/// One thread's memory, and what it does with one head.
class Worker {
public:
    Worker(std::size_t width_of_keys, std::size_t width_of_values) : d_k_(width_of_keys), d_v_(width_of_values) {}

    struct Head {
        const float *Q, *K, *V, *beta, *log_decay;
        float* O;
    };
    void take_head(const Head& head, std::size_t n) {
        S_.clear();
        for (std::size_t start = 0; start < n; start += chunk) {
            const std::size_t rows = std::min(chunk, n - start);
            load_tokens(tokens_.begin(), head.K + start * d_k_, rows);
            load_tokens(tokens_.begin() + chunk, head.Q + start * d_k_, rows);
            find_decays(head.beta + start, head.log_decay + start, rows);
            multiply_within();
            for (std::size_t column = 0; column < d_v_; column += width) {
                const std::size_t columns = std::min(width, d_v_ - column);
                float* S = S_.begin() + column * padded_d_k_;
                for (std::size_t first = 0; first < rows; first += tile_rows) {
                    const std::size_t at = (start + first) * d_v_ + column, count = std::min(tile_rows, rows - first);
                    write(head.V + at, S, first, count, columns);
                    read(head.O + at, S, first, count, columns);
                }
                if (rows == chunk) update(S);  // after a shorter one nothing reads it
            }
        }
    }

private:
    /// The chunk's rows of x, transposed: entry a of token i is columns[a * row_step + i].
    void load_tokens(float* columns, const float* x, std::size_t rows) const {
        for (std::size_t first = 0; first < chunk; first += lanes)
            for (std::size_t a = 0; a < d_k_; a += lanes) {
                Vector block[lanes];
                for (std::size_t i = 0; i < lanes; ++i) {
                    const float* row = x + (first + i) * d_k_ + a;
                    __builtin_prefetch(row + chunk * d_k_);
                    block[i] = Vector{};
                    if (first + i < rows) load(block[i], row, d_k_ - a);
                }
                transpose<lanes / 2>(block, std::make_integer_sequence<int, lanes>());
                for (std::size_t i = 0; i < lanes; ++i) store(columns + (a + i) * row_step + first, block[i]);
            }
    }

    /// β, and the decays: Dᵀ, so row j holds what is left of token j's write at each token, from the beginning to each
    /// token, and from each to the end.
    void find_decays(const float* beta, const float* log_decay, std::size_t rows) {
        Integers lane_number{};
        for (std::size_t lane = 0; lane < lanes; ++lane) lane_number[lane] = static_cast<int>(lane);
        float factors[chunk + 1] = {};
        for (std::size_t first = 0; first < chunk; first += lanes) {
            const std::size_t count = std::max(first, rows) - first;
            Vector strengths, decays;
            load(strengths, beta + first, count);
            load(decays, log_decay + first, count);
            exponential(decays);
            store(beta_.begin() + first, strengths);
            store(factors + first, decays);
        }
        Vector row[chunk / lanes] = {};
        for (std::size_t j = chunk; j-- > 0;) {
            for (std::size_t g = 0; g < chunk / lanes; ++g) {
                const int own = static_cast<int>(j) - static_cast<int>(g * lanes);
                row[g] = lane_number == own ? Vector{} + 1.0f : row[g] * factors[j + 1];
                store(decays_.begin() + j * chunk + g * lanes, row[g]);
            }
            until_end_.begin()[j] = row[chunk / lanes - 1][lanes - 1];
        }
        for (std::size_t g = 0; g < chunk / lanes; ++g) store(since_begin_.begin() + g * lanes, row[g] * factors[0]);
    }

    /// -β_i (k_i·k_j) D_ij and (q_i·k_j) D_ij, both transposed. On and above the diagonal the first is never read.
    void multiply_within() {
        for (std::size_t query = 0; query < chunk; query += lanes) {
            Vector strengths;
            load(strengths, beta_.begin() + query);
            for (std::size_t key = 0; key < std::min(chunk, query + lanes); key += tile_rows) {
                Tile tile{};
                add_product<1, row_step, row_step, chunk>(tile, tokens_.begin() + key, tokens_.begin() + query, d_k_);
                for (std::size_t i = 0; i < tile_rows; ++i) {
                    const std::size_t at = (key + i) * chunk + query;
                    Vector decays;
                    load(decays, decays_.begin() + at);
                    store(system_.begin() + at, tile.sums[i][0] * decays * -strengths);
                    store(scores_.begin() + at, tile.sums[i][1] * decays);
                }
            }
        }
    }

    /// Rows of U: β (v - since_begin Sᵀk) less L times U, for tile_rows tokens, of which `count` are there.
    void write(const float* V, const float* S, std::size_t first, std::size_t count, std::size_t columns) {
        Tile tile{};
        add_product<1, row_step>(tile, tokens_.begin() + first, S, d_k_);
        for (std::size_t i = 0; i < tile_rows; ++i)
            for (std::size_t v = 0; v < tile_vectors; ++v) {
                Vector x{};
                if (i < count && v * lanes < columns) load(x, V + i * d_v_ + v * lanes, columns - v * lanes);
                tile.sums[i][v] = beta_.begin()[first + i] * (x - since_begin_.begin()[first + i] * tile.sums[i][v]);
            }
        add_product<1, chunk>(tile, system_.begin() + first, values_.begin(), first);
        for (std::size_t i = 0; i < tile_rows; ++i) {
            for (std::size_t j = 0; j < i; ++j)
                for (std::size_t v = 0; v < tile_vectors; ++v)
                    tile.sums[i][v] += system_.begin()[(first + j) * chunk + first + i] * tile.sums[j][v];
            for (std::size_t v = 0; v < tile_vectors; ++v) {
                const std::size_t at = (first + i) * width + v * lanes;
                store(values_.begin() + at, tile.sums[i][v]);
                store(kept_.begin() + at, until_end_.begin()[first + i] * tile.sums[i][v]);
            }
        }
    }

    /// since_begin Q S + ((Q Kᵀ) ⊙ D) U
    void read(float* O, const float* S, std::size_t first, std::size_t count, std::size_t columns) {
        Tile tile{};
        add_product<1, row_step>(tile, tokens_.begin() + chunk + first, S, d_k_);
        for (std::size_t i = 0; i < tile_rows; ++i)
            for (Vector& sum : tile.sums[i]) sum *= since_begin_.begin()[first + i];
        add_product<1, chunk>(tile, scores_.begin() + first, values_.begin(), first + tile_rows);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t v = 0; v < tile_vectors && v * lanes < columns; ++v)
                store(O + i * d_v_ + v * lanes, tile.sums[i][v], columns - v * lanes);
    }

    /// S ← the whole chunk's decay times S + Kᵀ(until_end U)
    void update(float* S) {
        const float whole = since_begin_.begin()[chunk - 1];
        for (std::size_t a = 0; a < d_k_; a += tile_rows) {
            Tile tile;
            for (std::size_t i = 0; i < tile_rows; ++i)
                for (std::size_t v = 0; v < tile_vectors; ++v) {
                    load(tile.sums[i][v], S + (a + i) * width + v * lanes);
                    tile.sums[i][v] *= whole;
                }
            add_product<row_step, 1>(tile, tokens_.begin() + a * row_step, kept_.begin(), chunk);
            for (std::size_t i = 0; i < tile_rows; ++i)
                for (std::size_t v = 0; v < tile_vectors; ++v) store(S + (a + i) * width + v * lanes, tile.sums[i][v]);
        }
    }

    std::size_t d_k_, d_v_, padded_d_k_ = padded(padded(d_k_, lanes), tile_rows);
    Lines tokens_{padded_d_k_ * row_step};  // a row of it: an entry of all keys, then of all queries
    Lines beta_{chunk}, since_begin_{chunk}, until_end_{chunk}, decays_{chunk * chunk};
    Lines system_{chunk * chunk}, scores_{chunk * chunk};  // transposed
    Lines values_{chunk * width}, kept_{chunk * width};    // rows of U, and what of them is left at the chunk's end
    Lines S_{padded_d_k_ * padded(d_v_, width)};           // panels of padded_d_k_ rows
};

}  // namespace

/// gated_delta_rule_chunkwise in float32 into an array of the caller's, in chunks of its own choice. Each thread takes whole
/// heads. Arrays as gated_delta_forward takes them (delta_kernel.hpp).
/// \throws std::invalid_argument when a length is not what the sizes say, an entry of log_decay is above 0 or NaN, or
/// threads is less than 1
void gated_delta_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                       std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes,
                       std::span<float> output, int threads) {
    require_delta_arrays(Q, K, V, beta, log_decay, sizes, static_cast<int>(chunk));
    require_array(output, "output", "(heads, n, d_v)", {sizes.heads, sizes.n, sizes.d_v});
    if (threads < 1) reject("gated_delta_fused", "threads", "at least 1", std::to_string(threads));
    if (output.empty()) return;
    const auto n = static_cast<std::size_t>(sizes.n), d_k = static_cast<std::size_t>(sizes.d_k),
               d_v = static_cast<std::size_t>(sizes.d_v), heads = static_cast<std::size_t>(sizes.heads);
    share_heads(heads, threads, [&](const auto& next) {
        Worker worker(d_k, d_v);
        for (std::size_t h; (h = next()) < heads;)
            worker.take_head({Q.data() + h * n * d_k, K.data() + h * n * d_k, V.data() + h * n * d_v,
                              beta.data() + h * n, log_decay.data() + h * n, output.data() + h * n * d_v},
                             n);
    });
}

}  // namespace linattn
