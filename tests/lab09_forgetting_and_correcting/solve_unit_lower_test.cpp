// A unit lower triangular system: the keys of a chunk, also where they repeat.
#include <limits>

#include "cost_claims.hpp"
#include "delta_inputs.hpp"
#include "long_sizes.hpp"
#include "system_definition.hpp"

namespace linattn::testing::solve_unit_lower_test {

Call<Tensor> solve(const Tensor& A, const Tensor& B) { return CALL(solve_unit_lower, A, B); }
void equals(const Tensor& A, const Tensor& B) { solve(A, B).equals(expected_solution(A, B)); }

// x in place of what is not part of the system.
Tensor with_rest(Tensor A, double x, bool above, bool diagonal) {
    const std::size_t C = length(A, -1);
    for (std::size_t e = 0; e < A.size(); ++e) {
        const std::size_t j = e % C, i = e / C % C;
        if ((above && j > i) || (diagonal && j == i)) A.data()[e] = x;
    }
    return A;
}

TEST_SUITE("solve_unit_lower") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor A{{7, 7, 7}, {2, 7, 7}, {3, 4, 7}}, B{{1, 5}, {3, 1}, {2, 0}};
    solve(A, B).equals(exactly({{1, 5}, {1, -9}, {-5, 21}}, false));
}
TEST_CASE("rejects shapes that do not belong together") {
    solve(zeros({2, 3, 4}), zeros({2, 3, 5})).rejects({"A", "(2, 3, 4)"});
    solve(zeros({2, 3, 3}), zeros({2, 4, 5})).rejects({"B", "(2, 3, 5)", "(2, 4, 5)"});
    solve(zeros({2, 3, 3}), zeros({3, 5})).rejects({"B", "(2, 3, 5)", "(3, 5)"});
    solve(zeros({3}), zeros({3, 5})).rejects({"A", "(3,)"});
}
TEST_CASE("solves for every leading shape") {
    std::uint64_t stream = 1;
    for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
        for (const std::size_t C : {2U, 7U, 12U}) {
            const Tensor A = random_tensor(join(leading, {C, C}), ++stream);
            equals(A, random_tensor(join(leading, {C, 5}), ++stream));
        }
}
TEST_CASE("never reads the diagonal nor what is above it") {
    std::uint64_t stream = 20;
    for (const bool above : {true, false})
        for (const double garbage : {1e300, infinity, not_a_number}) {
            const Tensor A = random_tensor({2, 6, 6}, ++stream), B = random_tensor({2, 6, 3}, ++stream);
            Expected right = expected_solution(A, B);
            solve(with_rest(A, garbage, above, !above), B).equals(right);
        }
}
TEST_CASE("is accurate for correlated, nearly equal, equal and orthogonal keys") {
    std::uint64_t stream = 40;
    for (const Keys kind : {Keys::random, Keys::correlated, Keys::nearly_equal, Keys::equal, Keys::orthogonal})
        for (const bool all_written : {true, false}) {
            const Tensor K = keys_of(kind, {64, 16}, ++stream), B = random_tensor({64, 4}, ++stream);
            const Tensor beta = all_written ? ones({64, 1}) : random_tensor({64, 1}, ++stream, 0.2, 1.0);
            equals(beta * matmul(K, matrix_transpose(K)), B);
        }
}
TEST_CASE("is accurate where keys repeat and decays reset") {
    std::uint64_t stream = 60;
    for (const Keys kind : {Keys::correlated, Keys::equal}) {
        const Tensor K = keys_of(kind, {64, 8}, ++stream), B = random_tensor({64, 4}, ++stream);
        const Tensor log_decay = decays_of(Decays::with_resets, {64}, ++stream);
        Tensor A = matmul(K, matrix_transpose(K));
        for (std::size_t j = 0; j < 64; ++j) {
            double D = 1.0;
            for (std::size_t i = j + 1; i < 64; ++i) A(i, j) *= D *= std::exp(log_decay(i));
        }
        equals(A, B);
    }
}
TEST_CASE("takes large and tiny entries") {
    std::uint64_t stream = 70;
    for (const double scale : {1e-200, 1e-3, 1e3}) {
        const Tensor A = random_tensor({2, 9, 9}, ++stream), B = random_tensor({2, 9, 3}, ++stream);
        equals(A * scale, B);
        equals(A, B * scale);
    }
}
TEST_CASE("solves at every size") {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(129)) {
        // Entries so small that all earlier rows count alike.
        const Tensor A = random_tensor(join(size.leading, {size.n, size.n}), ++stream, -0.1, 0.1);
        equals(A, random_tensor(join(size.leading, {size.n, size.d_v}), ++stream));
    }
    const Tensor wide = random_tensor({2, 131, 131}, ++stream, -0.1, 0.1);
    equals(wide, random_tensor({2, 131, 1}, ++stream));
}
TEST_CASE("takes one row, no row, no column and no head") {
    for (const auto& [leading, C, m] : {std::tuple<Shape, std::size_t, std::size_t>{{}, 1, 3},
                                        {{2}, 0, 3},
                                        {{2}, 4, 0},
                                        {{0}, 4, 3},
                                        {{2, 0}, 4, 3},
                                        {{}, 0, 0}})
        equals(random_tensor(join(leading, {C, C}), 150), random_tensor(join(leading, {C, m}), 151));
}
TEST_CASE("a row never depends on a later one") {
    const Tensor A = random_tensor({7, 7}, 160), B = random_tensor({7, 3}, 161);
    const Tensor before = result_of_shape(solve(A, B), {7, 3});
    for (const std::size_t from : {std::size_t{1}, std::size_t{4}, std::size_t{6}}) {
        Tensor other_A = A, other_B = B;
        for (std::size_t i = from; i < 7; ++i) {
            set_token(other_A, i, random_tensor({7}, 170 + i));
            set_token(other_B, i, random_tensor({3}, 180 + i));
        }
        const Call<Tensor> call = solve(other_A, other_B);
        const double* after = result_of_shape(call, {7, 3}).data();
        call.satisfies(std::equal(before.data(), before.data() + 3 * from, after),
                       "row " + std::to_string(from) +
                           " and later ones of A and B were changed, and earlier rows of X "
                           "changed with them: they must be the same to the last bit");
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    solve(random_tensor({2, 4, 4}, 190), random_tensor({2, 4, 3}, 191)).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to C² for each column") {
    // So many columns that an inverse, made first, or a copy of what is left of A in every step, counts little beside them.
    const auto steps = [](std::size_t C) {
        return solve(random_tensor({C, C}, 200 + C, -0.1, 0.1), random_tensor({C, 128}, 201 + C));
    };
    const std::size_t few = 32, many = 128, steps_of_few = steps(few).cost().steps;
    const Call<Tensor> call = steps(many);
    call.satisfies(call.cost().steps < 32 * steps_of_few,
                   "C = 32 took " + std::to_string(steps_of_few) + " steps and C = 128 took " +
                       std::to_string(call.cost().steps) +
                       ": 4 times the rows may cost about 16 times the steps; 64 times is cubic",
                   "computed in O(C³)");
}
TEST_CASE("its cost grows in proportion to the columns and to the heads") {
    costs_no_more_than_in_proportion(
        [](std::size_t m) {
            return solve(random_tensor({3, 3}, 210), random_tensor({3, m}, 211));
        },
        "columns", 64);
    costs_no_more_than_in_proportion(
        [](std::size_t heads) {
            return solve(random_tensor({heads, 3, 3}, 212), random_tensor({heads, 3, 2}, 213));
        },
        "heads", 64);
}
TEST_CASE("equals the definition beyond every round length") {
    const auto claim = [](const Size& size, std::uint64_t stream) {
        const Tensor A = random_tensor(join(size.leading, {size.n, size.n}), stream, -0.1, 0.1);
        equals(A, random_tensor(join(size.leading, {size.n, size.d_v}), stream + 100));
    };
    at_long_sizes(claim, 520);  // n² numbers
}
}

}  // namespace linattn::testing::solve_unit_lower_test
