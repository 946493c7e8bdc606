// The exercises of lab 03 as definitions whose settings are changed (attention_mutations.hpp).
#include "attention_mutations.hpp"
#include "causal_state.hpp"

namespace linattn::testing::mutations {

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
enum class Borders {
    given,
    one_late,
    after_reading,
    one_early,
    of_first_head,
    of_any_head,
    only_first,
    inverted,
    where_marks_change,
    first_token_lost,
    none,  ///< a marked token is padding, and one sequence goes on all the way
};
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
        const bool late = borders == Borders::one_late || borders == Borders::after_reading;
        if (late) at = std::max<std::size_t>(i, 1) - 1;
        if (borders == Borders::one_early) at = std::min(i + 1, n - 1);
        bool first = begins.data()[row + at] != 0.0;
        for (std::size_t other = i; borders == Borders::of_any_head && other < begins.size(); other += n)
            first = first || begins.data()[other] != 0.0;
        if (late && (i == 0 || (borders == Borders::after_reading && at == 0))) first = false;
        if (borders == Borders::inverted) first = !first;
        if (borders == Borders::where_marks_change) first = i > 0 && begins.data()[e] != begins.data()[e - 1];
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
    if (settings.borders == Borders::none) {
        const Tensor counted = where(begins, 0.0, ones(shape_of(begins)));
        const AttentionCall call{.Q = Q, .K = K, .V = V, .phi = phi, .epsilon = epsilon, .padding = &counted};
        return attention_by_settings(call, settings.attention).output;
    }
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
         {"the borders", "forgotten after the first token is read",
          "Forget the state before the first token of a sequence is added: it does not belong to the sequence before.",
          0, SET(s.borders = Borders::after_reading)},
         {"the borders", "forgotten one token early", "The last token of a sequence still sees all of it.", 0,
          SET(s.borders = Borders::one_early)},
         {"the borders", "forgotten after the first token is added",
          "Forget the state first, then add the token: it belongs to its own sequence.", 0,
          SET(s.borders = Borders::first_token_lost)},
         {"the borders", "marks taken for padding",
          "1 marks the first token of a sequence, which counts as the others do: it is the state before it that goes.",
          0, SET(s.borders = Borders::none)},
         {"the borders", "one set of borders for the whole batch", "Every leading index has borders of its own.", 0,
          SET(s.borders = Borders::of_first_head)},
         {"the borders", "a border of one row forgets the state of all",
          "Every leading index has borders of its own: where(…) chooses for each, an if decides for all.", 0,
          SET(s.borders = Borders::of_any_head)},
         {"the borders", "only the first border counts", "Forget the state at every border.", 0,
          SET(s.borders = Borders::only_first)},
         {"the borders", "marks inverted", "1 marks the first token of a sequence, 0 the others.", 0,
          SET(s.borders = Borders::inverted)},
         {"the borders", "forgotten wherever the mark changes",
          "1 marks the first token of a sequence: the 0 after it belongs to the same one, and two ones in a row to "
          "two.",
          0, SET(s.borders = Borders::where_marks_change)}},
        {}};
    add_mutations_of(table, attention_mutations(), &PackedSettings::attention);
    return table;
}
const MutationTable<PackedSettings>& packed_table() {
    static const MutationTable<PackedSettings> all = own_and_of_attention();
    return all;
}

// Back to an earlier token, for S and z each: from which saved state, and which tokens are added to it.
enum class Start { before, rounded_up, next, one_earlier, of_last_kept, last, first, nothing };
enum class Replayed { kept, none, to_next_saved, all, first_ones };
struct Rewinding {
    Start start = Start::before;
    Replayed replayed = Replayed::kept;
    std::ptrdiff_t moved_begin = 0, moved_end = 0;
    bool from_number = false;  ///< of the saved state, in place of its token
    bool subtracts = false, first_head = false, times_zero = false;
    bool first_keys = false, first_values = false;                  ///< as many from token 0 on
    bool keys_of_first_head = false, values_of_first_head = false;  ///< for all
    bool saved_first = false;                                       ///< read on as (m, …, c, d_v)
    bool one_saved_less = false;                                    ///< n / every for each head, not n / every + 1
    int phi_k = 1;
    bool operator==(const Rewinding&) const = default;
};
struct RewindSettings {
    Rewinding S, z;
    bool operator==(const RewindSettings&) const = default;
};

// What is added is φ(k) vᵀ, for z with values of 1. Tokens from the saved state on, or back to the kept ones.
Tensor rewound(const Rewinding& r, const Tensor& saved, std::size_t every, const Tensor& K, const Tensor& V,
               const FeatureMap& phi, std::size_t kept) {
    const std::size_t m = length(saved, -3), c = length(saved, -2), w = length(saved, -1), n = length(K, -2);
    std::size_t at = kept / every;
    switch (r.start) {
        case Start::before:
        case Start::nothing: break;
        case Start::one_earlier: at = std::max<std::size_t>(at, 1) - 1; break;
        case Start::of_last_kept: at = (std::max<std::size_t>(kept, 1) - 1) / every; break;
        case Start::rounded_up: at = std::min((kept + every - 1) / every, m - 1); break;
        case Start::next: at = std::min(at + 1, m - 1); break;
        case Start::last: at = m - 1; break;
        case Start::first: at = 0; break;
    }
    const std::size_t begin = r.start == Start::one_earlier ? kept / every * every : at * every;
    const std::ptrdiff_t from =
        r.replayed == Replayed::first_ones ? 0 : std::ptrdiff_t(r.from_number ? at : begin) + r.moved_begin;
    std::ptrdiff_t to = std::ptrdiff_t(kept) + r.moved_end;
    if (r.replayed == Replayed::none) to = from;
    if (r.replayed == Replayed::to_next_saved || r.times_zero) to = std::ptrdiff_t(begin + every);
    if (r.replayed == Replayed::all) to = std::ptrdiff_t(n);
    if (r.replayed == Replayed::first_ones) to -= std::ptrdiff_t(begin);
    const Tensor keys = r.phi_k == 0 ? K : r.phi_k == 1 ? phi(K) : phi(phi(K));
    if (length(keys, -1) != c) throw std::invalid_argument("the keys do not fit the state");
    Shape shape = shape_of(saved);
    shape.erase(shape.end() - 3);
    Tensor state = zeros(shape);
    for (std::size_t e = 0; e < state.size(); ++e) {
        const std::size_t h = r.first_head ? 0 : e / (c * w), a = e / w % c, b = e % w;
        const std::size_t heads = state.size() / (c * w),
                          place = r.saved_first ? at * heads + h : h * (r.one_saved_less ? m - 1 : m) + at;
        if (r.start != Start::nothing) state.data()[e] = saved.data()[(place * c + a) * w + b];
        const auto term = [&](std::ptrdiff_t i) {
            const auto row = [&](bool first_head, bool first) {
                return (first_head ? 0 : h * n) + static_cast<std::size_t>(first ? i - from : i);
            };
            return keys.data()[row(r.keys_of_first_head, r.first_keys) * c + a] *
                   V.data()[row(r.values_of_first_head, r.first_values) * w + b];
        };
        for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(n); ++i)  // all n, which an exercise that counts them refuses
            if (i >= from && i < to)
                state.data()[e] += r.times_zero && i >= std::ptrdiff_t(kept) ? 0.0 * term(i) : term(i);
        for (std::ptrdiff_t i = from; r.subtracts && i > to; --i) state.data()[e] -= term(i - 1);
    }
    return state;
}
CausalState rewind(const RewindSettings& settings, const CausalState& saved, std::size_t every, const Tensor& K,
                   const Tensor& V, const FeatureMap& phi, std::size_t kept) {
    require_rank(K, "K", 2, "(…, n, d_k)");
    const AttentionShape shape = require_attention_shapes(K, K, V);
    if (every == 0) reject("rewind_state", "every", "at least 1", "0");
    if (kept > shape.n) reject("rewind_state", "kept", "at most n = " + std::to_string(shape.n), std::to_string(kept));
    const std::size_t c = length(phi(zeros({shape.d_k})), -1), m = shape.n / every + 1;
    require_shape(saved.S, "saved.S", join(shape.leading, {m, c, shape.d_v}), "(…, m, c, d_v)");
    require_shape(saved.z, "saved.z", join(shape.leading, {m, c}), "(…, m, c)");
    const Tensor z =
        rewound(settings.z, expand_dims(saved.z, -1), every, K, ones(join(shape.leading, {shape.n, 1})), phi, kept);
    return {rewound(settings.S, saved.S, every, K, V, phi, kept), reshape(z, join(shape.leading, {c}))};
}

#define SET_REWINDING(...)                   \
    [](RewindSettings& s) {                  \
        for (Rewinding * r : {&s.S, &s.z}) { \
            __VA_ARGS__;                     \
        }                                    \
    }
const MutationTable<RewindSettings>& rewind_table() {
    static const MutationTable<RewindSettings> table{
        {{"backwards", "wrong guesses subtracted",
          "Subtracting does not undo adding: digits that a large token pushed out do not come back, and NaN - NaN is "
          "NaN. "
          "Go forwards from the last saved state before.",
          0, SET_REWINDING(r->subtracts = true, r->start = Start::rounded_up)},
         {"backwards", "wrong guesses subtracted from the last saved state",
          "Subtracting does not undo adding. Go forwards from the last saved state before.", 0,
          SET_REWINDING(r->subtracts = true, r->start = Start::last)},
         {"backwards", "wrong guesses multiplied by zero",
          "0 times NaN is NaN: end the loop with the last kept token instead.", 0, SET_REWINDING(r->times_zero = true)},
         {"the saved state", "kept tokens not replayed",
          "Between the saved state and the last kept token there are more: add them.", 0,
          SET_REWINDING(r->replayed = Replayed::none)},
         {"the saved state", "saved state after the kept tokens",
          "The next saved state holds wrong guesses: round down, kept / every, and add the tokens from there on.", 0,
          SET_REWINDING(r->start = Start::rounded_up)},
         {"the saved state", "saved state after that of the kept tokens",
          "Number kept / every, rounded down, is the last saved state that holds no wrong guess: not the next one.", 0,
          SET_REWINDING(r->start = Start::next)},
         {"the saved state", "last saved state taken",
          "The last of all saved states may hold wrong guesses: take number kept / every.", 0,
          SET_REWINDING(r->start = Start::last)},
         {"the saved state", "saved state right after the kept tokens passed over",
          "Where every divides kept, a saved state holds the kept tokens and nothing else: nothing is replayed. The "
          "state "
          "before it needs tokens that nobody has to keep.",
          0, SET_REWINDING(r->start = Start::of_last_kept)},
         {"the saved state", "saved states counted from 1",
          "The first saved state is the one before the first token: that after kept tokens is number kept / every.", 0,
          SET_REWINDING(r->start = Start::one_earlier)},
         {"the saved state", "replayed from the saved state's number, not from its token",
          "Saved state j holds the tokens before token j · every: the next one is j · every, not j.", 0,
          SET_REWINDING(r->from_number = true)},
         {"the saved state", "saved state left out", "The sums begin with the saved state, not with zero.", 0,
          SET_REWINDING(r->start = Start::nothing)},
         {"the saved state", "replayed from the first saved state",
          "Begin with the last saved state that fits: at most `every` tokens are then read, however long the text is.",
          0, SET_REWINDING(r->start = Start::first)},
         {"the saved state", "state not taken back", "The state after all n tokens holds the wrong guesses.", 0,
          SET_REWINDING(r->start = Start::last, r->replayed = Replayed::all)},
         {"the saved state", "z not taken back", "Take z back as well as S.", 0,
          SET(s.z.start = Start::last, s.z.replayed = Replayed::all)},
         {"the saved state", "S not taken back", "Take S back as well as z.", 0,
          SET(s.S.start = Start::last, s.S.replayed = Replayed::all)},
         {"the replayed tokens", "first wrong guess kept",
          "kept counts the right tokens: the last of them is kept - 1.", 0, SET_REWINDING(r->moved_end = 1)},
         {"the replayed tokens", "last kept token missing",
          "kept counts the right tokens: the last of them is kept - 1, and it is added, too.", 0,
          SET_REWINDING(r->moved_end = -1)},
         {"the replayed tokens", "last token of the saved state added again",
          "A saved state holds the tokens before its number: the next one is token j · every.", 0,
          SET_REWINDING(r->moved_begin = -1)},
         {"the replayed tokens", "first token after the saved state left out",
          "A saved state holds the tokens before its number: the next one is token j · every.", 0,
          SET_REWINDING(r->moved_begin = 1)},
         {"the replayed tokens", "replayed up to the next saved state", "Stop after the kept tokens.", 0,
          SET_REWINDING(r->replayed = Replayed::to_next_saved)},
         {"the replayed tokens", "the first tokens replayed, not those after the saved state",
          "A saved state holds the tokens before it: add those from token j · every on.", 0,
          SET_REWINDING(r->replayed = Replayed::first_ones)},
         {"the replayed tokens", "values replayed from token 0 on",
          "Key and value of a token belong together: both are those of token j · every and of the ones behind it.", 0,
          SET_REWINDING(r->first_values = true)},
         {"the replayed tokens", "keys replayed from token 0 on",
          "Key and value of a token belong together: both are those of token j · every and of the ones behind it.", 0,
          SET_REWINDING(r->first_keys = true)},
         {"the replayed tokens", "z lacks the replayed tokens", "Add the replayed tokens to z as well as to S.", 0,
          SET(s.z.replayed = Replayed::none)},
         {"the replayed tokens", "S lacks the replayed tokens", "Add the replayed tokens to S as well as to z.", 0,
          SET(s.S.replayed = Replayed::none)},
         {"φ", "φ left out", "Apply φ to each replayed key.", 0, SET_REWINDING(r->phi_k = 0)},
         {"φ", "φ applied twice", "φ is applied once to each replayed key.", 0, SET_REWINDING(r->phi_k = 2)},
         {"φ", "φ left out of the key in z", "Both sums use φ(k_j), z as well as S.", 0, SET(s.z.phi_k = 0)},
         {"φ", "φ left out of the key in S", "Both sums use φ(k_j), S as well as z.", 0, SET(s.S.phi_k = 0)},
         {"the leading axes", "one saved state too few counted for each head",
          "n / every + 1 states are saved, the one before the first token among them.", 0,
          SET_REWINDING(r->one_saved_less = true)},
         {"the leading axes", "saved states before the leading axes",
          "The saved states are (…, m, c, d_v): the m of one head lie side by side.", 0,
          SET_REWINDING(r->saved_first = true)},
         {"the leading axes", "keys of the first head replayed for all", "Every leading index has keys of its own.", 0,
          SET_REWINDING(r->keys_of_first_head = true)},
         {"the leading axes", "values of the first head replayed for all", "Every leading index has values of its own.",
          0, SET(s.S.values_of_first_head = true)},
         {"the leading axes", "tokens of the first head replayed for all",
          "Every leading index has keys and values of its own.", 0,
          SET_REWINDING(r->keys_of_first_head = r->values_of_first_head = true)},
         {"the leading axes", "S of the first head for all", "Every leading index has an S of its own, as a z.", 0,
          SET(s.S.first_head = true)},
         {"the leading axes", "z of the first head for all", "Every leading index has a z of its own, as an S.", 0,
          SET(s.z.first_head = true)},
         {"the leading axes", "state of the first head for all", "Every leading index has a state of its own.", 0,
          SET_REWINDING(r->first_head = true)}},
        {}};
    return table;
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
                                                    "z read before it is updated", "S read before it is updated",
                                                    "S divided, then carried on"}});
const MutationsOf causal_mutations("causal_linear_attention", table,
                                   every_form | has::sequence | has::values | has::running | has::updates |
                                       has::linear_cost,
                                   divided(), &whole, {.rows = rows_of_attention()});
const MutationsOf step_mutations("causal_linear_attention_step", table,
                                 every_form | has::values | has::state | has::z | has::updates, divided(), &step,
                                 {.without = {"softmax of the scores"}});
const MutationsOf resume_mutations(
    "causal_linear_attention_resume", table,
    every_form | has::values | has::sequence | has::running | has::updates | has::state | has::z | has::resumed |
        has::constant_memory,
    divided(), &resume,
    {.without = {"only later tokens", "the token itself is left out", "only the first leading index computed",
                 "each feature of the keys divided by its own sum", "mean of the features' averages",
                 "each feature of the keys divided by its own sum, without ε",
                 "mean of the features' averages, without ε", "mean of the features' averages, ε at the query",
                 "mean of the features' averages, ε at both", "each key divided by the sum of its features, without ε",
                 "each key divided by the sum of its features", "ε only where the sum is 0"},
     .rows = rows_of_attention()});
const MutationsOf padded_mutations("masked_causal_linear_attention", table,
                                   every_form | has::values | has::sequence | has::running | has::updates |
                                       has::padding | has::linear_cost,
                                   divided(), &padded,
                                   {.without = {"padding multiplied by zero"}, .rows = rows_of_attention()});
const MutationsOf streaming_mutations("streaming_exp_attention", table,
                                      has::divisor | has::epsilon | has::values | has::sequence | has::running |
                                          has::updates | has::streaming | has::constant_memory,
                                      exponentials(), &streamed,
                                      {.without = {"z summed along the features",
                                                   "one maximum for all channels",
                                                   "negative features cut off at 0",
                                                   "scaled by 1/√d_k above the line alone",
                                                   "normaliser without the query",
                                                   "normaliser without the keys",
                                                   "sum of φ(q) times the sum of z",
                                                   "product of two running sums",
                                                   "ε only where the sum is 0",
                                                   "one denominator for all leading indices",
                                                   "v φ(k)ᵀ reshaped in place of φ(k) vᵀ",
                                                   "φ(k) vᵀ read as if it were v φ(k)ᵀ",
                                                   "mean of φ(q)z over the features",
                                                   "mean of φ(q)S over the features",
                                                   "divided when written, by the key's own sum",
                                                   "divided when written, by the token's own sum",
                                                   "features divided by their length",
                                                   "keys' features divided by their length",
                                                   "keys' features divided by their sum",
                                                   "scan that reads what it has changed",
                                                   "right half given the left half alone, not what came before both",
                                                   "each weight divided by the lengths of φ(q) and φ(k)",
                                                   "each feature of the keys divided by its own sum",
                                                   "mean of the features' averages",
                                                   "each feature of the keys divided by its own sum, without ε",
                                                   "mean of the features' averages, without ε",
                                                   "mean of the features' averages, ε at the query",
                                                   "mean of the features' averages, ε at both",
                                                   "each key divided by the sum of its features, without ε",
                                                   "each key divided by the sum of its features"},
                                       .rows = rows_of_attention()});

const MutationsOf packed_mutations("packed_causal_linear_attention", packed_table(),
                                   every_form | has::values | has::sequence | has::running | has::updates |
                                       has::linear_cost,
                                   PackedSettings{divided()}, &packed, {.rows = rows_of_attention()});

const MutationsOf rewind_mutations("rewind_state", rewind_table(), 0, RewindSettings{}, &rewind,
                                   {.rows = {{2, "key"}, {3, "value"}}});

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
const Probes rewind_probes("rewind_state", [] {
    const std::size_t every = 2;
    const CausalState saved{random_tensor(join(leading, {n / every + 1, c, d_v}), 904),
                            random_tensor(join(leading, {n / every + 1, c}), 905, 0.5, 2.0)};
    std::vector<Run> calls;
    for (std::size_t kept = 0; kept <= n; ++kept)
        calls.push_back(
            probe(&linattn::rewind_state, saved, every, input(d_k, 902), input(d_v, 903), signed_map(), kept));
    return calls;
});
const Probes streaming_probes("streaming_exp_attention", [] {
    return std::vector{
        probe(&linattn::streaming_exp_attention, input(d_k, 901), input(d_k, 902), input(d_v, 903), 5.0)};
});

}  // namespace linattn::testing::mutations
