#include "gated_claims.hpp"

namespace linattn::testing::gated_attention_quadratic_test {

const GatedForm quadratic{
    [](const GatedInputs& in) { return CALL(gated_attention_quadratic, in.Q, in.K, in.V, in.log_decay); }};

TEST_SUITE("gated_attention_quadratic") {
TEST_CASE("uses a right mask") { uses_a_right_mask(quadratic); }
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(quadratic); }
TEST_CASE("rejects arguments that do not belong together") { rejects_what_does_not_belong_together(quadratic); }
TEST_CASE("rejects decays that are no logarithms") { rejects_decays_that_are_no_logarithms(quadratic); }
TEST_CASE("equals the definition for weak and strong decays") { equals_the_definition(quadratic); }
TEST_CASE("forgets nothing where the logarithms are 0") { forgets_nothing_with_logarithms_of_0(quadratic); }
TEST_CASE("forgets all where the logarithms are -inf") { forgets_all_with_logarithms_of_minus_infinity(quadratic); }
TEST_CASE("survives a reset among weak decays") { survives_a_reset_among_weak_decays(quadratic); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(quadratic); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(quadratic); }
TEST_CASE("handles large and tiny numbers") { handles_large_and_tiny_numbers(quadratic); }
TEST_CASE("an output never depends on a later token or its decay") { never_depends_on_a_later_token(quadratic); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(quadratic); }
TEST_CASE("costs no more than in proportion to n²") {
    costs_no_more_than_in_proportion_to_n_squared([](std::size_t n) {
        return quadratic.run(quadratic.inputs({{}, n, 2, 1}, n, Strength::weak));
    });
}
TEST_CASE("does not go by another form") {
    does_not_go_by(quadratic, {"gated_attention_recurrent", "gated_attention_chunkwise"});
}
TEST_CASE("equals the definition beyond every round length") {
    equals_the_definition_at_long_sizes(quadratic, 31 * tokens_of_piece);  // it takes n² weights
}
}

}  // namespace linattn::testing::gated_attention_quadratic_test
