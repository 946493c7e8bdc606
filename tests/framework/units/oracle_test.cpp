// The definitions that answers are compared with.
#include <cmath>

#include "attention_definition.hpp"
#include "expectations.hpp"
#include "oracle.hpp"
#include "random_inputs.hpp"

namespace linattn::testing {
namespace {

TEST_SUITE("oracle") {
const Tensor Q{{1, 0}, {0, 1}, {1, 1}}, K{{1, 2}, {3, 4}, {5, 6}}, V = column({1, 10, 100});

TEST_CASE("attention by hand") {
    const FeatureMap identity = oracle_feature_map("identity");
    // scores q_i·k_j are {1, 3, 5}, {2, 4, 6}, {3, 7, 11}
    CHECK(expected_attention(Q, K, V, identity, causal).value == column({1, 42, 1173}));
    CHECK(expected_attention(Q, K, V, identity, everywhere).value == column({531, 642, 1173}));
    CHECK(difference(column({1, 42, 1173.0001}), expected_attention(Q, K, V, identity, causal)));
    CHECK(expected_state(K, V, identity).value == column({531, 642}));
}
TEST_CASE("of many tokens, the recurrence gives what the definition does") {
    const std::size_t n = 1100;
    const Tensor q = random_tensor({2, n, 2}, 1), k = random_tensor({2, n, 2}, 2), v = random_tensor({2, n, 3}, 3);
    for (const Allowed& allowed : {Allowed(causal), Allowed(everywhere)}) {
        const auto same = [&](std::size_t i, std::size_t j) { return allowed(i, j); };
        const Expected fast = expected_attention(q, k, v, oracle_feature_map("identity"), allowed),
                       slow = expected_attention(q, k, v, oracle_feature_map("identity"), same);
        CHECK_FALSE(difference(fast.value, slow));
        CHECK_FALSE(difference(fast.tolerance, to_rounding(slow.tolerance, 3 * n, "sums of positive terms")));
    }
}
TEST_CASE("feature maps by hand") {
    const Tensor x{-1.0, 0.0, 2.0};
    CHECK(oracle_feature_map("relu")(x) == Tensor{0, 0, 2});
    CHECK(oracle_feature_map("elu_plus_one")(x) == Tensor{std::exp(-1.0), 1.0, 3.0});
    CHECK(oracle_feature_map("pairs")(Tensor{2, 3}) == Tensor{4, 6, 9, 6});
    CHECK_THROWS_AS(oracle_feature_map("no such"), std::invalid_argument);
}
TEST_CASE("rows of a softmax are weights") {
    const Tensor scores{{1000.0, 1000.0, -1000.0}, {0.0, std::log(3.0), 5.0}, {-1000.0, 0.0, 0.0}};
    const Tensor all = softmax_rows(scores, everywhere), below = softmax_rows(scores, causal);
    CHECK(token(all, 0) == Tensor{0.5, 0.5, 0.0});
    CHECK(token(below, 0) == Tensor{1.0, 0.0, 0.0});
    CHECK(below(1, 0) == doctest::Approx(0.25));
    CHECK(below(1, 2) == 0.0);
    for (const Tensor& weights : {all, below})
        for (const double total : sum(weights, 1)) CHECK(total == doctest::Approx(1.0));
}
TEST_CASE("a token that is not looked at may be NaN") {
    Tensor V_nan = V;
    V_nan(2, 0) = nan;
    const Tensor output = expected_attention(Q, K, V_nan, oracle_feature_map("identity"), causal).value;
    CHECK(output(1, 0) == 42.0);
    CHECK(std::isnan(output(2, 0)));
}
}

TEST_SUITE("definition") {
TEST_CASE("with its settings as they are, the definition is causal linear attention") {
    const Tensor Q = random_tensor({2, 6, 3}, 41), K = random_tensor({2, 6, 3}, 42), V = random_tensor({2, 6, 4}, 43);
    const FeatureMap phi = oracle_feature_map("pairs");
    const Tensor output = attention_by_settings({.Q = Q, .K = K, .V = V, .phi = phi}, {}).output;
    CHECK_FALSE(difference(output, expected_attention(Q, K, V, phi, causal)));
    AttentionSettings divided;
    divided.divisor = Divisor::sum;
    const FeatureMap positive = oracle_feature_map("elu_plus_one");
    CHECK_FALSE(
        difference(attention_by_settings({.Q = Q, .K = K, .V = V, .phi = positive, .epsilon = 0.5}, divided).output,
                   expected_normalized_attention(Q, K, V, positive, causal, 0.5)));
}
}

TEST_SUITE("inputs") {
TEST_CASE("a stream gives the same numbers every time, another stream others") {
    CHECK(random_tensor({3, 4}, 1) == random_tensor({3, 4}, 1));
    CHECK(random_tensor({3, 4}, 1) != random_tensor({3, 4}, 2));
    for (const double x : random_tensor({1000}, 3, 5.0, 6.0)) CHECK((x >= 5.0 && x < 6.0));
}
}

}  // namespace
}  // namespace linattn::testing
