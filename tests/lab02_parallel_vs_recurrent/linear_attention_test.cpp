// Linear attention in its five forms: the same numbers, at different cost.
#include <memory>

#include "attention_claims.hpp"
#include "attention_step.hpp"
#include "cost_claims.hpp"
#include "long_sizes.hpp"
#include "worked_example.hpp"

namespace linattn::testing::linear_attention_test {

const FeatureMap identity_map = oracle_feature_map("identity");

auto definition(const Allowed& allowed) {
    return [allowed](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
        return expected_attention(Q, K, V, phi, allowed);
    };
}

Form quadratic(Mask mask) {
    return {[mask](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                return CALL(linear_attention_quadratic, Q, K, V, phi, mask);
            },
            definition(allowed_by(mask))};
}
const Form bidirectional{[](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                             return CALL(linear_attention_bidirectional, Q, K, V, phi);
                         },
                         definition(everywhere)};
const Form parallel{[](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                        return CALL(linear_attention_parallel, Q, K, V, phi);
                    },
                    definition(causal)};
const Form recurrent{[](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                         return CALL(linear_attention_recurrent, Q, K, V, phi);
                     },
                     definition(causal)};

void gives_the_worked_example(const Form& form, const Tensor& output) {
    using namespace worked_example;
    form.run(Q, K, V, identity_map).equals(exactly(output));  // small integers: no rounding at all
}

void equals_the_definition(const Form& form) {
    testing::equals_the_definition(form, {"elu_plus_one", "identity", "pairs"});
}

void handles_large_and_tiny_inputs(const Form& form) {
    const FeatureMap phi = oracle_feature_map("identity");
    std::uint64_t stream = 40;
    for (const double scale : {1e100, 1e-100, 1e-155}) {  // products near 1e200, 1e-200 and among the denormals
        const Inputs in({2}, 7, 4, 5, ++stream);
        const Tensor Q = in.Q * scale, K = in.K * scale;
        form.run(Q, K, in.V, phi).equals(form.expected(Q, K, in.V, phi));
    }
}

TEST_SUITE("linear_attention_quadratic") {
TEST_CASE("gives the chapter's worked example") {
    gives_the_worked_example(quadratic(Mask::causal), worked_example::causal_output);
    gives_the_worked_example(quadratic(Mask::none), worked_example::bidirectional_output);
}
TEST_CASE("rejects shapes that do not belong together") {
    rejects_shapes_that_do_not_belong_together(quadratic(Mask::none));
}
TEST_CASE("equals the definition for every leading shape, causal") { equals_the_definition(quadratic(Mask::causal)); }
TEST_CASE("equals the definition for every leading shape, not masked") { equals_the_definition(quadratic(Mask::none)); }
TEST_CASE("equals the definition at every size") {
    equals_the_definition_at_every_size(quadratic(Mask::causal), 200);
    equals_the_definition_at_every_size(quadratic(Mask::none), 129);
}
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(quadratic(Mask::causal)); }
TEST_CASE("handles one token, no token and no head") {
    handles_one_token_and_no_token(quadratic(Mask::causal));
    handles_one_token_and_no_token(quadratic(Mask::none));
}
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(quadratic(Mask::causal)); }
TEST_CASE("handles large and tiny inputs") { handles_large_and_tiny_inputs(quadratic(Mask::causal)); }
TEST_CASE("with the causal mask an output never depends on a later token") {
    never_depends_on_a_later_token(quadratic(Mask::causal));
}
TEST_CASE("equals the definition beyond every round length") {
    equals_the_definition_at_long_sizes(quadratic(Mask::causal), 1100);  // it takes n² weights
}
}

TEST_SUITE("linear_attention_bidirectional") {
TEST_CASE("gives the chapter's worked example") {
    gives_the_worked_example(bidirectional, worked_example::bidirectional_output);
}
TEST_CASE("rejects shapes that do not belong together") { rejects_shapes_that_do_not_belong_together(bidirectional); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(bidirectional); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(bidirectional); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(bidirectional); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(bidirectional); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(bidirectional); }
TEST_CASE("handles large and tiny inputs") { handles_large_and_tiny_inputs(bidirectional); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(bidirectional); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(bidirectional); }
}

TEST_SUITE("linear_attention_parallel") {
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(parallel, worked_example::causal_output); }
TEST_CASE("rejects shapes that do not belong together") { rejects_shapes_that_do_not_belong_together(parallel); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(parallel); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(parallel); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(parallel); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(parallel); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(parallel); }
TEST_CASE("handles large and tiny inputs") { handles_large_and_tiny_inputs(parallel); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(parallel); }
TEST_CASE("keeps a NaN to its own head, where it reaches all later tokens") { keeps_a_nan_to_its_own_head(parallel); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(parallel); }
TEST_CASE("does not go token by token") {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const auto calls = std::make_shared<std::size_t>(0);
    const FeatureMap counted("elu_plus_one", [calls, phi](const Tensor& x) {
        ++*calls;
        return phi(x);
    });
    const auto calls_of_phi = [&](std::size_t n) {
        const Inputs in({2}, n, 4, 5, 90);
        *calls = 0;
        const Call<Tensor> call = parallel.run(in.Q, in.K, in.V, counted);
        for (const char* other : {"linear_attention_recurrent", "linear_attention_step"})
            call.satisfies(
                !call.cost().checking.contains(other),
                std::string("it calls ") + other +
                    ", which goes token by token; this exercise is the form that treats many tokens at once");
        return std::pair(call, *calls);
    };
    const std::size_t few = 32, many = 4 * few;
    const std::size_t of_few = calls_of_phi(few).second;
    const auto [call, of_many] = calls_of_phi(many);
    call.satisfies(of_many < of_few + (many - few),
                   "n = " + std::to_string(few) + " took " + std::to_string(of_few) +
                       " calls of phi and n = " + std::to_string(many) + " took " + std::to_string(of_many) +
                       ": that is one and more for each of the tokens added, and fewer are expected; phi takes all "
                       "tokens at once, or a chunk of them");
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(parallel); }
}

TEST_SUITE("linear_attention_recurrent") {
TRACED(linear_attention_recurrent) {
    using namespace worked_example;
    trace_states([](const Tensor& asked) { return recurrent.run(asked, K, V, identity_map); },
                 [](const Tensor& asked) { return recurrent.expected(asked, K, V, identity_map); }, Q,
                 {{"k", &K}, {"v", &V}});
}
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(recurrent, worked_example::causal_output); }
TEST_CASE("rejects shapes that do not belong together") { rejects_shapes_that_do_not_belong_together(recurrent); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(recurrent); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(recurrent, 200); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(recurrent); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(recurrent); }
TEST_CASE("treats every head by itself") { treats_every_head_by_itself(recurrent); }
TEST_CASE("handles large and tiny inputs") { handles_large_and_tiny_inputs(recurrent); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(recurrent); }
TEST_CASE("keeps a NaN to its own and later tokens") { keeps_a_nan_to_its_own_and_later_tokens(recurrent); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(recurrent); }
TEST_CASE("its memory does not grow with the sequence") {
    holds_no_more_for_a_longer_sequence(
        [](std::size_t n) -> Trial {  // features much wider than an output, so that they show
            const Inputs in({2}, n, 4, 3, 80);
            return recurrent.run(in.Q, in.K, in.V, oracle_feature_map("pairs"));
        });
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(recurrent); }
}

TEST_SUITE("linear_attention_step") {
// The state after tokens 0 to i - 1, by definition.
Tensor state_before(const Inputs& in, std::size_t i, const FeatureMap& phi) {
    return expected_state(tokens(in.K, 0, i), tokens(in.V, 0, i), phi).value;
}

// Token i after its state: the output is φ(q)ᵀ times the new state, whose error adds to that of c products.
std::vector<Expected> expected_step(const Inputs& in, std::size_t i, const FeatureMap& phi) {
    const Inputs upto = [&] {
        Inputs part = in;
        part.Q = tokens(in.Q, 0, i + 1);
        part.K = tokens(in.K, 0, i + 1);
        part.V = tokens(in.V, 0, i + 1);
        return part;
    }();
    Expected output = expected_attention(upto.Q, upto.K, upto.V, phi, causal);
    output.value = token(output.value, i);
    output.tolerance = token(output.tolerance, i);
    output.has_tokens = false;
    return {output, expected_state(upto.K, upto.V, phi)};
}

void one_step_at(const Size& size, std::uint64_t stream) {
    const Inputs in(size, stream);
    CALL(linear_attention_step, token(in.Q, 1), token(in.K, 1), token(in.V, 1), state_before(in, 1, identity_map),
         identity_map)
        .equals(expected_step(in, 1, identity_map));
}

TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    Tensor S = zeros({2, 3});
    for (std::size_t i = 0; i < 4; ++i) {
        Tensor after = zeros({2, 3});
        std::copy_n(states.data() + 6 * i, 6, after.data());
        CALL(linear_attention_step, token(Q, i), token(K, i), token(V, i), S, identity_map)
            .equals({exactly(token(causal_output, i), false), exactly(after, false)});
        S = after;
    }
}
TRACED(linear_attention_step) {
    using namespace worked_example;
    Tensor S = zeros({2, 3});
    for (std::size_t i = 0; i < 4; ++i) {
        const Tensor q = token(Q, i), k = token(K, i), v = token(V, i);
        const Call<AttentionStep> call = CALL(linear_attention_step, q, k, v, S, identity_map);
        const Tensor after = expected_state(tokens(K, 0, i + 1), tokens(V, 0, i + 1), identity_map).value;
        call.equals({exactly(token(causal_output, i), false), exactly(after, false)});
        S = call.result().S;
    }
}
TEST_CASE("rejects shapes that do not belong together") {
    const Tensor q = zeros({2}), v = zeros({3}), S = zeros({2, 3});
    CALL(linear_attention_step, q, zeros({4}), v, S, identity_map).rejects({"k", "(2,)", "(4,)"});
    CALL(linear_attention_step, q, q, zeros({5, 3}), S, identity_map).rejects({"v", "(3,)", "(5, 3)"});
    CALL(linear_attention_step, q, q, v, zeros({3, 2}), identity_map).rejects({"S", "(2, 3)", "(3, 2)"});
    CALL(linear_attention_step, q, q, v, S, oracle_feature_map("pairs")).rejects({"S", "(4, 3)", "(2, 3)"});
}
TEST_CASE("equals the definition from any state on") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "identity", "pairs"})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}, Shape{0}}) {
            const Inputs in(leading, 6, 4, 5, ++stream);
            const FeatureMap phi = oracle_feature_map(name);
            for (const std::size_t i : {std::size_t{0}, std::size_t{5}}) {
                const Tensor S = state_before(in, i, phi);
                CALL(linear_attention_step, token(in.Q, i), token(in.K, i), token(in.V, i), S, phi)
                    .equals(expected_step(in, i, phi));
            }
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 20;
    for (const Size& size : widths_around_borders()) one_step_at(size, ++stream);
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 4, 4, 5, 31);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Tensor S = state_before(in, 3, phi);
    CALL(linear_attention_step, token(in.Q, 3), token(in.K, 3), token(in.V, 3), S, phi).remembers_nothing();
}
TEST_CASE("the state that comes in stays as it is") {
    const Inputs in({2}, 4, 4, 5, 30);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Tensor S = state_before(in, 3, phi);
    const Call<AttentionStep> call =
        CALL(linear_attention_step, token(in.Q, 3), token(in.K, 3), token(in.V, 3), S, phi);
    call.equals(expected_step(in, 3, phi));
}
TEST_CASE("its cost grows in proportion to the heads") {
    costs_no_more_than_in_proportion(
        [](std::size_t heads) {
            const Inputs in({heads}, 1, 2, 3, heads);
            const Tensor S = random_tensor({heads, 2, 3}, 1 + heads);
            return CALL(linear_attention_step, token(in.Q, 0), token(in.K, 0), token(in.V, 0), S, identity_map);
        },
        "heads");
}
TEST_CASE("one step after another gives the whole sequence") {
    const Inputs in({2}, 50, 4, 5, 40);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    Tensor S = zeros({2, 4, 5});
    std::size_t first_bytes = 0;
    for (std::size_t i = 0; i < 50; ++i) {
        const Call<AttentionStep> call =
            CALL(linear_attention_step, token(in.Q, i), token(in.K, i), token(in.V, i), S, phi);
        call.equals(expected_step(in, i, phi));
        if (i == 0) first_bytes = call.cost().extra_bytes;
        call.satisfies(call.cost().extra_bytes <= first_bytes + 512,
                       "step " + std::to_string(i) + " holds " + std::to_string(call.cost().extra_bytes) +
                           " bytes apart from its result; the first held " + std::to_string(first_bytes) +
                           ": a step must not remember earlier tokens");
        S = call.result().S;
    }
}
TEST_CASE("equals the definition beyond every round length") { at_long_widths(one_step_at); }
}

}  // namespace linattn::testing::linear_attention_test
