// State in, state out: one token at a time, and a piece at a time.
#include "attention_claims.hpp"
#include "causal_state.hpp"
#include "cost_claims.hpp"
#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::streaming_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");

CausalState empty_state(const Shape& leading, std::size_t features, std::size_t width) {
    const Tensor S = zeros(join(leading, {features, width})), z = zeros(join(leading, {features}));
    return {S, z};
}

bool same_bits(const OutputAndState& a, const OutputAndState& b) {
    return all_equal(a.output, b.output) && all_equal(a.state.S, b.state.S) && all_equal(a.state.z, b.state.z);
}

Inputs piece(const Inputs& in, std::size_t begin, std::size_t end) {
    Inputs part = in;
    part.Q = tokens(in.Q, begin, end);
    part.K = tokens(in.K, begin, end);
    part.V = tokens(in.V, begin, end);
    return part;
}

// What tokens begin, …, end-1 must give: their outputs among all tokens up to end, and the state after them.
std::vector<Expected> expected_piece(const Inputs& in, std::size_t begin, std::size_t end, const FeatureMap& phi,
                                     double epsilon) {
    const Inputs seen = piece(in, 0, end);
    Expected output = expected_normalized_attention(seen.Q, seen.K, seen.V, phi, causal, epsilon);
    output.value = tokens(output.value, begin, end);
    output.tolerance = tokens(output.tolerance, begin, end);
    std::vector<Expected> parts = expected_state_after(seen.K, seen.V, phi);
    parts.insert(parts.begin(), output);
    return parts;
}

std::vector<Expected> expected_step(const Inputs& in, std::size_t i, const FeatureMap& phi, double epsilon) {
    std::vector<Expected> parts = expected_piece(in, i, i + 1, phi, epsilon);
    parts[0].value = token(parts[0].value, 0);
    parts[0].tolerance = token(parts[0].tolerance, 0);
    parts[0].has_tokens = false;
    return parts;
}

Call<OutputAndState> step(const Inputs& in, std::size_t i, const CausalState& state, const FeatureMap& phi,
                          double epsilon) {
    const Tensor q = token(in.Q, i), k = token(in.K, i), v = token(in.V, i);
    auto call = CALL(causal_linear_attention_step, q, k, v, state, phi, epsilon);
    call.at("token " + std::to_string(i));
    return call;
}

Call<OutputAndState> resume(const Inputs& in, const CausalState& state, const FeatureMap& phi, double epsilon) {
    return CALL(causal_linear_attention_resume, in.Q, in.K, in.V, state, phi, epsilon);
}

// Tokens begin, …, end-1, after a state that is known by definition.
void equals_definition(const Inputs& in, std::size_t begin, std::size_t end, const FeatureMap& phi, double epsilon) {
    const Inputs before = piece(in, 0, begin);
    resume(piece(in, begin, end), state_after(before.K, before.V, phi), phi, epsilon)
        .equals(expected_piece(in, begin, end, phi, epsilon));
}

TEST_SUITE("causal_linear_attention_step") {
void one_step_at(const Size& size, std::uint64_t stream) {
    const Inputs in(size, stream), before = piece(in, 0, 1);
    step(in, 1, state_after(before.K, before.V, elu_plus_one_map), elu_plus_one_map, 1e-6)
        .equals(expected_step(in, 1, elu_plus_one_map, 1e-6));
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0}) {
        CausalState state = empty_state({}, 2, 3);
        for (std::size_t i = 0; i < 4; ++i) {
            const Tensor q = token(Q, i), k = token(K, i), v = token(V, i);
            CALL(causal_linear_attention_step, q, k, v, state, elu_plus_one_map, epsilon)
                .at("token " + std::to_string(i))
                .equals({divided(token(causal_numerators, i), token(causal_sums, i), epsilon, false),
                         exactly(S[i], false), exactly(z[i], false)});
            state = {S[i], z[i]};
        }
    }
}
TRACED(causal_linear_attention_step) {
    using namespace worked_example;
    CausalState state = empty_state({}, 2, 3);
    const double epsilon = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        const Tensor q = token(Q, i), k = token(K, i), v = token(V, i);
        const auto call = CALL(causal_linear_attention_step, q, k, v, state, elu_plus_one_map, epsilon);
        call.equals({divided(token(causal_numerators, i), token(causal_sums, i), epsilon, false), exactly(S[i], false),
                     exactly(z[i], false)});
        state = call.result().state;
    }
}
TEST_CASE("rejects shapes that do not belong together") {
    const Tensor q = zeros({2}), v = zeros({3});
    const CausalState right = empty_state({}, 2, 3);
    const auto run = [](const Tensor& query, const Tensor& k, const Tensor& value, const CausalState& state,
                        const FeatureMap& phi) {
        return CALL(causal_linear_attention_step, query, k, value, state, phi, 1e-6);
    };
    run(q, zeros({4}), v, right, elu_plus_one_map).rejects({"k", "(2,)", "(4,)"});
    run(q, q, zeros({5, 3}), right, elu_plus_one_map).rejects({"v", "(3,)", "(5, 3)"});
    run(q, q, v, {zeros({3, 2}), zeros({2})}, elu_plus_one_map).rejects({"state.S", "(2, 3)", "(3, 2)"});
    run(q, q, v, {zeros({2, 3}), zeros({3})}, elu_plus_one_map).rejects({"state.z", "(2,)", "(3,)"});
    run(q, q, v, right, oracle_feature_map("pairs")).rejects({"state.S", "(4, 3)", "(2, 3)"});
}
TEST_CASE("equals the definition from any state on") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "relu", "pairs"})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}, Shape{0}})
            for (const double epsilon : {1e-6, 0.5}) {
                const Inputs in(leading, 6, 4, 5, ++stream);
                const FeatureMap phi = oracle_feature_map(name);
                for (const std::size_t i : {std::size_t{0}, std::size_t{5}}) {
                    const Inputs before = piece(in, 0, i);
                    step(in, i, state_after(before.K, before.V, phi), phi, epsilon)
                        .equals(expected_step(in, i, phi, epsilon));
                }
            }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 60;
    for (const Size& size : widths_around_borders()) one_step_at(size, ++stream);
}
TEST_CASE("equals the definition where features have both signs") {
    const FeatureMap phi = oracle_feature_map("identity");
    const Inputs in = with_denominators_of_both_signs({2, 3}, 6, 39);
    for (const double epsilon : {1e-6, 0.5})
        for (std::size_t i = 0; i < 6; ++i) {
            const Inputs before = piece(in, 0, i);
            step(in, i, state_after(before.K, before.V, phi), phi, epsilon).equals(expected_step(in, i, phi, epsilon));
        }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 4, 4, 5, 38), before = piece(in, 0, 3);
    step(in, 3, state_after(before.K, before.V, elu_plus_one_map), elu_plus_one_map, 1e-6).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the heads") {
    costs_no_more_than_in_proportion(
        [](std::size_t heads) {
            const CausalState state{random_tensor({heads, 2, 3}, heads),
                                    random_tensor({heads, 2}, 1 + heads, 0.5, 2.0)};
            return step(Inputs({heads}, 1, 2, 3, heads), 0, state, elu_plus_one_map, 1e-6);
        },
        "heads");
}
TEST_CASE("one step after another gives the whole sequence, in a memory that does not grow") {
    const Inputs in({2}, 20, 4, 5, 40);
    CausalState state = empty_state({2}, 4, 5);
    std::size_t first_bytes = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        const Call<OutputAndState> call = step(in, i, state, elu_plus_one_map, 1e-6);
        call.equals(expected_step(in, i, elu_plus_one_map, 1e-6));
        if (i == 0) first_bytes = call.cost().extra_bytes;
        call.satisfies(call.cost().extra_bytes <= first_bytes + 512,
                       "step " + std::to_string(i) + " holds " + std::to_string(call.cost().extra_bytes) +
                           " bytes apart from its result; the first held " + std::to_string(first_bytes) +
                           ": a step must not remember earlier tokens");
        state = call.result().state;
    }
}
TEST_CASE("two continuations of one state do not disturb each other") {
    const Inputs in({2}, 3, 4, 5, 50);
    const Inputs before = piece(in, 0, 1);
    const CausalState state = state_after(before.K, before.V, elu_plus_one_map);
    const OutputAndState first = step(in, 1, state, elu_plus_one_map, 1e-6).result();
    step(in, 2, state, elu_plus_one_map, 1e-6).result();
    const Call<OutputAndState> again = step(in, 1, state, elu_plus_one_map, 1e-6);
    again.satisfies(same_bits(again.result(), first),
                    "the same step from the same state gives different bits the second time");
}
TEST_CASE("a token without weight gives zero") {
    const FeatureMap phi = oracle_feature_map("relu");
    Inputs in({2}, 2, 4, 5, 60);
    set_token(in.K, 0, full({2, 4}, -1.0));  // relu leaves nothing of this key: S and z stay 0
    const CausalState state = empty_state({2}, 4, 5);
    step(in, 0, state, phi, 1e-6).equals(expected_step(in, 0, phi, 1e-6));
    step(in, 0, state, phi, 0.0).equals(expected_step(in, 0, phi, 0.0));  // 0 / 0, said honestly
}
TEST_CASE("equals the definition beyond every round length") { at_long_widths(one_step_at); }
}

TEST_SUITE("causal_linear_attention_resume") {
void after_three_tokens(const Size& size, std::uint64_t stream) {
    const Inputs in(size.leading, 3 + size.n, size.d_k, size.d_v, stream);
    equals_definition(in, 3, 3 + size.n, elu_plus_one_map, 1e-6);
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0})
        for (std::size_t split = 0; split < 4; ++split) {
            const CausalState state = split == 0 ? empty_state({}, 2, 3) : CausalState{S[split - 1], z[split - 1]};
            const Tensor Q = tokens(worked_example::Q, split, 4), K = tokens(worked_example::K, split, 4),
                         V = tokens(worked_example::V, split, 4);
            CALL(causal_linear_attention_resume, Q, K, V, state, elu_plus_one_map, epsilon)
                .at("from token " + std::to_string(split) + " on")
                .equals({divided(tokens(causal_numerators, split, 4), tokens(causal_sums, split, 4), epsilon),
                         exactly(S[3], false), exactly(z[3], false)});
        }
}
TRACED(causal_linear_attention_resume) {
    using namespace worked_example;
    CausalState state = empty_state({}, 2, 3);
    const double epsilon = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
        const Tensor q = tokens(Q, i, i + 1), k = tokens(K, i, i + 1), v = tokens(V, i, i + 1);
        const auto call = CALL(causal_linear_attention_resume, q, k, v, state, elu_plus_one_map, epsilon);
        call.equals({divided(tokens(causal_numerators, i, i + 1), tokens(causal_sums, i, i + 1), epsilon),
                     exactly(S[i], false), exactly(z[i], false)});
        state = call.result().state;
    }
}
TEST_CASE("rejects shapes that do not belong together") {
    const CausalState right = empty_state({}, 2, 4);
    const auto run = [](const Tensor& query, const Tensor& K, const Tensor& value, const CausalState& state,
                        const FeatureMap& phi) {
        return CALL(causal_linear_attention_resume, query, K, value, state, phi, 1e-6);
    };
    run(zeros({5, 2}), zeros({6, 2}), zeros({5, 4}), right, elu_plus_one_map).rejects({"K", "(5, 2)", "(6, 2)"});
    run(zeros({5, 2}), zeros({5, 2}), zeros({6, 4}), right, elu_plus_one_map).rejects({"V", "(5, 4)", "(6, 4)"});
    const Tensor Q = zeros({5, 2}), V = zeros({5, 4});
    run(Q, Q, V, {zeros({4, 2}), zeros({2})}, elu_plus_one_map).rejects({"state.S", "(2, 4)", "(4, 2)"});
    run(Q, Q, V, {zeros({2, 4}), zeros({4})}, elu_plus_one_map).rejects({"state.z", "(2,)", "(4,)"});
    run(Q, Q, V, empty_state({3}, 2, 4), elu_plus_one_map).rejects({"state.S", "(2, 4)", "(3, 2, 4)"});
    run(Q, Q, V, right, oracle_feature_map("pairs")).rejects({"state.S", "(4, 4)", "(2, 4)"});
}
TEST_CASE("equals the definition from any state on") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "relu", "pairs"})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}, Shape{0}})
            for (const std::size_t split : {std::size_t{0}, std::size_t{4}})
                equals_definition(Inputs(leading, 9, 4, 5, ++stream), split, 9, oracle_feature_map(name),
                                  split == 0 ? 1e-6 : 0.5);
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 60;
    for (const Size& size : sizes_around_borders(129)) after_three_tokens(size, ++stream);
}
TEST_CASE("equals the definition where features have both signs") {
    for (const double epsilon : {1e-6, 0.5})
        equals_definition(with_denominators_of_both_signs({2, 3}, 9, 39), 4, 9, oracle_feature_map("identity"),
                          epsilon);
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 6, 4, 5, 38), before = piece(in, 0, 3);
    resume(piece(in, 3, 6), state_after(before.K, before.V, elu_plus_one_map), elu_plus_one_map, 1e-6)
        .remembers_nothing();
}
TEST_CASE("no token leaves the state as it is") {
    const Inputs in({2}, 4, 5, 3, 70);
    for (const std::size_t seen : {std::size_t{0}, std::size_t{4}})
        equals_definition(in, seen, seen, elu_plus_one_map, 1e-6);
}
TEST_CASE("any split of a sequence gives what one call gives") {
    const Inputs in({2}, 9, 4, 5, 80);
    const CausalState start = empty_state({2}, 4, 5);
    for (std::size_t split = 0; split <= 9; ++split) {
        const Call<OutputAndState> first = resume(piece(in, 0, split), start, elu_plus_one_map, 1e-6);
        first.equals(expected_piece(in, 0, split, elu_plus_one_map, 1e-6));
        resume(piece(in, split, 9), first.result().state, elu_plus_one_map, 1e-6)
            .equals(expected_piece(in, split, 9, elu_plus_one_map, 1e-6));
    }
    CausalState state = start;  // and in pieces of one token
    for (std::size_t i = 0; i < 9; ++i) {
        const Call<OutputAndState> call = resume(piece(in, i, i + 1), state, elu_plus_one_map, 1e-6);
        call.equals(expected_piece(in, i, i + 1, elu_plus_one_map, 1e-6));
        state = call.result().state;
    }
}
TEST_CASE("the same call twice gives the same bits") {
    const Inputs in({2}, 9, 4, 5, 90);
    const Inputs before = piece(in, 0, 4), after = piece(in, 4, 9);
    const CausalState state = state_after(before.K, before.V, elu_plus_one_map);
    const OutputAndState first = resume(after, state, elu_plus_one_map, 1e-6).result();
    const Call<OutputAndState> second = resume(after, state, elu_plus_one_map, 1e-6);
    second.satisfies(same_bits(second.result(), first),
                     "the same call from the same state gives different bits the second time");
}
TEST_CASE("its memory does not grow with the sequence") {
    const auto run = [](std::size_t n) -> Trial {  // features much wider than an output, so that keeping them shows
        return resume(Inputs({2}, n, 4, 3, 100), empty_state({2}, 16, 3), oracle_feature_map("pairs"), 1e-6);
    };
    holds_no_more_for_a_longer_sequence(run, 2 * 3 * sizeof(double));
}
TEST_CASE("equals the definition beyond every round length") { at_long_sizes(after_three_tokens); }
}

}  // namespace linattn::testing::streaming_test
