// The gradient through elu_plus_one, graded by a table: here the formula is the solution.
#include <cmath>
#include <limits>

#include "gradients.hpp"
#include "oracle.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing::elu_plus_one_backward_test {

// Slopes of φ. Below 0 made with Python's decimal module at 60 digits, from the exact value of each double: D(x).exp().
struct Point {
    double x, slope;
};
constexpr Point points[] = {{-700.0, 9.85967654375977e-305},
                            {-100.0, 3.720075976020836e-44},
                            {-38.0, 3.1391327920480296e-17},
                            {-30.0, 9.357622968840175e-14},
                            {-20.0, 2.061153622438558e-09},
                            {-10.0, 4.5399929762484854e-05},
                            {-3.5, 0.0301973834223185},
                            {-2.0, 0.1353352832366127},
                            {-1.0, 0.36787944117144233},
                            {-0.5, 0.6065306597126334},
                            {-0.125, 0.8824969025845955},
                            {-1e-9, 0.999999999},
                            {0.0, 1.0},
                            {1e-300, 1.0},
                            {0.125, 1.0},
                            {1.0, 1.0},
                            {2.5, 1.0},
                            {30.0, 1.0},
                            {700.0, 1.0}};

Expected to_1e_minus_12(const Tensor& y) {
    return to_rounding(y, 1e-12 * 0x1p53, "the relative error of 1e-12 that the contract allows", false);
}

// Points of the table at random, in any shape, and a random dY.
void equals_the_table(const Shape& shape, std::uint64_t stream) {
    const Tensor dY = random_tensor(shape, 2 * stream),
                 choice = random_tensor(shape, 2 * stream + 1, 0.0, static_cast<double>(std::size(points)));
    Tensor x = dY, dX = dY;
    for (std::size_t e = 0; e < x.size(); ++e) {
        const Point& point = points[static_cast<std::size_t>(choice.data()[e])];
        x.data()[e] = point.x;
        dX.data()[e] = dY.data()[e] * point.slope;
    }
    CALL(elu_plus_one_backward, x, dY).equals(to_1e_minus_12(dX));
}

TEST_SUITE("elu_plus_one_backward") {
const EntryByEntry by_entry("elu_plus_one_backward");

TEST_CASE("gives the chapter's worked example") {
    const Tensor x{-1, 0, 2}, dY{10, 10, -3};
    CALL(elu_plus_one_backward, x, dY).equals(to_1e_minus_12({3.6787944117144233, 10, -3}));
}
TEST_CASE("rejects shapes that differ") {
    const Tensor x = zeros({2, 3});
    CALL(elu_plus_one_backward, x, zeros({3, 2})).rejects({"dY", "(2, 3)", "(3, 2)"});
    CALL(elu_plus_one_backward, x, zeros({3})).rejects({"dY", "(2, 3)", "(3,)"});
}
TEST_CASE("has the slope of the table, from x = -700 to 700") {
    for (std::uint64_t stream = 1; stream < 5; ++stream) equals_the_table({60}, stream);
}
TEST_CASE("takes any shape, entry by entry") {
    std::uint64_t stream = 10;
    for (const Shape& shape :
         {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 3, 4}, Shape{2, 3, 4, 5}, Shape{0}, Shape{3, 0}, Shape{2, 0, 3}})
        equals_the_table(shape, ++stream);
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 50;
    for (const Size& size : all_sizes()) equals_the_table(join(size.leading, {size.n, size.d_k}), ++stream);
}
TEST_CASE("is the slope of φ between the points of the table too") {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const double h = 1e-4;
    const Tensor x = random_tensor({200}, 60, -6.0, 3.0), dY = random_tensor({200}, 61);
    const Tensor slope = (phi(x + h) - phi(x - h)) / (2.0 * h);
    // φ''' is at most 1, and across the kink of φ' the error is at most h / 4; rounding in φ, below 5, is divided by h.
    CALL(elu_plus_one_backward, x, dY)
        .equals(
            Expected{dY * slope, abs(dY) * (h / 4.0 + h * h + 16.0 * 0x1p-53 / h), "central differences of φ", false});
}
TEST_CASE("is finite where the exponential overflows, and ends at 0 on the other side") {
    const Tensor x{-800, 800, -1e4, 1e4}, dY{2, 3, 4, 5};
    CALL(elu_plus_one_backward, x, dY).equals(to_1e_minus_12({0, 3, 0, 5}));
}
TEST_CASE("is linear in dY, also where dY is large") {
    const Tensor x = random_tensor({2, 3}, 70), dY = random_tensor({2, 3}, 71) * 1e200;
    Tensor dX = dY;
    for (std::size_t e = 0; e < 6; ++e) dX.data()[e] *= std::exp(std::min(x.data()[e], 0.0));
    CALL(elu_plus_one_backward, x, dY).equals(to_1e_minus_12(dX));
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 80), dY = random_tensor({2, 3}, 81);
    CALL(elu_plus_one_backward, x, dY).remembers_nothing();
}
}

}  // namespace linattn::testing::elu_plus_one_backward_test
