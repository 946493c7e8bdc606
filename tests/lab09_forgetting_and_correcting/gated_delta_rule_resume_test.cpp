// The gated delta rule, token by token, from any state.
#include "attention_claims.hpp"
#include "delta_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::gated_delta_rule_resume_test {

Call<GatedDeltaResult> resume(const DeltaInputs& in) {
    return CALL(gated_delta_rule_resume, in.Q, in.K, in.V, in.beta, in.log_decay, in.S);
}
std::vector<Expected> expected(const DeltaInputs& in) {
    return expected_delta({in.Q, in.K, in.V, in.beta, &in.log_decay, &in.S});
}
const DeltaForm form{resume,
                     [](const DeltaInputs& in) {
                         const Call<GatedDeltaResult> call = resume(in);
                         call.satisfies(shape_of(call.result().output) == shape_of(in.V),
                                        "its output has shape " + to_string(shape_of(call.result().output)));
                         return call.result().output;
                     },
                     &expected, true};

DeltaInputs piece(const DeltaInputs& in, std::size_t begin, std::size_t end) {
    DeltaInputs part = in;
    for (Tensor DeltaInputs::*each : {&DeltaInputs::Q, &DeltaInputs::K, &DeltaInputs::V})
        part.*each = tokens(in.*each, begin, end);
    for (Tensor DeltaInputs::*each : {&DeltaInputs::beta, &DeltaInputs::log_decay})
        part.*each = slice(in.*each, -1, begin, end);
    return part;
}
// What tokens begin, … must give after the state that earlier ones left.
void continues(const DeltaInputs& whole, const std::vector<std::size_t>& ends) {
    const std::vector<Expected> right = expected(whole);
    Tensor S = whole.S;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        DeltaInputs in = piece(whole, begin, end);
        in.S = S;
        Expected output = right[0];
        output.value = tokens(right[0].value, begin, end);
        output.tolerance = tokens(right[0].tolerance, begin, end);
        Call<GatedDeltaResult> call = resume(in);
        call.at("tokens " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                std::to_string(ends.back()));
        call.equals({output, expected(piece(whole, 0, end))[1]});
        S = call.result().S;
        begin = end;
    }
}

TEST_SUITE("gated_delta_rule_resume") {
TRACED(gated_delta_rule_resume) {
    DeltaInputs in({}, 3, 2, 1, 1);
    in.Q = in.K = worked_example::K;
    in.V = worked_example::V;
    in.beta = worked_example::beta;
    in.log_decay = worked_example::log_decay;
    in.S = zeros({2, 1});
    Tensor S = in.S;
    for (std::size_t i = 0; i < 3; ++i) {
        Expected output = expected(in)[0];
        output.value = tokens(output.value, i, i + 1);
        output.tolerance = tokens(output.tolerance, i, i + 1);
        DeltaInputs one = piece(in, i, i + 1);
        one.S = S;
        const Call<GatedDeltaResult> call = resume(one);
        call.equals({output, expected(piece(in, 0, i + 1))[1]});
        S = call.result().S;
    }
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const Tensor S = zeros({2, 1}), after = expand_dims(Tensor{4.0, 0.68}, -1);
    CALL(gated_delta_rule_resume, Q, K, V, beta, log_decay, S).equals({about(delta), about(after, false)});
}
TEST_CASE("rejects arguments that do not belong together") {
    rejects_arguments_that_do_not_belong_together(form);
    DeltaInputs in({2}, 5, 3, 4, 2);
    in.S = zeros({2, 4, 3});
    resume(in).rejects({"S", "(2, 3, 4)", "(2, 4, 3)"});
    in.S = zeros({3, 4});
    resume(in).rejects({"S", "(2, 3, 4)", "(3, 4)"});
}
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(form); }
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") { takes_keys_of_every_kind(form); }
TEST_CASE("takes log decays from -20 to -0.001, 0 and -inf") { takes_decays_of_every_size(form); }
TEST_CASE("takes any β: 0, above 1, negative") { takes_any_beta(form); }
TEST_CASE("a key returns what was just written under it") { returns_what_was_just_written(form); }
TEST_CASE("any split equals one call, one token at a time too") {
    const DeltaInputs weak({2}, 9, 4, 5, 300), resets({2}, 9, 4, 5, 301, Keys::correlated, Decays::with_resets);
    for (const DeltaInputs& in : {weak, resets}) {
        for (std::size_t at = 0; at <= 9; ++at) continues(in, {at, 9});
        continues(in, {1, 2, 3, 4, 5, 6, 7, 8, 9});
        continues(in, {2, 2, 7, 9});
    }
}
TEST_CASE("takes large and tiny values") { takes_large_and_tiny_values(form); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(form); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(form); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(form); }
TEST_CASE("a NaN stays in its head") { treats_every_head_by_itself(form); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(form); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(form); }
TEST_CASE("holds no more for a longer sequence") { keeps_no_state_for_each_token(form); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(form); }
}

}  // namespace linattn::testing::gated_delta_rule_resume_test
