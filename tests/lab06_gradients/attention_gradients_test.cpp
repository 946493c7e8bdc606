// The gradients of causal linear attention in their four forms: the same numbers, at different cost.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "attention_claims.hpp"
#include "cost_claims.hpp"
#include "gradient_definition.hpp"
#include "long_sizes.hpp"
#include "worked_example.hpp"

namespace linattn::testing::attention_gradients_test {

enum class Features { positive, with_zeros, of_both_signs };

// Random features and values, and an upstream gradient.
struct GradientInputs {
    Tensor phi_Q, phi_K, V, dO;

    GradientInputs(const Shape& leading, std::size_t n, std::size_t c, std::size_t d_v, std::uint64_t stream,
                   Features features = Features::positive)
        : phi_Q(random_tensor(join(leading, {n, c}), 4 * stream)),
          phi_K(random_tensor(join(leading, {n, c}), 4 * stream + 1)),
          V(random_tensor(join(leading, {n, d_v}), 4 * stream + 2)),
          dO(random_tensor(join(leading, {n, d_v}), 4 * stream + 3)) {
        if (features == Features::of_both_signs) {
            // Keys near (1, …, 1), queries near ±(1, …, 1): no denominator comes near 0, and half of them are below it.
            phi_K = phi_K * 0.2 + 1.0;
            for (std::size_t e = 0; e < phi_Q.size(); ++e)
                phi_Q.data()[e] = (phi_Q.data()[e] * 0.2 + 1.0) * (e / c % 2 == 0 ? -1.0 : 1.0);
            return;
        }
        const FeatureMap phi = oracle_feature_map(features == Features::positive ? "elu_plus_one" : "relu");
        phi_Q = phi(phi_Q);
        phi_K = phi(phi_K);
    }
    GradientInputs(const Size& size, std::uint64_t stream)
        : GradientInputs(size.leading, size.n, size.d_k, size.d_v, stream) {}
};

// One exercise seen through the arguments that all of them take.
using Form = std::function<Call<AttentionGradients>(const GradientInputs& in, double epsilon)>;

Call<AttentionGradients> quadratic(const GradientInputs& in, double epsilon) {
    return CALL(attention_backward_quadratic, in.phi_Q, in.phi_K, in.V, in.dO, epsilon);
}
Call<AttentionGradients> parallel(const GradientInputs& in, double epsilon) {
    return CALL(causal_attention_backward_parallel, in.phi_Q, in.phi_K, in.V, in.dO, epsilon);
}
Call<AttentionGradients> recurrent(const GradientInputs& in, double epsilon) {
    return CALL(causal_attention_backward, in.phi_Q, in.phi_K, in.V, in.dO, epsilon);
}
Form chunkwise(std::size_t chunk) {
    return [chunk](const GradientInputs& in, double epsilon) {
        return CALL(causal_attention_backward_chunkwise, in.phi_Q, in.phi_K, in.V, in.dO, epsilon, chunk);
    };
}

std::vector<Expected> expected(const GradientInputs& in, double epsilon) {
    return expected_gradients({in.phi_Q, in.phi_K, in.V, in.dO, epsilon});
}
void equals(const Form& form, const GradientInputs& in, double epsilon) {
    form(in, epsilon).equals(expected(in, epsilon));
}

void gives_the_worked_example(const Form& form) {
    using namespace worked_example;
    GradientInputs in({}, 3, 2, 3, 0);
    in.phi_Q = phi_Q;
    in.phi_K = phi_K;
    in.V = V;
    in.dO = dO;
    // Small integers and halves of them: no rounding at all, but where an answer multiplies by 1 / D.
    form(in, 0.0).equals({exactly(d_phi_Q), exactly(d_phi_K), exactly(d_V)});
}

void rejects_arguments_that_do_not_belong_together(const Form& form) {
    const GradientInputs right({2}, 5, 3, 4, 1);
    const auto with = [&](Tensor GradientInputs::*argument, const Shape& shape) {
        GradientInputs in = right;
        in.*argument = zeros(shape);
        return form(in, 1e-6);
    };
    with(&GradientInputs::phi_K, {2, 5, 4}).rejects({"phi_K", "(2, 5, 3)", "(2, 5, 4)"});
    with(&GradientInputs::phi_K, {2, 6, 3}).rejects({"phi_K", "(2, 5, 3)", "(2, 6, 3)"});
    with(&GradientInputs::V, {2, 6, 4}).rejects({"V", "(2, 5, 4)", "(2, 6, 4)"});
    with(&GradientInputs::V, {5, 4}).rejects({"V", "(2, 5, 4)", "(5, 4)"});
    with(&GradientInputs::dO, {2, 5, 3}).rejects({"dO", "(2, 5, 4)", "(2, 5, 3)"});
    with(&GradientInputs::phi_Q, {3}).rejects({"phi_Q", "(…, n, c)", "(3,)"});
    for (const double epsilon : {-1e-6, -infinity, infinity, not_a_number})
        form(right, epsilon).rejects({"epsilon", "a finite number ≥ 0"});
}

void equals_the_definition(const Form& form) {
    std::uint64_t stream = 1;
    for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
        for (const double epsilon : {0.0, 1e-6, 0.5, 1.0})
            equals(form, GradientInputs(leading, 9, 4, 5, ++stream), epsilon);
}
void equals_the_definition_where_features_are_zero(const Form& form) {
    std::uint64_t stream = 20;
    for (const Shape& leading : {Shape{}, Shape{2, 3}})
        for (const double epsilon : {1e-3, 0.5}) {
            GradientInputs in(leading, 9, 4, 5, ++stream, Features::with_zeros);
            set_token(in.phi_K, 0, zeros(shape_of(token(in.phi_K, 0))));  // a first denominator of ε alone
            equals(form, in, epsilon);
        }
}
void equals_the_definition_where_features_have_both_signs(const Form& form) {
    for (const double epsilon : {0.0, 0.5})
        equals(form, GradientInputs({2, 3}, 9, 4, 5, 30, Features::of_both_signs), epsilon);
}
void equals_the_definition_at_every_size(const Form& form, std::size_t longest) {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(longest)) equals(form, GradientInputs(size, ++stream), 1e-3);
}
void equals_the_definition_at_long_sizes(const Form& form, std::size_t n = many_tokens) {
    const auto claim = [&](const Size& size, std::uint64_t stream) {
        equals(form, GradientInputs(size, stream), 1e-3);
    };
    at_long_sizes(claim, n);
}
void handles_one_token_and_no_token(const Form& form) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            equals(form, GradientInputs(leading, n, 4, 5, 40 + n), 0.5);
}
void handles_large_and_tiny_features(const Form& form) {
    std::uint64_t stream = 50;
    for (const double scale : {1e60, 1e-60}) {  // denominators near 1e120 and 1e-120, their squares still numbers
        GradientInputs in({2}, 7, 4, 5, ++stream);
        in.phi_Q *= scale;
        in.phi_K *= scale;
        equals(form, in, 0.0);
    }
}
// Features that shrink or grow by a factor of e² from token to token: what is subtracted again leaves its rounding.
void handles_features_of_very_different_sizes(const Form& form) {
    const std::size_t n = 13;
    const double middle = 7.0;
    for (const double rate : {-2.0, 2.0}) {
        GradientInputs in({2}, n, 4, 5, 60);
        const Tensor at = cumsum(ones({n, 1}), 0) - middle;
        in.phi_K *= exp(at * rate);
        in.phi_Q *= exp(at * -rate);
        equals(form, in, 0.0);
    }
}

// L = Σ dO ⊙ O for attention by its definition.
double loss(const GradientInputs& in, double epsilon) {
    const Tensor O =
        expected_normalized_attention(in.phi_Q, in.phi_K, in.V, oracle_feature_map("identity"), causal, epsilon).value;
    double total = 0.0;
    for (std::size_t e = 0; e < O.size(); ++e) total += O.data()[e] * in.dO.data()[e];
    return total;
}
struct Slope {
    double value, tolerance;
};
// The slope of L along a line by central differences, with steps h and 2h. The error grows with the square of the step,
// so that the two differ by about three times the error of the first; rounding in L adds to it.
Slope slope(const std::function<GradientInputs(double)>& along, double epsilon, double sizes) {
    const double h = 1e-4, rounding = 100.0 * sizes * 0x1p-53 / h;
    const auto by = [&](double step) {
        return (loss(along(step), epsilon) - loss(along(-step), epsilon)) / (2.0 * step);
    };
    const double value = by(h);
    return {value, std::fabs(by(2.0 * h) - value) + rounding};
}

void agrees_with_central_differences(const Form& form) {
    std::uint64_t stream = 70;
    for (const auto& [n, epsilon] : {std::pair{std::size_t{9}, 0.0}, {std::size_t{17}, 0.5}}) {
        const GradientInputs in({2}, n, 3, 2, ++stream);
        double sizes = 0.0;  // of what L adds up
        for (std::size_t e = 0; e < in.dO.size(); ++e) sizes += 2.0 * std::fabs(in.dO.data()[e]);
        std::vector<Expected> parts = expected(in, epsilon);
        std::size_t number = 0;
        GradientInputs direction = in;
        for (Tensor GradientInputs::*argument : {&GradientInputs::phi_Q, &GradientInputs::phi_K, &GradientInputs::V}) {
            const Tensor& x = in.*argument;
            Expected& part = parts[number++];
            part.derivation = "for 20 entries the difference between steps of 1e-4 and 2e-4; else " + part.derivation;
            const Tensor choice = random_tensor({20}, 300 + ++stream, 0.0, static_cast<double>(x.size()));
            for (std::size_t chosen = 0; chosen < choice.size(); ++chosen) {
                const auto e = static_cast<std::size_t>(choice(chosen));
                const Slope at = slope(
                    [&, e, argument](double step) {
                        GradientInputs moved = in;
                        (moved.*argument).data()[e] += step;
                        return moved;
                    },
                    epsilon, sizes);
                part.value.data()[e] = at.value;
                part.tolerance.data()[e] = at.tolerance;
            }
            direction.*argument = random_tensor(shape_of(x), 400 + stream, -0.5, 0.5);
        }
        const Call<AttentionGradients> call = form(in, epsilon);
        call.equals(parts);

        const Slope along_line = slope(
            [&](double step) {
                GradientInputs moved = in;
                moved.phi_Q += direction.phi_Q * step;
                moved.phi_K += direction.phi_K * step;
                moved.V += direction.V * step;
                return moved;
            },
            epsilon, sizes);
        double along_gradient = 0.0;
        const auto add_up = [&](const Tensor& gradient, const Tensor& by) {
            for (std::size_t e = 0; e < gradient.size(); ++e) along_gradient += gradient.data()[e] * by.data()[e];
        };
        add_up(call.result().phi_Q, direction.phi_Q);
        add_up(call.result().phi_K, direction.phi_K);
        add_up(call.result().V, direction.V);
        call.satisfies(std::fabs(along_gradient - along_line.value) <= along_line.tolerance,
                       "along a random direction the loss rises by " + describe(along_line.value) +
                           " for each unit, and the three gradients together say " + describe(along_gradient));
    }
}

// The scale of φ(q_i) cancels when ε = 0, so no step along φ(q_i) changes o_i; neither does one along all keys at once.
void ignores_the_scale_of_the_features(const Form& form) {
    const GradientInputs in({2}, 9, 4, 5, 80);
    const Call<AttentionGradients> call = form(in, 0.0);
    const std::vector<Expected> right = expected(in, 0.0);
    call.equals(right);
    const auto along = [](const Tensor& features, const Tensor& gradient) { return sum(features * gradient, -1); };
    const Tensor by_query = abs(along(in.phi_Q, call.result().phi_Q)),
                 by_keys = abs(sum(along(in.phi_K, call.result().phi_K), -1)),
                 allowed_by_query = along(in.phi_Q, right[0].tolerance),
                 allowed_by_keys = sum(along(in.phi_K, right[1].tolerance), -1);
    for (std::size_t e = 0; e < by_query.size(); ++e)
        call.satisfies(by_query.data()[e] <= 2.0 * allowed_by_query.data()[e],
                       "φ(q)·dφ(q) must be 0 for every token when epsilon is 0: the scale of a query cancels");
    for (std::size_t h = 0; h < by_keys.size(); ++h)
        call.satisfies(
            by_keys.data()[h] <= 2.0 * allowed_by_keys.data()[h],
            "the sum of φ(k)·dφ(k) over all tokens must be 0 when epsilon is 0: the scale of the keys cancels");
}

void remembers_nothing(const Form& form) { form(GradientInputs({2}, 6, 4, 5, 90), 1e-3).remembers_nothing(); }

void costs_no_more_than_in_proportion_to_n(const Form& form) {
    costs_no_more_than_in_proportion([&](std::size_t n) { return form(GradientInputs({}, n, 4, 5, 59 + n), 1e-3); },
                                     "tokens", 32, "computed in O(n²)");
}

void costs_no_more_than_in_proportion_to_the_heads(const Form& form) {
    costs_no_more_than_in_proportion(
        [&](std::size_t heads) { return form(GradientInputs({heads}, 2, 2, 3, heads), 1e-3); }, "heads", 64);
}

void keeps_no_state_for_each_token(const Form& form) {
    const std::size_t few = 32, many = 128, c = 24, d_v = 20, state = c * d_v * sizeof(double);
    const std::size_t bytes_of_few = form(GradientInputs({}, few, c, d_v, 93), 1e-3).cost().extra_bytes;
    const Call<AttentionGradients> call = form(GradientInputs({}, many, c, d_v, 94), 1e-3);
    const std::size_t allowed = bytes_of_few + (many - few) * state / 2;
    call.satisfies(call.cost().extra_bytes <= allowed,
                   "apart from the result, n = 32 held " + std::to_string(bytes_of_few) +
                       " bytes at its peak and n = 128 held " + std::to_string(call.cost().extra_bytes) +
                       "; with half a state of c d_v numbers for each token added it would be " +
                       std::to_string(allowed) + ": keep dN and dD of a token if you like, but no state",
                   "a state kept for every token");
}

void does_its_own_work(const Form& form, const std::vector<const char*>& others) {
    const Call<AttentionGradients> call = form(GradientInputs({}, 5, 3, 4, 95), 1e-3);
    call.result();
    for (const char* other : others)
        call.satisfies(!call.cost().checking.contains(other),
                       std::string("it calls ") + other + ", another form; this exercise is a form of its own");
}

// An answer that is wrong because the sums of exercise 6.3 are, which it calls, leads there.
void sums_from_the_end_as_it_should(const Form& form) {
    const GradientInputs in({2}, 6, 4, 5, 97);
    const Call<AttentionGradients> call = form(in, 0.25);
    const std::vector<Expected> right = expected(in, 0.25);
    const bool fine = !difference(call.result().phi_K, right[1]) && !difference(call.result().V, right[2]);
    if (fine || !call.cost().checking.contains("reverse_cumsum")) return;
    const Tensor pairs = expand_dims(in.phi_Q, -1) * expand_dims(in.dO, -2);
    for (const auto& [array, along] : {std::pair<const Tensor&, std::ptrdiff_t>(pairs, -3), {in.phi_Q, -2}}) {
        const Tensor& x = array;  // clang 14 lets no lambda use a structured binding
        const std::ptrdiff_t axis = along;
        const Tensor front = cumsum(x, axis), whole = sum(x, axis, keep_dims), value = whole - front + x;
        const Expected near{value, full(shape_of(x), 1e-9), "inputs below 10, of both signs", false};
        call.blames("reverse_cumsum", [&] { return CALL(reverse_cumsum, x, axis).gives({near}); });
    }
}

TEST_SUITE("attention_backward_quadratic") {
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(quadratic); }
TEST_CASE("rejects arguments that do not belong together") { rejects_arguments_that_do_not_belong_together(quadratic); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(quadratic); }
TEST_CASE("equals the definition where features are zero") { equals_the_definition_where_features_are_zero(quadratic); }
TEST_CASE("equals the definition where features have both signs") {
    equals_the_definition_where_features_have_both_signs(quadratic);
}
TEST_CASE("agrees with central differences of attention itself") { agrees_with_central_differences(quadratic); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(quadratic, 129); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(quadratic); }
TEST_CASE("ignores the scale of the features when epsilon is 0") { ignores_the_scale_of_the_features(quadratic); }
TEST_CASE("handles large and tiny features") { handles_large_and_tiny_features(quadratic); }
TEST_CASE("handles features of very different sizes") { handles_features_of_very_different_sizes(quadratic); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(quadratic); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(quadratic); }
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(quadratic, 1100); }
}

TEST_SUITE("causal_attention_backward_parallel") {
TEST_CASE("sums from the end as it should") { sums_from_the_end_as_it_should(parallel); }
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(parallel); }
TEST_CASE("rejects arguments that do not belong together") { rejects_arguments_that_do_not_belong_together(parallel); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(parallel); }
TEST_CASE("equals the definition where features are zero") { equals_the_definition_where_features_are_zero(parallel); }
TEST_CASE("equals the definition where features have both signs") {
    equals_the_definition_where_features_have_both_signs(parallel);
}
TEST_CASE("agrees with central differences of attention itself") { agrees_with_central_differences(parallel); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(parallel, 200); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(parallel); }
TEST_CASE("ignores the scale of the features when epsilon is 0") { ignores_the_scale_of_the_features(parallel); }
TEST_CASE("handles large and tiny features") { handles_large_and_tiny_features(parallel); }
TEST_CASE("handles features of very different sizes") { handles_features_of_very_different_sizes(parallel); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(parallel); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(parallel); }
TEST_CASE("does not go by another form") {
    does_its_own_work(parallel, {"causal_attention_backward", "causal_attention_backward_chunkwise"});
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(parallel); }
}

TEST_SUITE("causal_attention_backward") {
TEST_CASE("gives the chapter's worked example") { gives_the_worked_example(recurrent); }
TEST_CASE("rejects arguments that do not belong together") { rejects_arguments_that_do_not_belong_together(recurrent); }
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(recurrent); }
TEST_CASE("equals the definition where features are zero") { equals_the_definition_where_features_are_zero(recurrent); }
TEST_CASE("equals the definition where features have both signs") {
    equals_the_definition_where_features_have_both_signs(recurrent);
}
TEST_CASE("agrees with central differences of attention itself") { agrees_with_central_differences(recurrent); }
TEST_CASE("equals the definition at every size") { equals_the_definition_at_every_size(recurrent, 200); }
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(recurrent); }
TEST_CASE("ignores the scale of the features when epsilon is 0") { ignores_the_scale_of_the_features(recurrent); }
TEST_CASE("handles large and tiny features") { handles_large_and_tiny_features(recurrent); }
TEST_CASE("handles features of very different sizes") { handles_features_of_very_different_sizes(recurrent); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(recurrent); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(recurrent); }
TEST_CASE("keeps no state for each token") { keeps_no_state_for_each_token(recurrent); }
TEST_CASE("does not go by another form") {
    does_its_own_work(recurrent, {"causal_attention_backward_parallel", "causal_attention_backward_chunkwise"});
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(recurrent); }
}

TEST_SUITE("causal_attention_backward_chunkwise") {
TEST_CASE("gives the chapter's worked example") {
    for (const std::size_t chunk : {1U, 2U, 3U, 4U}) gives_the_worked_example(chunkwise(chunk));
}
TEST_CASE("rejects arguments that do not belong together") {
    rejects_arguments_that_do_not_belong_together(chunkwise(2));
    const GradientInputs in({2}, 5, 3, 4, 2);
    chunkwise(0)(in, 1e-6).rejects({"chunk", "at least 1", "0"});
}
TEST_CASE("equals the definition for every leading shape") { equals_the_definition(chunkwise(4)); }
TEST_CASE("equals the definition for every chunk, longer than the sequence too") {
    std::uint64_t stream = 200;
    for (const std::size_t chunk : {1U, 2U, 3U, 8U, 9U, 10U, 100U})
        equals(chunkwise(chunk), GradientInputs({2}, 9, 4, 5, ++stream), 0.5);
    equals(chunkwise(std::numeric_limits<std::size_t>::max()), GradientInputs({2}, 9, 4, 5, ++stream), 0.5);
}
TEST_CASE("equals the definition where features are zero") {
    equals_the_definition_where_features_are_zero(chunkwise(4));
}
TEST_CASE("equals the definition where features have both signs") {
    equals_the_definition_where_features_have_both_signs(chunkwise(4));
}
TEST_CASE("agrees with central differences of attention itself") { agrees_with_central_differences(chunkwise(4)); }
TEST_CASE("equals the definition at every size") {
    equals_the_definition_at_every_size(chunkwise(16), 200);
    equals_the_definition_at_every_size(chunkwise(64), 129);
}
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(chunkwise(4)); }
TEST_CASE("ignores the scale of the features when epsilon is 0") { ignores_the_scale_of_the_features(chunkwise(4)); }
TEST_CASE("handles large and tiny features") { handles_large_and_tiny_features(chunkwise(4)); }
TEST_CASE("handles features of very different sizes") { handles_features_of_very_different_sizes(chunkwise(4)); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(chunkwise(4)); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(chunkwise(8)); }
TEST_CASE("keeps no state for each token") { keeps_no_state_for_each_token(chunkwise(8)); }
TEST_CASE("does not go by another form") {
    does_its_own_work(chunkwise(4), {"causal_attention_backward", "causal_attention_backward_parallel"});
}
TEST_CASE("does its work in products of matrices, a chunk at a time") {
    // So wide that an own loop runs many more blocks for a token than the calls of the vocabulary do, under any compiler.
    const std::size_t chunk = 16, n = 64, c = 48, d_v = 40;
    const Call<AttentionGradients> call = chunkwise(chunk)(GradientInputs({}, n, c, d_v, 96), 1e-3);
    call.result();
    // S and R of every chunk are made and read by products; own loops would show as blocks of the student's file.
    const bool own_loops = call.cost().blocks > n * c * d_v;
    call.satisfies(own_loops || call.cost().largest >= chunk * c * d_v / 2,
                   "the largest step of the vocabulary did " + std::to_string(call.cost().largest) +
                       " multiply-adds, about one token's; one of " + std::to_string(chunk * c * d_v) +
                       " is expected, by which all keys and values of a chunk of " + std::to_string(chunk) +
                       " tokens change S at once");
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_at_long_sizes(chunkwise(64)); }
}

}  // namespace linattn::testing::attention_gradients_test
