#include "attention_claims.hpp"

#include <algorithm>
#include <cmath>

#include "cost_claims.hpp"

namespace linattn::testing {
namespace {

const Shape leading_shapes[] = {{}, {2}, {2, 3}};

// The last `count` tokens of x replaced by other random ones.
Tensor with_other_last_tokens(const Tensor& x, std::size_t count, std::uint64_t stream) {
    Tensor changed = x;
    const std::size_t n = length(x, -2);
    for (std::size_t i = n - count; i < n; ++i) set_token(changed, i, random_tensor(shape_of(token(x, i)), stream + i));
    return changed;
}

}  // namespace

void rejects_shapes_that_do_not_belong_together(const Form& form) {
    const FeatureMap phi = oracle_feature_map("identity");
    form.run(zeros({5, 2}), zeros({5, 3}), zeros({5, 4}), phi).rejects({"K", "(5, 2)", "(5, 3)"});
    form.run(zeros({5, 2}), zeros({6, 2}), zeros({5, 4}), phi).rejects({"K", "(5, 2)", "(6, 2)"});
    form.run(zeros({5, 2}), zeros({5, 2}), zeros({6, 4}), phi).rejects({"V", "(5, 4)", "(6, 4)"});
    form.run(zeros({3, 5, 2}), zeros({3, 5, 2}), zeros({5, 4}), phi).rejects({"V", "(3, 5, 4)", "(5, 4)"});
    form.run(zeros({2}), zeros({2}), zeros({5, 4}), phi).rejects({"Q", "(…, n, d_k)", "(2,)"});
}

void equals_the_definition(const Form& form, const std::vector<std::string>& feature_maps) {
    std::uint64_t stream = 1;
    for (const std::string& name : feature_maps)
        for (const Shape& leading : leading_shapes) {
            const Inputs in(leading, 9, 4, 5, ++stream);
            const FeatureMap phi = oracle_feature_map(name);
            form.run(in.Q, in.K, in.V, phi).equals(form.expected(in.Q, in.K, in.V, phi));
        }
}

void equals_the_definition_at_every_size(const Form& form, std::size_t longest) {
    std::uint64_t stream = 700;
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    for (const Size& size : sizes_around_borders(longest)) {
        const Inputs in(size, ++stream);
        form.run(in.Q, in.K, in.V, phi).equals(form.expected(in.Q, in.K, in.V, phi));
    }
}

void remembers_nothing(const Form& form) {
    const Inputs in({2}, 6, 4, 5, 90);
    form.run(in.Q, in.K, in.V, oracle_feature_map("elu_plus_one")).remembers_nothing();
}

void handles_one_token_and_no_token(const Form& form) {
    const FeatureMap phi = oracle_feature_map("pairs");
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}}) {
            const Inputs in(leading, n, 4, 5, 20 + n);
            form.run(in.Q, in.K, in.V, phi).equals(form.expected(in.Q, in.K, in.V, phi));
        }
}

void treats_every_head_by_itself(const Form& form) {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Inputs in({3}, 6, 4, 5, 30);
    const Tensor all = form.run(in.Q, in.K, in.V, phi).result();
    for (std::size_t head = 0; head < 3; ++head) {
        const auto part = [&](const Tensor& x) {
            Tensor alone = zeros({length(x, -2), length(x, -1)});
            std::copy_n(x.data() + head * alone.size(), alone.size(), alone.data());
            return alone;
        };
        const Call<Tensor> alone = form.run(part(in.Q), part(in.K), part(in.V), phi);
        alone.equals(form.expected(part(in.Q), part(in.K), part(in.V), phi));
        alone.satisfies(
            distance_if_alike(parts_of(alone.result()), parts_of(part(all))).has_value(),
            "head " + std::to_string(head) + " alone gives another output than together with two other heads");
    }
}

void never_depends_on_a_later_token(const Form& form) {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Inputs in({2}, 8, 4, 5, 50);
    const Tensor before = form.run(in.Q, in.K, in.V, phi).result();
    for (std::size_t changed = 1; changed < 8; ++changed) {
        const Tensor Q = with_other_last_tokens(in.Q, changed, 500), K = with_other_last_tokens(in.K, changed, 600),
                     V = with_other_last_tokens(in.V, changed, 700);
        const Call<Tensor> call = form.run(Q, K, V, phi);
        for (std::size_t i = 0; i + changed < 8; ++i)
            call.satisfies(all_equal(token(call.result(), i), token(before, i)),
                           "the last " + std::to_string(changed) + " tokens were changed, and the output of token " +
                               std::to_string(i) + " changed with them: it must be the same to the last bit");
    }
}

void keeps_a_nan_to_its_own_and_later_tokens(const Form& form) {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Inputs in({2}, 6, 4, 5, 60);
    const Tensor before = form.run(in.Q, in.K, in.V, phi).result();
    Tensor K = in.K, V = in.V;
    set_token(K, 3, full({2, 4}, not_a_number));
    set_token(V, 3, full({2, 5}, not_a_number));
    for (const Call<Tensor>& call : {form.run(in.Q, in.K, V, phi), form.run(in.Q, K, in.V, phi)})
        for (std::size_t i = 0; i < 6; ++i) {
            const Tensor now = token(call.result(), i);
            bool all_nan = true;
            for (std::size_t e = 0; e < now.size(); ++e) all_nan = all_nan && std::isnan(now.data()[e]);
            call.satisfies(i < 3 ? all_equal(now, token(before, i)) : all_nan,
                           "the key or the value of token 3 is NaN: outputs 0 to 2 must stay as they were, 3 and later "
                           "become NaN; output " +
                               std::to_string(i) + " does not");
        }
}

void keeps_a_nan_to_its_own_head(const Form& form) {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Inputs in({2}, 6, 4, 5, 60);
    const Tensor before = result_of_shape(form.run(in.Q, in.K, in.V, phi), {2, 6, 5});
    Tensor K = in.K, V = in.V;
    std::fill_n(K.data() + 3 * 4, 4, not_a_number);  // token 3 of head 0
    std::fill_n(V.data() + 3 * 5, 5, not_a_number);
    for (const Call<Tensor>& call : {form.run(in.Q, in.K, V, phi), form.run(in.Q, K, in.V, phi)}) {
        const double* now = result_of_shape(call, {2, 6, 5}).data();
        const bool reached = std::all_of(now + 3 * 5, now + 6 * 5, [](double o) { return std::isnan(o); });
        call.satisfies(
            reached, "the key or the value of token 3 of head 0 is NaN: outputs 3 and later of that head must be NaN");
        call.satisfies(
            std::equal(now + 6 * 5, now + 12 * 5, before.data() + 6 * 5),
            "the key or the value of token 3 of head 0 is NaN: the outputs of head 1 must stay as they were");
    }
}

void costs_no_more_than_in_proportion_to_n(const Form& form) {
    costs_no_more_than_in_proportion(
        [&](std::size_t n) {
            const Inputs in({}, n, 4, 5, 70 + n);
            return form.run(in.Q, in.K, in.V, oracle_feature_map("elu_plus_one"));
        },
        "tokens", 32, "computed in O(n²)");
}

void holds_no_more_for_a_longer_sequence(const std::function<Trial(std::size_t n)>& run, std::size_t tolerated) {
    const std::size_t bytes_of_few = run(32).cost().extra_bytes;
    const Trial many = run(128);
    const std::size_t slack = 512;  // less than one more number for every added token and head
    many.satisfies(many.cost().extra_bytes <= bytes_of_few + (128 - 32) * tolerated + slack,
                   "apart from the result, n = 32 held " + std::to_string(bytes_of_few) +
                       " bytes at its peak and n = 128 held " + std::to_string(many.cost().extra_bytes) +
                       ": only the state may be kept",
                   "memory grows with the sequence");
}

}  // namespace linattn::testing
