// What the fused kernels for the CPU are made of: tiles of a product in registers, and vectors.
//
// Vectors are the compiler's own, which g++ and clang have alike, as long as a register of the machine that the file is
// compiled for: 16 floats of AVX-512, 8 of AVX, 4 of SSE. So it runs wherever it compiles, and is fast when compiled for
// the machine that it runs on, as `./course bench` does (-march=native). For many processors with AVX-512 compilers like
// registers of half the length better, and make two of each vector: -mprefer-vector-width=512 tells them not to.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <future>
#include <utility>
#include <vector>

namespace linattn::vectors {

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

constexpr std::size_t padded(std::size_t length, std::size_t to) { return (length + to - 1) / to * to; }

// Not all by memcpy: g++ may do that in two halves, by way of memory, and the next instruction waits for both.
using VectorAnywhere [[gnu::vector_size(4 * lanes), gnu::aligned(4), gnu::may_alias]] = float;
inline void load(Vector& x, const float* from) { x = *reinterpret_cast<const VectorAnywhere*>(from); }
inline void store(float* to, const Vector& x) { *reinterpret_cast<VectorAnywhere*>(to) = x; }
inline void load(Vector& x, const float* from, std::size_t count) {
    if (count >= lanes) return load(x, from);
    x = Vector{};
    std::memcpy(&x, from, count * sizeof(float));
}
inline void store(float* to, const Vector& x, std::size_t count) {
    if (count >= lanes) return store(to, x);
    std::memcpy(to, &x, count * sizeof(float));
}

struct Tile {
    Vector sums[tile_rows][tile_vectors];
};

/// tile ← tile + A B. A's entry (i, k) is a[i * RowStep + k * DepthStep]. B is a panel: `depth` rows that lie PanelStep
/// numbers apart, of vectors that lie VectorStep numbers apart.
template <std::size_t RowStep, std::size_t DepthStep, std::size_t PanelStep = width, std::size_t VectorStep = lanes>
[[gnu::always_inline]] inline void add_product(Tile& tile, const float* a, const float* panel, std::size_t depth) {
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
    for (std::size_t k = 0; k < depth; ++k, a += DepthStep, panel += PanelStep) {
        Vector row[tile_vectors];
        for (std::size_t v = 0; v < tile_vectors; ++v) load(row[v], panel + v * VectorStep);
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

/// x ← e^x for -87 ≤ x ≤ 0: 2^m e^r, where m is the integer next to x/ln 2, and e^r is a polynomial. 0 below that, where
/// numbers become subnormal; above 0 the result means nothing. A NaN stays one: it fails every comparison.
[[gnu::always_inline]] inline void exponential(Vector& x) {
    const Vector y = x < -87.0f ? Vector{} - 87.0f : x;
    constexpr float to_integer = 12582912.0f + 127.0f;  // 1.5·2²³: the last bit of such a number is worth 1
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
    x = x < -87.0f ? Vector{} : p * power;
}

/// Floats from a multiple of 64 bytes on, all 0.
class Lines {
public:
    explicit Lines(std::size_t count) : lines_(padded(std::max<std::size_t>(count, 1), lanes) / lanes) {}
    float* begin() { return lines_.data()->entries; }
    void clear() { std::fill(lines_.begin(), lines_.end(), Line{}); }

private:
    struct alignas(4 * lanes) Line {
        float entries[lanes];
    };
    std::vector<Line> lines_;
};

/// Calls take_heads(next) in at most `threads` threads. next() is a head that no other thread has taken, or not below
/// `heads`: whoever is free takes the next one, since a thread may start late.
template <class TakeHeads>
void share_heads(std::size_t heads, int threads, const TakeHeads& take_heads) {
    std::atomic<std::size_t> taken = 0;
    const auto work = [&] { take_heads([&] { return taken++; }); };
    std::vector<std::future<void>> others;
    for (std::size_t other = 1; other < std::min(static_cast<std::size_t>(threads), heads); ++other)
        others.push_back(std::async(std::launch::async, work));
    work();
    for (std::future<void>& other : others) other.get();
}

}  // namespace linattn::vectors
