// streaming_exp_attention: exponential features that neither overflow nor vanish.
#include "exp_weights.hpp"
#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::streaming_exp_test {

// Let R and M bound |q| and |k|. A term's exponent is put together from q + m - g, k - m and the steps by which m grew,
// which telescope: its error is at most 7 (R + M) roundings, that of the oracle 3 (R + M), that of the scale of ε one.
// Then at most n + 2 exponentials of 2 roundings each and as many products, and sums of n and d terms on both sides.
// The numerator and the denominator are sums of such terms. What underflows is below 1e-300.
Expected expected_exp_attention(const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon) {
    const Weights weights = exp_weights(Q, K, terms_by_definition);
    const Tensor denominator = sum(weights, -1, keep_dims) + epsilon;
    const Tensor exponents = amax(abs(Q), -1, keep_dims) + amax(amax(abs(K), -1, keep_dims), -2, keep_dims);
    const double lengths = static_cast<double>(length(Q, -2) + length(Q, -1));
    const Tensor units = exponents * 11.0 + (5.0 * lengths + 12.0);
    return {weighted_sum(weights, V) / denominator,
            weighted_sum(weights, abs(V)) / denominator * units * (2.0 * 0x1p-53) + 1e-300,
            "2 (11 (max |q| + max |k|) + 5 (n + d) + 12)·2^-53 sum w |v| / (sum w + eps)"};
}

// For ε = 0, of entries whose exponentials are ordinary numbers, where attention with features exp(q) and exp(k) is the same. Its
// weights are positive, so that Σ w |v| / Σ w is that attention with |v| for v.
Expected expected_in_linear_time(const Inputs& in) {
    const auto with_values = [&](const Tensor& V) {
        return expected_normalized_attention(exp(in.Q), exp(in.K), V, oracle_feature_map("identity"), causal, 0.0);
    };
    const double units = 11.0 * (2.0 + 2.0) + 5.0 * static_cast<double>(length(in.Q, -2) + length(in.Q, -1)) + 12.0;
    return {with_values(in.V).value, with_values(abs(in.V)).value * (units * 2.0 * 0x1p-53) + 1e-300,
            "2 (11 (2 + 2) + 5 (n + d) + 12)·2^-53 sum w |v| / sum w"};
}

Form streaming_with(double epsilon) {
    return {[epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap&) {
                return CALL(streaming_exp_attention, Q, K, V, epsilon);
            },
            [epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap&) {
                return expected_exp_attention(Q, K, V, epsilon);
            }};
}
const NormalizedForm streaming{streaming_with, causal};

void equals_definition(const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon) {
    CALL(streaming_exp_attention, Q, K, V, epsilon).equals(expected_exp_attention(Q, K, V, epsilon));
}

TEST_SUITE("streaming_exp_attention") {
TEST_CASE("gives the chapter's worked example on the logarithms of its features") {
    using namespace worked_example;
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    for (const double epsilon : {0.0, 1.0})
        CALL(streaming_exp_attention, log(phi(Q)), log(phi(K)), V, epsilon)
            .equals(to_rounding(causal_numerators / (causal_sums + largest_terms * epsilon),
                                2 * (11 * 3 + 5 * (4 + 2) + 12), "the bound for exponents up to 3"));
}
TEST_CASE("rejects shapes that do not belong together") {
    rejects_shapes_that_do_not_belong_together(streaming.with(1e-6));
}
TEST_CASE("equals the definition for every leading shape") {
    const std::vector<std::string> unused{"identity"};  // this form has its φ inside
    for (const double epsilon : {1e-6, 0.0, 0.5}) equals_the_definition(streaming.with(epsilon), unused);
}
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(streaming.with(1e-6), 129); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(streaming.with(1e-6)); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(streaming.with(1e-6)); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(streaming.with(1e-6)); }
TEST_CASE("equals exponential features with one shift for all tokens") {
    const Inputs in({2}, 9, 4, 5, 200);
    const auto shifted = [](const Tensor& x) { return exp(x - amax(amax(x, -1, keep_dims), -2, keep_dims)); };
    const Expected shift_once =
        expected_normalized_attention(shifted(in.Q), shifted(in.K), in.V, oracle_feature_map("identity"), causal, 0.0);
    const Expected itself = expected_exp_attention(in.Q, in.K, in.V, 0.0);
    CALL(streaming_exp_attention, in.Q, in.K, in.V, 0.0)
        .equals(Expected{shift_once.value, itself.tolerance + shift_once.tolerance * 2.0,
                         itself.derivation + ", and the rounding of exp(x - max) twice"});
}
TEST_CASE("survives entries up to 1000") {
    std::uint64_t stream = 210;
    for (const double epsilon : {1e-6, 0.0}) {
        const Inputs in({2, 3}, 30, 4, 5, ++stream);
        equals_definition(in.Q * 500.0, in.K * 500.0, in.V, epsilon);
        equals_definition(in.Q, in.K * 500.0, in.V, epsilon);
        equals_definition(in.Q * 500.0, in.K, in.V, epsilon);
    }
}
TEST_CASE("survives keys that grow or shrink all the way") {
    const Inputs in({2}, 20, 4, 5, 220);
    const Tensor ramp = expand_dims(cumsum(full({20}, 100.0), 0), -1) - 1000.0;  // -900, -800, …, 1000
    equals_definition(in.Q, in.K + ramp, in.V, 1e-6);
    equals_definition(in.Q, in.K - ramp, in.V, 1e-6);
}
TEST_CASE("finds a weight whose query and key are large in different channels") {
    const Tensor Q{{1000, -1000}, {-1000, 1000}, {0, 0}}, K{{-1000, 1000}, {1000, -1000}, {-1000, -1000}};
    equals_definition(Q, K, Tensor{{1, 2, 3, 4}, {5, 6, 7, 8}, {0, 1, 0, 1}}, 0.0);
}
TEST_CASE("a constant added to all keys, or to a query, changes nothing") {
    const Inputs in({2}, 9, 4, 5, 230);
    const Tensor each_query = random_tensor({2, 9, 1}, 231, -900.0, 900.0);
    const Tensor K = in.K + 700.0, Q = in.Q + each_query;
    const Expected unmoved = expected_exp_attention(in.Q, in.K, in.V, 1e-6),
                   moved = expected_exp_attention(Q, K, in.V, 1e-6);
    CALL(streaming_exp_attention, Q, K, in.V, 1e-6)
        .equals(Expected{unmoved.value, moved.tolerance * 2.0,
                         moved.derivation + ", twice: adding the constants rounds too"});
}
TEST_CASE("stays within the range of the values") { stays_within_the_range_of_the_values(streaming); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(streaming.with(1e-6)); }
TEST_CASE("keeps a NaN to its own and later tokens") { keeps_a_nan_to_its_own_and_later_tokens(streaming.with(1e-6)); }
TEST_CASE("the same call twice gives the same bits") { gives_the_same_bits_twice(streaming); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(streaming.with(1e-6)); }
TEST_CASE("its memory does not grow with the sequence") {
    holds_no_more_for_a_longer_sequence([](std::size_t n) -> Trial {
        const Inputs in({2}, n, 16, 3, 240);
        return CALL(streaming_exp_attention, in.Q, in.K, in.V, 1e-6);
    });
}
TEST_CASE("equals the definition beyond every round length") {
    at_long_sizes([](const Size& size, std::uint64_t stream) {
        const Inputs in(size, stream);
        CALL(streaming_exp_attention, in.Q, in.K, in.V, 0.0).equals(expected_in_linear_time(in));
    });
}
}

}  // namespace linattn::testing::streaming_exp_test
