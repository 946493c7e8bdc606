// kernel_variance: tabulated values, and the variance that is there when features are simulated.
#include <algorithm>
#include <cmath>

#include "random_features.hpp"
#include "statistics.hpp"
#include "worked_example.hpp"

namespace linattn::testing::kernel_variance_test {

using worked_example::padded;

// Pairs of width 16, where x̂ = x/2 exactly, and m·Var from Python's decimal module at 50 digits. The first four are the
// worked example's queries with its keys.
const Tensor q_of_table = padded({{2, 0}, {2, 0}, {0, -2}, {0, -2}, {1, 0}, {1, 1}, {3, -1}});
const Tensor k_of_table = padded({{2, 2}, {0, -2}, {2, 2}, {0, -2}, {0, 1}, {-1, 0}, {-1, 2}});
const Tensor variances{1089.244102329528,  6.38905609893065,    0.23254415793482963, 396.0397373938045,
                       0.6487212707001282, 0.17227012335877145, 0.2044197982362913};

Expected rounded(const Tensor& value) {
    // e^s - 1 loses a factor of e^s/(e^s - 1) < 5 from s = 0.25 on.
    return to_rounding(value, 4000.0, "5 * 4 (d + 6) roundings of exponents up to 7", false);
}

TEST_SUITE("kernel_variance") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor q = token(worked_example::Q, 0), k = token(worked_example::K, 0);
    const std::size_t m = 3;
    CALL(kernel_variance, q, k, m).equals(rounded(Tensor(1089.244102329528 / 3.0)));
}
TEST_CASE("gives the tabulated values, for every leading shape") {
    for (const Shape& leading : {Shape{}, Shape{5}, Shape{2, 3}, Shape{0}, Shape{128}, Shape{130}, Shape{130, 2},
                                 Shape{128, 1}, Shape{4100}}) {
        const Tensor choice = random_tensor(leading, 10 + leading.size(), 0.0, 7.0);
        Tensor q = zeros(join(leading, {16})), k = q, expected = zeros(leading);
        const std::size_t m = 8;
        for (std::size_t i = 0; i < choice.size(); ++i) {
            const auto row = static_cast<std::size_t>(choice.data()[i]);
            std::copy_n(q_of_table.data() + row * 16, 16, q.data() + i * 16);
            std::copy_n(k_of_table.data() + row * 16, 16, k.data() + i * 16);
            expected.data()[i] = variances(row) / 8.0;
        }
        CALL(kernel_variance, q, k, m).equals(rounded(expected));
    }
    const Tensor q = q_of_table, k = k_of_table;
    for (const std::size_t m : {std::size_t{1}, std::size_t{3}, std::size_t{4096}})
        CALL(kernel_variance, q, k, m).equals(rounded(variances / static_cast<double>(m)));
}
TEST_CASE("uses the last entries as well as the first") {
    const std::size_t m = 8;
    for (const std::size_t d : {std::size_t{128}, std::size_t{131}, std::size_t{300}}) {
        const auto at_the_end = [&](const Tensor& x) {
            Tensor wide = padded(x * std::pow(static_cast<double>(d) / 16.0, 0.25), d);
            for (std::size_t row = 0; row < length(wide, 0); ++row)
                std::reverse(wide.data() + row * d, wide.data() + (row + 1) * d);
            return wide;
        };
        const Tensor q = at_the_end(q_of_table), k = at_the_end(k_of_table);
        CALL(kernel_variance, q, k, m).equals(rounded(variances / 8.0));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor q = random_tensor({2, 3}, 50), k = random_tensor({2, 3}, 51);
    const std::size_t m = 8;
    CALL(kernel_variance, q, k, m).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the pairs") {
    const std::size_t m = 8;
    costs_no_more_than_in_proportion(
        [&](std::size_t pairs) {
            return CALL(kernel_variance, random_tensor({pairs, 3}, pairs), random_tensor({pairs, 3}, 1 + pairs), m);
        },
        "pairs");
}
TEST_CASE("counts the width of the vectors, zeros included") {
    const std::size_t m = 8;
    const Tensor q = padded(q_of_table * 1.5, 81), k = padded(k_of_table * 1.5, 81);  // x̂ = x/3
    CALL(kernel_variance, q, k, m).equals(rounded(variances / 8.0));
}
TEST_CASE("is 0 for opposite vectors: then every W gives the kernel exactly") {
    const std::size_t m = 8;
    const Tensor q = random_tensor({5, 16}, 30), k = -q;
    // e^{2 q̂·k̂} (e^s - 1)/m with s = 0, which may be the sum ‖q̂‖² + ‖k̂‖² + 2 q̂·k̂ of terms that cancel.
    const Tensor square = sum(q * q, -1) / 4.0;  // ‖q̂‖² = ‖k̂‖² = -q̂·k̂, and √d = 4
    const Tensor terms = exp(-2.0 * square) * (4.0 * square + 2.0) / 8.0;
    CALL(kernel_variance, q, k, m)
        .equals(to_rounding_of_terms(zeros({5}), terms, 4 * (16 + 6),
                                     "s is a sum of 4 |q|^2, q scaled, and e^s - 1 the difference of two terms of 1",
                                     false));
}
TEST_CASE("rejects shapes that differ, and m = 0") {
    const std::size_t m = 8, none = 0;
    CALL(kernel_variance, zeros({3, 4}), zeros({3, 5}), m).rejects({"k", "(3, 4)", "(3, 5)"});
    CALL(kernel_variance, zeros({3, 4}), zeros({4}), m).rejects({"k", "(3, 4)", "(4,)"});
    CALL(kernel_variance, zeros({}), zeros({}), m).rejects({"q", "(…, d)"});
    CALL(kernel_variance, zeros({4}), zeros({4}), none).rejects({"m", "at least 1"});
}
TEST_CASE("is the variance that a simulation finds") {
    const std::size_t d = 4, draws = 50000, one = 1;
    const Pair pair(d, 0.25, 40);
    const Tensor q = token(pair.q, 0), k = token(pair.k, 0);
    double found = 0.0;
    for (const double estimate : kernel_estimates(pair, normal({draws, d}, random_seed(42))))
        found += (estimate - 1.0) * (estimate - 1.0) / static_cast<double>(draws);
    const Call<Tensor> call = CALL(kernel_variance, q, k, one);
    // The standard error is 1.3%, from the fourth moment of a log-normal variable. The tail is heavier than a normal
    // one: a single estimate above 45 makes the 14%, and each of the 50 000 has a chance of 1e-15 of that.
    const double claimed = result_of_shape(call, {})(), ratio = found / claimed;
    const std::string figures =
        "simulated " + decimals(found) + ", claimed " + decimals(claimed) + ", within 14% was expected";
    call.satisfies(std::fabs(ratio - 1.0) <= 0.14, figures);
    note(figures);
}
}

}  // namespace linattn::testing::kernel_variance_test
