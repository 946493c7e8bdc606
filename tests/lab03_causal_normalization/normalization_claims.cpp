#include "normalization_claims.hpp"

#include <cmath>
#include <cstdio>

namespace linattn::testing {
namespace {

// What each row of weights sums to before it is divided. \shape{(…, n, 1)}
Tensor denominators(const Inputs& in, const FeatureMap& phi, const Allowed& allowed) {
    return sum(weights_by_definition(phi(in.Q), phi(in.K), allowed), -1, keep_dims);
}

std::string in_short(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", x);
    return text;
}

}  // namespace

Inputs with_denominators_of_both_signs(const Shape& leading, std::size_t n, std::uint64_t stream) {
    Inputs in(leading, n, 4, 5, stream);
    // Keys near (1, 1, 1, 1) and queries near ±(1, 1, 1, 1): every product lies between 1 and 8, times the query's sign.
    in.K = in.K * 0.2 + 1.0;
    for (std::size_t i = 0; i < in.Q.size(); ++i)
        in.Q.data()[i] = (in.Q.data()[i] * 0.2 + 1.0) * (i / 4 % 2 == 0 ? -1.0 : 1.0);
    return in;
}

void equals_the_normalized_definition(const NormalizedForm& form) {
    equals_the_definition(form.with(1e-6), {"elu_plus_one", "relu", "pairs", "identity"});
    equals_the_definition(form.with(0.0), {"elu_plus_one", "pairs"});
    equals_the_definition(form.with(0.5), {"elu_plus_one", "relu"});  // an ε that shows where it is added
}

void values_of_one_give_one(const NormalizedForm& form) {
    const Inputs in({2}, 9, 4, 5, 100);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Tensor V = ones({2, 9, 5});
    for (const double epsilon : {0.0, 1e-6, 0.5}) {
        const Tensor total = denominators(in, phi, form.allowed);
        const Tensor share = total / (total + epsilon);  // 1 - ε / (sum + ε)
        form.with(epsilon)
            .run(in.Q, in.K, V, phi)
            .equals(to_rounding(V * share, 4 * (9 + 4 + 4), "sums of 9 and 4 positive terms, above and below"));
    }
}

void stays_within_the_range_of_the_values(const NormalizedForm& form) {
    const Inputs in({2}, 9, 4, 5, 110);
    const Call<Tensor> call = form.with(0.0).run(in.Q, in.K, in.V, oracle_feature_map("elu_plus_one"));
    const Tensor highest = amax(in.V, -2, keep_dims), lowest = -amax(-in.V, -2, keep_dims);
    const Tensor outside = maximum(maximum(call.result() - highest, lowest - call.result()), 0.0);
    const double furthest = amax(reshape(outside, {outside.size()}), 0)();
    const double allowed = 4 * (9 + 4 + 4) * 2.0 * 0x1p-53;  // as above, for values below 2
    call.satisfies(furthest <= allowed,
                   "an average lies between the smallest and the largest of its values; this one is " +
                       in_short(furthest) + " outside, where rounding explains " + in_short(allowed));
}

void does_not_depend_on_the_scale_of_the_features(const NormalizedForm& form) {
    const Inputs in({2}, 9, 4, 5, 120);
    const FeatureMap phi = oracle_feature_map("elu_plus_one"), scaled = oracle_feature_map("elu_plus_one_times_0.001");
    const Expected unscaled = expected_normalized_attention(in.Q, in.K, in.V, phi, form.allowed, 0.0);
    for (const double epsilon : {0.0, 1e-12}) {
        const Tensor moved = abs(unscaled.value) * (epsilon / (denominators(in, phi, form.allowed) * 1e-6));
        form.with(epsilon)
            .run(in.Q, in.K, in.V, scaled)
            .equals(Expected{unscaled.value, moved + unscaled.tolerance * 2.0,
                             "features times 0.001 make the sums 1e-6 as large; with eps = " + in_short(epsilon) +
                                 " that may move an output by eps / (1e-6 sum) of itself, here at most " +
                                 in_short(amax(reshape(moved, {moved.size()}), 0)()) + ", and rounding"});
    }
}

void stays_finite_where_the_weights_vanish(const NormalizedForm& form) {
    const FeatureMap phi = oracle_feature_map("relu");
    const double epsilon = 1e-6;
    Inputs in({2}, 6, 4, 5, 130);
    in.Q = abs(in.Q);
    in.K = abs(in.K);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) set_token(in.K, i, full({2, 4}, -1.0));  // φ = 0
    set_token(in.Q, 4, full({2, 4}, -1.0));
    const Form with_epsilon = form.with(epsilon);
    const Call<Tensor> call = with_epsilon.run(in.Q, in.K, in.V, phi);
    call.equals(with_epsilon.expected(in.Q, in.K, in.V, phi));
    bool finite = true;
    for (std::size_t e = 0; e < call.result().size(); ++e) finite = finite && std::isfinite(call.result().data()[e]);
    call.satisfies(finite, "with eps = 1e-6 no denominator is 0, so every output is finite");

    for (const double tiny : {1e-4, 1e-80, 1e-160}) {  // sums below ε, far below it, and among the denormals
        const Tensor Q = in.Q * tiny, K = in.K * tiny;
        with_epsilon.run(Q, K, in.V, phi).equals(with_epsilon.expected(Q, K, in.V, phi));
    }
    const Form exact = form.with(0.0);  // 0 / 0, said honestly
    exact.run(in.Q, in.K, in.V, phi).equals(exact.expected(in.Q, in.K, in.V, phi));
}

void gives_the_same_bits_twice(const NormalizedForm& form) {
    const Inputs in({2, 3}, 9, 4, 5, 140);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const Form with_epsilon = form.with(1e-6);
    const Tensor first = with_epsilon.run(in.Q, in.K, in.V, phi).result();
    const Call<Tensor> second = with_epsilon.run(in.Q, in.K, in.V, phi);
    second.satisfies(all_equal(second.result(), first),
                     "the same call a second time gives other bits: something was remembered");
}

}  // namespace linattn::testing
