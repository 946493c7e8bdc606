// The delta rule, token by token.
#include "delta_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::delta_rule_recurrent_test {

Call<Tensor> call(const DeltaInputs& in) { return CALL(delta_rule_recurrent, in.Q, in.K, in.V, in.beta); }
const DeltaForm form{call, [](const DeltaInputs& in) { return result_of_shape(call(in), shape_of(in.V)); },
                     [](const DeltaInputs& in) {
                         return std::vector{expected_delta({in.Q, in.K, in.V, in.beta}).front()};
                     },
                     false};

TEST_SUITE("delta_rule_recurrent") {
TRACED(delta_rule_recurrent) {
    using namespace worked_example;
    trace_states([](const Tensor& Q) { return CALL(delta_rule_recurrent, Q, K, V, beta); },
                 [](const Tensor& Q) {
                     return expected_delta({Q, K, V, beta}).front();
                 },
                 K, {{"k", &K}, {"v", &V}, {"beta", &beta}});
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    CALL(delta_rule_recurrent, Q, K, V, beta).equals(about(delta));
}
TEST_CASE("rejects arguments that do not belong together") { rejects_arguments_that_do_not_belong_together(form); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(form); }
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") { takes_keys_of_every_kind(form); }
TEST_CASE("takes any β: 0, above 1, negative") { takes_any_beta(form); }
TEST_CASE("a key returns what was just written under it") { returns_what_was_just_written(form); }
TEST_CASE("takes large and tiny values") { takes_large_and_tiny_values(form); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(form); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(form); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(form); }
TEST_CASE("a NaN stays in its head") { treats_every_head_by_itself(form); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(form); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(form); }
TEST_CASE("holds no more for a longer sequence") { keeps_no_state_for_each_token(form); }
TEST_CASE("does not go by another form") {
    does_its_own_work(form, {"delta_rule_chunkwise", "gated_delta_rule_resume", "gated_delta_rule_chunkwise"});
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(form); }
}

}  // namespace linattn::testing::delta_rule_recurrent_test
