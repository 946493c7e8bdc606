// attention_weights: the explicit matrix that the other forms never make.
#include "attention_claims.hpp"
#include "long_sizes.hpp"
#include "normalized_attention.hpp"
#include "worked_example.hpp"

namespace linattn::testing::attention_weights_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");
const Mask masks[] = {Mask::none, Mask::causal};

void equals_definition(const Inputs& in, const std::string& feature_map, Mask mask, double epsilon) {
    const FeatureMap phi = oracle_feature_map(feature_map);
    CALL(attention_weights, in.Q, in.K, phi, mask, epsilon)
        .equals(expected_weights(in.Q, in.K, phi, allowed_by(mask), epsilon));
}

TEST_SUITE("attention_weights") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0}) {
        CALL(attention_weights, Q, K, elu_plus_one_map, Mask::causal, epsilon)
            .equals(divided(causal_rows, causal_sums, epsilon));
        CALL(attention_weights, Q, K, elu_plus_one_map, Mask::none, epsilon).equals(divided(rows, sums, epsilon));
    }
}
TEST_CASE("rejects shapes that do not belong together") {
    const auto run = [](const Tensor& Q, const Tensor& K) {
        return CALL(attention_weights, Q, K, elu_plus_one_map, Mask::none, 1e-6);
    };
    run(zeros({5, 2}), zeros({5, 3})).rejects({"K", "(5, 2)", "(5, 3)"});
    run(zeros({5, 2}), zeros({6, 2})).rejects({"K", "(5, 2)", "(6, 2)"});
    run(zeros({2}), zeros({2})).rejects({"Q", "(…, n, d_k)", "(2,)"});
}
TEST_CASE("equals the definition for every leading shape and both masks") {
    std::uint64_t stream = 1;
    for (const Mask mask : masks) {
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}}) {
            for (const char* name : {"elu_plus_one", "relu", "pairs", "identity"})
                equals_definition(Inputs(leading, 9, 4, 5, ++stream), name, mask, 1e-6);
            equals_definition(Inputs(leading, 9, 4, 5, ++stream), "elu_plus_one", mask, 0.0);
            equals_definition(Inputs(leading, 9, 4, 5, ++stream), "relu", mask, 0.5);
        }
    }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 80;
    for (const Size& size : sizes_around_borders(129))
        equals_definition(Inputs(size, ++stream), "elu_plus_one", size.n % 2 == 0 ? Mask::none : Mask::causal, 1e-6);
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 6, 4, 5, 79);
    CALL(attention_weights, in.Q, in.K, elu_plus_one_map, Mask::causal, 1e-6).remembers_nothing();
}
TEST_CASE("handles one token, no token and no head") {
    for (const Mask mask : masks)
        for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
            for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
                equals_definition(Inputs(leading, n, 4, 5, 30 + n), "pairs", mask, 1e-6);
}
TEST_CASE("rows sum to one, but for epsilon") {
    const Inputs in({2}, 9, 4, 5, 40);
    for (const Mask mask : masks)
        for (const double epsilon : {0.0, 1e-6}) {
            const Call<Tensor> call = CALL(attention_weights, in.Q, in.K, elu_plus_one_map, mask, epsilon);
            const Tensor total = sum(
                weights_by_definition(elu_plus_one_map(in.Q), elu_plus_one_map(in.K), allowed_by(mask)), -1, keep_dims);
            const Expected whole =
                to_rounding(total / (total + epsilon), 4 * (9 + 4 + 4), "sums of 9 and 4 positive terms", true);
            const auto what = difference(sum(call.result(), -1, keep_dims), whole);
            call.satisfies(!what, "the sum of a row " + what.value_or(""));
        }
}
TEST_CASE("positive features give weights between zero and one, and exact zeros for later tokens") {
    const Inputs in({2}, 9, 4, 5, 50);
    const Call<Tensor> call = CALL(attention_weights, in.Q, in.K, elu_plus_one_map, Mask::causal, 0.0);
    const Tensor& weights = call.result();
    bool in_range = true, zero_above = true;
    for (std::size_t e = 0; e < weights.size(); ++e) {
        const std::size_t i = e / 9 % 9, j = e % 9;
        in_range = in_range && weights.data()[e] >= 0.0 && weights.data()[e] <= 1.0 + 1e-14;
        zero_above = zero_above && (j <= i || weights.data()[e] == 0.0);
    }
    call.satisfies(in_range, "a weight is below 0 or above 1");
    call.satisfies(zero_above, "the weight of a later token is not exactly 0");
}
TEST_CASE("does not depend on the scale of the features") {
    const Inputs in({2}, 9, 4, 5, 60);
    for (const Mask mask : masks) {
        Expected unscaled = expected_weights(in.Q, in.K, elu_plus_one_map, allowed_by(mask), 0.0);
        unscaled.tolerance *= 2.0;
        CALL(attention_weights, in.Q, in.K, oracle_feature_map("elu_plus_one_times_0.001"), mask, 0.0).equals(unscaled);
    }
}
TEST_CASE("rows without any weight are zero") {
    const Inputs in({2}, 6, 4, 5, 70);
    Inputs dark = in;
    set_token(dark.Q, 2, full({2, 4}, -1.0));  // relu leaves nothing of this query
    for (const Mask mask : masks) equals_definition(dark, "relu", mask, 1e-6);
}
TEST_CASE("equals the definition beyond every round length") {
    const auto claim = [](const Size& size, std::uint64_t stream) {
        equals_definition(Inputs(size, stream), "elu_plus_one", Mask::causal, 1e-6);
    };
    at_long_sizes(claim, 600);  // n² numbers
}
}

}  // namespace linattn::testing::attention_weights_test
