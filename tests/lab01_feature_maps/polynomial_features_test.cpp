// All products of two entries of a token.
#include "arrangement.hpp"
#include "oracle.hpp"
#include "worked_example.hpp"

namespace linattn::testing::polynomial_features_test {

// By hand: small integers, so that no product is rounded.
const Table tokens_of_width_3{{{-1, 0, 2}, {1, 0, -1}, {2, 3, 5}, {0, -2, 1}},
                              {{1, 0, -2, 0, 0, 0, -2, 0, 4},
                               {1, 0, -1, 0, 0, 0, -1, 0, 1},
                               {4, 6, 10, 6, 9, 15, 10, 15, 25},
                               {0, 0, 0, 0, 4, -2, 0, -2, 1}}};

Shape with_last_squared(Shape shape) {
    shape.back() *= shape.back();
    return shape;
}

TEST_SUITE("polynomial_features") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor x = worked_example::x;
    CALL(polynomial_features, x).equals(exactly(worked_example::polynomial));
}
TEST_CASE("rejects an array without axes") { CALL(polynomial_features, zeros({})).rejects({"x", "(…, d)", "()"}); }
TEST_CASE("lists the products row by row, for every leading shape") {
    std::uint64_t stream = 0;
    for (const Shape& leading : {Shape{}, Shape{4}, Shape{2, 4}, Shape{2, 5, 4}}) {
        const auto [x, y] = scattered(tokens_of_width_3, leading, ++stream);
        CALL(polynomial_features, x).equals(exactly(y));
    }
}
TEST_CASE("lists the products at every size") {
    std::uint64_t stream = 50;
    for (Shape shape : shapes_around_borders()) {
        const Tensor x = random_tensor(shape, ++stream);
        const std::size_t d = shape.back();
        shape.back() = d * d;
        Tensor y = zeros(shape);
        for (std::size_t e = 0; e < y.size(); ++e)
            y.data()[e] = x.data()[e / (d * d) * d + e / d % d] * x.data()[e / (d * d) * d + e % d];
        CALL(polynomial_features, x).equals(exactly(y));
    }
}
TEST_CASE("its cost grows in proportion to the tokens") {
    costs_no_more_than_in_proportion([](std::size_t n) { return CALL(polynomial_features, random_tensor({n, 3}, n)); });
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 49);
    CALL(polynomial_features, x).remembers_nothing();
}
TEST_CASE("phi(q)·phi(k) is (q·k) squared") {
    std::uint64_t stream = 10;
    for (const Shape& shape : {Shape{1}, Shape{5}, Shape{4, 3}, Shape{2, 3, 5}, Shape{2, 3, 4, 7}}) {
        const Tensor q = random_tensor(shape, ++stream), k = random_tensor(shape, ++stream);
        const std::size_t d = shape.back();
        const Tensor phi_q = result_of_shape(CALL(polynomial_features, q), with_last_squared(shape));
        const Call<Tensor> call = CALL(polynomial_features, k);
        const Tensor phi_k = result_of_shape(call, with_last_squared(shape));
        const Tensor abs_q = abs(q), abs_k = abs(k);
        for (std::size_t row = 0; row < q.size() / d; ++row) {
            const auto dot = [&](const Tensor& a, const Tensor& b, std::size_t width) {
                return dot_product(a.data() + row * width, b.data() + row * width, width);
            };
            const double similarity = dot(phi_q, phi_k, d * d), product = dot(q, k, d), size = dot(abs_q, abs_k, d);
            // d² + 3 roundings on the left (two features, a product, the sum) and 2 d + 1 on the right
            const double tolerance = static_cast<double>((d + 1) * (d + 1) + 3) * 0x1p-53 * size * size;
            call.satisfies(std::fabs(similarity - product * product) <= tolerance,
                           "in row " + std::to_string(row) + " phi(q)·phi(k) = " + std::to_string(similarity) +
                               " for another random q, but (q·k)² = " + std::to_string(product * product) +
                               "; tolerance ((d + 1)² + 3)·2^-53 (|q|·|k|)²");
        }
    }
}
TEST_CASE("-x gives the features of x, 2 x gives four times as much") {
    const Tensor x = random_tensor({2, 3, 5}, 30), minus_x = -x, twice_x = 2.0 * x;
    const Tensor y = result_of_shape(CALL(polynomial_features, x), {2, 3, 25});
    CALL(polynomial_features, minus_x).equals(exactly(y));
    CALL(polynomial_features, twice_x).equals(exactly(4.0 * y));
}
TEST_CASE("nothing in, nothing out") {
    for (const Shape& shape : {Shape{0}, Shape{0, 4}, Shape{3, 0}, Shape{2, 0, 4}, Shape{0, 3, 4}, Shape{2, 3, 0}}) {
        const Tensor x = zeros(shape);
        result_of_shape(CALL(polynomial_features, x), with_last_squared(shape));
    }
}
TEST_CASE("takes large, tiny and infinite entries") {
    const Tensor x{{0x1p300, -0x1p-300}, {0x1p-511, 0x1p500}, {-infinity, 2}};
    CALL(polynomial_features, x)
        .equals(exactly({{0x1p600, -1, -1, 0x1p-600},
                         {0x1p-1022, 0x1p-11, 0x1p-11, 0x1p1000},
                         {infinity, -infinity, -infinity, 4}}));
}
TEST_CASE("a NaN stays in its own token") {
    const Tensor x = random_tensor({2, 3, 4}, 40);
    const Tensor before = result_of_shape(CALL(polynomial_features, x), {2, 3, 16});
    Tensor spoilt = x;
    spoilt(0, 1, 2) = not_a_number;
    const Call<Tensor> call = CALL(polynomial_features, spoilt);
    const Tensor after = result_of_shape(call, {2, 3, 16});
    call.satisfies(same_outside(before, after, 16, 32), "entry [0, token 1, 2] is NaN, and another token changed");
    call.satisfies(std::isnan(after(0, 1, 10)), "entry [0, token 1, 2] is NaN, so its square must be NaN");
}
}

}  // namespace linattn::testing::polynomial_features_test
