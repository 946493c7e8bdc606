// Central differences, graded by functions whose central difference is known: it is not the derivative, and by how much
// the two differ tells whether both sides were taken.
#include <cmath>
#include <memory>

#include "gradients.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing::central_differences_test {

double total_of(const Tensor& x) {
    double total = 0.0;
    for (std::size_t e = 0; e < x.size(); ++e) total += x.data()[e];
    return total;
}

// Σ_e weight_e x_e³. Weights from 1 to 2 tell the entries apart.
double weight(std::size_t e, std::size_t size) { return 1.0 + static_cast<double>(e) / static_cast<double>(size); }
double cube(double x) { return x * x * x; }
ScalarFunction sum_of_cubes() {
    return {"the weighted sum of x cubed", [](const Tensor& x) {
                double total = 0.0;
                for (std::size_t e = 0; e < x.size(); ++e) total += weight(e, x.size()) * cube(x.data()[e]);
                return total;
            }};
}
// (w(x + h)³ - w(x - h)³) / 2h = w (3x² + h²), exactly. What f loses to rounding is divided by h.
Expected cubes_expected(const Tensor& x, double h) {
    Expected expected{x, x, "64·2^-53 of the sum of |x|^3, divided by h", false};
    double size = 0.0;
    for (std::size_t e = 0; e < x.size(); ++e) size += weight(e, x.size()) * cube(std::fabs(x.data()[e]) + h);
    const auto terms = static_cast<double>(x.size());
    for (std::size_t e = 0; e < x.size(); ++e) {
        const double at = x.data()[e];
        expected.value.data()[e] = weight(e, x.size()) * (3.0 * at * at + h * h);
        expected.tolerance.data()[e] = (64.0 + 2.0 * terms) * 0x1p-53 * size / h;
    }
    return expected;
}

void equals_for_cubes(const Tensor& x, double h) {
    CALL(central_differences, sum_of_cubes(), x, h).equals(cubes_expected(x, h));
}

TEST_SUITE("central_differences") {
TEST_CASE("gives the chapter's worked example") {
    const ScalarFunction f("x0^3 + 10 x1", [](const Tensor& x) { return x(0) * x(0) * x(0) + 10.0 * x(1); });
    const Tensor x{1, 2};
    CALL(central_differences, f, x, 0.5).equals(exactly({3.25, 10}, false));  // numbers with few bits: no rounding
}
TEST_CASE("rejects a step that is not a finite number above 0") {
    const Tensor x{1, 2};
    for (const double h : {0.0, -1e-5, infinity, -infinity, not_a_number})
        CALL(central_differences, sum_of_cubes(), x, h).rejects({"h", "a finite number above 0"});
}
TEST_CASE("is off by h² for a cube, whatever the step") {
    std::uint64_t stream = 0;
    for (const double h : {1.0, 0.5, 0.1, 1e-3}) {
        const Tensor x = random_tensor({7}, ++stream);
        equals_for_cubes(x, h);
    }
}
TEST_CASE("is off by sinh(h)/h for the exponential") {
    for (const double h : {0.5, 1e-2, 1e-5}) {
        const ScalarFunction f("the sum of exp", [](const Tensor& x) { return total_of(exp(x)); });
        const Tensor x = random_tensor({2, 3}, 10), value = exp(x) * (std::sinh(h) / h);
        const double size = total_of(exp(x + h));
        CALL(central_differences, f, x, h)
            .equals(Expected{value, full({2, 3}, 64.0 * 0x1p-53 * size / h) + abs(value) * 0x1p-48,
                             "64·2^-53 of the sum of exp, divided by h", false});
    }
}
TEST_CASE("moves one entry at a time, and puts it back") {
    // Every entry's slope depends on all the others: one left where it was moved to shows in the next.
    const ScalarFunction product("the product of all entries", [](const Tensor& x) {
        double all = 1.0;
        for (std::size_t e = 0; e < x.size(); ++e) all *= x.data()[e];
        return all;
    });
    for (const double h : {0.25, 1e-4}) {
        const Tensor x = random_tensor({2, 3}, 20, 0.5, 2.0);
        Tensor value = ones({2, 3});
        double all = 1.0;
        for (std::size_t e = 0; e < 6; ++e) all *= x.data()[e] + h;
        for (std::size_t e = 0; e < 6; ++e)
            for (std::size_t other = 0; other < 6; ++other)
                if (other != e) value.data()[e] *= x.data()[other];
        CALL(central_differences, product, x, h)
            .equals(Expected{value, full({2, 3}, 64.0 * 0x1p-53 * all / h), "64·2^-53 of the product, divided by h",
                             false});
    }
}
TEST_CASE("takes any shape") {
    std::uint64_t stream = 30;
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 3, 4}, Shape{0}, Shape{3, 0}, Shape{1, 1}}) {
        const Tensor x = random_tensor(shape, ++stream);
        equals_for_cubes(x, 0.5);
    }
}
TEST_CASE("calls f with tensors of the shape of x only") {
    const auto other = std::make_shared<Shape>();
    const Tensor x = random_tensor({2, 3}, 40);
    const ScalarFunction f("the sum of all entries", [other](const Tensor& moved) {
        if (shape_of(moved) != Shape{2, 3}) *other = shape_of(moved);
        return total_of(moved);
    });
    const Call<Tensor> call = CALL(central_differences, f, x, 0.5);
    call.result();
    call.satisfies(other->empty(), "f was called with a tensor of shape " + to_string(*other) +
                                       ", x has shape (2, 3): f wants all entries, each time");
}
TEST_CASE("calls f twice for each entry") {
    const auto calls = std::make_shared<std::size_t>(0);
    const Tensor x = random_tensor({2, 3}, 41);
    const ScalarFunction f("the sum of all entries", [calls](const Tensor& moved) {
        ++*calls;
        return total_of(moved);
    });
    const Call<Tensor> call = CALL(central_differences, f, x, 0.5);
    call.result();
    call.satisfies(*calls == 2 * x.size(), "f was called " + std::to_string(*calls) + " times for " +
                                               std::to_string(x.size()) +
                                               " entries: each needs it twice, at x + h and at x - h");
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 50;
    for (const Size& size : sizes_around_borders(200)) {
        const Tensor x = random_tensor(join(size.leading, {size.n, size.d_k}), ++stream);
        equals_for_cubes(x, 0.5);
    }
    equals_for_cubes(random_tensor({4100}, ++stream), 0.5);
}
TEST_CASE("takes numbers of any size, with a step that suits them") {
    for (const double scale : {1e50, 1e-50}) {
        const Tensor x = random_tensor({5}, 60) * scale;
        equals_for_cubes(x, 0.25 * scale);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 70);
    CALL(central_differences, sum_of_cubes(), x, 0.5).remembers_nothing();
}
}

}  // namespace linattn::testing::central_differences_test
