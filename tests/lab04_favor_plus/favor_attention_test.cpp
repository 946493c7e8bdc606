// favor_attention: the definition with the same W, what a mask and a normaliser promise, and what it approximates.
#include <algorithm>
#include <cmath>

#include "attention_claims.hpp"
#include "long_sizes.hpp"
#include "random_features.hpp"
#include "statistics.hpp"
#include "worked_example.hpp"

namespace linattn::testing::favor_attention_test {

Weights weights_of(const Tensor& Q, const Tensor& K, const Tensor& W, Mask mask) {
    return weights_by_definition(positive_features(Q, W, Shared::token), positive_features(K, W, Shared::head),
                                 allowed_by(mask));
}

Expected expected_favor(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask, double epsilon) {
    const Weights weights = weights_of(Q, K, W, mask);
    Expected expected = normalized_sum(weights, weights, V, epsilon, length(W, 0));
    // A relative error of the features is one of the weights, above and below the line.
    const double features = 2.0 * (feature_rounding(Q, W) + feature_rounding(K, W));
    expected.tolerance += weighted_sum(weights, abs(V)) / (sum(weights, -1, keep_dims) + epsilon) * features;
    expected.derivation += ", and twice the rounding of the features";
    return expected;
}

// The same for long sequences, by the recurrence. Weights are positive, so that Σ w |v| / Σ w is attention with |v| for v.
Expected expected_favor_of_many(const Inputs& in, const Tensor& W, double epsilon) {
    const Tensor phi_Q = positive_features(in.Q, W, Shared::token), phi_K = positive_features(in.K, W, Shared::head);
    const auto with_values = [&](const Tensor& V) {
        return expected_normalized_attention(phi_Q, phi_K, V, oracle_feature_map("identity"), causal, epsilon);
    };
    Expected expected = with_values(in.V);
    expected.tolerance +=
        with_values(abs(in.V)).value * (2.0 * (feature_rounding(in.Q, W) + feature_rounding(in.K, W)));
    return expected;
}

// Seven directions for queries of this width.
Tensor projection_for(const Tensor& Q) { return normal({7, length(Q, -1)}, random_seed(1000)); }

// favor_attention as a form of linear attention: the φ that the claims bring along is not needed.
Form form(Mask mask, double epsilon) {
    return {[=](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap&) {
                const Tensor W = projection_for(Q);
                return CALL(favor_attention, Q, K, V, W, mask, epsilon);
            },
            [=](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap&) {
                return expected_favor(Q, K, V, projection_for(Q), mask, epsilon);
            }};
}

// The same with token 0 of K replaced by the key with the largest exponent that there can be, k̂ = w for the longest w:
// w·k̂ - ‖k̂‖²/2 = ‖w‖²/2 - ‖k̂ - w‖²/2. Whatever the other keys are, the shift stays as it is.
Form with_the_shift_held(double epsilon) {
    const Form causal_form = form(Mask::causal, epsilon);
    return {[=](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                const Tensor W = projection_for(Q), squares = sum(W * W, -1);
                const auto longest =
                    static_cast<std::size_t>(std::max_element(squares.data(), squares.data() + 7) - squares.data());
                Tensor held = K;
                set_token(held, 0, zeros(shape_of(token(K, 0))) + token(W, longest) / scale_of(K));
                return causal_form.run(Q, held, V, phi);
            },
            causal_form.expected};
}

const double epsilons[] = {0.0, 1e-6, 0.25};

TEST_SUITE("favor_attention") {
TEST_CASE("does with its features what it should") {
    const Inputs in({2}, 6, 4, 5, 90);
    const Tensor W = projection_for(in.Q);
    for (const Mask mask : {Mask::none, Mask::causal}) {
        const double epsilon = 0.25;
        const Call<Tensor> call = CALL(favor_attention, in.Q, in.K, in.V, W, mask, epsilon);
        if (!difference(call.result(), expected_favor(in.Q, in.K, in.V, W, mask, epsilon))) continue;
        const auto shape = shape_of(positive_features(in.Q, W, Shared::token));
        const Tensor of_Q = result_of_shape(CALL(positive_random_features, in.Q, W, Stabilizer::per_token), shape),
                     of_K = result_of_shape(CALL(positive_random_features, in.K, W, Stabilizer::per_sequence), shape);
        const Weights weights = weights_by_definition(of_Q, of_K, allowed_by(mask));
        const Tensor with_them = weighted_sum(weights, in.V) / (sum(weights, -1, keep_dims) + epsilon);
        const bool wrong = difference(of_Q, expected_positive_features(in.Q, W, Stabilizer::per_token)) ||
                           difference(of_K, expected_positive_features(in.K, W, Stabilizer::per_sequence));
        call.blames("positive_random_features",
                    [&] { return !wrong || !distance_if_alike(parts_of(call.result()), parts_of(with_them)); });
    }
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const double epsilon = 0.0;
    const auto rounded = [](const Tensor& value) {
        return to_rounding(value, 64.0, "two tokens, three directions, small exponents");
    };
    CALL(favor_attention, Q, K, V, W, Mask::causal, epsilon).equals(rounded(causal_output));
    CALL(favor_attention, Q, K, V, W, Mask::none, epsilon).equals(rounded(output));
}
TEST_CASE("queries and keys meet in the same directions: the order of W's rows does not matter") {
    const Inputs in({2}, 6, 4, 5, 110);
    const Tensor W = projection_for(in.Q);
    Tensor reordered = W;
    for (std::size_t r = 0; r < 7; ++r) set_token(reordered, r, token(W, (3 * r + 2) % 7));
    for (const Mask mask : {Mask::none, Mask::causal}) {
        const Tensor before = CALL(favor_attention, in.Q, in.K, in.V, W, mask, 0.0).result();
        const Call<Tensor> call = CALL(favor_attention, in.Q, in.K, in.V, reordered, mask, 0.0);
        call.satisfies(
            distance_if_alike(parts_of(call.result()), parts_of(before)).has_value(),
            "the rows of W were put in another order, and the output changed: queries and keys must both use "
            "all of them");
    }
}
TEST_CASE("rejects shapes that do not belong together") {
    rejects_shapes_that_do_not_belong_together(form(Mask::none, 0.0));
    CALL(favor_attention, zeros({5, 2}), zeros({5, 2}), zeros({5, 4}), zeros({7, 3}), Mask::none, 0.0)
        .rejects({"W", "(7, 2)", "(7, 3)"});
    CALL(favor_attention, zeros({5, 2}), zeros({5, 2}), zeros({5, 4}), zeros({2}), Mask::none, 0.0)
        .rejects({"W", "(m, d)", "(2,)"});
}
TEST_CASE("equals the definition for every leading shape, causal") {
    equals_the_definition(form(Mask::causal, 1e-6), {"identity"});
}
TEST_CASE("equals the definition for every leading shape, not masked") {
    equals_the_definition(form(Mask::none, 1e-6), {"identity"});
}
TEST_CASE("equals the definition at every size") {
    equals_the_definition_at_every_size(form(Mask::causal, 1e-6), 129);
    equals_the_definition_at_every_size(form(Mask::none, 1e-6), 17);
    const Inputs in({}, 3, 2, 4, 101);
    for (const std::size_t m : {std::size_t{128}, std::size_t{131}}) {
        const Tensor W = normal({m, 2}, random_seed(102));
        CALL(favor_attention, in.Q, in.K, in.V, W, Mask::causal, 1e-6)
            .equals(expected_favor(in.Q, in.K, in.V, W, Mask::causal, 1e-6));
    }
}
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form(Mask::causal, 1e-6)); }
TEST_CASE("ε is added to the sum of the weights as they are shifted") {
    const Inputs in({2}, 6, 4, 5, 100);
    const Tensor W = projection_for(in.Q);
    for (const Mask mask : {Mask::none, Mask::causal})
        for (const double epsilon : epsilons)
            CALL(favor_attention, in.Q, in.K, in.V, W, mask, epsilon)
                .equals(expected_favor(in.Q, in.K, in.V, W, mask, epsilon));
}
TEST_CASE("handles one token, no token and no head") {
    handles_one_token_and_no_token(form(Mask::causal, 1e-6));
    handles_one_token_and_no_token(form(Mask::none, 1e-6));
}
TEST_CASE("treats every head by itself") {
    treats_every_head_by_itself(form(Mask::causal, 1e-6));
    treats_every_head_by_itself(form(Mask::none, 1e-6));
}
TEST_CASE("while the shift of the keys stays, an output never depends on a later token") {
    never_depends_on_a_later_token(with_the_shift_held(1e-6));
}
TEST_CASE("its cost grows as n, not as n²") {
    costs_no_more_than_in_proportion_to_n(form(Mask::causal, 1e-6));
    costs_no_more_than_in_proportion_to_n(form(Mask::none, 1e-6));
}
TEST_CASE("holds n m and m d_v numbers, not n m d_v") {
    const std::size_t n = 128, m = 16, d = 4, d_v = 32;
    const double epsilon = 1e-6;
    const Tensor Q = random_tensor({n, d}, 106), K = random_tensor({n, d}, 107), V = random_tensor({n, d_v}, 108),
                 W = normal({m, d}, random_seed(109));
    for (const Mask mask : {Mask::none, Mask::causal}) {
        const Call<Tensor> call = CALL(favor_attention, Q, K, V, W, mask, epsilon);
        // A dozen arrays as large as the features, the values or the queries are plenty; one state a token is m d_v n.
        const std::size_t allowed = 12 * sizeof(double) * (n * (m + d + d_v) / 2 + m * d_v);
        call.satisfies(call.cost().extra_bytes < allowed,
                       "apart from the result it held " + std::to_string(call.cost().extra_bytes) +
                           " bytes at its peak; " + std::to_string(allowed) +
                           " are enough without a state for each of " + std::to_string(n) +
                           " tokens, and all those together take " + std::to_string(n * m * d_v * sizeof(double)),
                       "a state kept for every token");
        note("held " + std::to_string(call.cost().extra_bytes) + " bytes of " + std::to_string(allowed) + " allowed");
    }
}
TEST_CASE("causal: a NaN in V keeps to its head, where it reaches all later outputs") {  // in K it spoils its head
    const Inputs in({2}, 6, 4, 5, 105);
    const Tensor W = projection_for(in.Q);
    const double epsilon = 1e-6;
    const Tensor before = result_of_shape(CALL(favor_attention, in.Q, in.K, in.V, W, Mask::causal, epsilon), {2, 6, 5});
    Tensor V = in.V;
    std::fill_n(V.data() + 3 * 5, 5, not_a_number);  // token 3 of head 0
    const Call<Tensor> call = CALL(favor_attention, in.Q, in.K, V, W, Mask::causal, epsilon);
    const double* after = result_of_shape(call, {2, 6, 5}).data();
    const bool reached = std::all_of(after + 3 * 5, after + 6 * 5, [](double o) { return std::isnan(o); });
    call.satisfies(reached, "the value of token 3 of head 0 is NaN: outputs 3 and later of that head must be NaN");
    call.satisfies(std::equal(after + 6 * 5, after + 12 * 5, before.data() + 6 * 5),
                   "the value of token 3 of head 0 is NaN: the outputs of head 1 must stay as they were");
}
TEST_CASE("outputs are averages: values of one give one, others stay within their range") {
    const Inputs in({2}, 9, 4, 5, 120);
    const Tensor W = projection_for(in.Q), one = ones(shape_of(in.V));
    for (const Mask mask : {Mask::none, Mask::causal}) {
        CALL(favor_attention, in.Q, in.K, one, W, mask, 0.0).equals(expected_favor(in.Q, in.K, one, W, mask, 0.0));
        const Call<Tensor> call = CALL(favor_attention, in.Q, in.K, in.V, W, mask, 0.0);
        const Tensor& output = call.result();
        const auto [least, most] = std::minmax_element(in.V.data(), in.V.data() + in.V.size());
        const auto [low, high] = std::minmax_element(output.data(), output.data() + output.size());
        call.satisfies(*low >= *least - 1e-12 && *high <= *most + 1e-12,
                       "outputs from " + decimals(*low) + " to " + decimals(*high) + ", values from " +
                           decimals(*least) + " to " + decimals(*most));
    }
}
TEST_CASE("stays finite for inputs of ±1e3") {
    const Inputs in({2}, 9, 4, 5, 130);
    const Tensor Q = in.Q * 500.0, K = in.K * 500.0, W = projection_for(Q);
    for (const Mask mask : {Mask::none, Mask::causal}) {
        const double epsilon = 1e-6;
        const Call<Tensor> call = CALL(favor_attention, Q, K, in.V, W, mask, epsilon);
        const Tensor& output = call.result();
        const bool bounded = std::all_of(output.data(), output.data() + output.size(),
                                         [](double o) { return std::fabs(o) <= 2.0 + 1e-12; });
        call.satisfies(bounded, "an output is not finite, or larger than every value");
    }
}
TEST_CASE("approaches softmax attention as 1/√m") {
    const std::size_t n = 8, d = 4, draws = 80;
    const Tensor Q = random_tensor({n, d}, 140, -0.3, 0.3), K = random_tensor({n, d}, 141, -0.3, 0.3),
                 V = random_tensor({n, 3}, 142);
    const Tensor softmax =
        weighted_sum(softmax_rows(weights_by_definition(Q, K, everywhere) * scale_of(Q, 0.5), everywhere), V);
    const auto error = [&](std::size_t m) {  // root mean square over draws, tokens and values
        double total = 0.0;
        for (std::size_t draw = 0; draw < draws; ++draw) {
            const Tensor W = normal({m, d}, random_seed(150 + m * draws + draw));
            const Call<Tensor> call = CALL(favor_attention, Q, K, V, W, Mask::none, 0.0);
            const Tensor apart = result_of_shape(call, {n, 3}) - softmax;
            total += sum(sum(apart * apart, -1), -1)() / static_cast<double>(n * 3 * draws);
        }
        return std::sqrt(total);
    };
    const double few = error(16), many = error(128);
    const std::string figures = "error " + decimals(few) + " with m = 16, " + decimals(many) +
                                " with m = 128, 8 times as many: " + decimals(few / many, 2) +
                                " times smaller, about 2.8 was expected";
    // The logarithm of that ratio varies by 0.09 from seed to seed: 1.4 and 5.6 are seven times that away from 2.8.
    const Tensor W = normal({128, d}, random_seed(149));
    CALL(favor_attention, Q, K, V, W, Mask::none, 0.0).satisfies(few > 1.4 * many && few < 5.6 * many, figures);
    note(figures);
}
TEST_CASE("equals the definition beyond every round length") {
    at_long_sizes([](const Size& size, std::uint64_t stream) {
        const Inputs in(size, stream);
        const Tensor W = normal({size.d_v == long_width ? long_width : 2, size.d_k}, random_seed(stream));
        CALL(favor_attention, in.Q, in.K, in.V, W, Mask::causal, 1e-6).equals(expected_favor_of_many(in, W, 1e-6));
    });
}
}

}  // namespace linattn::testing::favor_attention_test
