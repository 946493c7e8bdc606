// Lab 00: the sum of each row, and the outer product of two vectors.
#include "warm_up.hpp"
#include "suite.hpp"

namespace linattn::testing::warm_up_test {

// The definitions, entry by entry.
Expected expected_row_sums(const Tensor& x) {
    const std::size_t m = length(x, 0), n = length(x, 1);
    Tensor y = zeros({m}), magnitude = zeros({m});
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            y(i) += x(i, j);
            magnitude(i) += std::abs(x(i, j));
        }
    return {y, magnitude * (2.0 * static_cast<double>(n) * 0x1p-53), "2n·2^-53 sum |x|, n = " + std::to_string(n),
            false};
}

Expected expected_outer_product(const Tensor& a, const Tensor& b) {
    Tensor y = zeros({a.size(), b.size()});
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) y(i, j) = a(i) * b(j);
    return exactly(y, false);  // one product an entry: both sides round alike
}

TEST_SUITE("row_sums") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor x{{1, 2, 3}, {4, 5, 6}};
    CALL(row_sums, x).equals(exactly(Tensor{6, 15}, false));
}
TEST_CASE("rejects what is not a matrix") {
    CALL(row_sums, zeros({3})).rejects({"x", "(m, n)", "(3,)"});
    CALL(row_sums, zeros({2, 3, 4})).rejects({"x", "(m, n)", "(2, 3, 4)"});
}
TEST_CASE("equals the definition for every shape") {
    std::uint64_t stream = 0;
    for (const Shape& shape :
         {Shape{2, 3}, Shape{5, 1}, Shape{1, 4}, Shape{7, 100}, Shape{3, 0}, Shape{0, 3}, Shape{131, 2}, Shape{2, 131},
          Shape{128, 3}, Shape{3, 128}, Shape{4100, 1}, Shape{1, 4100}}) {
        const Tensor x = random_tensor(shape, ++stream);
        CALL(row_sums, x).equals(expected_row_sums(x));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({3, 5}, 9);
    CALL(row_sums, x).remembers_nothing();
}
}

TEST_SUITE("outer_product") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor a{1, 2, 3}, b{10, 20};
    CALL(outer_product, a, b).equals(exactly(Tensor{{10, 20}, {20, 40}, {30, 60}}, false));
}
TEST_CASE("rejects what is not a vector") {
    CALL(outer_product, zeros({2, 2}), zeros({2})).rejects({"a", "(m)", "(2, 2)"});
    CALL(outer_product, zeros({2}), zeros({2, 2})).rejects({"b", "(n)", "(2, 2)"});
}
TEST_CASE("equals the definition for every pair of lengths") {
    std::uint64_t stream = 10;
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{3, 2},
                               {2, 3},
                               {4, 4},
                               {1, 5},
                               {5, 1},
                               {0, 3},
                               {3, 0},
                               {131, 128},
                               {128, 130},
                               {4100, 1},
                               {1, 4100}}) {
        const Tensor a = random_tensor({m}, ++stream), b = random_tensor({n}, ++stream);
        CALL(outer_product, a, b).equals(expected_outer_product(a, b));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor a = random_tensor({3}, 30), b = random_tensor({4}, 31);
    CALL(outer_product, a, b).remembers_nothing();
}
}

}  // namespace linattn::testing::warm_up_test
