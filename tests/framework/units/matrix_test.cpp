// The vocabulary of lab 05's chunkwise_linear_attention (matrix.hpp), against loops and the definition.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "matrix.hpp"

namespace linattn {
namespace {

TEST_SUITE("matrix.hpp") {
TEST_CASE("products add to what is there, transposed or not") {
    const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 2, 1, 0, 3};
    std::vector<float> c(4, 100.0f);
    add_product({c.data(), 2, 2}, {a.data(), 2, 3}, {b.data(), 3, 2});
    CHECK(c == std::vector<float>{105, 111, 114, 123});
    add_product({c.data(), 2, 2}, {a.data(), 2, 3}, transpose({b.data(), 2, 3}));
    CHECK(c == std::vector<float>{112, 121, 130, 145});
    CHECK_THROWS_WITH_AS(add_product({c.data(), 2, 2}, {a.data(), 3, 2}, {b.data(), 3, 2}),
                         "add_product: a 2x2 matrix is not the product of 3x2 and 3x2", std::invalid_argument);
}
TEST_CASE("φ of many numbers, NaN and -∞ among them") {
    const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x, phi(41);
    for (int e = 0; e < 38; ++e) x.push_back(-20.0f + static_cast<float>(e));
    x.insert(x.end(), {1e30f, nan, -infinity});
    elu_plus_one(x, phi);
    for (std::size_t e = 0; e < 39; ++e) {
        const double exact = x[e] > 0 ? 1.0 + x[e] : std::exp(static_cast<double>(x[e]));
        CHECK(std::abs(phi[e] - exact) <= 4 * std::numeric_limits<float>::epsilon() * exact);  // e^x: at most 4 ULP
    }
    CHECK(std::isnan(phi[39]));
    CHECK(phi[40] == 0.0f);
    for (const float& entry : {nan, 1.0f}) {  // fewer than a vector holds, too
        float one = 0.0f;
        elu_plus_one({&entry, 1}, {&one, 1});
        CHECK((std::isnan(entry) ? std::isnan(one) : one == 2.0f));
    }
    CHECK_THROWS_AS(elu_plus_one(x, {phi.data(), 3}), std::invalid_argument);
}
}

}  // namespace
}  // namespace linattn
