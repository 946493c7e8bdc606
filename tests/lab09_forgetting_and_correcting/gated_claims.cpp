#include "gated_claims.hpp"

#include <cmath>

#include "attention_claims.hpp"
#include "cost_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing {
namespace {

Size size(const Shape& leading, std::size_t n, std::size_t d_k, std::size_t d_v) { return {leading, n, d_k, d_v}; }

Shape decay_shape(const Size& of, bool each_channel) {
    return join(of.leading, each_channel ? Shape{of.n, of.d_k} : Shape{of.n});
}

// Tokens from, …, n-1 of x (…, n, width) replaced by those of other.
Tensor with_tokens_of(const Tensor& x, std::size_t from, const Tensor& other) {
    Tensor changed = x;
    set_tokens(changed, from, tokens(other, from, length(other, -2)));
    return changed;
}

}  // namespace

Tensor random_decays(const Shape& shape, std::uint64_t stream, Strength strength) {
    if (strength == Strength::weak) return random_tensor(shape, stream, -0.1, 0.0);
    if (strength == Strength::middle) return random_tensor(shape, stream, -1.5, -0.05);
    if (strength == Strength::mixed) return -exp(random_tensor(shape, stream, std::log(1e-3), std::log(20.0)));
    const double levels[] = {0.0, -1e-3, -1.0, -20.0, -1e4, -infinity};
    Tensor decays = random_tensor(shape, stream, 0.0, 6.0);
    for (std::size_t e = 0; e < decays.size(); ++e) decays.data()[e] = levels[static_cast<int>(decays.data()[e])];
    return decays;
}

GatedInputs::GatedInputs(const Size& of, std::uint64_t stream, Strength strength, bool each_channel)
    : Q(random_tensor(join(of.leading, {of.n, of.d_k}), 5 * stream)),
      K(random_tensor(join(of.leading, {of.n, of.d_k}), 5 * stream + 1)),
      V(random_tensor(join(of.leading, {of.n, of.d_v}), 5 * stream + 2)),
      log_decay(random_decays(decay_shape(of, each_channel), 5 * stream + 3, strength)),
      dO(random_tensor(join(of.leading, {of.n, of.d_v}), 5 * stream + 4)) {}

void gives_the_worked_example(const GatedForm& form) {
    GatedInputs in = form.inputs(size({}, 3, 2, 1), 1, Strength::middle);
    in.Q = in.K = worked_example::K;
    in.V = worked_example::V;
    in.log_decay =
        form.each_channel ? expand_dims(worked_example::log_decay, -1) + zeros({3, 2}) : worked_example::log_decay;
    form.run(in).equals(worked_example::about(worked_example::gated));
}

void rejects_what_does_not_belong_together(const GatedForm& form) {
    const auto with = [&](Tensor GatedInputs::*argument, const Shape& shape) {
        GatedInputs in = form.inputs(size({2}, 5, 3, 4), 2, Strength::middle);
        in.*argument = zeros(shape);
        return form.run(in);
    };
    with(&GatedInputs::K, {2, 5, 4}).rejects({"K", "(2, 5, 3)", "(2, 5, 4)"});
    with(&GatedInputs::K, {2, 6, 3}).rejects({"K", "(2, 5, 3)", "(2, 6, 3)"});
    with(&GatedInputs::V, {2, 6, 4}).rejects({"V", "(2, 5, 4)", "(2, 6, 4)"});
    with(&GatedInputs::V, {5, 4}).rejects({"V", "(2, 5, 4)", "(5, 4)"});
    with(&GatedInputs::Q, {3}).rejects({"Q", "(…, n, d_k)", "(3,)"});
    if (form.each_channel) {
        with(&GatedInputs::log_decay, {2, 5}).rejects({"log_decay", "(2, 5, 3)", "(2, 5)"});
        with(&GatedInputs::log_decay, {2, 5, 4}).rejects({"log_decay", "(2, 5, 3)", "(2, 5, 4)"});
    } else {
        with(&GatedInputs::log_decay, {5}).rejects({"log_decay", "(2, 5)", "(5,)"});
        with(&GatedInputs::log_decay, {2, 4}).rejects({"log_decay", "(2, 5)", "(2, 4)"});
        with(&GatedInputs::log_decay, {2, 5, 1}).rejects({"log_decay", "(2, 5)", "(2, 5, 1)"});
    }
}

void rejects_decays_that_are_no_logarithms(const GatedForm& form) {
    for (const double wrong : {0.9, 1e-300, infinity, not_a_number})
        for (const std::size_t place : {0U, 7U}) {
            GatedInputs in = form.inputs(size({2}, 4, 3, 2), 3, Strength::middle);
            in.log_decay.data()[place] = wrong;
            form.run(in).rejects({"log_decay", "pass log a, not a"});
        }
}

void equals_the_definition(const GatedForm& form) {
    std::uint64_t stream = 10;
    for (const Strength strength : all_strengths)
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}}) {
            form.equals_the_definition(form.inputs(size(leading, 11, 4, 4), ++stream, strength));
            form.equals_the_definition(form.inputs(size(leading, 11, 4, 5), ++stream, strength));
        }
}

void forgets_nothing_with_logarithms_of_0(const GatedForm& form) {
    GatedInputs in = form.inputs(size({2}, 9, 4, 5), 40, Strength::middle);
    in.log_decay = zeros(shape_of(in.log_decay));
    form.run(in).equals(expected_attention(in.Q, in.K, in.V, oracle_feature_map("identity"), causal));
}

void forgets_all_with_logarithms_of_minus_infinity(const GatedForm& form) {
    GatedInputs in = form.inputs(size({2}, 9, 4, 5), 41, Strength::middle);
    in.log_decay = full(shape_of(in.log_decay), -infinity);
    form.equals_the_definition(in);
}

void survives_a_reset_among_weak_decays(const GatedForm& form) {
    std::uint64_t stream = 50;
    for (const double reset : {-infinity, -1e4, -745.0, -20.0})
        for (const std::size_t at : {0U, 4U, 11U}) {
            GatedInputs in = form.inputs(size({2}, 12, 3, 2), ++stream, Strength::weak);
            const std::size_t of_token = form.each_channel ? 3 : 1;
            for (std::size_t head = 0; head < 2; ++head)
                for (std::size_t a = 0; a < of_token; ++a) in.log_decay.data()[(head * 12 + at) * of_token + a] = reset;
            form.equals_the_definition(in);
        }
}

void equals_the_definition_at_every_size(const GatedForm& form) {
    std::uint64_t stream = 100;
    for (const Size& of : sizes_around_borders(200)) {
        ++stream;
        form.equals_the_definition(form.inputs(of, stream, stream % 2 == 0 ? Strength::weak : Strength::middle));
    }
}

void reset_pieces(Tensor& log_decay) {
    const std::size_t of_piece = log_decay.size() / shape_of(log_decay)[0], of_token = of_piece / tokens_of_piece;
    for (std::size_t e = 0; e < log_decay.size(); ++e)
        if (e % of_piece < of_token) log_decay.data()[e] = -infinity;
}
Tensor joined(const Tensor& x) {
    Shape shape = shape_of(x);
    shape[1] *= shape[0];
    shape[0] = 1;
    return reshape(x, shape);
}
Expected joined(const Expected& of_pieces) {
    Expected all = of_pieces;
    all.value = joined(of_pieces.value);
    all.tolerance = joined(of_pieces.tolerance);
    return all;
}
Expected joined_sum(const Expected& of_pieces) {
    Expected all = joined(of_pieces);
    const double pieces = static_cast<double>(all.value.size() / tokens_of_piece);
    double later = 0.0;
    for (std::size_t e = all.value.size(); e-- > 0;) {
        const double own = all.tolerance.data()[e];
        all.tolerance.data()[e] = (own + later) * pieces;
        if (e % tokens_of_piece == 0) later += own;
    }
    return all;
}

void equals_the_definition_at_long_sizes(const GatedForm& form, std::size_t n) {
    at_long_widths([&](const Size& of, std::uint64_t stream) {
        form.equals_the_definition(form.inputs(of, stream, Strength::weak));
    });
    with_long_calls([&] {
        GatedInputs in = form.inputs(size({n / tokens_of_piece}, tokens_of_piece, 2, 1), 2010, Strength::weak);
        reset_pieces(in.log_decay);
        const Expected right = joined(expected_gated_attention(in.call()));
        for (Tensor GatedInputs::*each : {&GatedInputs::Q, &GatedInputs::K, &GatedInputs::V, &GatedInputs::log_decay})
            in.*each = joined(in.*each);
        form.run(in).equals(right);
    });
}

void handles_one_token_and_no_token(const GatedForm& form) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            form.equals_the_definition(form.inputs(size(leading, n, 4, 5), 140 + n, Strength::middle));
}

void handles_large_and_tiny_numbers(const GatedForm& form) {
    for (const double scale : {1e140, 1e-140}) {
        GatedInputs in = form.inputs(size({2}, 7, 4, 5), 150, Strength::middle);
        in.Q *= scale;
        in.K *= 1.0 / scale;
        form.equals_the_definition(in);
    }
}

void never_depends_on_a_later_token(const GatedForm& form) {
    const std::size_t n = 8;
    const GatedInputs in = form.inputs(size({2}, n, 4, 5), 160, Strength::middle),
                      other = form.inputs(size({2}, n, 4, 5), 161, Strength::resets);
    const Tensor before = form.run(in).result();
    for (std::size_t from = 1; from < n; ++from) {
        GatedInputs changed = in;
        for (Tensor GatedInputs::*argument : {&GatedInputs::Q, &GatedInputs::K, &GatedInputs::V})
            changed.*argument = with_tokens_of(in.*argument, from, other.*argument);
        changed.log_decay =
            form.each_channel
                ? with_tokens_of(in.log_decay, from, other.log_decay)
                : sum(with_tokens_of(expand_dims(in.log_decay, -1), from, expand_dims(other.log_decay, -1)), -1);
        const Call<Tensor> call = form.run(changed);
        const Tensor& after = result_of_shape(call, {2, n, 5});
        for (std::size_t i = 0; i < from; ++i)
            call.satisfies(all_equal(token(after, i), token(before, i)),
                           "the tokens from " + std::to_string(from) +
                               " on were changed, their decays too, and the output of token " + std::to_string(i) +
                               " changed with them: it must be the same to the last bit");
    }
}

void remembers_nothing(const GatedForm& form) {
    form.run(form.inputs(size({2}, 6, 4, 5), 170, Strength::middle)).remembers_nothing();
}

void costs_no_more_than_in_proportion_to_n(const GatedForm& form) {
    costs_no_more_than_in_proportion(
        [&](std::size_t n) { return form.run(form.inputs(size({}, n, 4, 5), 200 + n, Strength::weak)); }, "tokens", 32,
        "computed in O(n²)");
}

void costs_no_more_than_in_proportion_to_n_squared(const std::function<Trial(std::size_t n)>& run) {
    const std::size_t few = 64, many = 4 * few, steps_of_few = run(few).cost().steps;
    const Trial call = run(many);
    call.satisfies(call.cost().steps < 32 * steps_of_few,
                   std::to_string(few) + " tokens took " + std::to_string(steps_of_few) + " steps and " +
                       std::to_string(many) + " tokens took " + std::to_string(call.cost().steps) +
                       ": 4 times the tokens may cost about 16 times the steps; 64 times is cubic",
                   "computed in O(n³)");
}

void keeps_no_state_for_each_token(const GatedForm& form) {
    // Two heads of 24 · 20 numbers a state, and 4 rows of 24 for each token of a head.
    const std::size_t heads = 2, d_k = 24, d_v = 20, tolerated = heads * 4 * d_k * sizeof(double);
    holds_no_more_for_a_longer_sequence(
        [&](std::size_t n) { return form.run(form.inputs(size({heads}, n, d_k, d_v), 500 + n, Strength::weak)); },
        tolerated);
}

void does_not_go_by(const GatedForm& form, const std::vector<const char*>& others) {
    const Call<Tensor> call = form.run(form.inputs(size({}, 5, 3, 4), 180, Strength::middle));
    call.result();
    for (const char* other : others)
        call.satisfies(!call.cost().checking.contains(other),
                       std::string("it calls ") + other + ", another form; this exercise is a form of its own");
}

void uses_a_right_mask(const GatedForm& form) {
    for (const Strength strength : all_strengths) {
        const GatedInputs in = form.inputs(size({2}, 6, 4, 5), 190, strength);
        const Call<Tensor> call = form.run(in);
        if (!difference(call.result(), expected_gated_attention(in.call())) ||
            !call.cost().checking.contains("decay_mask"))
            continue;
        call.blames("decay_mask",
                    [&] { return CALL(decay_mask, in.log_decay).gives({expected_decay_mask(in.log_decay)}); });
    }
}

}  // namespace linattn::testing
