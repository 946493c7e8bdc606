#include "gated_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::gated_attention_recurrent_test {

const GatedForm recurrent{
    [](const GatedInputs& in) { return CALL(gated_attention_recurrent, in.Q, in.K, in.V, in.log_decay); }};

TEST_SUITE("gated_attention_recurrent") {
TRACED(gated_attention_recurrent) {
    using namespace worked_example;
    trace_states([](const Tensor& Q) { return CALL(gated_attention_recurrent, Q, K, V, log_decay); },
                 [](const Tensor& Q) {
                     return expected_gated_attention({Q, K, V, log_decay});
                 },
                 K, {{"k", &K}, {"v", &V}, {"log_decay", &log_decay}});
}
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(recurrent); }
TEST_CASE("rejects arguments that do not belong together") { rejects_what_does_not_belong_together(recurrent); }
TEST_CASE("rejects decays that are no logarithms") { rejects_decays_that_are_no_logarithms(recurrent); }
TEST_CASE("equals the definition for weak and strong decays") { equals_the_definition(recurrent); }
TEST_CASE("forgets nothing where the logarithms are 0") { forgets_nothing_with_logarithms_of_0(recurrent); }
TEST_CASE("forgets all where the logarithms are -inf") { forgets_all_with_logarithms_of_minus_infinity(recurrent); }
TEST_CASE("survives a reset among weak decays") { survives_a_reset_among_weak_decays(recurrent); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(recurrent); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(recurrent); }
TEST_CASE("handles large and tiny numbers") { handles_large_and_tiny_numbers(recurrent); }
TEST_CASE("an output never depends on a later token or its decay") { never_depends_on_a_later_token(recurrent); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(recurrent); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(recurrent); }
TEST_CASE("keeps no state for each token") { keeps_no_state_for_each_token(recurrent); }
TEST_CASE("does not go by another form") {
    does_not_go_by(recurrent, {"gated_attention_quadratic", "gated_attention_chunkwise", "channel_gated_attention"});
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(recurrent); }
}

}  // namespace linattn::testing::gated_attention_recurrent_test
