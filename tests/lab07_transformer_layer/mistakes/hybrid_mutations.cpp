// Hybrid attention and its step as a definition whose settings are changed (hybrid_definition.hpp).
#include "hybrid_definition.hpp"
#include "mutations.hpp"
#include "weights.hpp"

namespace linattn::testing::hybrid_mutations {

using S = HybridSettings;

Tensor whole(const S& settings, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate,
             std::size_t window) {
    return expected_hybrid_attention(Q, K, V, gate, window, settings).value;
}
HybridStep step(const S& settings, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& gate,
                std::size_t window, const HybridMemory& memory) {
    return hybrid_step_by_settings(q, k, v, gate, window, memory, settings);
}

namespace has {
constexpr unsigned output = 1, sequence = 2, memory = 4;
}

const MutationTable<S> table{
    .mutations =
        {
            {"the gate", "gate exchanged", "g belongs to the window, 1 - g to the linear part.", has::output,
             [](S& s) { s.gate = Gate::exchanged; }},
            {"the gate", "gate missing", "The gate mixes both: g · window + (1 - g) · linear.", has::output,
             [](S& s) { s.gate = Gate::missing; }},
            {"the gate", "linear part not gated", "The linear part is multiplied by 1 - g.", has::output,
             [](S& s) { s.gate = Gate::local_only; }},
            {"the gate", "both parts multiplied by g", "The linear part is multiplied by 1 - g.", has::output,
             [](S& s) { s.gate = Gate::both_with_gate; }},
            {"the gate", "sigmoid of the gate", "The gate is already a number between 0 and 1: use it as it is.",
             has::output, [](S& s) { s.gate = Gate::squashed; }},
            {"the gate", "parts averaged", "The gate mixes both: g · window + (1 - g) · linear.", has::output,
             [](S& s) { s.gate = Gate::averaged; }},
            {"the gate", "window alone", "The gate mixes both: g · window + (1 - g) · linear.", has::output,
             [](S& s) { s.gate = Gate::window_alone; }},
            {"the gate", "linear part alone", "The gate mixes both: g · window + (1 - g) · linear.", has::output,
             [](S& s) { s.gate = Gate::linear_alone; }},
            {"the gate", "1 - g added in place of the linear part", "The linear part is multiplied by 1 - g.",
             has::output, [](S& s) { s.gate = Gate::rest_added; }},
            {"the gate", "gate mixes the sums before the division",
             "Divide first: the gate mixes two finished averages, not their numerators and their denominators.",
             has::output, [](S& s) { s.gate = Gate::before_division; }},
            {"the gate", "first gate for all tokens", "Each token has a gate of its own.", has::output | has::sequence,
             [](S& s) { s.gate = Gate::first_token; }},
            {"the gate", "gates of the first head for all", "Every leading index has gates of its own.",
             has::output | has::sequence, [](S& s) { s.gate = Gate::first_head; }},
            {"the window", "empty places of the window counted as keys of 0",
             "The first tokens have fewer than `window` keys: an empty place has no weight, a score of 0 that of e^0.",
             has::output, [](S& s) { s.window = Window::with_empty_places; }},
            {"the window", "window one too wide", "The window holds `window` tokens, token i included.", has::output,
             [](S& s) { s.wider = 1; }},
            {"the window", "window one too narrow", "The window holds `window` tokens, token i included.", has::output,
             [](S& s) { s.wider = -1; }},
            {"the window", "window without the token itself", "Token i sees itself.", has::output,
             [](S& s) { s.window = Window::without_own; }},
            {"the window", "window around the token", "The window holds token i and earlier ones only.",
             has::output | has::sequence, [](S& s) { s.window = Window::around; }},
            {"the window", "blocks instead of a sliding window", "The window moves by one place with every token.",
             has::output | has::sequence, [](S& s) { s.window = Window::in_blocks; }},
            {"the window", "softmax over all tokens", "The softmax sees the last `window` tokens only.",
             has::output | has::sequence, [](S& s) { s.window = Window::all_before; }},
            {"the window", "softmax sees later tokens", "Causal: no token sees a later one.",
             has::output | has::sequence, [](S& s) { s.window = Window::future_too; }},
            {"the window", "window that never moves", "With each new token, the oldest one leaves the window.",
             has::output | has::sequence, [](S& s) { s.window = Window::first; }},
            {"the window", "each token takes the place of the one before it",
             "With each new token, the oldest one leaves the window.", has::output | has::sequence,
             [](S& s) { s.window = Window::first_and_own; }},
            {"the linear part", "linear part outside the window only", "The linear part adds up all tokens j ≤ i.",
             has::output | has::sequence, [](S& s) { s.linear = LinearTokens::outside_window; }},
            {"the linear part", "linear part inside the window only", "The linear part adds up all tokens j ≤ i.",
             has::output | has::sequence, [](S& s) { s.linear = LinearTokens::in_window; }},
            {"the linear part", "linear part without the token itself", "Token i sees itself.", has::output,
             [](S& s) { s.linear = LinearTokens::without_own; }},
            {"the linear part", "linear part sees later tokens", "Causal: no token sees a later one.",
             has::output | has::sequence, [](S& s) { s.linear = LinearTokens::all; }},
            {"the linear part", "no φ in the linear part", "The linear part uses φ(q) and φ(k), with φ = elu + 1.",
             has::output, [](S& s) { s.features_q = s.features_k = Features::none; }},
            {"the linear part", "φ on the queries only", "Apply φ to both: φ(q)·φ(k).", has::output,
             [](S& s) { s.features_k = Features::none; }},
            {"the linear part", "φ on the keys only", "Apply φ to both: φ(q)·φ(k).", has::output,
             [](S& s) { s.features_q = Features::none; }},
            {"the linear part", "elu without + 1", "φ = elu + 1 is above 0: x + 1 for x > 0, eˣ otherwise.",
             has::output, [](S& s) { s.features_q = s.features_k = Features::elu; }},
            {"the linear part", "1 missing above 0", "φ = elu + 1 is x + 1 for x > 0, and eˣ otherwise.", has::output,
             [](S& s) { s.features_q = s.features_k = Features::one_missing_above; }},
            {"the linear part", "ReLU as φ", "φ = elu + 1: x + 1 for x > 0, eˣ otherwise.", has::output,
             [](S& s) { s.features_q = s.features_k = Features::relu; }},
            {"the linear part", "exponential as φ", "φ = elu + 1: x + 1 for x > 0, eˣ otherwise.", has::output,
             [](S& s) { s.features_q = s.features_k = Features::exponential; }},
            {"the linear part", "queries divided by √d_k before φ",
             "The scale belongs to the scores of the softmax; the linear part uses φ(q) and φ(k) without one.",
             has::output, [](S& s) { s.power_of_q = -0.5; }},
            {"the linear part", "queries and keys divided by √d_k before φ",
             "The scale belongs to the scores of the softmax; the linear part uses φ(q) and φ(k) without one.",
             has::output, [](S& s) { s.power_of_q = s.power_of_k = -0.5; }},
            {"the linear part", "queries and keys divided by the fourth root of d_k before φ",
             "The linear part uses φ(q) and φ(k) without a scale; that one belongs to FAVOR+.", has::output,
             [](S& s) { s.power_of_q = s.power_of_k = -0.25; }},
            {"the linear part", "linear part not divided", "Divide by φ(q)·z + attention_epsilon.", has::output,
             [](S& s) { s.divided = false; }},
            {"the linear part", "linear part divided by the number of tokens",
             "Divide by φ(q)·z + attention_epsilon, the sum of the weights: not by their number.",
             has::output | has::sequence, [](S& s) { s.linear_by_count = true; }},
            {"the linear part", "ε added after the division", "Add attention_epsilon to φ(q)·z, then divide.",
             has::output, [](S& s) { s.epsilon_after_division = true; }},
            {"the linear part", "ε missing in the denominator", "Add attention_epsilon to φ(q)·z.", has::output,
             [](S& s) { s.epsilon_counts = 0.0; }},
            {"the linear part", "ε of the norm in the denominator",
             "Attention has a constant of its own: attention_epsilon.", has::output,
             [](S& s) { s.epsilon_counts = norm_epsilon / attention_epsilon; }},
            {"the scores", "scale missing", "Scores are q·k/√d_k.", has::output, [](S& s) { s.scale_power = 0.0; }},
            {"the scores", "scores divided by d_k", "Scores are q·k/√d_k.", has::output,
             [](S& s) { s.scale_power = -1.0; }},
            {"the scores", "scores multiplied by √d_k", "Scores are q·k/√d_k.", has::output,
             [](S& s) { s.scale_power = 0.5; }},
            {"the scores", "mean of q ⊙ k in place of q·k", "Scores are q·k/√d_k: q·k is the sum over the features.",
             has::output, [](S& s) { s.scale_power = -1.5; }},
            {"the scores", "scale of the values' width", "The scale is 1/√d_k, where d_k is the width of a key.",
             has::output, [](S& s) { s.scale_of_values = true; }},
            {"the scores", "φ in the softmax", "The scores are q·k/√d_k, without φ.", has::output,
             [](S& s) { s.features_in_softmax = true; }},
            {"the scores", "largest score not subtracted",
             "exp overflows above 709: subtract the window's largest score first.", has::output,
             [](S& s) { s.shifted = false; }},
            {"the scores", "running maximum, values so far not rescaled",
             "When the maximum grows, multiply the sum of the values by exp(before - largest), as that of the weights.",
             has::output, [](S& s) { s.not_rescaled = NotRescaled::values; }},
            {"the scores", "running maximum, denominator not rescaled",
             "When the maximum grows, multiply the sum of the weights by exp(before - largest), as that of the values.",
             has::output, [](S& s) { s.not_rescaled = NotRescaled::denominator; }},
            {"the scores", "running maximum, sums so far not rescaled",
             "When the maximum grows, multiply both sums by exp(before - largest).", has::output,
             [](S& s) { s.not_rescaled = NotRescaled::both; }},
            {"the scores", "softmax's sums of the tokens before not reset",
             "Begin both sums, of the values and of the weights, anew for each token.", has::output | has::sequence,
             [](S& s) { s.softmax_numerators_kept = s.softmax_denominators_kept = true; }},
            {"the scores", "softmax's denominators of the tokens before not reset",
             "Begin the sum of the weights anew for each token.", has::output | has::sequence,
             [](S& s) { s.softmax_denominators_kept = true; }},
            {"the linear part", "linear part's denominators of the tokens before not reset",
             "Begin the sum φ(q)·z anew for each token.", has::output | has::sequence,
             [](S& s) { s.linear_denominators_kept = true; }},
            {"the scores", "softmax divided by the number of tokens",
             "Softmax divides by the sum of its weights, not by their number.", has::output,
             [](S& s) { s.softmax_by_count = true; }},
            {"the scores", "softmax not divided", "Softmax divides by the sum of its weights.", has::output,
             [](S& s) { s.softmax_divided = false; }},
            {"the scores", "softmax divided by the sum over all tokens",
             "The softmax weights of the window's tokens sum to 1.", has::output | has::sequence,
             [](S& s) { s.softmax_divided_by_all = true; }},

            {"the memory", "unbounded cache", "K and V hold at most `window` tokens: remove the oldest.", has::memory,
             [](S& s) { s.cache = Cache::unbounded; }},
            {"the memory", "newest key leaves", "When there are more than `window` keys, remove the oldest.",
             has::memory, [](S& s) { s.cache = Cache::newest_leaves; }},
            {"the memory", "newest key leaves before it is read",
             "When there are more than `window` keys, remove the oldest.", has::memory,
             [](S& s) {
                 s.cache = Cache::newest_leaves;
                 s.window = Window::first;
             }},
            {"the memory", "newest key leaves after it is read",
             "When there are more than `window` keys, remove the oldest, and before they are read.", has::memory,
             [](S& s) {
                 s.cache = Cache::newest_leaves;
                 s.wider = 1;
             }},
            {"the memory", "newest of the old keys leaves",
             "When there are more than `window` keys, remove the oldest.", has::memory,
             [](S& s) {
                 s.cache = Cache::newest_replaced;
                 s.window = Window::first_and_own;
             }},
            {"the memory", "cache one too small", "K and V hold the last min(window, tokens so far) tokens.",
             has::memory, [](S& s) { s.cache = Cache::one_less; }},
            {"the memory", "evicts before adding",
             "The window holds token i and the window - 1 tokens before it: remove none before the cache is full.",
             has::memory,
             [](S& s) {
                 s.cache = Cache::one_less;
                 s.wider = -1;
             }},
            {"the memory", "keys leave, values stay", "Remove a value together with its key.", has::memory,
             [](S& s) { s.cache = Cache::values_stay; }},
            {"the memory", "newest first", "K and V hold the oldest token first.", has::memory,
             [](S& s) { s.cache = Cache::newest_first; }},
            {"the memory", "newest first, and read in this order", "K and V hold the oldest token first: that one leaves.",
             has::memory,
             [](S& s) {
                 s.cache = Cache::newest_first;
                 s.window = Window::first_and_own;
             }},
            {"the memory", "cache holds the new token only", "Append to what the memory holds.", has::memory,
             [](S& s) { s.cache = Cache::replaced; }},
            {"the memory", "φ of the keys in the cache", "The softmax part needs the keys themselves, without φ.",
             has::memory, [](S& s) { s.cache = Cache::features; }},
            {"the memory", "cache returned as it came", "Add the token to K and V.", has::memory,
             [](S& s) { s.cache = Cache::as_it_came; }},
            {"the leading axes", "state carried over from head to head", "Start S and z at zero for every leading index.",
             has::output | has::sequence, [](S& s) { s.S_carried = s.z_carried = true; }},
            {"the leading axes", "S carried over from head to head",
             "Start S at zero for every leading index, like z.", has::output | has::sequence,
             [](S& s) { s.S_carried = true; }},
            {"the leading axes", "z carried over from head to head",
             "Start z at zero for every leading index, like S.", has::output | has::sequence,
             [](S& s) { s.z_carried = true; }},
            {"the leading axes", "one state for all heads in turn",
             "Where the loop over the heads is inside of that over the tokens, each head needs a state of its own.",
             has::output | has::sequence, [](S& s) { s.heads_in_turn = true; }},
            {"the leading axes", "queries of the first head for all", "Every leading index has queries of its own.",
             has::output | has::sequence, [](S& s) { s.queries_of_first_head = true; }},
            {"the leading axes", "keys of the first head for all", "Every leading index has keys of its own.",
             has::output | has::sequence, [](S& s) { s.keys_of_first_head = true; }},
            {"the leading axes", "values of the first head for all", "Every leading index has values of its own.",
             has::output | has::sequence, [](S& s) { s.values_of_first_head = true; }},
            {"the leading axes", "keys and values of the first head for all",
             "Every leading index has keys and values of its own.", has::output | has::sequence,
             [](S& s) { s.keys_of_first_head = s.values_of_first_head = true; }},
            {"the leading axes", "outputs of all heads written in the place of the first",
             "Every leading index has a place of its own in the output.", has::output | has::sequence,
             [](S& s) { s.outputs_over_first_head = true; }},
            {"the memory", "S and z that came in of the first head for all",
             "Every leading index goes on from its own S and its own z.", has::memory,
             [](S& s) { s.S_of_first_head = s.z_of_first_head = true; }},
            {"the memory", "S that came in of the first head for all",
             "Every leading index goes on from its own S, as from its own z.", has::memory,
             [](S& s) { s.S_of_first_head = true; }},
            {"the memory", "z that came in of the first head for all",
             "Every leading index goes on from its own z, as from its own S.", has::memory,
             [](S& s) { s.z_of_first_head = true; }},
            {"the linear part", "φ(k) vᵀ read as if it were v φ(k)ᵀ",
             "S is (d_k, d_v), entry (a, b) at a·d_v + b, and has to be read in the same way.", has::output,
             [](S& s) { s.S_read_reshaped = true; }},
            {"the memory", "S not updated", "Return the new sum: S' = S + φ(k)vᵀ.", has::memory,
             [](S& s) { s.S_not_updated = true; }},
            {"the memory", "z not updated", "Return the new sum: z' = z + φ(k).", has::memory,
             [](S& s) { s.z_not_updated = true; }},
            {"the memory", "S and z get the leaving token only",
             "S and z add up all tokens, including those of the window.", has::memory,
             [](S& s) { s.leaving_key_into_state = true; }},
            {"the memory", "S and z get the leaving token only, and are read then",
             "S and z add up all tokens, including those of the window: add the new one before they are read.",
             has::memory,
             [](S& s) {
                 s.leaving_key_into_state = true;
                 s.linear = LinearTokens::outside_window;
             }},
            {"the memory", "S and z get the leaving token only, and are read before",
             "S and z add up all tokens, including those of the window: add the new one before they are read.",
             has::memory,
             [](S& s) {
                 s.leaving_key_into_state = true;
                 s.linear = LinearTokens::without_own;
             }},
            {"the memory", "what leaves the window taken out of S and z",
             "Only K and V are a window: S and z add up all tokens, also those that have left it.", has::memory,
             [](S& s) { s.leaving_key_out_of_state = s.leaving_key_not_read = true; }},
            {"the memory", "what leaves the window taken out of S and z after they are read",
             "Only K and V are a window: S and z add up all tokens, also those that have left it.", has::memory,
             [](S& s) { s.leaving_key_out_of_state = true; }},
            {"the memory", "sums ignored", "The sums that were passed in hold all earlier tokens: start from them.",
             has::memory, [](S& s) { s.past_ignored = true; }},
            {"the memory", "memory changed in place", "Copy the memory that was passed in, change the copy, return it.",
             has::memory, [](S& s) { s.writes_argument = true; }},
        },
    .numbers = {{"ε of the attention is %s", "The constant is attention_epsilon, 1e-6.", has::output,
                 [](S& s, double x) { s.epsilon_counts = x / attention_epsilon; }, 1e-14, 0.1}}};

const MutationsOf whole_mutations("hybrid_attention", table, has::output | has::sequence, S{}, &whole);
const MutationsOf step_mutations("hybrid_attention_step", table, has::output | has::memory, S{}, &step);

// Calls made for the diagnosis alone: all sizes different, two leading axes, more tokens than the window holds.
const Shape leading{2, 2};
const std::size_t n = 5, d_k = 3, d_v = 2, window = 3;
Tensor input(const Shape& shape, std::uint64_t stream) { return random_tensor(join(leading, shape), stream); }

const Probes whole_probes("hybrid_attention", [] {
    return std::vector{probe(&linattn::hybrid_attention, input({n, d_k}, 901), input({n, d_k}, 902),
                             input({n, d_v}, 903), random_tensor(join(leading, {n}), 904, 0.0, 1.0), window)};
});
const Probes step_probes("hybrid_attention_step", [] {
    std::vector<Run> runs;
    for (const std::size_t kept : {std::size_t{2}, window}) {
        const HybridMemory memory{input({d_k, d_v}, 905), random_tensor(join(leading, {d_k}), 906, 0.5, 2.0),
                                  input({kept, d_k}, 907), input({kept, d_v}, 908)};
        runs.push_back(probe(&linattn::hybrid_attention_step, input({d_k}, 901), input({d_k}, 902), input({d_v}, 903),
                             random_tensor(leading, 904, 0.0, 1.0), window, memory));
    }
    return runs;
});

}  // namespace linattn::testing::hybrid_mutations
