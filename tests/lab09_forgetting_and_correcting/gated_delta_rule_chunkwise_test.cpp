// The gated delta rule a chunk of tokens at a time.
#include "delta_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::gated_delta_rule_chunkwise_test {

DeltaForm in_chunks_of(std::size_t chunk) {
    const auto call = [chunk](const DeltaInputs& in) {
        return CALL(gated_delta_rule_chunkwise, in.Q, in.K, in.V, in.beta, in.log_decay, chunk);
    };
    return {call, [call](const DeltaInputs& in) { return result_of_shape(call(in), shape_of(in.V)); },
            [](const DeltaInputs& in) {
                return std::vector{expected_delta({in.Q, in.K, in.V, in.beta, &in.log_decay}).front()};
            },
            true};
}
const DeltaForm form = in_chunks_of(4);

TEST_SUITE("gated_delta_rule_chunkwise") {
TEST_CASE("relies on functions that are right") { relies_on_right_functions(form); }
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const std::size_t chunk : {2U, 3U, 1U})
        CALL(gated_delta_rule_chunkwise, Q, K, V, beta, log_decay, chunk).equals(about(delta));
}
TEST_CASE("rejects arguments that do not belong together") {
    rejects_arguments_that_do_not_belong_together(form);
    in_chunks_of(0).run(DeltaInputs({2}, 5, 3, 4, 2)).rejects({"chunk", "at least 1", "0"});
}
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(form); }
TEST_CASE("equals the definition for every chunk, longer than the sequence too") {
    for (const Decays decays : {Decays::weak, Decays::wide, Decays::with_resets})
        for (const std::size_t chunk : {1U, 2U, 3U, 6U, 11U, 22U, 23U, 24U, 100U}) {
            const DeltaInputs in({2}, 23, 5, 4, chunk, Keys::random, decays);
            in_chunks_of(chunk).run(in).equals(form.expected(in));
        }
    equals_the_definition(in_chunks_of(std::numeric_limits<std::size_t>::max()));
}
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") {
    for (const std::size_t chunk : {64U, 24U}) takes_keys_of_every_kind(in_chunks_of(chunk));
}
TEST_CASE("takes log decays from -20 to -0.001, 0 and -inf") {
    for (const std::size_t chunk : {4U, 16U, 64U}) takes_decays_of_every_size(in_chunks_of(chunk));
}
TEST_CASE("takes any β: 0, above 1, negative") { takes_any_beta(form); }
TEST_CASE("a key returns what was just written under it") { returns_what_was_just_written(form); }
TEST_CASE("takes large and tiny values") { takes_large_and_tiny_values(form); }
TEST_CASE("equals the definition at every size") {
    equals_the_definition_at_every_size(in_chunks_of(16));
    equals_the_definition_at_every_size(in_chunks_of(64));
}
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(form); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(form); }
TEST_CASE("a NaN stays in its head") { treats_every_head_by_itself(form); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(in_chunks_of(8)); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(form); }
TEST_CASE("holds no more for a longer sequence") { keeps_no_state_for_each_token(in_chunks_of(8)); }
TEST_CASE("does not go by another form") {
    does_its_own_work(form, {"delta_rule_recurrent", "gated_delta_rule_resume", "delta_rule_chunkwise"});
}
TEST_CASE("does its work in products of matrices, a chunk at a time") { works_a_chunk_at_a_time(in_chunks_of(16), 16); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(in_chunks_of(64)); }
}

}  // namespace linattn::testing::gated_delta_rule_chunkwise_test
