// A triangular system as a definition whose settings are changed.
#include "mutations.hpp"
#include "system_definition.hpp"

namespace linattn::testing::solve_unit_lower_mistakes {

using Settings = SystemSettings;

const MutationTable<Settings>& mutations() {
    static const MutationTable<Settings> table{
        {
            {"the rows before", "right sides in place of solved rows",
             "Row i of X is row i of B less L_ij times rows of X, which are solved already, not rows of B.", 0,
             SET(s.earlier = EarlierRow::right_side)},
            {"the rows before", "series cut off after three terms",
             "I - L + L² is only the beginning of the inverse: substitute row by row.", 0,
             SET(s.earlier = EarlierRow::two_terms)},
            {"the rows before", "series cut off after four terms",
             "I - L + L² - L³ is only the beginning of the inverse: substitute row by row.", 0,
             SET(s.rounds = Rounds::three)},
            {"the rows before", "only log₂ C rounds of X = B - L X",
             "Each round makes one more row right, so that it takes C - 1 of them: substitute row by row.", 0,
             SET(s.rounds = Rounds::log2_rounded_up)},
            {"the rows before", "only log₂ C rounds of X = B - L X, rounded down",
             "Each round makes one more row right, so that it takes C - 1 of them: substitute row by row.", 0,
             SET(s.rounds = Rounds::log2_rounded_down)},
            {"the rows before", "only C/2 rounds of X = B - L X",
             "Each round makes one more row right, so that it takes C - 1 of them: substitute row by row.", 0,
             SET(s.rounds = Rounds::half)},
            {"the rows before", "last factor of the product of powers missing",
             "(I - L)(I + L²)(I + L⁴)… goes on until the power is C or more; but substitute row by row, as its factors "
             "lose digits.",
             0, SET(s.rounds = Rounds::without_last_power)},
            {"the rows before", "nothing subtracted",
             "Row i of X is row i of B less L_ij times the rows of X before it.", 0, SET(s.sign = 0.0)},
            {"the rows before", "only the row before", "Row i needs all rows of X before it, j = 0, …, i-1.", 0,
             SET(s.rows_back = 1)},
            {"the rows before", "row before left out", "Row i needs all rows of X before it, up to j = i-1.", 0,
             SET(s.without_row_before = true)},
            {"the rows before", "first row not subtracted", "Row i needs all rows of X before it, from j = 0 on.", 0,
             SET(s.without_first_row = true)},
            {"the rows before", "sum not reset from row to row",
             "Each row of X has a sum of its own: begin it with 0 for row i.", 0, SET(s.kept_by_rows = true)},
            {"the rows before", "sum not reset from column to column",
             "Each entry of a row has a sum of its own: begin it with 0 for every column.", 0,
             SET(s.kept_by_columns = true)},
            {"the rows before", "multiplied in place of solved", "X solves (I + L)X = B; (I + L)B is something else.",
             0, SET(s.multiplied = true)},
            {"the rows before", "sign of the system", "The system is (I + L)X = B: earlier rows are subtracted.", 0,
             SET(s.sign = -1.0)},
            {"the rows before", "the inverse as a product of powers",
             "(I - L)(I + L²)(I + L⁴)… is the inverse in algebra, but where keys repeat its factors grow beyond all "
             "digits: substitute row by row. It broke 68 of a model's 69 layers: tt-metal issue 54813.",
             0, SET(s.by_powers = true)},
            {"the half of A", "A transposed", "Row i of L holds what token i corrects: L_ij = A_ij for j < i.", 0,
             SET(s.transposed = true)},
            {"the diagonal", "diagonal counted", "The diagonal of I + L is 1: that of A is never read.", 0,
             SET(s.diagonal = Diagonal::added_to_one)},
            {"the diagonal", "divided by the diagonal of A", "The diagonal of I + L is 1: that of A is never read.", 0,
             SET(s.diagonal = Diagonal::divides)},
            {"the diagonal", "own right side subtracted", "The sum for row i ends before it: j = 0, …, i-1.", 0,
             SET(s.diagonal = Diagonal::times_right_side)},
            {"the diagonal", "own right side subtracted, from the second row on",
             "The sum for row i ends before it: j = 0, …, i-1.", 0,
             SET(s.diagonal = Diagonal::times_right_side_after_first)},
            {"what is not read", "diagonal multiplied by zero",
             "The diagonal of A may hold NaN, and 0 times NaN is NaN: take only the entries below the diagonal.", 0,
             SET(s.diagonal = Diagonal::times_zero)},
            {"what is not read", "upper half multiplied by zero",
             "What is above the diagonal may hold NaN, and 0 times NaN is NaN: take only the entries below the "
             "diagonal.",
             0, SET(s.above = AboveDiagonal::times_zero)},
            {"what is not read", "upper half read", "Only the part of A below its diagonal belongs to the system.", 0,
             SET(s.above = AboveDiagonal::times_right_side)},
            {"what is written", "first row left out", "The first row of X is that of B.", 0,
             SET(s.written = RowsWritten::all_but_first)},
            {"what is written", "last row left out", "X has as many rows as B.", 0,
             SET(s.written = RowsWritten::all_but_last)},
            {"what is written", "last row not solved", "The loop over the rows ends with the last one: while i < C.", 0,
             SET(s.written = RowsWritten::last_as_in_B)},
            {"what is written", "only the last row written", "Keep every row of X.", 0,
             SET(s.written = RowsWritten::only_last)},
            {"what is written", "only the first head written", "Every leading index is a system of its own.", 0,
             SET(s.written = RowsWritten::only_first_head)},
            {"", "computed in O(C³)", "Each row of X needs the rows before it, found once: O(C²) for a column of B.", 0,
             nullptr},
        },
        {{"L times %s", "The system is (I + L)X = B.", 0, SET_TO(s.sign = x), 1e-3, 1e3}}};
    return table;
}

const MutationsOf all("solve_unit_lower", mutations(), 0, Settings{}, &system_by_settings);

const Probes probes("solve_unit_lower", [] {
    const std::size_t C = 5, m = 3;
    return std::vector{
        probe(&linattn::solve_unit_lower, random_tensor({2, 2, C, C}, 901), random_tensor({2, 2, C, m}, 902)),
        probe(&linattn::solve_unit_lower, random_tensor({18, 18}, 903), random_tensor({18, 1}, 904))};
});

}  // namespace linattn::testing::solve_unit_lower_mistakes
