// positive_random_features: given W nothing is random any more, so the formula is graded entry by entry.
#include <algorithm>
#include <cmath>

#include "random_features.hpp"
#include "sizes.hpp"
#include "statistics.hpp"
#include "worked_example.hpp"

namespace linattn::testing::positive_random_features_test {

const Shape leading_shapes[] = {{}, {3}, {2, 3}};
const Stabilizer stabilizers[] = {Stabilizer::per_token, Stabilizer::per_sequence};

Expected rounded(const Tensor& value) {
    return to_rounding(value, 32.0, "small exponents, exact but for exp and the root");
}

TEST_SUITE("positive_random_features") {
TEST_CASE("gives the chapter's worked example, queries per token and keys per sequence") {
    using namespace worked_example;
    // Both shifts of K at once: a single one does not tell a stabilizer that is ignored from two that are exchanged.
    const Tensor per_token = CALL(positive_random_features, K, W, Stabilizer::per_token).result();
    const Call<Tensor> call = CALL(positive_random_features, K, W, Stabilizer::per_sequence);
    const auto is = [](const Tensor& value, const Tensor& expected) { return !difference(value, rounded(expected)); };
    const bool as_each_token = is(call.result(), features_of_K_per_token);
    call.satisfies(!as_each_token || !is(per_token, features_of_K_per_token),
                   "shifts each token by itself, as per_token", "per-token shift for every stabilizer");
    call.satisfies(!as_each_token || !is(per_token, features_of_K_per_sequence),
                   "shifts each token by itself, and per_token all tokens alike", "stabilizers exchanged");
    CALL(positive_random_features, Q, W, Stabilizer::per_token).equals(rounded(features_of_Q_per_token));
    CALL(positive_random_features, K, W, Stabilizer::per_sequence).equals(rounded(features_of_K_per_sequence));
}
TEST_CASE("per token: gives the chapter's worked example whatever became of the other") {
    using namespace worked_example;
    CALL(positive_random_features, K, W, Stabilizer::per_token).equals(rounded(features_of_K_per_token));
}
TEST_CASE("rejects shapes that do not belong together") {
    CALL(positive_random_features, zeros({4}), zeros({3, 4}), Stabilizer::per_token)
        .rejects({"x", "(…, n, d)", "(4,)"});
    CALL(positive_random_features, zeros({2, 4}), zeros({4}), Stabilizer::per_token).rejects({"W", "(m, d)", "(4,)"});
    CALL(positive_random_features, zeros({2, 4}), zeros({3, 5}), Stabilizer::per_token)
        .rejects({"W", "(3, 4)", "(3, 5)"});
    CALL(positive_random_features, zeros({2, 4}), zeros({2, 3, 4}), Stabilizer::per_token)
        .rejects({"W", "(m, d)", "(2, 3, 4)"});
}
TEST_CASE("equals the definition for every leading shape") {
    std::uint64_t stream = 10;
    for (const Stabilizer stabilizer : stabilizers)
        for (const Shape& leading : leading_shapes) {
            const Tensor x = random_tensor(join(leading, {6, 5}), ++stream), W = normal({7, 5}, random_seed(++stream));
            CALL(positive_random_features, x, W, stabilizer).equals(expected_positive_features(x, W, stabilizer));
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 300;
    for (const Size& size : all_sizes()) {
        const Tensor x = random_tensor(join(size.leading, {size.n, size.d_k}), ++stream),
                     W = normal({std::max<std::size_t>(2, size.d_v), size.d_k}, random_seed(++stream));
        const Stabilizer stabilizer = stabilizers[stream / 2 % 2];
        CALL(positive_random_features, x, W, stabilizer).equals(expected_positive_features(x, W, stabilizer));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 299), W = normal({5, 3}, random_seed(298));
    for (const Stabilizer stabilizer : stabilizers)
        CALL(positive_random_features, x, W, stabilizer).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the tokens") {
    const Tensor W = normal({2, 3}, random_seed(299));
    for (const Stabilizer stabilizer : stabilizers)
        costs_no_more_than_in_proportion([&](std::size_t n) {
            return CALL(positive_random_features, random_tensor({n, 3}, n), W, stabilizer);
        });
}
TEST_CASE("one token, one direction, one entry, no token, no head") {
    for (const Stabilizer stabilizer : stabilizers)
        for (const auto& [shape, m] : {std::pair<Shape, std::size_t>{{1, 5}, 7},
                                       {{6, 5}, 1},
                                       {{5, 1}, 7},
                                       {{0, 5}, 7},
                                       {{2, 0, 5}, 7},
                                       {{0, 6, 5}, 7}}) {
            const Tensor x = random_tensor(shape, 30), W = normal({m, shape.back()}, random_seed(31));
            CALL(positive_random_features, x, W, stabilizer).equals(expected_positive_features(x, W, stabilizer));
        }
}
TEST_CASE("per sequence: a long key loses against a short one, as it must; per token: both reach 1/√m") {
    const Tensor W = normal({64, 4}, random_seed(40));
    Tensor x = random_tensor({2, 6, 4}, 41);
    for (std::size_t a = 0; a < 4; ++a) x(0, 3, a) *= 6.0, x(1, 5, a) *= 0.1;
    for (const Stabilizer stabilizer : stabilizers)
        CALL(positive_random_features, x, W, stabilizer).equals(expected_positive_features(x, W, stabilizer));
}
TEST_CASE("features lie in [0, 1/√m], however large the input") {
    const Tensor W = normal({50, 4}, random_seed(50));
    for (const double size : {1.0, 30.0, 1e4})
        for (const Stabilizer stabilizer : stabilizers) {
            const Tensor x = random_tensor({2, 5, 4}, 51, -size, size);
            const Call<Tensor> call = CALL(positive_random_features, x, W, stabilizer);
            const Tensor phi = result_of_shape(call, {2, 5, 50});
            const std::size_t block = stabilizer == Stabilizer::per_token ? 50 : 250;
            for (std::size_t begin = 0; begin < phi.size(); begin += block) {
                const auto [least, most] = std::minmax_element(phi.data() + begin, phi.data() + begin + block);
                // Smaller entries have passed, so that it is a quotient that has no value here.
                const bool is_quotient = size > 30.0 && std::any_of(phi.data() + begin, phi.data() + begin + block,
                                                                    [](double each) { return std::isnan(each); });
                call.satisfies(*least >= 0.0 && std::fabs(*most * std::sqrt(50.0) - 1.0) < 1e-14,
                               "entries of ±" + decimals(size, 0) + " give features from " + decimals(*least) + " to " +
                                   decimals(*most) +
                                   "; the largest of a token or head is 1/√m, the others lie between 0 and that",
                               is_quotient ? "divided by the largest exponential" : nullptr);
            }
        }
}
TEST_CASE("a NaN stays in its own token, or in its own head") {
    const Tensor W = normal({7, 4}, random_seed(60)), x = random_tensor({2, 3, 4}, 61);
    Tensor spoilt = x;
    spoilt(0, 1, 2) = not_a_number;
    for (const Stabilizer stabilizer : stabilizers) {
        const Tensor before = result_of_shape(CALL(positive_random_features, x, W, stabilizer), {2, 3, 7});
        const Call<Tensor> call = CALL(positive_random_features, spoilt, W, stabilizer);
        const Tensor after = result_of_shape(call, {2, 3, 7});
        const bool per_token = stabilizer == Stabilizer::per_token;
        for (std::size_t i = 0; i < after.size(); ++i) {
            const bool own_token = i / 7 == 1, shares_its_shift = per_token ? own_token : i / 21 == 0;
            call.satisfies(
                own_token ? std::isnan(after.data()[i]) : shares_its_shift || after.data()[i] == before.data()[i],
                "entry [0, token 1, 2] was replaced by NaN: the features of its token become NaN and no others " +
                    std::string(per_token ? "change" : "outside its head change"));
        }
    }
}
TEST_CASE("their product estimates the softmax kernel") {
    const std::size_t m = 10000, d = 8;
    const Tensor W = normal({m, d}, random_seed(70));
    const Pair pair(d, 2.0, 71);
    const Tensor q = pair.q, k = pair.k;
    const Call<Tensor> of_q = CALL(positive_random_features, q, W, Stabilizer::per_token);
    const Tensor phi_q = result_of_shape(of_q, {1, m});
    const Call<Tensor> of_k = CALL(positive_random_features, k, W, Stabilizer::per_sequence);
    const Tensor phi_k = result_of_shape(of_k, {1, m});
    const double shifts = amax(exponents(q, W), -1)(0) + amax(exponents(k, W), -1)(0);
    const double estimate = sum(phi_q * phi_k, -1)(0) * std::exp(shifts),
                 least = 1.0 - deepest_mean(m, std::exp(2.0) - 1.0);
    const std::string figures = "φ(q)·φ(k), without its shifts, is " + decimals(estimate) +
                                " of exp(q·k/√d), at least " + decimals(least) + " was expected";
    of_k.satisfies(estimate >= least, figures);
    note(figures);
}
}

}  // namespace linattn::testing::positive_random_features_test
