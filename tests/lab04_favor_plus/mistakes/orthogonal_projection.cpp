#include <algorithm>
#include <cmath>

#include "favor.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define ORTHOGONAL_MISTAKE(name, explanation)                                                                         \
    MISTAKE(orthogonal_projection, (std::size_t m, std::size_t d, [[maybe_unused]] std::uint64_t seed), name, "§4.2", \
            explanation)

// The check that stands in the stub already.
void check(std::size_t d) {
    if (d == 0) reject("orthogonal_projection", "d", "at least 1", "0");
}

double dot(const Tensor& a, std::size_t i, const Tensor& b, std::size_t j) {
    double total = 0.0;
    for (std::size_t e = 0; e < length(a, -1); ++e) total += a(i, e) * b(j, e);
    return total;
}

// Rows of length 1, each made orthogonal to those before it in its block by subtraction, twice for full accuracy.
Tensor orthonormal(Tensor rows) {
    const std::size_t m = length(rows, 0), d = length(rows, 1);
    for (std::size_t r = 0; r < m; ++r) {
        for (std::size_t before = r / d * d, pass = 0; pass < 2; ++pass, before = r / d * d)
            for (; before < r; ++before) {
                const double along = dot(rows, r, rows, before);
                for (std::size_t e = 0; e < d; ++e) rows(r, e) -= along * rows(before, e);
            }
        const double norm = std::sqrt(dot(rows, r, rows, r));
        for (std::size_t e = 0; e < d; ++e) rows(r, e) /= norm;
    }
    return rows;
}

Tensor orthonormal_blocks(std::size_t m, std::size_t d, std::uint64_t seed) {
    return orthonormal(normal({m, d}, seed));
}

// Each row r times the length of row of(r) of other normals.
template <class Of>
Tensor stretched_by(Tensor rows, const Tensor& others, Of of) {
    for (std::size_t r = 0; r < length(rows, 0); ++r) {
        const double norm = std::sqrt(dot(others, of(r), others, of(r)));
        for (std::size_t e = 0; e < length(rows, 1); ++e) rows(r, e) *= norm;
    }
    return rows;
}
template <class Of>
Tensor stretched(const Tensor& rows, std::uint64_t seed, Of of) {
    return stretched_by(rows, normal(shape_of(rows), ~seed), of);
}
std::size_t own(std::size_t r) { return r; }

// m rows, of which those of block b come from block(b), a (d, d).
template <class Block>
Tensor in_blocks(std::size_t m, std::size_t d, Block block) {
    Tensor W = zeros({m, d});
    for (std::size_t first = 0; first < m; first += d) {
        const Tensor rows = block(first / d);
        for (std::size_t r = first; r < std::min(first + d, m); ++r) set_token(W, r, token(rows, r - first));
    }
    return W;
}

// Directions from the numbers of one seed, lengths from those of another. Rows are made orthogonal here, so the QR of the
// same numbers is that of the block turned over.
Tensor lengths_from(std::uint64_t seed_of_lengths, std::size_t m, std::size_t d, std::uint64_t seed) {
    const Tensor numbers = normal({m + d, d}, seed);
    const auto block = [&](std::size_t b) {
        return orthonormal(matrix_transpose(tokens(numbers, b * d, (b + 1) * d)));
    };
    return stretched_by(in_blocks(m, d, block), normal({m, d}, seed_of_lengths), own);
}

ORTHOGONAL_MISTAKE("independent rows instead of orthogonal ones", "The rows of a block have to be at right angles.") {
    check(d);
    return normal({m, d}, seed);
}
ORTHOGONAL_MISTAKE("each row made orthogonal to the previous one only",
                   "A row has to be at right angles to all rows of its block: subtract its part along each of them.") {
    check(d);
    const Tensor numbers = normal({m, d}, seed);
    Tensor rows = numbers;
    for (std::size_t r = 0; r < m; ++r) {
        if (r % d != 0)
            for (std::size_t pass = 0; pass < 2; ++pass) {
                const double along = dot(rows, r, rows, r - 1);
                for (std::size_t e = 0; e < d; ++e) rows(r, e) -= along * rows(r - 1, e);
            }
        const double norm = std::sqrt(dot(rows, r, rows, r));
        for (std::size_t e = 0; e < d; ++e) rows(r, e) /= norm;
    }
    return stretched(rows, seed, own);
}
ORTHOGONAL_MISTAKE("rows of length 1", "Stretch each row to a length from χ_d: rows of length 1 hardly see q·k.") {
    check(d);
    return orthonormal_blocks(m, d, seed);
}
ORTHOGONAL_MISTAKE("every row of length √d",
                   "χ_d has that mean square, but lengths must vary for the kernel to come out.") {
    check(d);
    return orthonormal_blocks(m, d, seed) * std::sqrt(static_cast<double>(d));
}
ORTHOGONAL_MISTAKE("one length for a whole block", "Draw a length for every row.") {
    check(d);
    return stretched(orthonormal_blocks(m, d, seed), seed, [d](std::size_t r) { return r / d * d; });
}
ORTHOGONAL_MISTAKE("lengths from the diagonal of R",
                   "Entry j of that diagonal (from 0) is what orthogonalising left of column j of A: χ_(d-j), down to "
                   "a single N(0, 1).") {
    check(d);
    const Tensor draws = normal({m, d}, seed);
    Tensor W = orthonormal_blocks(m, d, seed);
    for (std::size_t r = 0; r < m; ++r) {
        const double left = dot(draws, r, W, r);
        for (std::size_t e = 0; e < d; ++e) W(r, e) *= left;
    }
    return W;
}
ORTHOGONAL_MISTAKE("squared lengths instead of lengths", "χ_d is the root of the sum of d squares: take the root.") {
    check(d);
    const Tensor rows = orthonormal_blocks(m, d, seed);
    return stretched(stretched(rows, seed, own), seed, own);
}
ORTHOGONAL_MISTAKE("lengths from the same numbers as the directions",
                   "The rows of A and the Q made of A are not independent: draw m further rows for the lengths.") {
    check(d);
    return lengths_from(seed, m, d, seed);
}
ORTHOGONAL_MISTAKE("lengths drawn with the next seed",
                   "Then they are made of the numbers that seed + 1 makes its directions of. Draw all from one seed.") {
    check(d);
    return lengths_from(seed + 1, m, d, seed);
}
ORTHOGONAL_MISTAKE("lengths of every seed the same",
                   "The lengths are random too: draw them with the seed that came in.") {
    check(d);
    return lengths_from(42, m, d, seed);
}
ORTHOGONAL_MISTAKE(
    "a sign for every entry of Q",
    "A column of Q takes one sign, that of its entry on the diagonal of R: more break the right angles.") {
    check(d);
    const Tensor coins = normal({m, d}, seed + 1);
    Tensor W = stretched(orthonormal_blocks(m, d, seed), seed, own);
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t e = r % d; e < d; ++e)
            if (coins(r, e) < 0.0) W(r, e) = -W(r, e);
    return W;
}
ORTHOGONAL_MISTAKE("lengths applied to the columns", "A length belongs to a direction, and the directions are rows.") {
    check(d);
    Tensor W = orthonormal_blocks(m, d, seed);
    const Tensor others = normal({m, d}, ~seed);
    for (std::size_t r = 0; r < m; ++r)
        for (std::size_t e = 0; e < d; ++e) {
            const std::size_t column = std::min(r / d * d + e, m - 1);
            W(r, e) *= std::sqrt(dot(others, column, others, column));
        }
    return W;
}
ORTHOGONAL_MISTAKE("one QR of the whole m×d matrix", "That makes the d columns orthogonal. Take d rows at a time.") {
    check(d);
    return qr(normal({m, d}, seed)).Q;
}
ORTHOGONAL_MISTAKE("the same block repeated", "Draw every block anew: a repeated direction adds nothing to the mean.") {
    check(d);
    const Tensor first = orthonormal_blocks(d, d, seed);
    return stretched(in_blocks(m, d, [&](std::size_t) { return first; }), seed, own);
}
ORTHOGONAL_MISTAKE("last partial block missing",
                   "There are ⌈m/d⌉ blocks; of the last take as many rows as are still missing.") {
    check(d);
    return stretched(orthonormal_blocks(m / d * d, d, seed), seed, own);
}
ORTHOGONAL_MISTAKE("last partial block left at 0",
                   "There are ⌈m/d⌉ blocks; of the last take as many rows as are still missing.") {
    check(d);
    Tensor W = zeros({m, d});
    const Tensor whole = stretched(orthonormal_blocks(m / d * d, d, seed), seed, own);
    std::copy_n(whole.data(), whole.size(), W.data());
    return W;
}
ORTHOGONAL_MISTAKE(
    "neighbouring seeds share blocks",
    "Drawing block b with seed + b makes block 1 of this seed block 0 of the next. Draw all blocks at once.") {
    check(d);
    return stretched(in_blocks(m, d, [=](std::size_t b) { return orthonormal_blocks(d, d, seed + b); }), seed, own);
}
ORTHOGONAL_MISTAKE("signs left as LAPACK gives them",
                   "Multiply each column of Q by the sign of its entry on the diagonal of R; without that Q is not "
                   "Haar-distributed.") {
    check(d);
    const Tensor draws = normal({m + d, d}, seed);
    const auto block = [&](std::size_t b) { return matrix_transpose(qr(tokens(draws, b * d, (b + 1) * d)).Q); };
    return stretched(in_blocks(m, d, block), seed, own);
}

}  // namespace
}  // namespace linattn::testing
