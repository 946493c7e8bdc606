// The gradients of the gated delta rule, a chunk of tokens at a time.
#include <algorithm>
#include <cmath>

#include "delta_claims.hpp"
#include "delta_gradient_definition.hpp"

namespace linattn::testing::gated_delta_rule_backward_test {

std::vector<Expected> expected(const DeltaInputs& in) {
    return expected_delta_gradients({in.Q, in.K, in.V, in.beta, &in.log_decay}, in.dO);
}
Call<GatedDeltaGradients> backward(const DeltaInputs& in, std::size_t chunk) {
    return CALL(gated_delta_rule_backward, in.Q, in.K, in.V, in.beta, in.log_decay, in.dO, chunk);
}
DeltaForm in_chunks_of(std::size_t chunk) {
    return {[chunk](const DeltaInputs& in) { return backward(in, chunk); },
            [chunk](const DeltaInputs& in) { return backward(in, chunk).result().Q; }, &expected, true};
}
const DeltaForm form = in_chunks_of(4);

double loss(const DeltaInputs& in) {
    const Tensor O = delta_by_settings({in.Q, in.K, in.V, in.beta, &in.log_decay}, {}).output;
    double total = 0.0;
    for (std::size_t e = 0; e < O.size(); ++e) total += O.data()[e] * in.dO.data()[e];
    return total;
}
// The slope of L along an entry by central differences, with steps h and 2h. The error grows with the square of the step, so
// that the two differ by about three times the error of the first; rounding in L adds to it.
void put_slope(Expected& part, std::size_t e, DeltaInputs in, Tensor DeltaInputs::*argument, double sizes) {
    const double h = 1e-4, own = (in.*argument).data()[e];
    const auto at = [&](double step) {
        (in.*argument).data()[e] = own + step;
        return loss(in);
    };
    const auto by = [&](double step) { return (at(step) - at(-step)) / (2.0 * step); };
    const double value = by(h);
    part.value.data()[e] = value;
    part.tolerance.data()[e] = std::fabs(by(2.0 * h) - value) + 100.0 * sizes * 0x1p-53 / h;
}

TEST_SUITE("gated_delta_rule_backward") {
TEST_CASE("relies on functions that are right") { relies_on_right_functions(form); }
TEST_CASE("gives the gradients of two tokens, by hand") {
    // o_1 = (q_1·k_1) v_1, and o_2 = q_2·k_2 (v_2 - a (k_2·k_1) v_1) + a (q_2·k_1) v_1 with a = 1.
    const Tensor Q{{1, 2}, {3, 1}}, K{{1, 0}, {2, 1}}, V = expand_dims(Tensor{5.0, 7.0}, -1), beta = ones({2}),
                                                       log_decay = zeros({2}), dO = expand_dims(Tensor{1.0, 2.0}, -1);
    for (const std::size_t chunk : {1U, 2U, 3U}) {
        Call<GatedDeltaGradients> call = CALL(gated_delta_rule_backward, Q, K, V, beta, log_decay, dO, chunk);
        call.equals({exactly({{5, 0}, {-2, -6}}), exactly({{-105, -50}, {-88, -6}}),
                     exactly(expand_dims(Tensor{-21.0, 14.0}, -1)), exactly(Tensor{-105.0, -42.0}, false),
                     exactly(Tensor{0.0, -110.0}, false)});
    }
}
TEST_CASE("rejects arguments that do not belong together") {
    rejects_arguments_that_do_not_belong_together(form);
    DeltaInputs in({2}, 5, 3, 4, 2);
    backward(in, 0).rejects({"chunk", "at least 1", "0"});
    in.dO = zeros({2, 5, 3});
    backward(in, 2).rejects({"dO", "(2, 5, 4)", "(2, 5, 3)"});
}
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(form); }
TEST_CASE("equals the definition for every chunk, longer than the sequence too") {
    for (const Decays decays : {Decays::weak, Decays::wide, Decays::with_resets})
        for (const std::size_t chunk : {1U, 2U, 3U, 6U, 11U, 22U, 23U, 24U, 100U}) {
            const DeltaInputs in({2}, 23, 5, 4, chunk, Keys::random, decays);
            backward(in, chunk).equals(expected(in));
        }
    equals_the_definition(in_chunks_of(std::numeric_limits<std::size_t>::max()));
}
TEST_CASE("agrees with central differences of the rule itself") {
    std::uint64_t stream = 300;
    for (const Keys keys : {Keys::random, Keys::correlated}) {
        const DeltaInputs in({2}, 7, 3, 2, ++stream, keys, Decays::weak);
        std::vector<Expected> parts = expected(in);
        double sizes = 0.0;  // of what L adds up
        for (const double g : in.dO) sizes += 10.0 * std::fabs(g);
        std::size_t number = 0;
        for (Tensor DeltaInputs::*argument :
             {&DeltaInputs::Q, &DeltaInputs::K, &DeltaInputs::V, &DeltaInputs::beta, &DeltaInputs::log_decay}) {
            Expected& part = parts[number++];
            part.derivation = "the difference between steps of 1e-4 and 2e-4";
            for (std::size_t e = 0; e < (in.*argument).size(); ++e) put_slope(part, e, in, argument, sizes);
        }
        backward(in, 3).equals(parts);
    }
}
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") { takes_keys_of_every_kind(in_chunks_of(24)); }
TEST_CASE("takes log decays from -20 to -0.001, 0 and -inf") {
    for (const std::size_t chunk : {4U, 64U}) takes_decays_of_every_size(in_chunks_of(chunk));
}
TEST_CASE("takes any β: 0, above 1, negative") { takes_any_beta(form); }
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 100;
    for (const std::size_t chunk : {16U, 64U})
        for (const Size& size : chunk == 16U ? sizes_around_borders(129) : lengths_around_borders(65)) {
            DeltaInputs in(size, ++stream);
            in.log_decay *= 0.05;
            in.beta *= 0.2;
            backward(in, chunk).equals(expected(in));
        }
}
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(form); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(in_chunks_of(8)); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(form); }
TEST_CASE("keeps the states before the chunks, not one for each token") {
    const std::size_t few = 32, many = 128, chunk = 16, d_k = 24, d_v = 20, state = d_k * d_v * sizeof(double);
    const std::size_t bytes_of_few = backward(DeltaInputs({}, few, d_k, d_v, 260), chunk).cost().extra_bytes;
    const Call<GatedDeltaGradients> call = backward(DeltaInputs({}, many, d_k, d_v, 261), chunk);
    // 6 chunks more, each with a state; and as much again for rows that an answer may keep for each token.
    const std::size_t allowed = bytes_of_few + (many - few) / chunk * state + (many - few) * state / 4;
    call.satisfies(
        call.cost().extra_bytes <= allowed,
        "apart from the result, n = 32 held " + std::to_string(bytes_of_few) + " bytes at its peak and n = 128 held " +
            std::to_string(call.cost().extra_bytes) +
            "; in chunks of 16, with a state of d_k d_v numbers for each chunk and a quarter of one for each "
            "token added, it would be " +
            std::to_string(allowed) + ": keep the states before the chunks alone",
        "a state kept for every token");
}
TEST_CASE("does its work in products of matrices, a chunk at a time") { works_a_chunk_at_a_time(in_chunks_of(16), 16); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(in_chunks_of(64)); }
}

}  // namespace linattn::testing::gated_delta_rule_backward_test
