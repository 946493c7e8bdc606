// trigonometric_random_features: the formula entry by entry, and what sets these features apart from positive ones.
#include <cmath>

#include "random_features.hpp"
#include "sizes.hpp"
#include "statistics.hpp"
#include "worked_example.hpp"

namespace linattn::testing::trigonometric_random_features_test {

// Where cos or sin is 0 an angle's rounding shows all the more: it moves a feature by a share of the token's factor, which
// is at most √2 times its largest feature, since cos² + sin² = 1.
Expected rounded(const Tensor& value) {
    return to_rounding_of_terms(value, amax(abs(value), -1, keep_dims), 32.0,
                                "each token's largest feature: small angles, exact but for exp, cos, sin and the root");
}

TEST_SUITE("trigonometric_random_features") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    CALL(trigonometric_random_features, Q, W).equals(rounded(trigonometric_features_of_Q));
    CALL(trigonometric_random_features, K, W).equals(rounded(trigonometric_features_of_K));
}
TEST_CASE("rejects shapes that do not belong together") {
    CALL(trigonometric_random_features, zeros({4}), zeros({3, 4})).rejects({"x", "(…, n, d)", "(4,)"});
    CALL(trigonometric_random_features, zeros({2, 4}), zeros({3, 5})).rejects({"W", "(3, 4)", "(3, 5)"});
}
TEST_CASE("equals the definition for every leading shape") {
    std::uint64_t stream = 10;
    for (const Shape& leading : {Shape{}, Shape{3}, Shape{2, 3}}) {
        const Tensor x = random_tensor(join(leading, {6, 5}), ++stream), W = normal({7, 5}, random_seed(++stream));
        CALL(trigonometric_random_features, x, W).equals(expected_trigonometric_features(x, W));
    }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 300;
    for (const Size& size : all_sizes()) {
        const Tensor x = random_tensor(join(size.leading, {size.n, size.d_k}), ++stream),
                     W = normal({size.d_v, size.d_k}, random_seed(++stream));
        CALL(trigonometric_random_features, x, W).equals(expected_trigonometric_features(x, W));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 299), W = normal({5, 3}, random_seed(298));
    CALL(trigonometric_random_features, x, W).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the tokens") {
    const Tensor W = normal({2, 3}, random_seed(299));
    costs_no_more_than_in_proportion([&](std::size_t n) {
        return CALL(trigonometric_random_features, random_tensor({n, 3}, n), W);
    });
}
TEST_CASE("one token, one direction, one entry, no token, no head") {
    for (const auto& [shape, m] : {std::pair<Shape, std::size_t>{{1, 5}, 7},
                                   {{6, 5}, 1},
                                   {{5, 1}, 7},
                                   {{0, 5}, 7},
                                   {{2, 0, 5}, 7},
                                   {{0, 6, 5}, 7}}) {
        const Tensor x = random_tensor(shape, 30), W = normal({m, shape.back()}, random_seed(31));
        CALL(trigonometric_random_features, x, W).equals(expected_trigonometric_features(x, W));
    }
}
TEST_CASE("φ(x)·φ(x) is e^(‖x̂‖²) for every W, since cos² + sin² = 1") {
    const Tensor x = random_tensor({6, 4}, 40), W = normal({9, 4}, random_seed(41));
    const Call<Tensor> call = CALL(trigonometric_random_features, x, W);
    const Tensor phi = result_of_shape(call, {6, 18});
    const Tensor product = sum(phi * phi, -1), kernel = exp(sum(x * x, -1) / 2.0);  // √d = 2
    for (std::size_t i = 0; i < 6; ++i)
        call.satisfies(std::fabs(product(i) / kernel(i) - 1.0) < 1e-12, "φ(x)·φ(x) is " + decimals(product(i)) +
                                                                            " for token " + std::to_string(i) +
                                                                            ", and e^(‖x̂‖²) is " + decimals(kernel(i)));
}
TEST_CASE("their product estimates the softmax kernel") {
    const std::size_t m = 10000, d = 8;
    const Tensor W = normal({m, d}, random_seed(50));
    const Pair pair(d, 2.0, 51);
    const Tensor q = pair.q, k = pair.k;
    const Tensor phi_q = result_of_shape(CALL(trigonometric_random_features, q, W), {1, 2 * m});
    const Call<Tensor> of_k = CALL(trigonometric_random_features, k, W);
    const Tensor phi_k = result_of_shape(of_k, {1, 2 * m});
    // Each direction contributes a cosine times e^((‖q̂‖² + ‖k̂‖²)/2) = e.
    const double estimate = sum(phi_q * phi_k, -1)(0), allowed = std::exp(1.0) * largest_mean(m);
    const std::string figures = "φ(q)·φ(k) is " + decimals(estimate) + " of exp(q·k/√d), at most " + decimals(allowed) +
                                " away from 1 was expected";
    of_k.satisfies(std::fabs(estimate - 1.0) <= allowed, figures);
    note(figures);
}
TEST_CASE("a product can be negative, and the kernel never is") {
    const std::size_t m = 32, d = 16;
    const Tensor W = normal({m, d}, random_seed(60));
    const Tensor x = normal({64, d}, random_seed(61)) * 2.0;
    const Call<Tensor> call = CALL(trigonometric_random_features, x, W);
    const Tensor phi = result_of_shape(call, {64, 2 * m});
    const Tensor negative = sum(sum(matmul(phi, matrix_transpose(phi)) < 0.0, -1), -1);
    call.satisfies(negative() > 0.0, "none of 64² products is negative, as about 4 in 10 should be");
    note(decimals(100.0 * negative() / (64.0 * 64.0), 0) +
         "% of the products of 64 tokens, entries N(0, 4), are negative");
}
}

}  // namespace linattn::testing::trigonometric_random_features_test
