// A unit lower triangular system by its definition, with everything that people get wrong as a setting. Every row of X is
// found by itself, from all rows before it once more: O(C³) for a column.
#pragma once

#include <cstddef>

#include "forgetting.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// What stands for an earlier row of X.
enum class EarlierRow { solved, right_side, two_terms };
/// What is done with the entries of A above the diagonal.
enum class AboveDiagonal { unread, times_zero, times_right_side };
/// What is done with the diagonal of A.
enum class Diagonal { unread, times_zero, times_right_side, times_right_side_after_first, divides, added_to_one };
/// How often X = B - L X is computed, from X = B on: each time makes one more row right.
enum class Rounds {
    all,
    log2_rounded_up,  ///< of the number of rows
    log2_rounded_down,
    half,  ///< … of the rows, rounded down
    three,
    without_last_power  ///< as many as the product of powers makes without its last factor
};
enum class RowsWritten { all, all_but_first, all_but_last, last_as_in_B, only_last, only_first_head };

struct SystemSettings {
    EarlierRow earlier = EarlierRow::solved;
    AboveDiagonal above = AboveDiagonal::unread;
    Diagonal diagonal = Diagonal::unread;
    double sign = 1.0;          ///< of L
    std::size_t rows_back = 0;  ///< only so many earlier rows count; 0: all
    bool without_row_before = false, without_first_row = false;
    bool kept_by_rows = false, kept_by_columns = false;  ///< the sum of the row, or of the column, before is in it
    bool transposed = false;                             ///< A_ji in place of A_ij
    bool multiplied = false;                             ///< (I + L)B in place of the solution
    bool by_powers = false;                              ///< the inverse as (I - L)(I + L²)(I + L⁴)…
    Rounds rounds = Rounds::all;
    RowsWritten written = RowsWritten::all;
    bool operator==(const SystemSettings&) const = default;
};

Tensor system_by_settings(const SystemSettings& settings, const Tensor& A, const Tensor& B);

/// The solution, with the tolerance of forward substitution.
Expected expected_solution(const Tensor& A, const Tensor& B);

}  // namespace linattn::testing
