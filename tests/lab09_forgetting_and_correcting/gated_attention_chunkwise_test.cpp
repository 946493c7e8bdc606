#include <limits>

#include "gated_claims.hpp"

namespace linattn::testing::gated_attention_chunkwise_test {

GatedForm in_chunks(std::size_t chunk) {
    return {[chunk](const GatedInputs& in) {
        return CALL(gated_attention_chunkwise, in.Q, in.K, in.V, in.log_decay, chunk);
    }};
}

TEST_SUITE("gated_attention_chunkwise") {
TEST_CASE("uses a right mask") { uses_a_right_mask(in_chunks(3)); }
TEST_CASE("gives the chapter's worked example") {
    for (const std::size_t chunk : {2U, 1U, 3U, 4U}) gives_the_worked_example(in_chunks(chunk));
}
TEST_CASE("rejects arguments that do not belong together") { rejects_what_does_not_belong_together(in_chunks(3)); }
TEST_CASE("rejects decays that are no logarithms") { rejects_decays_that_are_no_logarithms(in_chunks(3)); }
TEST_CASE("equals the definition for weak and strong decays") { equals_the_definition(in_chunks(3)); }
TEST_CASE("forgets nothing where the logarithms are 0") { forgets_nothing_with_logarithms_of_0(in_chunks(3)); }
TEST_CASE("forgets all where the logarithms are -inf") { forgets_all_with_logarithms_of_minus_infinity(in_chunks(3)); }
TEST_CASE("survives a reset among weak decays") { survives_a_reset_among_weak_decays(in_chunks(3)); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(in_chunks(3)); }
TEST_CASE("handles large and tiny numbers") { handles_large_and_tiny_numbers(in_chunks(3)); }
TEST_CASE("an output never depends on a later token or its decay") { never_depends_on_a_later_token(in_chunks(3)); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(in_chunks(3)); }
TEST_CASE("rejects a chunk of no tokens") {
    in_chunks(0).run(in_chunks(0).inputs({{2}, 5, 3, 4}, 4, Strength::middle)).rejects({"chunk", "at least 1", "0"});
}
TEST_CASE("equals the definition for every chunk, longer than the sequence too") {
    std::uint64_t stream = 300;
    for (const std::size_t chunk : {1U, 2U, 3U, 7U, 8U, 10U, 11U, 12U, 100U})
        for (const Strength strength : all_strengths) {
            const GatedForm form = in_chunks(chunk);
            form.equals_the_definition(form.inputs({{2}, 11, 4, 5}, ++stream, strength));
        }
    const GatedForm one = in_chunks(std::numeric_limits<std::size_t>::max());
    one.equals_the_definition(one.inputs({{2}, 11, 4, 5}, ++stream, Strength::middle));
}
TEST_CASE("equals the definition at every size") {
    equals_the_definition_at_every_size(in_chunks(16));
    equals_the_definition_at_every_size(in_chunks(64));
}
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(in_chunks(8)); }
TEST_CASE("keeps no state for each token") { keeps_no_state_for_each_token(in_chunks(8)); }
TEST_CASE("does not go by another form") {
    does_not_go_by(in_chunks(2), {"gated_attention_recurrent", "gated_attention_quadratic", "channel_gated_attention"});
}
TEST_CASE("does its work in products of matrices, a chunk at a time") {
    // So wide that an own loop runs many more blocks for a token than the calls of the vocabulary do, under any compiler.
    const std::size_t chunk = 16, n = 64, d_k = 48, d_v = 40;
    const GatedForm form = in_chunks(chunk);
    const Call<Tensor> call = form.run(form.inputs({{}, n, d_k, d_v}, 400, Strength::weak));
    call.result();
    // S of every chunk is made and read by products; own loops would show as blocks of the student's file.
    const bool own_loops = call.cost().blocks > n * d_k * d_v;
    call.satisfies(own_loops || call.cost().largest >= chunk * d_k * d_v / 2,
                   "the largest step of the vocabulary did " + std::to_string(call.cost().largest) +
                       " multiply-adds, about one token's; one of " + std::to_string(chunk * d_k * d_v) +
                       " is expected, by which all keys and values of a chunk of " + std::to_string(chunk) +
                       " tokens change S at once");
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(in_chunks(64)); }
}

}  // namespace linattn::testing::gated_attention_chunkwise_test
