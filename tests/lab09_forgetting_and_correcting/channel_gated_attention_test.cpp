
#include "gated_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::channel_gated_attention_test {

// The worked example and what is compared first have one decay for all channels, or as many channels as values.
const GatedForm channels{
    [](const GatedInputs& in) { return CALL(channel_gated_attention, in.Q, in.K, in.V, in.log_decay); }, true};

TEST_SUITE("channel_gated_attention") {
TRACED(channel_gated_attention) {
    using worked_example::K, worked_example::V;
    const Tensor log_decay = log(Tensor{{0.5, 1.0}, {0.25, 0.5}, {1.0, 0.5}});
    trace_states([&](const Tensor& Q) { return CALL(channel_gated_attention, Q, K, V, log_decay); },
                 [&](const Tensor& Q) {
                     return expected_gated_attention({Q, K, V, log_decay});
                 },
                 K, {{"k", &K}, {"v", &V}, {"log_decay", &log_decay}});
}
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(channels); }
TEST_CASE("rejects arguments that do not belong together") { rejects_what_does_not_belong_together(channels); }
TEST_CASE("rejects decays that are no logarithms") { rejects_decays_that_are_no_logarithms(channels); }
TEST_CASE("equals the definition for weak and strong decays") { equals_the_definition(channels); }
TEST_CASE("forgets all where the logarithms are -inf") { forgets_all_with_logarithms_of_minus_infinity(channels); }
TEST_CASE("survives a reset among weak decays") { survives_a_reset_among_weak_decays(channels); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(channels); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(channels); }
TEST_CASE("handles large and tiny numbers") { handles_large_and_tiny_numbers(channels); }
TEST_CASE("an output never depends on a later token or its decay") { never_depends_on_a_later_token(channels); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(channels); }
TEST_CASE("forgets nothing where the logarithms are 0") { forgets_nothing_with_logarithms_of_0(channels); }
TEST_CASE("forgets each channel by itself") {
    // Channel 0 keeps all, channel 1 forgets all: of the second, an output holds its own token alone.
    GatedInputs in = channels.inputs({{}, 7, 2, 3}, 60, Strength::middle);
    for (std::size_t i = 0; i < 7; ++i) {
        in.log_decay(i, 0) = 0.0;
        in.log_decay(i, 1) = -infinity;
    }
    channels.equals_the_definition(in);
}
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(channels); }
TEST_CASE("keeps no state for each token") { keeps_no_state_for_each_token(channels); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(channels); }
}

}  // namespace linattn::testing::channel_gated_attention_test
