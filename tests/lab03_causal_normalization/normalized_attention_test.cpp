// The whole sequence in one call: over all tokens, and causal.
#include "normalized_attention.hpp"
#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::normalized_attention_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");

auto definition(const Allowed& allowed, double epsilon) {
    return [allowed, epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
        return expected_normalized_attention(Q, K, V, phi, allowed, epsilon);
    };
}

Form normalized_with(double epsilon) {
    return {[epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                return CALL(normalized_linear_attention, Q, K, V, phi, epsilon);
            },
            definition(everywhere, epsilon)};
}
const NormalizedForm normalized{normalized_with, everywhere};

Form causal_with(double epsilon) {
    return {[epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                return CALL(causal_linear_attention, Q, K, V, phi, epsilon);
            },
            definition(causal, epsilon)};
}
const NormalizedForm causal_form{causal_with, causal};

TEST_SUITE("normalized_linear_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0})
        normalized.with(epsilon).run(Q, K, V, elu_plus_one_map).equals(divided(numerators, sums, epsilon));
}
TEST_CASE("rejects shapes that do not belong together") {
    rejects_shapes_that_do_not_belong_together(normalized.with(1e-6));
}
TEST_CASE("equals the definition for every leading shape") { equals_the_normalized_definition(normalized); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(normalized.with(1e-6)); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(normalized.with(1e-6)); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(normalized.with(1e-6)); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(normalized.with(1e-6)); }
TEST_CASE("values of one give one, but for epsilon") { values_of_one_give_one(normalized); }
TEST_CASE("stays within the range of the values") { stays_within_the_range_of_the_values(normalized); }
TEST_CASE("does not depend on the scale of the features") { does_not_depend_on_the_scale_of_the_features(normalized); }
TEST_CASE("stays finite where the weights vanish") { stays_finite_where_the_weights_vanish(normalized); }
TEST_CASE("the same call twice gives the same bits") { gives_the_same_bits_twice(normalized); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(normalized.with(1e-6)); }
TEST_CASE("equals the definition beyond every round length") {
    equals_the_definition_at_long_sizes(normalized.with(1e-6));
}
}

TEST_SUITE("causal_linear_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0})
        causal_form.with(epsilon)
            .run(Q, K, V, elu_plus_one_map)
            .equals(divided(causal_numerators, causal_sums, epsilon));
}
TEST_CASE("rejects shapes that do not belong together") {
    rejects_shapes_that_do_not_belong_together(causal_form.with(1e-6));
}
TEST_CASE("equals the definition for every leading shape") { equals_the_normalized_definition(causal_form); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(causal_form.with(1e-6), 129); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(causal_form.with(1e-6)); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(causal_form.with(1e-6)); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(causal_form.with(1e-6)); }
TEST_CASE("values of one give one, but for epsilon") { values_of_one_give_one(causal_form); }
TEST_CASE("stays within the range of the values") { stays_within_the_range_of_the_values(causal_form); }
TEST_CASE("does not depend on the scale of the features") { does_not_depend_on_the_scale_of_the_features(causal_form); }
TEST_CASE("stays finite where the weights vanish") { stays_finite_where_the_weights_vanish(causal_form); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(causal_form.with(1e-6)); }
TEST_CASE("keeps a NaN to its own head, where it reaches all later tokens") {
    keeps_a_nan_to_its_own_head(causal_form.with(1e-6));
}
TEST_CASE("the same call twice gives the same bits") { gives_the_same_bits_twice(causal_form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(causal_form.with(1e-6)); }
TEST_CASE("equals the definition beyond every round length") {
    equals_the_definition_at_long_sizes(causal_form.with(1e-6));
}
}

}  // namespace linattn::testing::normalized_attention_test
