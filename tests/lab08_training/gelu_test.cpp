// The slope of GELU, entry by entry.
#include "cost_claims.hpp"
#include "expected_gradients.hpp"

namespace linattn::testing::gelu_test {

struct Point {
    double x, slope;
};
// Φ(x) + x Φ'(x) at 40 digits, printed by gelu_table.py.
const std::vector<Point> table = {{-40, 0},
                                  {-38, 0},
                                  {-9, -9.1389373739066393e-18},
                                  {-6, -3.5468709453902015e-8},
                                  {-4, -0.00050364966122642149},
                                  {-2, -0.085231801078196897},
                                  {-1.5, -0.12746919222997953},
                                  {-1, -0.083315470587686298},
                                  {-0.7517915, 1.0655124972316129e-8},
                                  {-0.5, 0.13250487534383716},
                                  {-0.125, 0.40078206430179342},
                                  {-1e-09, 0.49999999920211544},
                                  {0, 0.5},
                                  {1e-09, 0.50000000079788456},
                                  {0.125, 0.59921793569820658},
                                  {0.5, 0.86749512465616284},
                                  {1, 1.0833154705876863},
                                  {2, 1.0852318010781969},
                                  {4, 1.0005036496612264},
                                  {6, 1.0000000354687095},
                                  {9, 1},
                                  {40, 1}};

TEST_SUITE("gelu_backward") {
const EntryByEntry by_entry("gelu_backward");

TEST_CASE("gives the chapter's worked example") {
    const Tensor X{-1, 0, 2}, dY{10, 10, 1};
    CALL(gelu_backward, X, dY).equals(close_to({-0.83315470587686298, 5, 1.0852318010781969}));
}
TEST_CASE("is Φ(x) + x Φ'(x), from -40 to 40") {
    const Shape shape{table.size()};
    Tensor X = zeros(shape), expected = zeros(shape);
    for (std::size_t r = 0; r < table.size(); ++r) {
        X(r) = table[r].x;
        expected(r) = table[r].slope;
    }
    const Tensor dY = ones(shape);
    CALL(gelu_backward, X, dY).equals(close_to(expected));
}
TEST_CASE("equals the slopes of the definition for any shape") {
    std::uint64_t stream = 0;
    for (const Shape& shape : {Shape{}, {3}, {2, 3}, {2, 3, 4}, {17, 2}, {33}, {65}, {129}, {0}, {2, 0, 3}}) {
        const Tensor X = random_tensor(shape, ++stream, -4.0, 4.0), dY = random_tensor(shape, ++stream);
        CALL(gelu_backward, X, dY).equals(expected_gelu(X, dY));
    }
}
TEST_CASE("equals the slopes of the definition on both sides of every border") {
    std::uint64_t stream = 100;
    for (const Size& size : small_sizes_around_borders()) {
        const Shape shape = join(size.leading, {size.n, size.d_k});
        const Tensor X = random_tensor(shape, ++stream, -4.0, 4.0), dY = random_tensor(shape, ++stream);
        CALL(gelu_backward, X, dY).equals(expected_gelu(X, dY));
    }
}
TEST_CASE("rejects a gradient of another shape") {
    CALL(gelu_backward, zeros({2, 3}), zeros({3, 2})).rejects({"dY", "(2, 3)", "(3, 2)"});
    CALL(gelu_backward, zeros({2, 3}), zeros({3})).rejects({"dY", "(2, 3)", "(3,)"});
}
TEST_CASE("its cost grows in proportion to the entries") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) { return CALL(gelu_backward, random_tensor({n}, n), random_tensor({n}, n + 1)); }, "entries",
        64);
}
TEST_CASE("remembers nothing") {
    const Tensor X = random_tensor({4, 3}, 1), dY = random_tensor({4, 3}, 2);
    CALL(gelu_backward, X, dY).remembers_nothing();
}
}
}  // namespace linattn::testing::gelu_test
