// The exercises of lab 07 as definitions whose settings are changed (definition.hpp).
#include "mutations.hpp"
#include "definition.hpp"
#include "weights.hpp"

namespace linattn::testing {
namespace {

Tensor split(const Settings& settings, const Tensor& X, std::size_t heads) {
    return expected_split_heads(X, heads, settings).value;
}
Tensor merge(const Settings& settings, const Tensor& X) { return expected_merge_heads(X, settings).value; }
Tensor norm(const Settings& settings, const Tensor& X, const Norm& w) {
    return expected_layer_norm(X, w, settings).value;
}
Tensor gelu(const Settings& settings, const Tensor& X) { return expected_gelu(X, settings).value; }
Tensor attention(const Settings& settings, const Tensor& X, const Attention& w, std::size_t heads) {
    return expected_multi_head_attention(X, w, heads, settings).value;
}
Tensor block(const Settings& settings, const Tensor& X, const Block& w, std::size_t heads) {
    return expected_transformer_block(X, w, heads, settings).value;
}
Tensor model(const Settings& settings, const Tensor& ids, const Model& w) {
    return expected_logits(ids, w, settings).value;
}
BlockStep step(const Settings& settings, const Tensor& x, const Block& w, std::size_t heads, const Memory& memory) {
    const std::vector<Expected> parts = expected_block_step(x, w, heads, memory, settings);
    const BlockStep made{parts[0].value, {parts[1].value, parts[2].value}};
    if (settings.step.writes_argument) const_cast<Memory&>(memory) = made.memory;
    return made;
}
Tensor generation(const Settings& settings, const Tensor& prompt, std::size_t count, const Model& w) {
    return generated_by_settings(prompt, count, w, settings);
}

// What an exercise must have for a mutation.
namespace has {
constexpr unsigned split = 1, split_alone = 2, merge = 4, merge_alone = 8, norm = 16, gelu = 32, attention = 64,
                   sequence = 128, block = 256, model = 512, step = 1024, generation = 2048, norm_alone = 4096,
                   gelu_alone = 8192;
}

using S = Settings;

const MutationTable<Settings> table{
    .mutations =
        {
            // Heads
            {"the heads", "reshaped only",
             "Reshaping (…, n, d) to (…, h, n, e) gives a head all columns of some of the tokens. Reshape to (…, n, h, "
             "e), then swap heads and tokens.",
             has::split, [](S& s) { s.split = Layout::reshaped_only; }},
            {"the heads", "transposed, then reshaped",
             "Swapping tokens and columns first scatters each token over the heads. Reshape to (…, n, h, e) first.",
             has::split, [](S& s) { s.split = Layout::transposed_and_reshaped; }},
            {"the heads", "heads strided in d",
             "Head t has the columns t·e to t·e + e - 1, side by side: reshape the columns to (h, e), not to (e, h).",
             has::split, [](S& s) { s.split = Layout::strided; }},
            {"the heads", "heads in reverse order", "Head 0 has the first e columns.", has::split_alone,
             [](S& s) { s.split = Layout::reversed_heads; }},
            {"the heads", "columns of a head in reverse order", "Within a head the columns keep their order.",
             has::split_alone, [](S& s) { s.split = Layout::reversed_columns; }},
            {"the heads", "heads off by one", "Head t begins at column t·e, head 0 at column 0.", has::split_alone,
             [](S& s) { s.split = Layout::next_head; }},
            {"the heads", "every head has the first columns", "Head t begins at column t·e.", has::split,
             [](S& s) { s.split = Layout::first_head_only; }},
            {"the heads", "every head has the last columns", "Head t begins at column t·e.", has::split_alone,
             [](S& s) { s.split = Layout::last_head_only; }},
            {"the axes", "heads and tokens not exchanged", "The result is (…, h, n, e): heads before tokens.",
             has::split_alone, [](S& s) { s.split_axes = Axes::not_exchanged; }},
            {"the axes", "axes counted from the front",
             "Axes 1 and 2 are tokens and heads only if there is one leading axis. Count from the end: -3 and -2.",
             has::split_alone, [](S& s) { s.split_axes = Axes::front; }},
            {"the axes", "width in front of tokens", "The result is (…, h, n, e): the entries of a token come last.",
             has::split_alone, [](S& s) { s.split_axes = Axes::width_before_tokens; }},
            {"the axes", "heads behind the tokens' entries", "The result is (…, h, n, e): heads before tokens.",
             has::split_alone, [](S& s) { s.split_axes = Axes::heads_last; }},
            {"the axes", "heads in front of the batch", "The heads come after the leading axes: (…, h, n, e).",
             has::split_alone, [](S& s) { s.split_axes = Axes::heads_first; }},
            {"merging", "merged by reshaping only",
             "In (…, h, n, e) heads come before tokens: swap them first, then join (h, e) into the columns of a token.",
             has::merge, [](S& s) { s.merge = Layout::reshaped_only; }},
            {"merging", "merged, then transposed", "Swap heads and tokens, nothing else; then join (h, e).",
             has::merge_alone, [](S& s) { s.merge = Layout::transposed_and_reshaped; }},
            {"merging", "heads interleaved", "Head t fills the columns t·e to t·e + e - 1, side by side.", has::merge,
             [](S& s) { s.merge = Layout::strided; }},
            {"merging", "heads merged in reverse order", "Head 0 fills the first e columns.", has::merge_alone,
             [](S& s) { s.merge = Layout::reversed_heads; }},
            {"merging", "columns of a head merged in reverse order", "Within a head the columns keep their order.",
             has::merge_alone, [](S& s) { s.merge = Layout::reversed_columns; }},
            {"merging", "heads merged off by one", "Head 0 fills the first e columns.", has::merge_alone,
             [](S& s) { s.merge = Layout::next_head; }},
            {"merging", "every head written to the first columns", "Head t fills the columns from t·e on.", has::merge,
             [](S& s) { s.merge = Layout::first_head_only; }},
            {"the axes", "heads left as an axis", "The result has one axis less: (…, n, h e).", has::merge_alone,
             [](S& s) { s.merge_axes = Axes::not_exchanged; }},
            {"the axes", "axes counted from the front when merging",
             "Heads and tokens are axes -3 and -2; from the front that depends on the leading axes.", has::merge_alone,
             [](S& s) { s.merge_axes = Axes::front; }},
            {"the axes", "tokens and entries mixed up", "Tokens stay an axis of their own.", has::merge_alone,
             [](S& s) { s.merge_axes = Axes::heads_last; }},
            {"merging", "heads added up", "The heads stand side by side: h e columns, none lost.", has::merge_alone,
             [](S& s) { s.merge_axes = Axes::summed; }},
            {"merging", "heads averaged", "The heads stand side by side: h e columns, none lost.", has::merge_alone,
             [](S& s) { s.merge_axes = Axes::averaged; }},
            {"the axes", "heads below each other", "The heads of one token stand side by side: (…, n, h e).",
             has::merge_alone, [](S& s) { s.merge_axes = Axes::below_each_other; }},

            // Layer norm
            {"the norm", "ε outside the root", "ε belongs under the root: √(variance + ε), not √variance + ε.",
             has::norm, [](S& s) { s.norm_epsilon_at = NormEpsilon::outside; }},
            {"the norm", "ε missing under the root", "A token of equal entries has variance 0: add norm_epsilon to it.",
             has::norm, [](S& s) { s.norm_epsilon_at = NormEpsilon::missing; }},
            {"the norm", "ε added twice", "norm_epsilon is added once, under the root.", has::norm_alone,
             [](S& s) { s.norm_epsilon_at = NormEpsilon::both; }},
            {"the norm", "ε squared", "norm_epsilon is added to the variance as it is.", has::norm_alone,
             [](S& s) { s.norm_epsilon_at = NormEpsilon::squared; }},
            {"the norm", "ε as a floor of the variance",
             "Add norm_epsilon to the variance; max(s, ε) is another formula.", has::norm_alone,
             [](S& s) { s.norm_epsilon_at = NormEpsilon::floor; }},
            {"the norm", "ε of the attention", "The norm has a constant of its own: norm_epsilon.", has::norm,
             [](S& s) { s.norm_epsilon_value = attention_epsilon; }},
            {"the norm", "variance over d - 1", "The variance is the mean of d squares.", has::norm,
             [](S& s) { s.spread = Spread::over_d_minus_1; }},
            {"the norm", "variance of entries that are not centred", "The variance is the mean of (x - m)², not of x².",
             has::norm, [](S& s) { s.spread = Spread::not_centred; }},
            {"the norm", "divided by the variance", "Divide by the root of the variance: (x - m) / √(s + ε).",
             has::norm, [](S& s) { s.spread = Spread::variance; }},
            {"the norm", "squares added up, not averaged", "The variance is the mean of the squares: divide by d.",
             has::norm, [](S& s) { s.spread = Spread::not_averaged; }},
            {"the norm", "mean absolute deviation", "Divide by the root of the mean square.", has::norm_alone,
             [](S& s) { s.spread = Spread::absolute; }},
            {"the norm", "divided by the largest entry", "Divide by the root of the mean square.", has::norm_alone,
             [](S& s) { s.spread = Spread::largest; }},
            {"the norm", "variance as a difference of squares",
             "mean(x²) - mean(x)² loses all digits when the entries are large and nearly equal. Subtract the mean "
             "first.",
             has::norm_alone, [](S& s) { s.spread = Spread::difference_of_squares; }},
            {"the norm", "not divided at all", "After subtracting the mean, divide by √(variance + ε).", has::norm,
             [](S& s) { s.spread = Spread::nothing; }},
            {"the norm", "mean not subtracted", "That is RMS norm. Layer norm subtracts the mean first.", has::norm,
             [](S& s) { s.centre = Centre::nothing; }},
            {"the norm", "mean subtracted in the variance only", "The mean is subtracted in the numerator as well.",
             has::norm, [](S& s) { s.centre = Centre::from_variance_only; }},
            {"the norm", "normalised over the tokens",
             "Normalise each token by itself: mean and variance run over its entries, axis -1.",
             has::norm | has::sequence, [](S& s) { s.centre = Centre::over_tokens; }},
            {"the norm", "normalised over tokens and entries",
             "Normalise each token by itself: mean and variance run over its entries, axis -1.",
             has::norm | has::sequence, [](S& s) { s.centre = Centre::over_all; }},
            {"the norm", "gain missing", "Multiply by w.gain.", has::norm, [](S& s) { s.gain = Gain::missing; }},
            {"the norm", "1 + gain", "The gain multiplies as it is.", has::norm,
             [](S& s) { s.gain = Gain::added_to_one; }},
            {"the norm", "bias added before the gain", "First multiply by the gain, then add the bias.", has::norm,
             [](S& s) { s.gain = Gain::after_bias; }},
            {"the norm", "divided by the gain", "Multiply by w.gain.", has::norm_alone,
             [](S& s) { s.gain = Gain::divided; }},
            {"the norm", "the first gain for all entries", "Each of the d entries has a gain of its own.",
             has::norm_alone, [](S& s) { s.gain = Gain::first_only; }},
            {"the norm", "bias of the norm missing", "Add w.bias.", has::norm, [](S& s) { s.bias = Bias::missing; }},
            {"the norm", "bias subtracted", "Add w.bias.", has::norm_alone, [](S& s) { s.bias = Bias::subtracted; }},
            {"the norm", "gain and bias exchanged", "Multiply by w.gain, add w.bias.", has::norm,
             [](S& s) { s.bias = Bias::exchanged_with_gain; }},

            // GELU
            {"GELU", "GELU approximated by tanh", "Compute Φ with erf: the approximation is off by up to 5e-4.",
             has::gelu, [](S& s) { s.gelu = Gelu::tanh_approximation; }},
            {"GELU", "GELU approximated by a logistic function",
             "x σ(1.702 x) is off by up to 0.02. Compute Φ with erf.", has::gelu,
             [](S& s) { s.gelu = Gelu::logistic_approximation; }},
            {"GELU", "Φ without the factor x", "GELU is x·Φ(x).", has::gelu, [](S& s) { s.gelu = Gelu::without_x; }},
            {"GELU", "erf(x) instead of erf(x/√2)", "The formula is Φ(x) = (1 + erf(x/√2)) / 2.", has::gelu,
             [](S& s) { s.gelu = Gelu::without_root; }},
            {"GELU", "erf(x√2) instead of erf(x/√2)", "The formula is Φ(x) = (1 + erf(x/√2)) / 2.", has::gelu_alone,
             [](S& s) { s.gelu = Gelu::times_root; }},
            {"GELU", "√2 divides erf, not its argument", "The formula is Φ(x) = (1 + erf(x/√2)) / 2.", has::gelu_alone,
             [](S& s) { s.gelu = Gelu::root_outside; }},
            {"GELU", "not halved", "Φ(x) = (1 + erf(x/√2)) / 2: a probability, at most 1.", has::gelu,
             [](S& s) { s.gelu = Gelu::not_halved; }},
            {"GELU", "1 missing beside erf", "The formula is Φ(x) = (1 + erf(x/√2)) / 2.", has::gelu_alone,
             [](S& s) { s.gelu = Gelu::without_one; }},
            {"GELU", "1 - Φ instead of Φ", "For large x, GELU is nearly x; for small x nearly 0.", has::gelu_alone,
             [](S& s) { s.gelu = Gelu::upside_down; }},
            {"GELU", "ReLU instead of GELU", "GELU is x·Φ(x), smooth at 0 and slightly negative below it.", has::gelu,
             [](S& s) { s.gelu = Gelu::relu; }},
            {"GELU", "SiLU instead of GELU", "x σ(x) is another function: GELU has Φ instead of σ.", has::gelu,
             [](S& s) { s.gelu = Gelu::silu; }},
            {"GELU", "ELU instead of GELU", "GELU is x·Φ(x).", has::gelu_alone, [](S& s) { s.gelu = Gelu::elu; }},
            {"GELU", "density instead of Φ", "Φ is the probability of being below x, not the density at x.",
             has::gelu_alone, [](S& s) { s.gelu = Gelu::density; }},

            // Attention
            {"φ", "φ before the projection", "Project first, then apply φ to queries and keys.", has::attention,
             [](S& s) { s.attention.features_before_projection = true; }},
            {"φ", "φ on the values", "Apply φ to queries and keys only; values are averaged as they are.",
             has::attention, [](S& s) { s.attention.v = Features::elu_plus_one; }},
            {"φ", "φ missing on the queries", "Apply φ to both: φ(q)·φ(k).", has::attention,
             [](S& s) { s.attention.q = Features::none; }},
            {"φ", "φ missing on the keys", "Apply φ to both: φ(q)·φ(k).", has::attention,
             [](S& s) { s.attention.k = Features::none; }},
            {"φ", "no φ at all", "Linear attention uses φ(q) and φ(k), with φ = elu + 1.", has::attention,
             [](S& s) { s.attention.q = s.attention.k = Features::none; }},
            {"φ", "elu without + 1", "φ = elu + 1 is positive: x + 1 for x > 0, eˣ otherwise.", has::attention,
             [](S& s) { s.attention.q = s.attention.k = Features::elu; }},
            {"φ", "1 missing above 0", "φ = elu + 1 is x + 1 for x > 0, and eˣ otherwise.", has::attention,
             [](S& s) { s.attention.q = s.attention.k = Features::one_missing_above; }},
            {"φ", "ReLU as φ", "φ = elu + 1: x + 1 for x > 0, eˣ otherwise.", has::attention,
             [](S& s) { s.attention.q = s.attention.k = Features::relu; }},
            {"φ", "exponential as φ", "φ = elu + 1: x + 1 for x > 0, eˣ otherwise.", has::attention,
             [](S& s) { s.attention.q = s.attention.k = Features::exponential; }},
            {"φ", "softmax attention", "The heads use linear attention: φ(q)·φ(k) instead of exp(q·k/√e).",
             has::attention | has::sequence, [](S& s) { s.attention.softmax = s.attention.scaled = true; }},
            {"the mask", "later tokens seen",
             "Causal: token i averages over the tokens j ≤ i, in the numerator and in the denominator.",
             has::attention | has::sequence, [](S& s) { s.attention.above = s.attention.below = Seen::all; }},
            {"the mask", "normaliser of all tokens", "The denominator uses the running sum z_i, not z_n.",
             has::attention | has::sequence, [](S& s) { s.attention.below = Seen::all; }},
            {"update and read", "state read before it is updated",
             "Token i sees itself: add φ(k)vᵀ to S and φ(k) to z first, then read.", has::attention,
             [](S& s) { s.attention.above = s.attention.below = Seen::before_own; }},
            {"update and read", "S read before it is updated", "Add φ(k)vᵀ to S first, then read.", has::attention,
             [](S& s) { s.attention.above = Seen::before_own; }},
            {"update and read", "z read before it is updated", "Add φ(k) to z first, then read.", has::attention,
             [](S& s) { s.attention.below = Seen::before_own; }},
            {"the mask", "every token sees only itself", "Token i averages over all tokens j ≤ i.",
             has::attention | has::sequence, [](S& s) { s.attention.above = s.attention.below = Seen::own_only; }},
            {"the mask", "mask upside down", "Token i sees earlier tokens, not later ones.",
             has::attention | has::sequence, [](S& s) { s.attention.above = s.attention.below = Seen::from_own_on; }},
            {"the division", "not normalised", "Divide by φ(q)·z + attention_epsilon.", has::attention,
             [](S& s) { s.attention.divided = false; }},
            {"the division", "ε missing in the denominator", "Add attention_epsilon to φ(q)·z.", has::attention,
             [](S& s) { s.attention.epsilon_counts = 0.0; }},
            {"the division", "ε of the norm in the denominator",
             "Attention has a constant of its own: attention_epsilon.", has::attention,
             [](S& s) { s.attention.epsilon_counts = norm_epsilon / attention_epsilon; }},
            {"the division", "ε added after the division", "ε is added to the denominator.", has::attention,
             [](S& s) { s.attention.epsilon_after_division = true; }},
            {"the division", "ε added for every token", "ε is added once to the finished denominator.",
             has::attention | has::sequence, [](S& s) { s.attention.epsilon_per_token = true; }},
            {"the division", "scaled by 1/√e", "φ(q)·φ(k) has no scale.", has::attention,
             [](S& s) { s.attention.scaled = true; }},
            {"the scale", "queries divided by √e before φ",
             "Linear attention uses φ(q) and φ(k) without a scale; 1/√e belongs to softmax attention.", has::attention,
             [](S& s) { s.attention.power_of_q = -0.5; }},
            {"the scale", "keys divided by √e before φ",
             "Linear attention uses φ(q) and φ(k) without a scale; 1/√e belongs to softmax attention.", has::attention,
             [](S& s) { s.attention.power_of_k = -0.5; }},
            {"the scale", "queries and keys divided by √e before φ",
             "Linear attention uses φ(q) and φ(k) without a scale; 1/√e belongs to softmax attention.", has::attention,
             [](S& s) { s.attention.power_of_q = s.attention.power_of_k = -0.5; }},
            {"the scale", "queries and keys divided by the fourth root of e",
             "Linear attention uses φ(q) and φ(k) without a scale; that one belongs to FAVOR+.", has::attention,
             [](S& s) { s.attention.power_of_q = s.attention.power_of_k = -0.25; }},
            {"S", "S transposed",
             "S adds up φ(k)vᵀ, one row for each feature of the key, and is read as φ(q)ᵀS: one of the two is "
             "transposed.",
             has::attention, [](S& s) { s.attention.S_transposed = s.step.S_transposed = true; }},
            {"the projections", "queries and keys exchanged", "Q = X w.Q + b and K = X w.K + b.", has::attention,
             [](S& s) { s.attention.q_and_k_exchanged = true; }},
            {"the projections", "keys and values exchanged", "Weights come from queries and keys; values are averaged.",
             has::attention, [](S& s) { s.attention.k_and_v_exchanged = true; }},
            {"the projections", "keys as values", "The values have a projection of their own: w.V.", has::attention,
             [](S& s) { s.attention.values_from_keys = true; }},
            {"the projections", "queries as keys", "The keys have a projection of their own: w.K.", has::attention,
             [](S& s) { s.attention.keys_from_queries = true; }},
            {"the projections", "values not projected", "The values have a projection of their own: w.V.",
             has::attention, [](S& s) { s.attention.values_not_projected = true; }},
            {"the projections", "bias of the queries missing", "Each projection is X W + b.", has::attention,
             [](S& s) { s.attention.bias_q = false; }},
            {"the projections", "bias of the keys missing", "Each projection is X W + b.", has::attention,
             [](S& s) { s.attention.bias_k = false; }},
            {"the projections", "bias of the values missing", "Each projection is X W + b.", has::attention,
             [](S& s) { s.attention.bias_v = false; }},
            {"the projections", "bias of the output missing", "Each projection is X W + b.", has::attention,
             [](S& s) { s.attention.bias_o = false; }},
            {"the projections", "no biases", "Each of the four projections is X W + b.", has::attention,
             [](S& s) { s.attention.bias_q = s.attention.bias_k = s.attention.bias_v = s.attention.bias_o = false; }},
            {"the projections", "weights transposed", "A token is a row: x W, with W (in, out).", has::attention,
             [](S& s) { s.attention.transposed = true; }},
            {"the projections", "output projection missing", "The merged heads go through w.O.", has::attention,
             [](S& s) { s.attention.output_projection = false; }},
            {"the heads", "one head of width d", "Split into heads; each has weights of its own.",
             has::attention | has::sequence, [](S& s) { s.attention.one_head = true; }},
            {"the heads", "heads share their sums", "Each head has an S and a z of its own.", has::attention,
             [](S& s) { s.attention.heads_add_up = true; }},
            {"the division", "divided by the first head's sum", "Each head has a denominator of its own.",
             has::attention, [](S& s) { s.attention.first_head_divides = true; }},
            {"the division", "divided by the number of tokens", "Divide by the sum of the weights, φ(q)·z.",
             has::attention | has::sequence, [](S& s) { s.attention.divided_by_count = true; }},
            {"the division", "denominator without the query", "Divide by φ(q)·z: the sum depends on the query.",
             has::attention, [](S& s) { s.attention.query_below = false; }},
            {"φ", "φ missing in S", "S adds up φ(k)vᵀ, not k vᵀ.", has::attention,
             [](S& s) { s.attention.plain_keys_above = true; }},
            {"φ", "φ missing in z", "z adds up φ(k), not k.", has::attention,
             [](S& s) { s.attention.plain_keys_below = true; }},

            // A block
            {"the norms", "post-norm", "The norms come first: X + attention(norm(X)), not norm(X + attention(X)).",
             has::block, [](S& s) { s.block.post_norm = true; }},
            {"the norms", "first norm missing", "Attention reads norm(X).", has::block,
             [](S& s) { s.block.norm_first = false; }},
            {"the norms", "second norm missing", "The feed-forward layer reads norm(Y).", has::block,
             [](S& s) { s.block.norm_second = false; }},
            {"the norms", "norms exchanged",
             "w.before_attention comes before attention, w.before_feed_forward before the feed-forward layer.",
             has::block, [](S& s) { s.block.norms_exchanged = true; }},
            {"the norms", "first norm used twice", "The feed-forward layer has a norm of its own.", has::block,
             [](S& s) { s.block.first_norm_twice = true; }},
            {"the norms", "norms behind the layers",
             "The norms come first: X + attention(norm(X)), not X + norm(attention(X)).", has::block,
             [](S& s) { s.block.norm_of_result = true; }},
            {"the norms", "a norm at the end", "A pre-norm block ends with the sum; the model has a last norm.",
             has::block, [](S& s) { s.block.norm_at_the_end = true; }},
            {"the skips", "first skip from the normed input", "Add to X itself, not to norm(X).", has::block,
             [](S& s) { s.block.skip_from_norm_first = true; }},
            {"the skips", "second skip from the normed input", "Add to Y itself, not to norm(Y).", has::block,
             [](S& s) { s.block.skip_from_norm_second = true; }},
            {"the skips", "first skip missing", "The first half is Y = X + attention(norm(X)).", has::block,
             [](S& s) { s.block.skip_first = false; }},
            {"the skips", "second skip missing", "The result is Y + feed-forward(norm(Y)).", has::block,
             [](S& s) { s.block.skip_second = false; }},
            {"the skips", "no skips", "Each half adds its result to its input.", has::block,
             [](S& s) { s.block.skip_first = s.block.skip_second = false; }},
            {"the skips", "second skip from X", "The second half adds to Y, the result of the first.", has::block,
             [](S& s) { s.block.second_skip_from_input = true; }},
            {"the order", "feed-forward layer reads X", "The second half reads Y, the result of the first.", has::block,
             [](S& s) { s.block.feed_forward_from_input = true; }},
            {"the order", "feed-forward layer reads attention alone",
             "The second half reads Y = X + attention(norm(X)).", has::block,
             [](S& s) { s.block.feed_forward_from_attention = true; }},
            {"the order", "feed-forward layer first", "Attention comes first.", has::block,
             [](S& s) { s.block.feed_forward_first = true; }},
            {"the feed-forward layer", "GELU after both projections", "The order is up, GELU, down.", has::block,
             [](S& s) { s.block.gelu_after_down = true; }},
            {"the feed-forward layer", "GELU before both projections", "The order is up, GELU, down.", has::block,
             [](S& s) { s.block.gelu_in_front = true; }},
            {"the feed-forward layer", "GELU missing",
             "The order is up, GELU, down: without GELU the two projections amount to a single one.", has::block,
             [](S& s) { s.block.gelu_missing = true; }},
            {"the feed-forward layer", "bias of up missing", "Each projection is X W + b.", has::block,
             [](S& s) { s.block.bias_up = false; }},
            {"the feed-forward layer", "bias of down missing", "Each projection is X W + b.", has::block,
             [](S& s) { s.block.bias_down = false; }},
            {"the order", "attention missing", "The first half is Y = X + attention(norm(X)).",
             has::block | has::sequence, [](S& s) { s.block.attention_missing = true; }},
            {"the order", "feed-forward layer missing", "The result is Y + down(gelu(up(norm(Y)))).", has::block,
             [](S& s) { s.block.feed_forward_missing = true; }},
            {"the skips", "attention subtracted", "The first half is Y = X + attention(norm(X)).", has::block,
             [](S& s) { s.block.attention_subtracted = true; }},

            // A model
            {"positions", "positions missing", "Add row i of w.positions to token i.", has::model,
             [](S& s) { s.model.positions = Positions::missing; }},
            {"positions", "positions off by one", "The first token has position 0.", has::model,
             [](S& s) { s.model.positions = Positions::from_one; }},
            {"positions", "positions backwards", "The first token has position 0.", has::model | has::sequence,
             [](S& s) { s.model.positions = Positions::backwards; }},
            {"positions", "positions looked up by id", "The position of a token is its place in the sequence.",
             has::model, [](S& s) { s.model.positions = Positions::by_id; }},
            {"positions", "position 0 for all tokens", "Token i gets row i of w.positions.", has::model,
             [](S& s) { s.model.positions = Positions::first_only; }},
            {"positions", "positions multiplied", "Positions are added to the embedding.", has::model,
             [](S& s) { s.model.positions = Positions::times; }},
            {"positions", "positions added behind the blocks",
             "Positions are added to the embedding, before the blocks.", has::model,
             [](S& s) { s.model.positions = Positions::behind_blocks; }},
            {"the embedding", "embedding scaled by √d", "Use the row of the embedding as it is.", has::model,
             [](S& s) { s.model.embedding_scaled = true; }},
            {"the embedding", "ids counted from 1", "Id 0 is row 0 of the embedding.", has::model,
             [](S& s) { s.model.ids_shifted = true; }},
            {"the embedding", "embedding normed",
             "The blocks have norms of their own; w.last comes after the last block.", has::model,
             [](S& s) { s.model.norm_of_embedding = true; }},
            {"the head", "last norm missing", "After the last block comes w.last.", has::model,
             [](S& s) { s.model.last_norm = false; }},
            {"the head", "bias of the head missing", "The head is a projection with a bias.", has::model,
             [](S& s) { s.model.head_bias = false; }},
            {"the head", "embedding used as the head", "The head has weights of its own: w.head.", has::model,
             [](S& s) { s.model.tied = true; }},
            {"the head", "softmax of the logits", "Return the logits themselves, without a softmax.",
             has::model | has::sequence, [](S& s) { s.model.softmax = true; }},
            {"the blocks", "no block", "Apply all blocks, one after another.", has::model,
             [](S& s) { s.model.blocks = Blocks::none; }},
            {"the blocks", "first block only", "Apply all blocks, one after another.", has::model,
             [](S& s) { s.model.blocks = Blocks::first_only; }},
            {"the blocks", "last block missing", "Apply all blocks, including the last one.", has::model,
             [](S& s) { s.model.blocks = Blocks::all_but_last; }},
            {"the blocks", "weights of the first block for all", "Block l has weights of its own: w.blocks[l].",
             has::model, [](S& s) { s.model.blocks = Blocks::first_for_all; }},
            {"the blocks", "blocks in reverse order", "w.blocks[0] comes first.", has::model,
             [](S& s) { s.model.blocks = Blocks::backwards; }},
            {"the blocks", "every block reads the embedding", "Each block reads the output of the block before it.",
             has::model, [](S& s) { s.model.blocks = Blocks::each_from_input; }},
            {"the blocks", "blocks added up", "Each block reads the output of the block before it.", has::model,
             [](S& s) { s.model.blocks = Blocks::summed; }},
            {"the blocks", "all blocks twice", "Apply each block once.", has::model,
             [](S& s) { s.model.blocks = Blocks::twice; }},
            {"the blocks", "last norm after every block", "w.last comes once, after the last block.", has::model,
             [](S& s) { s.model.norm_after_each_block = true; }},
            {"the blocks", "one head instead of w.heads", "Each block has w.heads heads.", has::model,
             [](S& s) { s.model.one_head = true; }},

            // A step
            {"the memory", "memory returned as it came", "Return the sums after adding the token to them.", has::step,
             [](S& s) { s.step.S = s.step.z = Returned::as_it_came; }},
            {"the memory", "memory of the new token only", "Add the token to the sums that were passed in.", has::step,
             [](S& s) { s.step.S = s.step.z = Returned::of_new_token_only; }},
            {"the memory", "S not updated", "Return the new sum: S' = S + φ(k)vᵀ.", has::step,
             [](S& s) { s.step.S = Returned::as_it_came; }},
            {"the memory", "z not updated", "Return the new sum: z' = z + φ(k).", has::step,
             [](S& s) { s.step.z = Returned::as_it_came; }},
            {"the memory", "token added twice", "Add the token to S and z once.", has::step,
             [](S& s) { s.step.S = s.step.z = Returned::twice; }},
            {"the memory", "memory ignored", "The sums that were passed in hold all earlier tokens: start from them.",
             has::step, [](S& s) { s.step.past_ignored = true; }},
            {"the memory", "memory that fades", "Nothing is forgotten: S' = S + φ(k)vᵀ.", has::step,
             [](S& s) { s.step.kept = 0.9; }},
            {"S", "S returned transposed", "S is φ(k)vᵀ: one row for each feature of the key.", has::step,
             [](S& s) { s.step.S_transposed = true; }},
            {"S", "S read transposed", "S has one row for each feature of the key: the query reads φ(q)ᵀS, not S φ(q).",
             has::step, [](S& s) { s.attention.S_transposed = s.step.past_S_transposed = true; }},
            {"the memory", "z without φ", "z adds up φ(k), not k.", has::step,
             [](S& s) { s.step.no_features_in_z = true; }},
            {"the memory", "ε in z", "ε is added when z is read, not to z itself.", has::step,
             [](S& s) { s.step.epsilon_in_z = true; }},
            {"the memory", "S divided", "The memory holds the sums; each query divides for itself.", has::step,
             [](S& s) { s.step.S_divided = true; }},
            {"the memory", "one memory for all heads", "Each head has an S and a z of its own.", has::step,
             [](S& s) { s.step.heads_share = s.attention.heads_add_up = true; }},
            {"the memory", "one memory for the whole batch",
             "Each leading index has its own S and z. States leaked between texts in slime: PR 1686.", has::step,
             [](S& s) { s.step.batch_shares = true; }},
            {"the memory", "memory changed in place", "Copy the memory that was passed in, change the copy, return it.",
             has::step, [](S& s) { s.step.writes_argument = true; }},

            // Generation
            {"the memory", "one memory for all blocks", "Each block has a Memory of its own.", has::generation,
             [](S& s) { s.generate.one_memory_for_all_blocks = true; }},
            {"the memory", "one memory for all of the batch", "Each leading index has sums of its own.",
             has::generation, [](S& s) { s.generate.batch_shares_memory = true; }},
            {"the memory", "only the first block remembers", "Keep the memory that each block returns.",
             has::generation, [](S& s) { s.generate.memory_of_first_block_only = true; }},
            {"the memory", "nothing remembered", "Pass the memory that a step returned to the next step.",
             has::generation, [](S& s) { s.generate.nothing_remembered = true; }},
            {"the prompt", "last prompt token read twice",
             "Reading the prompt already gives the logits of the first new symbol: choose it before reading anything "
             "else.",
             has::generation, [](S& s) { s.generate.last_of_prompt_twice = true; }},
            {"the prompt", "prompt forgotten", "Continue from the memories that reading the prompt returned.",
             has::generation, [](S& s) { s.generate.prompt_forgotten = true; }},
            {"the prompt", "back to the prompt's memories for every symbol",
             "Keep what each step returns: the next symbol needs all symbols before it.", has::generation,
             [](S& s) { s.generate.back_to_prompt = true; }},
            {"the prompt", "only the last prompt token read", "Read the whole prompt, each token at its position.",
             has::generation, [](S& s) { s.generate.only_last_of_prompt = true; }},
            {"the prompt", "only the first prompt token read", "Read the whole prompt, each token at its position.",
             has::generation, [](S& s) { s.generate.from_first_token = true; }},
            {"the prompt", "prompt read again before every symbol",
             "Read each token once: the memories hold it from then on.", has::generation,
             [](S& s) { s.generate.feeds_prompt_again = true; }},
            {"the position", "position of new tokens one too large", "The first new symbol has position n.",
             has::generation, [](S& s) { s.generate.position_of_new = 1; }},
            {"the position", "position of new tokens one too small", "The first new symbol has position n.",
             has::generation, [](S& s) { s.generate.position_of_new = -1; }},
            {"the position", "positions begin again after the prompt", "The first new symbol has position n.",
             has::generation, [](S& s) { s.generate.positions_start_again = true; }},
            {"the position", "position 0 at every step", "A token's position is its place in the whole sequence.",
             has::generation, [](S& s) { s.generate.position_always_zero = true; }},
            {"the position", "all positions one too large", "The first token of the prompt has position 0.",
             has::generation, [](S& s) { s.generate.positions_from_one = true; }},
            {"the choice", "last of equal logits", "Among equal largest logits, choose the smallest id.",
             has::generation, [](S& s) { s.generate.choice = Choice::last_of_largest; }},
            {"the choice", "smallest logit", "Choose the symbol with the largest logit.", has::generation,
             [](S& s) { s.generate.choice = Choice::smallest; }},
            {"the choice", "second largest logit", "Choose the symbol with the largest logit.", has::generation,
             [](S& s) { s.generate.choice = Choice::second; }},
            {"the choice", "one sequence for the whole batch", "Choose a symbol for each leading index separately.",
             has::generation, [](S& s) { s.generate.choice = Choice::first_batch_entry; }},
            {"the choice", "first symbol repeated",
             "Choose each symbol from the new logits, computed after reading the symbol before it.", has::generation,
             [](S& s) { s.generate.chosen_once = true; }},
            {"the result", "first new symbol missing", "The symbol chosen after the prompt is the first of the result.",
             has::generation, [](S& s) { s.generate.one_late = true; }},
            {"the result", "prompt included", "The result holds the new symbols only.", has::generation,
             [](S& s) { s.generate.prompt_included = true; }},
            {"the result", "one symbol too many", "The result has count symbols.", has::generation,
             [](S& s) { s.generate.one_too_many = true; }},
            {"the result", "one symbol too few", "The result has count symbols.", has::generation,
             [](S& s) { s.generate.one_too_few = true; }},
        },
    .numbers = {
        {"ε of the norm is %s", "The constant is norm_epsilon, 1e-5.", has::norm,
         [](S& s, double x) { s.norm_epsilon_value = x; }, 1e-14, 0.1},
        {"ε of the attention is %s", "The constant is attention_epsilon, 1e-6.", has::attention,
         [](S& s, double x) { s.attention.epsilon_counts = x / attention_epsilon; }, 1e-14, 0.1},
        {"memory multiplied by %s at every token", "Nothing is forgotten: S' = S + φ(k)vᵀ and z' = z + φ(k).",
         has::step, [](S& s, double x) { s.step.kept = x; }, 0.01, 0.99999},
        {"every output multiplied by %s", "Do not scale the result.", 0, [](S& s, double x) { s.factor = x; }, 1e-3,
         1e3},
    }};

constexpr unsigned attending = has::attention | has::split | has::merge;

const MutationsOf split_mutations("split_heads", table, has::split | has::split_alone, Settings{}, &split);
const MutationsOf merge_mutations("merge_heads", table, has::merge | has::merge_alone, Settings{}, &merge);
const MutationsOf norm_mutations("layer_norm", table, has::norm | has::norm_alone | has::sequence, Settings{}, &norm);
const MutationsOf gelu_mutations("gelu", table, has::gelu | has::gelu_alone, Settings{}, &gelu);
const MutationsOf attention_mutations_of_lab("multi_head_attention", table, attending | has::sequence, Settings{},
                                             &attention);
const MutationsOf block_mutations("transformer_block", table,
                                  attending | has::sequence | has::norm | has::gelu | has::block, Settings{}, &block);
const MutationsOf model_mutations("logits", table, has::model | has::sequence, Settings{}, &model);
const MutationsOf step_mutations("block_step", table, has::attention | has::norm | has::gelu | has::block | has::step,
                                 Settings{}, &step);
const MutationsOf generation_mutations("generate", table, has::generation, Settings{}, &generation);

// Calls made for the diagnosis alone: all sizes different, two leading axes, few tokens.
const Shape leading{2, 2};
const std::size_t n = 3, d = 6, heads = 3, f = 4;
Tensor input() { return random_tensor(join(leading, {n, d}), 901); }

const Probes split_probes("split_heads", [] { return std::vector{probe(&linattn::split_heads, input(), heads)}; });
const Probes merge_probes("merge_heads", [] {
    return std::vector{probe(&linattn::merge_heads, random_tensor({2, 2, 3, 4, 5}, 902))};
});
const Probes norm_probes("layer_norm", [] {
    return std::vector{probe(&linattn::layer_norm, input(), random_norm(d, 903)),
                       probe(&linattn::layer_norm, Tensor(input() * 1e-3), random_norm(d, 903))};
});
const Probes gelu_probes("gelu", [] { return std::vector{probe(&linattn::gelu, input())}; });
const Probes attention_probes("multi_head_attention", [] {
    return std::vector{probe(&linattn::multi_head_attention, input(), random_attention(d, 905), heads)};
});
const Probes block_probes("transformer_block", [] {
    return std::vector{probe(&linattn::transformer_block, input(), random_block(d, f, 920), heads)};
});
const Probes model_probes("logits", [] {
    return std::vector{probe(&linattn::logits, random_ids({2, 3}, 5, 940),
                             random_model({.symbols = 5, .longest = 7, .blocks = 3, .d = d, .f = f, .heads = 2}, 941))};
});
const Probes step_probes("block_step", [] {
    const Memory memory{random_tensor(join(leading, {heads, d / heads, d / heads}), 906),
                        random_tensor(join(leading, {heads, d / heads}), 907, 0.5, 2.0)};
    return std::vector{
        probe(&linattn::block_step, random_tensor(join(leading, {d}), 908), random_block(d, f, 960), heads, memory)};
});

}  // namespace
}  // namespace linattn::testing
