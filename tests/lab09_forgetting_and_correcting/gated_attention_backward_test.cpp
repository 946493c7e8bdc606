// The gradients of gated attention: compared with the definition, and that with differences of attention itself.
#include <cmath>

#include "cost_claims.hpp"
#include "gated_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::gated_attention_backward_test {

Call<GatedGradients> run(const GatedInputs& in) {
    return CALL(gated_attention_backward, in.Q, in.K, in.V, in.log_decay, in.dO);
}
void equals_the_definition(const GatedInputs& in) { run(in).equals(expected_gated_gradients(in.call(), in.dO)); }

// L = Σ dO ⊙ O, and the sum of the sizes of its terms.
double loss(const GatedInputs& in) {
    const Tensor O = gated_attention_by_settings(in.call(), {});
    double total = 0.0;
    for (std::size_t e = 0; e < O.size(); ++e) total += O.data()[e] * in.dO.data()[e];
    return total;
}

// The slope of L where one entry moves, by central differences with steps h and 2h. L is linear in Q, in K and in V, and
// about e to a multiple of one log_decay: the error grows with the square of the step, so that the two slopes differ by
// three times that of the first. Rounding in L adds to it.
struct Slope {
    double value, tolerance;
};
Slope slope(const GatedInputs& in, Tensor GatedInputs::*argument, std::size_t e) {
    const double h = 1e-4, rounding = 1e-13 * static_cast<double>(in.V.size()) / h;
    const auto by = [&](double step) {
        GatedInputs up = in, down = in;
        (up.*argument).data()[e] += step;
        (down.*argument).data()[e] -= step;
        return (loss(up) - loss(down)) / (2.0 * step);
    };
    const double value = by(h);
    return {value, std::fabs(by(2.0 * h) - value) + rounding};
}

TEST_SUITE("gated_attention_backward") {
TEST_CASE("gives the gradients of the chapter's worked example") {
    // dO = (0, 0, 1): only o_2 = a²(q_2·k_0)v_0 + a(q_2·k_1)v_1 + (q_2·k_2)v_2 = 0.25 + 0.6 + 4 counts.
    GatedInputs in({{}, 3, 2, 1}, 1, Strength::middle);
    in.Q = in.K = worked_example::K;
    in.V = worked_example::V;
    in.log_decay = worked_example::log_decay;
    in.dO = worked_example::column({0, 0, 1});
    using worked_example::about;
    const Expected log_decay = about(Tensor{0, 0.25, 0.85});
    run(in).equals({about(Tensor{{0, 0}, {0, 0}, {4.85, 0.8}}),
                    about(Tensor{{0.25, 0}, {1, 0}, {4, 0}}),
                    about(worked_example::column({0.25, 0.3, 1})),
                    {log_decay.value, log_decay.tolerance, log_decay.derivation, false}});
}
TEST_CASE("rejects arguments that do not belong together") {
    const auto with = [&](Tensor GatedInputs::*argument, const Shape& shape) {
        GatedInputs in({{2}, 5, 3, 4}, 2, Strength::middle);
        in.*argument = zeros(shape);
        return run(in);
    };
    with(&GatedInputs::K, {2, 5, 4}).rejects({"K", "(2, 5, 3)", "(2, 5, 4)"});
    with(&GatedInputs::V, {5, 4}).rejects({"V", "(2, 5, 4)", "(5, 4)"});
    with(&GatedInputs::Q, {3}).rejects({"Q", "(…, n, d_k)", "(3,)"});
    with(&GatedInputs::dO, {2, 5, 3}).rejects({"dO", "(2, 5, 4)", "(2, 5, 3)"});
    with(&GatedInputs::log_decay, {5}).rejects({"log_decay", "(2, 5)", "(5,)"});
    for (const double wrong : {0.9, infinity, not_a_number}) {
        GatedInputs in({{2}, 5, 3, 4}, 2, Strength::middle);
        in.log_decay(1, 3) = wrong;
        run(in).rejects({"log_decay", "pass log a, not a"});
    }
}
TEST_CASE("agrees with differences of attention itself") {
    std::uint64_t stream = 10;
    for (const std::size_t n : {7U, 12U}) {
        const GatedInputs in({{2}, n, 3, 2}, ++stream, Strength::middle);
        std::vector<Expected> parts = expected_gated_gradients(in.call(), in.dO);
        std::size_t number = 0;
        for (Tensor GatedInputs::*argument :
             {&GatedInputs::Q, &GatedInputs::K, &GatedInputs::V, &GatedInputs::log_decay}) {
            Expected& part = parts[number++];
            part.derivation = "the difference between slopes by steps of 1e-4 and 2e-4";
            for (std::size_t e = 0; e < part.value.size(); ++e) {
                const Slope at = slope(in, argument, e);
                part.value.data()[e] = at.value;
                part.tolerance.data()[e] += at.tolerance;
            }
        }
        run(in).equals(parts);
    }
}
TEST_CASE("equals the definition for weak and strong decays") {
    std::uint64_t stream = 20;
    for (const Strength strength : all_strengths)
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
            equals_the_definition(GatedInputs({leading, 11, 4, 5}, ++stream, strength));
}
TEST_CASE("equals the definition where the logarithms are 0 or -inf") {
    for (const double all : {0.0, -infinity}) {
        GatedInputs in({{2}, 9, 4, 5}, 40, Strength::middle);
        in.log_decay = full({2, 9}, all);
        equals_the_definition(in);
    }
}
TEST_CASE("survives a reset among weak decays") {
    std::uint64_t stream = 50;
    for (const double reset : {-infinity, -1e4, -745.0, -20.0})
        for (const std::size_t at : {0U, 4U, 11U}) {
            GatedInputs in({{2}, 12, 3, 2}, ++stream, Strength::weak);
            in.log_decay(0, at) = in.log_decay(1, at) = reset;
            equals_the_definition(in);
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(200)) {
        ++stream;
        equals_the_definition(GatedInputs(size, stream, stream % 2 == 0 ? Strength::weak : Strength::middle));
    }
}
TEST_CASE("handles one token, no token and no head") {
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            equals_the_definition(GatedInputs({leading, n, 4, 5}, 140 + n, Strength::middle));
}
TEST_CASE("handles large and tiny numbers") {
    for (const double scale : {1e140, 1e-140}) {
        GatedInputs in({{2}, 7, 4, 5}, 150, Strength::middle);
        in.Q *= scale;
        in.K *= 1.0 / scale;
        equals_the_definition(in);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    run(GatedInputs({{2}, 6, 4, 5}, 170, Strength::middle)).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) {
            return run(GatedInputs({{}, n, 4, 5}, 200 + n, Strength::weak));
        },
        "tokens", 32, "computed in O(n²)");
}
TEST_CASE("keeps no state for each token") {
    const std::size_t few = 32, many = 128, d_k = 24, d_v = 20, state = d_k * d_v * sizeof(double);
    const auto with = [&](std::size_t n) { return run(GatedInputs({{}, n, d_k, d_v}, 500 + n, Strength::weak)); };
    const std::size_t bytes_of_few = with(few).cost().extra_bytes;
    const Call<GatedGradients> call = with(many);
    const std::size_t allowed = bytes_of_few + (many - few) * state / 2;
    call.satisfies(call.cost().extra_bytes <= allowed,
                   "apart from the result, n = 32 held " + std::to_string(bytes_of_few) +
                       " bytes at its peak and n = 128 held " + std::to_string(call.cost().extra_bytes) +
                       "; with half a state of d_k d_v numbers for each token added it would be " +
                       std::to_string(allowed) + ": keep rows of a token if you like, but no state",
                   "a state kept for every token");
}
TEST_CASE("equals the definition beyond every round length") {
    at_long_widths([](const Size& size, std::uint64_t stream) {
        equals_the_definition(GatedInputs(size, stream, Strength::weak));
    });
    with_long_calls([] {
        GatedInputs in({{many_tokens / tokens_of_piece}, tokens_of_piece, 2, 1}, 2010, Strength::weak);
        reset_pieces(in.log_decay);
        std::vector<Expected> parts = expected_gated_gradients(in.call(), in.dO);
        for (Expected& part : parts) part = &part == &parts.back() ? joined_sum(part) : joined(part);
        for (Tensor GatedInputs::*each :
             {&GatedInputs::Q, &GatedInputs::K, &GatedInputs::V, &GatedInputs::log_decay, &GatedInputs::dO})
            in.*each = joined(in.*each);
        run(in).equals(parts);
    });
}
}

}  // namespace linattn::testing::gated_attention_backward_test
