// Common mistakes in drawing directions. They show in the statistics of many rows, so the suites tell which mutation it is.
#include <algorithm>
#include <cmath>

#include "favor.hpp"
#include "mutations.hpp"
#include "oracle.hpp"
#include "suite.hpp"

namespace linattn::testing::projections_mistakes {

/// Of which seeds the numbers are that directions are made of.
enum class Drawn {
    all_at_once,
    each_row,
    each_block,
    one_row,
    one_block,
    opposites,      ///< the second half of the rows are those of the first half, negated
    half_a_row_on,  ///< a row begins d/2 numbers behind the row before
    next_rows,      ///< block b from row b of the numbers on, not from row b·d
    seed_0,
    uniform,
    columns_centred,
    rows_centred
};
/// How the rows of a block are made of them.
enum class Rows { independent, orthogonal, orthogonal_to_last, signs_of_lapack, signs_of_diagonal, columns_orthogonal };
/// How long the rows are.
enum class Lengths {
    drawn,
    one,
    root_d,
    one_for_a_block,
    diagonal_of_R,
    squared,
    of_the_directions,
    of_next_seed,
    of_one_seed,
    of_columns,
    over_root_d,     ///< χ_d / √d
    of_one_number,   ///< √d times one normal number
    of_first_block,  ///< the same ones in every block
};
enum class LastBlock { as_long_as_needed, missing, zero, independent, moved_back };

struct Projection {
    Drawn drawn = Drawn::all_at_once;
    Rows rows = Rows::orthogonal;
    Lengths lengths = Lengths::drawn;
    LastBlock last_block = LastBlock::as_long_as_needed;
    double factor = 1.0, over_m = 0.0, over_d = 0.0;  ///< every entry times factor / (m^over_m d^over_d)
    double added = 0.0;
    bool transposed = false, signs_of_entries = false;
    bool operator==(const Projection&) const = default;
};

double dot(const Tensor& a, std::size_t i, const Tensor& b, std::size_t j) {
    return dot_product(a.data() + i * length(a, -1), b.data() + j * length(b, -1), length(a, -1));
}

// Orthogonal rows come from the graded function, and a mutation spoils them: a definition of them would be an answer to paste.
class Directions {
public:
    Directions(std::size_t rows, std::size_t width, std::uint64_t of_seed, const Projection& settings)
        : m(rows), d(width), seed(of_seed), s(settings), all(normal({m + d, d}, s.drawn == Drawn::seed_0 ? 0 : seed)) {}

    Tensor result() {
        if (m == 0 || d == 0) return zeros(s.transposed ? Shape{d, m} : Shape{m, d});
        if (s.rows == Rows::columns_orthogonal) return qr(normal({m, d}, seed)).Q;
        const bool is_cut = s.last_block == LastBlock::missing || s.last_block == LastBlock::zero;
        const std::size_t whole = is_cut ? m / d * d : m;
        Tensor W = zeros({m, d});
        if (s.rows == Rows::orthogonal) right = orthogonal_projection(m + d, d, seed);
        if (s == Projection{.last_block = s.last_block}) {
            for (std::size_t r = 0; r < whole; ++r) set_token(W, r, token(right, r));
        } else {
            for (std::size_t first = 0; first < whole; first += d) {
                const Tensor rows = block(first / d);
                for (std::size_t r = first; r < std::min(first + d, whole); ++r)
                    set_token(W, r, token(rows, r - first));
            }
            if (s.rows != Rows::independent)
                stretch(W);
            else if (s.lengths != Lengths::drawn)
                W = unit(W) * (s.lengths == Lengths::one ? 1.0 : std::sqrt(static_cast<double>(d)));
        }
        for (std::size_t r = m / d * d; r < m && s.last_block == LastBlock::independent; ++r)
            set_token(W, r, token(all, r));
        const std::size_t moved = s.last_block == LastBlock::moved_back && m > d && m % d != 0 ? m - d : m;
        for (std::size_t r = moved; r < m; ++r) set_token(W, r, token(right, m / d * d + r - moved));
        if (s.drawn == Drawn::columns_centred && m > 0) W = W - mean(W, 0, keep_dims);
        if (s.drawn == Drawn::rows_centred) W = W - mean(W, 1, keep_dims);
        W = W * s.factor / std::pow(static_cast<double>(m), s.over_m) / std::pow(static_cast<double>(d), s.over_d) +
            s.added;
        if (s.last_block == LastBlock::missing) W = tokens(W, 0, whole);
        return s.transposed ? matrix_transpose(W) : W;
    }

private:
    // The numbers of block b, d×d.
    Tensor numbers(std::size_t b) const {
        const std::size_t first = b * d;
        Tensor rows = tokens(all, first, first + d);
        SplitMix64 random(seed + b);
        for (std::size_t r = 0; r < d; ++r) {
            if (s.drawn == Drawn::each_row) set_token(rows, r, normal({d}, seed + first + r));
            if (s.drawn == Drawn::one_row) set_token(rows, r, token(all, 0));
            const std::size_t half = (m + 1) / 2, row = first + r;
            if (s.drawn == Drawn::opposites && row >= half) set_token(rows, r, -token(all, row - half));
            for (std::size_t e = 0; e < d && s.drawn == Drawn::half_a_row_on; ++e)
                rows(r, e) = all.data()[row * ((d + 1) / 2) + e];
            for (std::size_t e = 0; e < d && s.drawn == Drawn::uniform; ++e)
                rows(r, e) = std::sqrt(3.0) * (2.0 * random.uniform() - 1.0);
        }
        return rows;
    }
    Tensor block(std::size_t b) const {
        if (s.rows == Rows::independent) return numbers(b);
        if (s.rows == Rows::signs_of_lapack) return matrix_transpose(qr(numbers(b)).Q);
        if (s.rows == Rows::signs_of_diagonal) {  // row j of the result is column j of Q
            Tensor rows = matrix_transpose(qr(numbers(b)).Q);
            for (std::size_t j = 0; j < d; ++j) set_token(rows, j, token(rows, j) * (rows(j, j) < 0.0 ? -1.0 : 1.0));
            return rows;
        }
        if (s.rows == Rows::orthogonal_to_last) return turned_from_the_row_before(numbers(b));
        if (s.lengths == Lengths::of_the_directions || s.lengths == Lengths::of_next_seed) return made_of_numbers(b);
        if (s.drawn == Drawn::next_rows) return overlapping(b);
        if (s.drawn == Drawn::each_block) return unit(orthogonal_projection(d, d, seed + b));
        const std::size_t first = s.drawn == Drawn::one_block ? 0 : b * d;
        return unit(tokens(right, first, first + d));
    }
    static Tensor unit(Tensor rows) {
        for (std::size_t r = 0; r < length(rows, 0); ++r)
            set_token(rows, r, token(rows, r) / std::sqrt(dot(rows, r, rows, r)));
        return rows;
    }
    static Tensor turned_from_the_row_before(Tensor rows) {
        rows = unit(rows);
        for (std::size_t r = 1; r < length(rows, 0); ++r)
            for (int pass = 0; pass < 2; ++pass) {  // the second for full accuracy
                set_token(rows, r, token(rows, r) - token(rows, r - 1) * dot(rows, r, rows, r - 1));
                rows = unit(rows);
            }
        return rows;
    }
    // Rows at right angles that depend on the numbers as a QR makes them depend; which way they point is left to chance.
    Tensor made_of_numbers(std::size_t b) const {
        Tensor rows = matrix_transpose(qr(numbers(b)).Q);
        SplitMix64 coins(~(seed + b));
        for (std::size_t r = 0; r < d; ++r)
            if (coins.uniform() < 0.5) set_token(rows, r, -token(rows, r));
        return rows;
    }
    Tensor overlapping(std::size_t b) const {
        const QR parts = qr(tokens(all, b, b + d));
        Tensor rows = matrix_transpose(parts.Q);
        for (std::size_t r = 0; r < d; ++r)
            if (parts.R(r, r) < 0.0) set_token(rows, r, -token(rows, r));
        return rows;
    }
    // Entry e of row r is multiplied by the length that it gets.
    void stretch(Tensor& W) const {
        const std::uint64_t seed_of_lengths = s.lengths == Lengths::of_the_directions ? seed
                                              : s.lengths == Lengths::of_next_seed    ? seed + 1
                                              : s.lengths == Lengths::of_one_seed     ? 42
                                                                                      : ~seed;
        const Tensor others = normal({m, d}, seed_of_lengths), coins = normal({m, d}, seed + 1);
        for (std::size_t r = 0; r < m; ++r)
            for (std::size_t e = 0; e < d; ++e) {
                std::size_t of = r;
                if (s.lengths == Lengths::one_for_a_block) of = r / d * d;
                if (s.lengths == Lengths::of_first_block) of = r % d;
                if (s.lengths == Lengths::of_columns) of = std::min(r / d * d + e, m - 1);
                double by = std::sqrt(dot(others, of, others, of));
                if (s.lengths == Lengths::one) by = 1.0;
                if (s.lengths == Lengths::root_d) by = std::sqrt(static_cast<double>(d));
                if (s.lengths == Lengths::squared) by *= by;
                if (s.lengths == Lengths::over_root_d) by /= std::sqrt(static_cast<double>(d));
                if (s.lengths == Lengths::of_one_number)
                    by = std::sqrt(static_cast<double>(d)) * std::fabs(others(r, 0));
                if (s.lengths == Lengths::diagonal_of_R)  // of row j of a block: as of d - j numbers
                    by = std::sqrt(dot_product(others.data() + r * d, others.data() + r * d, d - r % d));
                W(r, e) *= s.signs_of_entries && e >= r % d && coins(r, e) < 0.0 ? -by : by;
            }
    }

    std::size_t m, d;
    std::uint64_t seed;
    const Projection& s;
    Tensor all;    // the numbers of all blocks
    Tensor right;  // what the graded function makes, as many whole blocks as are needed
};

const unsigned independent = 1u << 0, orthogonal = 1u << 1;

const MutationTable<Projection>& projection_mutations() {
    static const MutationTable<Projection> table{
        {
            {"", "d×m instead of m×d", "One direction for each row: m rows of d entries.", independent,
             SET(s.transposed = true)},
            {"", "seed ignored", "Draw with the seed that is passed in: another seed must give another projection.",
             independent, SET(s.drawn = Drawn::seed_0)},
            {"", "the same row m times", "Draw m·d numbers, not d: a repeated direction does not improve the mean.",
             independent, SET(s.drawn = Drawn::one_row)},
            {"", "rows that share numbers", "Draw m·d numbers, and let each stand in one place only.", independent,
             SET(s.drawn = Drawn::half_a_row_on)},
            {"", "rows that are minus other rows",
             "Each of the m directions is drawn by itself; a mean over pairs of opposites has another variance.",
             independent, SET(s.drawn = Drawn::opposites)},
            {"", "neighbouring seeds share rows",
             "Drawing row r with seed + r makes row 1 of this seed row 0 of the next. Draw all rows at once.",
             independent, SET(s.drawn = Drawn::each_row)},
            {"", "scaled by 1/√d", "The entries have variance 1. The scale d^(-1/4) belongs to the queries and keys.",
             independent, SET(s.over_d = 0.5)},
            {"", "scaled by d^(-1/4)", "The entries have variance 1. That scale belongs to the queries and keys.",
             independent, SET(s.over_d = 0.25)},
            {"", "scaled by 1/√m", "The entries have variance 1. The factor 1/√m belongs to the features.", independent,
             SET(s.over_m = 0.5)},
            {"", "normal with another standard deviation",
             "The entries have variance 1, as normal() draws them: multiply them by nothing.", independent,
             SET(s.factor = 2.0)},
            {"", "normal with another mean", "The entries have the mean 0, as normal() draws them: add nothing.",
             independent, SET(s.added = 0.5)},
            {"", "rows made length 1",
             "The length of a direction is random, too: leave the rows as long as normal() makes them.", independent,
             SET(s.lengths = Lengths::one)},
            {"", "rows made length √d",
             "χ_d has that mean square, but lengths must vary: leave the rows as long as normal() makes them.",
             independent, SET(s.lengths = Lengths::root_d)},
            {"", "uniform instead of normal", "The mean of e^(w·x) is e^(|x|²/2) only for normal w.", independent,
             SET(s.drawn = Drawn::uniform)},

            {"", "columns centred", "Rows that add up to 0 are not independent: use the numbers as they are drawn.",
             independent, SET(s.drawn = Drawn::columns_centred)},
            {"", "rows centred", "Entries that add up to 0 are not independent: use the numbers as they are drawn.",
             independent, SET(s.drawn = Drawn::rows_centred)},
            {"", "lengths divided by √d",
             "χ_d is the root of the sum of d squares, not of their mean: the mean square of a length is d.",
             orthogonal, SET(s.lengths = Lengths::over_root_d)},
            {"", "lengths of one normal number each",
             "A length is that of d independent N(0, 1) numbers: the root of the sum of their squares.", orthogonal,
             SET(s.lengths = Lengths::of_one_number)},
            {"", "lengths of the first block in every block",
             "Every row has a length of its own: draw m of them, not d.", orthogonal,
             SET(s.lengths = Lengths::of_first_block)},
            {"", "last block moved back over the one before",
             "From the last block use as many rows as are still missing; the rows before it stay as they are.",
             orthogonal, SET(s.last_block = LastBlock::moved_back)},
            {"", "independent rows instead of orthogonal ones", "The rows of a block must be at right angles.",
             orthogonal, SET(s.rows = Rows::independent)},
            {"", "each row made orthogonal to the previous one only",
             "A row must be at right angles to all rows of its block: subtract its component along each of them.",
             orthogonal, SET(s.rows = Rows::orthogonal_to_last)},
            {"", "rows of length 1",
             "Multiply each row by a length from χ_d: with rows of length 1 the features hardly depend on q·k.",
             orthogonal, SET(s.lengths = Lengths::one)},
            {"", "every row of length √d",
             "χ_d has that mean square, but the lengths must vary, or the mean is not the kernel.", orthogonal,
             SET(s.lengths = Lengths::root_d)},
            {"", "one length for a whole block", "Draw a length for every row.", orthogonal,
             SET(s.lengths = Lengths::one_for_a_block)},
            {"", "lengths from the diagonal of R",
             "Entry j of that diagonal (from 0) is the length of what orthogonalising leaves of column j of A: "
             "χ_(d-j), down to a single N(0, 1) number.",
             orthogonal, SET(s.lengths = Lengths::diagonal_of_R)},
            {"", "squared lengths instead of lengths", "χ_d is the root of the sum of d squares: take the root.",
             orthogonal, SET(s.lengths = Lengths::squared)},
            {"", "lengths from the same numbers as the directions",
             "The rows of A are not independent of the Q made from A: draw m further rows for the lengths.", orthogonal,
             SET(s.lengths = Lengths::of_the_directions)},
            {"", "lengths drawn with the next seed",
             "The projection with seed + 1 makes its directions from the same numbers. Draw everything from one seed.",
             orthogonal, SET(s.lengths = Lengths::of_next_seed)},
            {"", "lengths of every seed the same",
             "The lengths are random too: draw them with the seed that is passed in.", orthogonal,
             SET(s.lengths = Lengths::of_one_seed)},
            {"", "a sign for every entry of Q",
             "Multiply a column of Q by one sign, that of its entry on the diagonal of R: several signs destroy the "
             "right angles.",
             orthogonal, SET(s.signs_of_entries = true)},
            {"", "lengths applied to the columns", "A length belongs to a direction, and the directions are rows.",
             orthogonal, SET(s.lengths = Lengths::of_columns)},
            {"", "one QR of the whole m×d matrix",
             "That makes the d columns orthogonal, not the rows. Factorise d×d blocks, one after another.", orthogonal,
             SET(s.rows = Rows::columns_orthogonal)},
            {"", "the same block repeated",
             "Draw new numbers for every block: a repeated direction does not improve the mean.", orthogonal,
             SET(s.drawn = Drawn::one_block)},
            {"", "blocks made of numbers that overlap",
             "Block b takes the d rows of numbers from b·d on: from b on, it shares all but one with its neighbour.",
             orthogonal, SET(s.drawn = Drawn::next_rows)},
            {"", "last partial block missing",
             "There are ⌈m/d⌉ blocks; from the last, use as many rows as are still missing.", orthogonal,
             SET(s.last_block = LastBlock::missing)},
            {"", "last partial block left at 0",
             "There are ⌈m/d⌉ blocks; from the last, use as many rows as are still missing.", orthogonal,
             SET(s.last_block = LastBlock::zero)},
            {"", "last partial block not made orthogonal",
             "The last block has fewer than d rows, at right angles as those of all others: from one more d×d matrix "
             "use "
             "as many rows as are still missing.",
             orthogonal, SET(s.last_block = LastBlock::independent)},
            {"", "neighbouring seeds share blocks",
             "Drawing block b with seed + b makes block 1 of this seed block 0 of the next. Draw all blocks at once.",
             orthogonal, SET(s.drawn = Drawn::each_block)},
            {"", "signs left as LAPACK gives them",
             "Multiply each column of Q by the sign of its entry on the diagonal of R; without that Q is not "
             "Haar-distributed. Seen in the code of the Performer's authors: google-research issue 436.",
             orthogonal, SET(s.rows = Rows::signs_of_lapack)},
            {"", "signs of the diagonal of Q in place of R",
             "Multiply each column of Q by the sign of its entry on the diagonal of R: with Q's own, direction j of a "
             "block "
             "never points against axis j.",
             orthogonal, SET(s.rows = Rows::signs_of_diagonal)},
        },
        {}};
    return table;
}

Tensor drawn(const Projection& settings, std::size_t m, std::size_t d, std::uint64_t seed) {
    return Directions(m, d, seed, settings).result();
}
Tensor drawn_in_blocks(const Projection& settings, std::size_t m, std::size_t d, std::uint64_t seed) {
    if (d == 0) reject("orthogonal_projection", "d", "at least 1", "0");
    return drawn(settings, m, d, seed);
}

Projection independent_rows() {
    Projection right;
    right.rows = Rows::independent;
    return right;
}
const MutationsOf gaussian_mutations("gaussian_projection", projection_mutations(), independent, independent_rows(),
                                     &drawn);
const MutationsOf orthogonal_mutations("orthogonal_projection", projection_mutations(), orthogonal, Projection{},
                                       &drawn_in_blocks);

}  // namespace linattn::testing::projections_mistakes
