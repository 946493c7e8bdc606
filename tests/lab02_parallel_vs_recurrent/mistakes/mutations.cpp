// The attention exercises of lab 02 as definitions whose settings are changed (attention_mutations.hpp).
#include "attention_mutations.hpp"
#include "attention_step.hpp"

namespace linattn::testing::mutations {

Tensor masked(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
              const FeatureMap& phi, Mask mask) {
    require_attention_shapes(Q, K, V);
    return attention_by_settings({.Q = Q, .K = K, .V = V, .phi = phi, .causal = mask == Mask::causal}, settings).output;
}
Tensor softmax(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask) {
    return masked(settings, Q, K, V, oracle_feature_map("identity"), mask);
}
Tensor unmasked(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                const FeatureMap& phi) {
    return masked(settings, Q, K, V, phi, Mask::causal);
}
AttentionStep step(const AttentionSettings& settings, const Tensor& q, const Tensor& k, const Tensor& v,
                   const Tensor& S, const FeatureMap& phi) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    require_shape(S, "S", join(shape.leading, {length(phi(k), -1), shape.d_v}), "(…, c, d_v)");
    const AttentionResult made = attention_by_settings(
        {.Q = expand_dims(q, -2), .K = expand_dims(k, -2), .V = expand_dims(v, -2), .phi = phi, .S = &S}, settings);
    if (settings.writes_argument) const_cast<Tensor&>(S) = made.S;
    return {reshape(made.output, shape_of(v)), made.S};
}

AttentionSettings softmax_settings() {
    AttentionSettings right;
    right.kernel = Kernel::exponential;
    right.scale = Scale::over_root_d_k;
    right.divisor = Divisor::sum;
    return right;
}
AttentionSettings over_all_tokens() {
    AttentionSettings right;
    right.S.tokens = right.z.tokens = Tokens::all;
    return right;
}

const unsigned every_form =
    has::features | has::products | has::no_divisor | has::sequence | has::values | has::signed_features;
const MutationTable<AttentionSettings>& table = attention_mutations();

const MutationsOf softmax_attention_mutations(
    "softmax_attention", table, has::softmax | has::mask | has::sequence | has::divisor, softmax_settings(), &softmax,
    {.without = {"first token left out", "divided by the largest weight", "negative features cut off at 0",
                 "normaliser without the query", "normaliser without the keys", "sum of φ(q) times the sum of z",
                 "z read before it is updated", "features divided by their length",
                 "keys' features divided by their length", "keys' features divided by their sum",
                 "φ applied to the scores", "each feature of the keys divided by its own sum",
                 "mean of the features' averages", "each key divided by the sum of its features",
                 "each weight divided by the lengths of φ(q) and φ(k)"}});
const MutationsOf quadratic_mutations("linear_attention_quadratic", table, every_form | has::mask, AttentionSettings{},
                                      &masked);
const MutationsOf bidirectional_mutations("linear_attention_bidirectional", table,
                                          every_form | has::total | has::linear_cost, over_all_tokens(), &unmasked,
                                          {.without = {"state shared with earlier heads"}});
const MutationsOf parallel_mutations("linear_attention_parallel", table, every_form | has::running | has::linear_cost,
                                     AttentionSettings{}, &unmasked);
const MutationsOf recurrent_mutations("linear_attention_recurrent", table,
                                      every_form | has::running | has::constant_memory, AttentionSettings{}, &unmasked,
                                      {.rows = rows_of_attention()});
const MutationsOf step_mutations("linear_attention_step", table,
                                 has::features | has::products | has::no_divisor | has::values | has::state |
                                     has::signed_features,
                                 AttentionSettings{}, &step);

// Calls made for the diagnosis alone: all sizes different, several leading axes, features of both signs, few tokens.
const Shape leading{2, 2};
const std::size_t n = 5, d_k = 3, d_v = 2;
const FeatureMap& signed_map() {
    static const FeatureMap phi = oracle_feature_map("pairs");
    return phi;
}
const Tensor input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {n, width}), stream); }
const Tensor token_input(std::size_t width, std::uint64_t stream) {
    return random_tensor(join(leading, {width}), stream);
}

const Probes softmax_probes("softmax_attention", [] {
    return std::vector{
        probe(&linattn::softmax_attention, input(d_k, 901), input(d_k, 902), input(d_v, 903), Mask::causal),
        probe(&linattn::softmax_attention, input(d_k, 901), input(d_k, 902), input(d_v, 903), Mask::none)};
});
const Probes quadratic_probes("linear_attention_quadratic", [] {
    return std::vector{probe(&linattn::linear_attention_quadratic, input(d_k, 901), input(d_k, 902), input(d_v, 903),
                             signed_map(), Mask::causal),
                       probe(&linattn::linear_attention_quadratic, input(d_k, 901), input(d_k, 902), input(d_v, 903),
                             signed_map(), Mask::none)};
});
template <class Form>
std::vector<Run> probes_of(Form* form) {
    return {probe(form, input(d_k, 901), input(d_k, 902), input(d_v, 903), signed_map())};
}
const Probes bidirectional_probes("linear_attention_bidirectional",
                                  [] { return probes_of(&linattn::linear_attention_bidirectional); });
const Probes parallel_probes("linear_attention_parallel",
                             [] { return probes_of(&linattn::linear_attention_parallel); });
const Probes recurrent_probes("linear_attention_recurrent",
                              [] { return probes_of(&linattn::linear_attention_recurrent); });
const Probes step_probes("linear_attention_step", [] {
    return std::vector{probe(&linattn::linear_attention_step, token_input(d_k, 901), token_input(d_k, 902),
                             token_input(d_v, 903), random_tensor(join(leading, {d_k * d_k, d_v}), 904), signed_map())};
});

}  // namespace linattn::testing::mutations
