// The exercises of lab 03 as definitions whose settings are changed (attention_mutations.hpp).
#include "attention_mutations.hpp"
#include "causal_state.hpp"

namespace linattn::testing {
namespace {

Tensor weights(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const FeatureMap& phi, Mask mask,
               double epsilon) {
    require_rank(Q, "Q", 2, "(…, n, d_k)");
    require_shape(K, "K", shape_of(Q), "(…, n, d_k), the shape of Q,");
    Shape shape = shape_of(Q);
    const std::size_t n = shape[shape.size() - 2];
    shape.back() = n;
    Tensor V = zeros(shape);  // with the unit vectors as values the output is the matrix of weights
    for (std::size_t e = 0; e < V.size(); ++e) V.data()[e] = e / n % n == e % n;
    return attention_by_settings(
               {.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon, .causal = mask == Mask::causal}, settings)
        .output;
}
Tensor whole(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
             const FeatureMap& phi, double epsilon) {
    require_attention_shapes(Q, K, V);
    return attention_by_settings({.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon}, settings).output;
}
Tensor padded(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
              const Tensor& key_padding_mask, const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(key_padding_mask, "key_padding_mask", join(shape.leading, {shape.n}), "(…, n)");
    return attention_by_settings({.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon, .padding = &key_padding_mask},
                                 settings)
        .output;
}
Tensor streamed(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V, double epsilon) {
    return whole(settings, Q, K, V, oracle_feature_map("identity"), epsilon);
}
OutputAndState with_state(const AttentionSettings& settings, const AttentionCall& call, const CausalState& state,
                          const Shape& shape) {
    const AttentionResult made = attention_by_settings(call, settings);
    const OutputAndState result{reshape(made.output, shape), {made.S, made.z}};
    if (settings.writes_argument) const_cast<CausalState&>(state) = result.state;
    return result;
}
void require_state(const CausalState& state, const Shape& leading, std::size_t c, std::size_t d_v) {
    require_shape(state.S, "state.S", join(leading, {c, d_v}), "(…, c, d_v)");
    require_shape(state.z, "state.z", join(leading, {c}), "(…, c)");
}
OutputAndState step(const AttentionSettings& settings, const Tensor& q, const Tensor& k, const Tensor& v,
                    const CausalState& state, const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    require_state(state, shape.leading, length(phi(k), -1), shape.d_v);
    return with_state(settings,
                      {.Q = expand_dims(q, -2),
                       .K = expand_dims(k, -2),
                       .V = expand_dims(v, -2),
                       .phi = phi,
                       .epsilon = epsilon,
                       .S = &state.S,
                       .z = &state.z},
                      state, shape_of(v));
}
OutputAndState resume(const AttentionSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V,
                      const CausalState& state, const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_state(state, shape.leading, length(phi(zeros({shape.d_k})), -1), shape.d_v);
    return with_state(settings, {.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon, .S = &state.S, .z = &state.z},
                      state, shape_of(V));
}

// Several sequences in a row: of the tokens of others, which a right answer does not see, the settings say what becomes as of
// padding.
enum class Borders { given, one_late, one_early, of_first_head, only_first, inverted, first_token_lost };
struct PackedSettings {
    AttentionSettings attention;
    Borders borders = Borders::given;
    bool operator==(const PackedSettings&) const = default;
};

// For each token the number of its sequence.
Tensor numbers_of_sequences(const Tensor& begins, Borders borders) {
    const std::size_t n = length(begins, -1);
    Tensor number = zeros(shape_of(begins));
    for (std::size_t e = 0; n > 0 && e < number.size(); ++e) {
        const std::size_t i = e % n, row = borders == Borders::of_first_head ? 0 : e - i;
        std::size_t at = i;
        if (borders == Borders::one_late) at = std::max<std::size_t>(i, 1) - 1;
        if (borders == Borders::one_early) at = std::min(i + 1, n - 1);
        bool first = begins.data()[row + at] != 0.0;
        if (borders == Borders::one_late && i == 0) first = false;
        if (borders == Borders::inverted) first = !first;
        number.data()[e] = (i == 0 ? 0.0 : number.data()[e - 1]) + (first ? 1.0 : 0.0);
        if (borders == Borders::only_first) number.data()[e] = std::min(number.data()[e], 1.0 + begins.data()[e - i]);
    }
    return number;
}
Tensor packed(const PackedSettings& settings, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& begins,
              const FeatureMap& phi, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_shape(begins, "begins", join(shape.leading, {shape.n}), "(…, n)");
    const Tensor number = numbers_of_sequences(begins, settings.borders);
    Tensor output = zeros(shape_of(V));
    double most = 0.0;
    for (std::size_t e = 0; e < number.size(); ++e) most = std::max(most, number.data()[e]);
    for (double sequence = 0.0; sequence <= most; ++sequence) {
        const Tensor own = abs(number - sequence) < 0.5;
        const Tensor counted =
            settings.borders == Borders::first_token_lost && sequence > 0.0 ? where(begins, 0.0, own) : own;
        const AttentionCall call{.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon, .padding = &counted};
        output = where(expand_dims(own, -1), attention_by_settings(call, settings.attention).output, output);
    }
    return output;
}
MutationTable<PackedSettings> own_and_of_attention() {
    MutationTable<PackedSettings> table{
        {{"the borders", "state not forgotten where a sequence begins",
          "S and z are zero again before the first token of each sequence.", 0,
          SET(s.attention.S.padding = s.attention.z.padding = Padding::ignored)},
         {"the borders", "z not forgotten", "z is zero again where a sequence begins, like S.", 0,
          SET(s.attention.z.padding = Padding::ignored)},
         {"the borders", "S not forgotten", "S is zero again where a sequence begins, like z.", 0,
          SET(s.attention.S.padding = Padding::ignored)},
         {"the borders", "state multiplied by zero",
          "0 times NaN is NaN: select with `where`, so that nothing of an earlier sequence is left.", 0,
          SET(s.attention.S.padding = s.attention.z.padding = Padding::keys_and_values_times_zero)},
         {"the borders", "forgotten one token late", "Forget the state before the first token of a sequence is added.",
          0, SET(s.borders = Borders::one_late)},
         {"the borders", "forgotten one token early", "The last token of a sequence still sees all of it.", 0,
          SET(s.borders = Borders::one_early)},
         {"the borders", "forgotten after the first token is added",
          "Forget the state first, then add the token: it belongs to its own sequence.", 0,
          SET(s.borders = Borders::first_token_lost)},
         {"the borders", "one set of borders for the whole batch", "Every leading index has borders of its own.", 0,
          SET(s.borders = Borders::of_first_head)},
         {"the borders", "only the first border counts", "Forget the state at every border.", 0,
          SET(s.borders = Borders::only_first)},
         {"the borders", "marks inverted", "1 marks the first token of a sequence, 0 the others.", 0,
          SET(s.borders = Borders::inverted)}},
        {}};
    add_mutations_of(table, attention_mutations(), &PackedSettings::attention);
    return table;
}
const MutationTable<PackedSettings>& packed_table() {
    static const MutationTable<PackedSettings> all = own_and_of_attention();
    return all;
}

AttentionSettings divided() {
    AttentionSettings right;
    right.divisor = Divisor::sum;
    return right;
}
AttentionSettings over_all_tokens() {
    AttentionSettings right = divided();
    right.S.tokens = right.z.tokens = Tokens::all;
    return right;
}
AttentionSettings exponentials() {
    AttentionSettings right = divided();
    right.kernel = Kernel::exponentials;
    return right;
}

const unsigned every_form = has::features | has::products | has::divisor | has::epsilon | has::signed_features;
const MutationTable<AttentionSettings>& table = attention_mutations();

const MutationsOf weights_mutations("attention_weights", table,
                                    every_form | has::mask | has::sequence | has::running | has::updates, divided(),
                                    &weights, {.without = {"total instead of the running sum"}});
const MutationsOf normalized_mutations("normalized_linear_attention", table,
                                       every_form | has::sequence | has::values | has::total | has::linear_cost,
                                       over_all_tokens(), &whole,
                                       {.without = {"state shared with earlier heads", "divided by n",
                                                    "z read before it is updated", "S read before it is updated"}});
const MutationsOf causal_mutations("causal_linear_attention", table,
                                   every_form | has::sequence | has::values | has::running | has::updates |
                                       has::linear_cost,
                                   divided(), &whole, {.rows = rows_of_attention()});
const MutationsOf step_mutations("causal_linear_attention_step", table,
                                 every_form | has::values | has::state | has::z | has::updates, divided(), &step);
const MutationsOf resume_mutations(
    "causal_linear_attention_resume", table,
    every_form | has::values | has::sequence | has::running | has::updates | has::state | has::z | has::resumed |
        has::constant_memory,
    divided(), &resume,
    {.without = {"only later tokens", "the token itself is left out", "only the first leading index computed",
                 "each feature of the keys divided by its own sum", "each key divided by the sum of its features",
                 "ε only where the sum is 0"},
     .rows = rows_of_attention()});
const MutationsOf padded_mutations("masked_causal_linear_attention", table,
                                   every_form | has::values | has::sequence | has::running | has::updates |
                                       has::padding | has::linear_cost,
                                   divided(), &padded,
                                   {.without = {"padding multiplied by zero"}, .rows = rows_of_attention()});
const MutationsOf streaming_mutations(
    "streaming_exp_attention", table,
    has::divisor | has::epsilon | has::values | has::sequence | has::running | has::updates | has::streaming |
        has::constant_memory,
    exponentials(), &streamed,
    {.without = {"z summed along the features", "one maximum for all channels", "negative features cut off at 0",
                 "normaliser without the query", "normaliser without the keys", "product of two running sums",
                 "ε only where the sum is 0", "one denominator for all leading indices",
                 "each feature of the keys divided by its own sum", "each key divided by the sum of its features"},
     .rows = rows_of_attention()});

const MutationsOf packed_mutations("packed_causal_linear_attention", packed_table(),
                                   every_form | has::values | has::sequence | has::running | has::updates |
                                       has::linear_cost,
                                   PackedSettings{divided()}, &packed);

// Calls made for the diagnosis alone: all sizes different, several leading axes, features of both signs, few tokens, an ε
// that is large enough to see.
const Shape leading{2, 2};
const std::size_t n = 5, d_k = 3, d_v = 2, c = d_k * d_k;
const double epsilon = 0.5;
const FeatureMap& signed_map() {
    static const FeatureMap phi = oracle_feature_map("pairs");
    return phi;
}
Tensor input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {n, width}), stream); }
Tensor token_input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {width}), stream); }
CausalState state_input(std::size_t width) {
    return {random_tensor(join(leading, {width, d_v}), 904), random_tensor(join(leading, {width}), 905, 0.5, 2.0)};
}

const Probes weights_probes("attention_weights", [] {
    return std::vector{
        probe(&linattn::attention_weights, input(d_k, 901), input(d_k, 902), signed_map(), Mask::causal, epsilon),
        probe(&linattn::attention_weights, input(d_k, 901), input(d_k, 902), signed_map(), Mask::none, epsilon)};
});
// x itself gives weights of both signs, its pairs only features of both.
template <class Form>
std::vector<Run> probes_of(Form* form) {
    return {probe(form, input(d_k, 901), input(d_k, 902), input(d_v, 903), signed_map(), epsilon),
            probe(form, input(d_k, 901), input(d_k, 902), input(d_v, 903), oracle_feature_map("identity"), epsilon)};
}
const Probes normalized_probes("normalized_linear_attention",
                               [] { return probes_of(&linattn::normalized_linear_attention); });
const Probes causal_probes("causal_linear_attention", [] { return probes_of(&linattn::causal_linear_attention); });
const Probes step_probes("causal_linear_attention_step", [] {
    return std::vector{probe(&linattn::causal_linear_attention_step, token_input(d_k, 901), token_input(d_k, 902),
                             token_input(d_v, 903), state_input(c), signed_map(), epsilon),
                       probe(&linattn::causal_linear_attention_step, token_input(d_k, 901), token_input(d_k, 902),
                             token_input(d_v, 903), state_input(d_k), oracle_feature_map("identity"), epsilon)};
});
const Probes resume_probes("causal_linear_attention_resume", [] {
    return std::vector{probe(&linattn::causal_linear_attention_resume, input(d_k, 901), input(d_k, 902),
                             input(d_v, 903), state_input(c), signed_map(), epsilon)};
});
const Probes padded_probes("masked_causal_linear_attention", [] {
    const Tensor mask{{{1, 0, 1, 1, 0}, {0, 1, 1, 0, 1}}, {{1, 1, 0, 1, 1}, {1, 0, 0, 1, 1}}};
    return std::vector{probe(&linattn::masked_causal_linear_attention, input(d_k, 901), input(d_k, 902),
                             input(d_v, 903), mask, signed_map(), epsilon)};
});
const Probes packed_probes("packed_causal_linear_attention", [] {
    const Tensor begins{{{1, 0, 1, 0, 0}, {0, 0, 0, 1, 0}}, {{1, 0, 0, 0, 1}, {1, 1, 0, 0, 0}}};
    return std::vector{probe(&linattn::packed_causal_linear_attention, input(d_k, 901), input(d_k, 902),
                             input(d_v, 903), begins, signed_map(), epsilon)};
});
const Probes streaming_probes("streaming_exp_attention", [] {
    return std::vector{
        probe(&linattn::streaming_exp_attention, input(d_k, 901), input(d_k, 902), input(d_v, 903), 5.0)};
});

}  // namespace
}  // namespace linattn::testing
