// What people forget or count twice on the way back, as settings of the definition (model_definition.hpp). What can go
// wrong in a layer can go wrong in all that contain it.
#include <algorithm>

#include "backward_by_slopes.hpp"
#include "mutations.hpp"

namespace linattn::testing::backward_mutations {

using Settings = GradientSettings;

namespace has {
constexpr unsigned bias = 1, matrix = 2, norm = 4, attention = 8, block = 16, model = 32, matrix_alone = 64,
                   norm_alone = 128, tokens = 256, attention_alone = 512, block_alone = 1024;
}

void set(Settings& s, Step step, Point point) { s.at[static_cast<std::size_t>(step)] = point; }
void set(Settings& s, Path path, double factor) { s.along[static_cast<std::size_t>(path)] = factor; }

const MutationTable<Settings> table = {
    {
        {"the bias", "bias gradient forgotten",
         "db is the sum of dY over all tokens: the bias is added at each of them.", has::bias,
         [](Settings& s) { set(s, Path::affine_bias, 0.0); }},
        {"the bias", "bias gradient averaged", "db is the sum of dY over all tokens, not its mean.", has::bias,
         [](Settings& s) { s.bias_mean = true; }},
        {"the weights", "gradients of weights averaged over the tokens",
         "Every token adds to the gradient of a weight; the loss already divides by the number of positions.",
         has::tokens, [](Settings& s) { s.mean_over = MeanOver::tokens; }},
        {"the weights", "gradients of weights averaged over the sequences",
         "Every sequence adds to the gradient of a weight; the loss already divides by the number of positions.",
         has::tokens, [](Settings& s) { s.mean_over = MeanOver::sequences; }},
        {"the weights", "gradients of weights divided by the tokens of a sequence",
         "Every token adds to the gradient of a weight; the loss already divides by the number of positions.",
         has::tokens, [](Settings& s) { s.mean_over = MeanOver::tokens_of_sequence; }},
        {"the weights", "X reshaped in place of transposed",
         "A reshape leaves the numbers in their order, so that rows mix tokens: dW = Xᵀ dY with matrix_transpose.",
         has::matrix_alone, [](Settings& s) { s.input_reshaped = true; }},
        {"the weights", "W taken as (out, in)",
         "That is PyTorch's layout. Here W is (in, out): what input i does to output o is at i·out + o, in W as in dW.",
         has::matrix_alone, [](Settings& s) { s.weights_as_out_in = s.weights_read_as_out_in = true; }},
        {"dX", "dX by W read as (out, in)", "W is (in, out): what input i does to output o is at i·out + o.",
         has::matrix_alone, [](Settings& s) { s.weights_read_as_out_in = true; }},
        {"the weights", "dW written as (out, in)",
         "dW = Xᵀ dY has the shape of W, (in, out): entry (i, o) is at i·out + o.", has::matrix_alone,
         [](Settings& s) { s.weights_as_out_in = true; }},
        {"the weights", "only the last sequence adds to the gradients of the weights",
         "A weight is used by all tokens of all sequences: add to its gradient, do not replace it.", has::tokens,
         [](Settings& s) { s.uses = Uses::last_sequence; }},
        {"the weights", "only the first sequence adds to the gradients of the weights",
         "A weight is used by all tokens of all sequences: sum over every leading axis.", has::tokens,
         [](Settings& s) { s.uses = Uses::first_sequence; }},
        {"the weights", "only the last token adds to the gradients of the weights",
         "A weight is used by all tokens: add their gradients up, do not overwrite them.", has::tokens,
         [](Settings& s) { s.uses = Uses::last_token; }},
        {"the weights", "first token of each sequence left out of the gradients of the weights",
         "The sum over the tokens begins at token 0.", has::tokens,
         [](Settings& s) { s.uses = Uses::later_than_first; }},
        {"the weights", "last token of an odd number left out of the gradients of the weights",
         "Where the loop takes two tokens at a time, an odd number leaves one: add that, too.", has::tokens,
         [](Settings& s) { s.blocks.of_weights = s.blocks.of_biases = 2; }},
        {"the weights", "last tokens left out of the gradients of the weights, where they are no multiple of 4",
         "Where the loop takes four tokens at a time, up to three are left: add those, too.", has::tokens,
         [](Settings& s) { s.blocks.of_weights = s.blocks.of_biases = 4; }},
        {"the weights", "last token of each sequence of odd length left out of the gradients of the weights",
         "Where the loop takes two tokens at a time, an odd number leaves one: add that, too.", has::tokens,
         [](Settings& s) {
             s.blocks.of_weights = s.blocks.of_biases = 2;
             s.blocks.of_sequence = true;
         }},
        {"the weights", "last token of an odd number left out of dW",
         "dW = Xᵀ dY: where the loop takes two tokens at a time, an odd number leaves one. Add that, too.",
         has::matrix_alone, [](Settings& s) { s.blocks.of_weights = 2; }},
        {"the weights", "last tokens left out of dW, where they are no multiple of 4",
         "dW = Xᵀ dY: where the loop takes four tokens at a time, up to three are left. Add those, too.",
         has::matrix_alone, [](Settings& s) { s.blocks.of_weights = 4; }},
        {"the bias", "last token of an odd number left out of db",
         "db is the sum of dY over all tokens: where the loop takes two at a time, an odd number leaves one.",
         has::matrix_alone, [](Settings& s) { s.blocks.of_biases = 2; }},
        {"the bias", "last tokens left out of db, where they are no multiple of 4",
         "db is the sum of dY over all tokens: where the loop takes four at a time, up to three are left.",
         has::matrix_alone, [](Settings& s) { s.blocks.of_biases = 4; }},
        {"the bias", "db overwritten by each token", "db is the sum of dY over all tokens: += at each of them.",
         has::matrix_alone, [](Settings& s) { s.blocks.last_of_biases = true; }},
        {"the weights", "dW overwritten by each token", "dW = Xᵀ dY is a sum over all tokens: += at each of them.",
         has::matrix_alone, [](Settings& s) { s.blocks.last_of_weights = true; }},
        {"dX", "dX of the last token left at 0, where their number is odd",
         "dX = dY Wᵀ for every token: where the loop takes two at a time, an odd number leaves one.", has::matrix_alone,
         [](Settings& s) { s.blocks.of_input = 2; }},
        {"the gain", "last token of an odd number left out of the gain's gradient",
         "The gradient of the gain is the sum over all tokens: where the loop takes two at a time, an odd number "
         "leaves "
         "one.",
         has::norm_alone, [](Settings& s) { s.blocks.of_weights = 2; }},
        {"dX", "dX by W in place of Wᵀ", "dX = dY Wᵀ. With a square W, dY W has the right shape too, but is wrong.",
         has::matrix, [](Settings& s) { s.by_transposed = true; }},
        {"the bias", "bias gradient added once for every input",
         "db is the sum of dY over the tokens: it does not belong into the loop over the columns of X.",
         has::matrix_alone, [](Settings& s) { s.bias_for_each_input = true; }},
        {"dX", "bias subtracted from dY",
         "The way back is no inverse: a bias does not change the slope, so that dX = dY Wᵀ.", has::matrix_alone,
         [](Settings& s) { s.bias_subtracted = true; }},
        {"dX", "dX left at 0", "The input has a gradient as well: dX = dY Wᵀ.", has::matrix_alone,
         [](Settings& s) { set(s, Path::affine_input, 0.0); }},
        {"dX", "sign of dX", "dX = dY Wᵀ, with a plus: the optimiser takes the step against the gradient.",
         has::matrix_alone, [](Settings& s) { set(s, Path::affine_input, -1.0); }},
        {"the weights", "sequences transposed before they are joined",
         "dW = Xᵀ dY over the tokens of all sequences: reshape X to (tokens, in) first, then transpose.",
         has::matrix_alone, [](Settings& s) { s.transposed_before_joined = true; }},
        {"the weights", "dW left at 0", "dW = Xᵀ dY.", has::matrix_alone,
         [](Settings& s) { set(s, Path::affine_weights, 0.0); }},

        {"layer norm's statistics", "mean taken for a constant",
         "The mean depends on every entry of the token: it gives the term − mean(g).", has::norm,
         [](Settings& s) { set(s, Path::norm_mean, 0.0); }},
        {"layer norm's statistics", "deviation taken for a constant",
         "The deviation depends on every entry of the token: it gives the term − x̂ mean(g ⊙ x̂).", has::norm,
         [](Settings& s) { set(s, Path::norm_deviation, 0.0); }},
        {"layer norm's statistics", "mean and deviation taken for constants",
         "Both depend on every entry of the token: dx = (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation.", has::norm,
         [](Settings& s) {
             set(s, Path::norm_mean, 0.0);
             set(s, Path::norm_deviation, 0.0);
         }},
        {"layer norm's statistics", "sign of the deviation's term", "It is − x̂ mean(g ⊙ x̂), with a minus.",
         has::norm_alone, [](Settings& s) { set(s, Path::norm_deviation, -1.0); }},
        {"layer norm's statistics", "sums in place of both means",
         "dx = (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation: both are divided by d.", has::norm_alone,
         [](Settings& s) { s.sum_for_mean = s.sum_for_deviation = true; }},
        {"layer norm's statistics", "sum of g in place of its mean",
         "dx = (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation: divide the sum of g by d.", has::norm_alone,
         [](Settings& s) { s.sum_for_mean = true; }},
        {"layer norm's statistics", "sum of g ⊙ x̂ in place of its mean",
         "dx = (g − mean(g) − x̂ mean(g ⊙ x̂)) / deviation: divide the sum of g ⊙ x̂ by d.", has::norm_alone,
         [](Settings& s) { s.sum_for_deviation = true; }},
        {"the gain", "gain applied twice to dX", "g = gain ⊙ dY has the gain once, and so has dX.", has::norm_alone,
         [](Settings& s) { s.gain_squared = true; }},
        {"the gain", "dY divided by the gain", "The gain multiplies forwards, and so it does on the way back.",
         has::norm_alone, [](Settings& s) { s.gain_divides = true; }},
        {"the gain", "gain's gradient averaged",
         "The gradient of the gain is the sum of dY ⊙ x̂ over all tokens, not its mean.", has::norm_alone,
         [](Settings& s) { s.gain_mean = true; }},
        {"the norm's bias", "norm's bias gradient overwritten by each token",
         "The gradient of the norm's bias is the sum of dY over all tokens: += at each of them.", has::norm_alone,
         [](Settings& s) { s.blocks.last_of_biases = true; }},
        {"the gain", "gain's gradient overwritten by each token",
         "The gain's gradient is the sum of dY ⊙ x̂ over all tokens: += at each of them.", has::norm_alone,
         [](Settings& s) { s.blocks.last_of_weights = true; }},
        {"the norm's bias", "norm's bias gradient averaged",
         "The gradient of the norm's bias is the sum of dY over all tokens, not its mean.", has::norm_alone,
         [](Settings& s) { s.norm_bias_mean = true; }},
        {"the gain", "gain left out of dX", "The gradient passes through the gain: begin with g = gain ⊙ dY.",
         has::norm, [](Settings& s) { s.gain_left_out = true; }},
        {"the gain", "gain's gradient forgotten", "The gradient of the gain is the sum of dY ⊙ x̂ over all tokens.",
         has::norm, [](Settings& s) { set(s, Path::norm_gain, 0.0); }},
        {"the gain", "gain's gradient times the gain",
         "The gradient of the gain is the sum of dY ⊙ x̂; only dX begins with g = gain ⊙ dY.", has::norm_alone,
         [](Settings& s) { s.gain_twice = true; }},
        {"layer norm's statistics", "mean(g) over axis 0",
         "mean(g) is over the entries of one token: mean(g, -1, keep_dims).", has::norm_alone,
         [](Settings& s) { s.mean_over_axis_0 = true; }},
        {"the gain", "gain's gradient from x in place of x̂",
         "The gain multiplies the normalised entries: its gradient is the sum of dY ⊙ x̂.", has::norm,
         [](Settings& s) { s.gain_sees_input = true; }},
        {"the gain", "the norm's result taken for x̂",
         "x̂ is (x − mean) / deviation, before gain and bias: in the gain's gradient and in dX.", has::norm_alone,
         [](Settings& s) { s.result_for_normed = true; }},
        {"the gain", "gain left out of mean(g ⊙ x̂)", "Both means are of g = gain ⊙ dY: mean(g) and mean(g ⊙ x̂).",
         has::norm_alone, [](Settings& s) { s.no_gain_in_deviation = true; }},
        {"the norm's bias", "norm's bias gradient times the gain",
         "The gradient of the norm's bias is the sum of dY; only dX begins with g = gain ⊙ dY.", has::norm_alone,
         [](Settings& s) { s.gain_in_bias = true; }},
        {"the norm's bias", "norm's bias gradient forgotten",
         "The gradient of the norm's bias is the sum of dY over all tokens.", has::norm,
         [](Settings& s) { set(s, Path::norm_bias, 0.0); }},
        {"layer norm's statistics", "variance over d - 1", "The forward pass divides by d, and so must its gradient.",
         has::norm_alone, [](Settings& s) { s.sample_variance = true; }},
        {"ε of layer norm", "ε forgotten",
         "The forward pass divides by √(variance + norm_epsilon), and so must its gradient.", has::norm_alone,
         [](Settings& s) { s.norm_epsilon = 0.0; }},
        {"ε of layer norm", "ε added outside the root", "ε belongs under the root: √(variance + norm_epsilon).",
         has::norm_alone,
         [](Settings& s) {
             s.norm_epsilon = 0.0;
             s.outside_root = linattn::norm_epsilon;
         }},
        {"layer norm's statistics", "divided by the variance",
         "dX is divided by the deviation, the root of the variance.", has::norm_alone,
         [](Settings& s) { s.divided_by_variance = true; }},

        {"the normaliser", "numerator only",
         "The denominator φ(q)·z + ε depends on φ(Q) and φ(K), too: lab 06 gives the gradient of both.", has::attention,
         [](Settings& s) { set(s, Path::normalizer, 0.0); }},
        {"the normaliser", "sign of the denominator's gradient", "dD = −(dO·o)/D, with a minus.", has::attention,
         [](Settings& s) { set(s, Path::normalizer, -1.0); }},
        {"the paths to X", "path through the queries forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention,
         [](Settings& s) { set(s, Path::query, 0.0); }},
        {"the paths to X", "path through the keys forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention,
         [](Settings& s) { set(s, Path::key, 0.0); }},
        {"the paths to X", "path through the values forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention,
         [](Settings& s) { set(s, Path::value, 0.0); }},
        {"the paths to X", "queries' part of dX forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention_alone,
         [](Settings& s) { set(s, Path::query_input, 0.0); }},
        {"the paths to X", "keys' part of dX forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention_alone,
         [](Settings& s) { set(s, Path::key_input, 0.0); }},
        {"the paths to X", "values' part of dX forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention_alone,
         [](Settings& s) { set(s, Path::value_input, 0.0); }},
        {"the paths to X", "queries' part of dX added twice, keys' forgotten",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention_alone,
         [](Settings& s) {
             set(s, Path::query_input, 2.0);
             set(s, Path::key_input, 0.0);
         }},
        {"the paths to X", "only the values' part of dX",
         "X reaches the result through Q, K and V: dX is the sum of three gradients.", has::attention_alone,
         [](Settings& s) {
             set(s, Path::query_input, 0.0);
             set(s, Path::key_input, 0.0);
         }},
        {"the paths to X", "sign of the keys' part of dX", "dX is the sum of three gradients, each with a plus.",
         has::attention_alone, [](Settings& s) { set(s, Path::key_input, -1.0); }},
        {"the paths to X", "sign of the values' part of dX", "dX is the sum of three gradients, each with a plus.",
         has::attention_alone, [](Settings& s) { set(s, Path::value_input, -1.0); }},
        {"φ", "φ(Q) in place of φ(K)", "causal_attention_backward takes φ(Q), φ(K), V.", has::attention_alone,
         [](Settings& s) { s.queries_for_keys = true; }},
        {"φ", "φ(K) in place of φ(Q)", "causal_attention_backward takes φ(Q), φ(K), V.", has::attention_alone,
         [](Settings& s) { s.keys_for_queries = true; }},
        {"φ′", "φ′ of the keys at Q", "elu_plus_one_backward takes what φ was applied to: K for the gradient of φ(K).",
         has::attention_alone, [](Settings& s) { s.key_map_at_query = true; }},
        {"φ′", "φ′ of the queries at K",
         "elu_plus_one_backward takes what φ was applied to: Q for the gradient of φ(Q).", has::attention_alone,
         [](Settings& s) { s.query_map_at_key = true; }},
        {"the projections", "keys projected by W_Q", "Each projection has its own weights: K = X W_K + b_K.",
         has::attention_alone, [](Settings& s) { s.keys_are_queries = true; }},
        {"the projections", "values projected by W_K", "Each projection has its own weights: V = X W_V + b_V.",
         has::attention_alone, [](Settings& s) { s.values_are_keys = true; }},
        {"the projections", "keys' gradient through W_Q",
         "What comes back to K goes through W_K: affine_backward takes w.K.", has::attention_alone,
         [](Settings& s) { s.keys_through_w_q = true; }},
        {"the projections", "values' gradient through W_K",
         "What comes back to V goes through W_V: affine_backward takes w.V.", has::attention_alone,
         [](Settings& s) { s.values_through_w_k = true; }},
        {"the projections", "gradient of W_Q returned for W_K too", "The order of the four projections is Q, K, V, O.",
         has::attention_alone, [](Settings& s) { s.dw_q_for_k = true; }},
        {"the projections", "gradient of W_K returned for W_V too", "The order of the four projections is Q, K, V, O.",
         has::attention_alone, [](Settings& s) { s.dw_k_for_v = true; }},
        {"the projections", "gradients of W_Q and W_K exchanged", "The order of the four projections is Q, K, V, O.",
         has::attention_alone, [](Settings& s) { s.dw_exchanged = true; }},
        {"φ", "φ left out of what lab 06's gradient gets",
         "causal_attention_backward takes φ(Q) and φ(K), not Q and K.", has::attention_alone,
         [](Settings& s) { s.features_left_out_of_q = s.features_left_out_of_k = true; }},
        {"φ", "Q in place of φ(Q)", "causal_attention_backward takes φ(Q), not Q.", has::attention_alone,
         [](Settings& s) { s.features_left_out_of_q = true; }},
        {"φ", "K in place of φ(K)", "causal_attention_backward takes φ(K), not K.", has::attention_alone,
         [](Settings& s) { s.features_left_out_of_k = true; }},
        {"the projections", "heads get dY in place of the last projection's dX",
         "The heads' outputs go through the last projection: pass on its dX = dY W_Oᵀ, split into heads.",
         has::attention_alone, [](Settings& s) { s.output_skipped = true; }},
        {"φ′", "φ′ of the queries forgotten",
         "The gradient with respect to φ(Q) is not yet that with respect to Q: multiply by φ′(Q).",
         has::attention_alone, [](Settings& s) { s.query_map = MapSlope::one; }},
        {"φ′", "φ′ of the keys forgotten",
         "The gradient with respect to φ(K) is not yet that with respect to K: multiply by φ′(K).",
         has::attention_alone, [](Settings& s) { s.key_map = MapSlope::one; }},
        {"φ′", "φ′ forgotten",
         "The gradient with respect to φ(Q) is not yet that with respect to Q: multiply by φ′(Q), and likewise for K.",
         has::attention, [](Settings& s) { s.query_map = s.key_map = MapSlope::one; }},
        {"φ′", "φ′ taken for φ", "φ = elu + 1 has the slope 1 above 0; only below 0 is it φ itself.", has::attention,
         [](Settings& s) { s.query_map = s.key_map = MapSlope::itself; }},
        {"φ′", "φ′ taken for that of relu", "φ = elu + 1 has the slope eˣ below 0, not 0.", has::attention,
         [](Settings& s) { s.query_map = s.key_map = MapSlope::of_relu; }},
        {"φ′", "φ′ at the features in place of the projections",
         "elu_plus_one_backward takes what φ was applied to: Q and K, not φ(Q) and φ(K).", has::attention,
         [](Settings& s) { s.query_map = s.key_map = MapSlope::at_the_features; }},
        {"φ′", "φ′ at φ(Q) in place of Q", "elu_plus_one_backward takes what φ was applied to: Q, not φ(Q).",
         has::attention_alone, [](Settings& s) { s.query_map = MapSlope::at_the_features; }},
        {"φ′", "φ′ at φ(K) in place of K", "elu_plus_one_backward takes what φ was applied to: K, not φ(K).",
         has::attention_alone, [](Settings& s) { s.key_map = MapSlope::at_the_features; }},
        {"the values", "φ applied to the values", "φ is applied to queries and keys only: pass V as it is.",
         has::attention_alone, [](Settings& s) { s.values_mapped = true; }},
        {"the values", "values' gradient multiplied by φ′", "Values have no φ, so their gradient has no φ′.",
         has::attention_alone, [](Settings& s) { s.values_slope_mapped = true; }},
        {"the projections", "gradients of W_K and W_V exchanged", "The order of the four projections is Q, K, V, O.",
         has::attention_alone, [](Settings& s) { s.keys_values_exchanged = true; }},
        {"the projections", "gradients of φ(Q) and φ(K) exchanged",
         "causal_attention_backward returns phi_Q, phi_K, V, in this order: the first belongs to Q.",
         has::attention_alone, [](Settings& s) { s.queries_keys_exchanged = true; }},
        {"the paths to X", "gradient of the merged heads added to dX",
         "X reaches the result through Q, K and V only: dX is the sum of these three gradients.", has::attention_alone,
         [](Settings& s) { s.merged_heads_added = true; }},
        {"the paths to X", "dY added to dX",
         "Attention has no skip connection of its own, the block adds it: dX is the sum of three gradients.",
         has::attention_alone, [](Settings& s) { s.upstream_added = true; }},
        {"the projections", "last projection's gradient from its result",
         "affine_backward takes the input of the projection: the merged heads C, not C W_O + b_O.",
         has::attention_alone, [](Settings& s) { s.output_sees_result = true; }},
        {"the projections", "last projection's gradient from the merged heads and its own bias",
         "affine_backward takes the merged heads C themselves: without b_O, which is not in them.",
         has::attention_alone, [](Settings& s) { s.output_sees_bias = true; }},
        {"the projections", "last projection's gradient from heads merged by a reshape",
         "affine_backward takes the merged heads C: merge_heads swaps heads and tokens before it joins them.",
         has::attention_alone, [](Settings& s) { s.output_sees_reshaped = true; }},
        {"the projections", "last projection's gradient from heads without the mask",
         "affine_backward takes the merged heads C of the forward pass, in which a token sees no later one.",
         has::attention_alone, [](Settings& s) { s.output_sees_all = true; }},
        {"the projections", "biases forgotten where Q, K and V are computed again",
         "The backward pass needs the queries, keys and values of the forward pass: X W + b, each with its bias.",
         has::attention_alone, [](Settings& s) { s.projected_without_biases = true; }},
        {"the projections", "keys computed again with the queries' bias",
         "The backward pass needs the keys of the forward pass: X W_K + b_K.", has::attention_alone,
         [](Settings& s) { s.keys_with_bias_of_q = true; }},
        {"the projections", "values computed again with the queries' bias",
         "The backward pass needs the values of the forward pass: X W_V + b_V.", has::attention_alone,
         [](Settings& s) { s.values_with_bias_of_q = true; }},
        {"the projections", "values computed again with the keys' bias",
         "The backward pass needs the values of the forward pass: X W_V + b_V.", has::attention_alone,
         [](Settings& s) { s.values_with_bias_of_k = true; }},
        {"the projections", "last projection's gradient from X",
         "affine_backward takes the input of the projection: the merged heads C, not X.", has::attention_alone,
         [](Settings& s) { s.output_sees_input = true; }},
        {"the projections", "gradient of φ(Q) sent to the keys",
         "causal_attention_backward returns three gradients: K continues with that of φ(K).", has::attention_alone,
         [](Settings& s) { s.keys_move_queries = true; }},
        {"ε of attention", "ε of layer norm in place of attention's",
         "The forward pass adds attention_epsilon, not norm_epsilon: pass that to causal_attention_backward.",
         has::attention_alone, [](Settings& s) { s.attention_epsilon = linattn::norm_epsilon; }},
        {"ε of attention", "ε forgotten",
         "The forward pass divides by φ(q)·z + attention_epsilon, and so must its gradient: pass it to "
         "causal_attention_backward.",
         has::attention_alone, [](Settings& s) { s.attention_epsilon = 0.0; }},
        {"the mask", "mask lost on the way back",
         "An output sees no later token, so its gradient does not reach later tokens.", has::attention,
         [](Settings& s) { s.seen = SeenKeys::all; }},
        {"the mask", "own token left out on the way back", "A token sees itself: the sums over j ≤ i contain j = i.",
         has::attention, [](Settings& s) { s.seen = SeenKeys::earlier; }},
        {"the heads", "heads taken as every h-th column",
         "Head t has the columns t·e to t·e + e − 1: use split_heads and merge_heads on the way back, too.",
         has::attention, [](Settings& s) { s.heads_by_stride = true; }},

        {"the heads", "heads reshaped only",
         "Reshaping (…, n, d) to (…, h, n, e) mixes the tokens: use split_heads and merge_heads on the way back, too.",
         has::attention, [](Settings& s) { s.heads_reshaped = true; }},
        {"the heads", "gradients of the heads merged by a reshape",
         "The gradients of Q, K and V have the shape (…, h, n, e): merge_heads swaps heads and tokens first.",
         has::attention, [](Settings& s) { s.heads_merged_by_reshape = true; }},
        {"the heads", "the heads' gradient split by a reshape",
         "What comes back through the last projection is (…, n, d): split_heads gives each head its columns.",
         has::attention, [](Settings& s) { s.dO_split_by_reshape = true; }},
        {"the heads", "gradients split and merged by reshapes",
         "Use split_heads and merge_heads on the way back, too: a reshape alone mixes the tokens.", has::attention,
         [](Settings& s) { s.heads_merged_by_reshape = s.dO_split_by_reshape = true; }},

        {"the heads", "one head of width d",
         "Split Q, K and V into heads, on the way forwards and back: each has weights and a denominator of its own.",
         has::attention_alone, [](Settings& s) { s.one_head_back = s.output_sees_one_head = true; }},
        {"the heads", "one head of width d on the way back",
         "Each head has a denominator of its own: split Q, K, V and what comes back to C into heads.",
         has::attention_alone, [](Settings& s) { s.one_head_back = true; }},
        {"the residuals", "attention's skip connection forgotten", "Y = X + attention: dY goes to X directly, too.",
         has::block, [](Settings& s) { set(s, Path::attention_skip, 0.0); }},
        {"the residuals", "feed-forward's skip connection forgotten",
         "Z = Y + feed-forward: dZ goes to Y directly, too.", has::block,
         [](Settings& s) { set(s, Path::feed_forward_skip, 0.0); }},
        {"the residuals", "attention's skip connection counted twice",
         "Each sum passes its gradient on once to each of its terms.", has::block,
         [](Settings& s) { set(s, Path::attention_skip, 2.0); }},
        {"the residuals", "feed-forward's skip connection counted twice",
         "Each sum passes its gradient on once to each of its terms.", has::block,
         [](Settings& s) { set(s, Path::feed_forward_skip, 2.0); }},
        {"the paths through the block", "path through attention forgotten",
         "dX is what skips attention plus what goes through it.", has::block,
         [](Settings& s) { set(s, Path::attention, 0.0); }},
        {"the paths through the block", "path through the feed-forward layer forgotten",
         "dM is what skips the feed-forward layer plus what goes through it.", has::block,
         [](Settings& s) { set(s, Path::feed_forward, 0.0); }},
        {"the paths through the block", "what comes back through the feed-forward layer not added",
         "Y reaches the result by two ways: dM = dY + what the second norm's backward pass gives.", has::block_alone,
         [](Settings& s) { set(s, Path::feed_forward_input, 0.0); }},
        {"the paths through the block", "what comes back through attention not added",
         "X reaches Y by two ways: dX = dM + what the first norm's backward pass gives.", has::block_alone,
         [](Settings& s) { set(s, Path::attention_input, 0.0); }},
        {"the paths through the block", "what comes back through the feed-forward layer subtracted",
         "dM = dY + what the second norm's backward pass gives, with a plus.", has::block_alone,
         [](Settings& s) { set(s, Path::feed_forward_input, -1.0); }},
        {"the paths through the block", "what comes back through attention subtracted",
         "dX = dM + what the first norm's backward pass gives, with a plus.", has::block_alone,
         [](Settings& s) { set(s, Path::attention_input, -1.0); }},
        {"what the block computes again", "attention's skip connection forgotten on the way forwards",
         "The second norm reads Y = X + attention: compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::without_skip; }},
        {"what the block computes again", "attention forgotten on the way forwards",
         "The second norm reads Y = X + attention: compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::without_attention; }},
        {"what the block computes again", "first norm forgotten on the way forwards",
         "Attention reads norm(X): compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::without_first_norm; }},
        {"what the block computes again", "second norm forgotten on the way forwards",
         "The feed-forward layer reads norm(Y): compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::without_second_norm; }},
        {"what the block computes again", "first norm used twice on the way forwards",
         "The feed-forward layer reads the second norm: w.before_feed_forward.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::first_norm_twice; }},
        {"what the block computes again", "second norm of X in place of Y on the way forwards",
         "The second norm reads Y = X + attention.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::second_norm_of_X; }},
        {"what the block computes again", "bias of up missing on the way forwards",
         "GELU reads X W + b: compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::without_bias_up; }},
        {"what the block computes again", "bias of up added twice on the way forwards",
         "GELU reads X W + b, with the bias once: compute that again.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::bias_up_twice; }},
        {"what the block computes again", "bias of up added after GELU on the way forwards",
         "GELU reads the whole projection: gelu(X W + b), with the bias in the brackets.", has::block_alone,
         [](Settings& s) { s.recomputed = Recomputed::bias_up_after_gelu; }},
        {"the norms", "norms left out on the way back",
         "Attention and the feed-forward layer read normed tokens: pass their dX through layer_norm_backward.",
         has::block, [](Settings& s) { s.norm_is_identity = true; }},
        {"the norms", "second norm's gradient at X", "The second norm reads Y = X + attention: so does its gradient.",
         has::block, [](Settings& s) { set(s, Step::second_norm, Point::X); }},
        {"the norms", "attention's gradient at X", "Attention reads norm(X): attention_backward takes that, not X.",
         has::block, [](Settings& s) { set(s, Step::attention, Point::X); }},
        {"the norms", "first norm's gradient at its result", "The first norm reads X: layer_norm_backward takes that.",
         has::block_alone, [](Settings& s) { set(s, Step::first_norm, Point::normed); }},
        {"the norms", "first norm's gradient at Y", "The first norm reads X: layer_norm_backward takes that.",
         has::block_alone, [](Settings& s) { set(s, Step::first_norm, Point::Y); }},
        {"the norms", "second norm's gradient at its result",
         "The second norm reads Y = X + attention: layer_norm_backward takes that.", has::block_alone,
         [](Settings& s) { set(s, Step::second_norm, Point::normed_again); }},
        {"the norms", "second norm's gradient at the first norm's result",
         "The second norm reads Y = X + attention: layer_norm_backward takes that.", has::block_alone,
         [](Settings& s) { set(s, Step::second_norm, Point::normed); }},
        {"the norms", "attention's gradient at Y", "Attention reads norm(X): attention_backward takes that.",
         has::block_alone, [](Settings& s) { set(s, Step::attention, Point::Y); }},
        {"the norms", "attention's gradient at the second norm's result",
         "Attention reads the first norm of X: attention_backward takes that.", has::block_alone,
         [](Settings& s) { set(s, Step::attention, Point::normed_again); }},
        {"the norms", "gradient of up from what the norm reads",
         "The feed-forward layer reads norm(Y): affine_backward for up takes that, not Y.", has::block_alone,
         [](Settings& s) { set(s, Step::up, Point::Y); }},
        {"the norms", "gradient of up from the first norm",
         "The feed-forward layer reads the second norm's result: affine_backward for up takes that.", has::block_alone,
         [](Settings& s) { set(s, Step::up, Point::normed); }},
        {"the norms", "gradient of up from X",
         "The feed-forward layer reads norm(Y): affine_backward for up takes that, not X.", has::block_alone,
         [](Settings& s) { set(s, Step::up, Point::X); }},
        {"GELU", "GELU's gradient at its result",
         "gelu_backward takes what GELU reads, the result of up, not gelu of it.", has::block_alone,
         [](Settings& s) { set(s, Step::gelu, Point::activated); }},
        {"the paths through the block", "attention's gradient without dY",
         "Attention adds to Y, and dY reaches Y both directly and through the feed-forward layer: it gets the sum.",
         has::block_alone, [](Settings& s) { s.received = Received::attention_from_feed_forward; }},
        {"the paths through the block", "first norm's gradient from dM, past attention",
         "The first norm gets what attention_backward gives: its dX.", has::block_alone,
         [](Settings& s) { s.received = Received::first_norm_from_middle; }},
        {"the paths through the block", "second norm's gradient from dY, past the feed-forward layer",
         "The second norm gets what the feed-forward layer gives: the dX of up.", has::block_alone,
         [](Settings& s) { s.received = Received::second_norm_from_result; }},
        {"the paths through the block", "dX from dY in place of dM",
         "X reaches the result through Y: what skips attention is dM = dY + what comes back through the feed-forward "
         "layer.",
         has::block_alone, [](Settings& s) { s.received = Received::input_from_result; }},
        {"the paths through the block", "attention's gradient from dY",
         "Attention adds to Y: it gets the whole dY, what skips the feed-forward layer plus what comes back through "
         "it.",
         has::block, [](Settings& s) { s.received = Received::attention_from_result; }},
        {"GELU", "gradient of down from what GELU reads",
         "affine_backward takes the input of the projection: gelu(hidden), not hidden.", has::block,
         [](Settings& s) { set(s, Step::down, Point::hidden); }},
        {"GELU", "GELU left out on the way back",
         "The feed-forward layer has gelu between its projections: pass the gradient through gelu_backward.",
         has::block, [](Settings& s) { s.gelu_is_identity = true; }},

        {"the embedding", "embedding's gradient forgotten", "The rows of the embedding are weights as well.",
         has::model, [](Settings& s) { set(s, Path::embedding, 0.0); }},
        {"the embedding", "a symbol's gradient overwritten where it occurs again",
         "A symbol that occurs several times gets the sum of the gradients at all its places.", has::model,
         [](Settings& s) { s.last_occurrence = true; }},
        {"the embedding", "head's gradient added to the embedding's",
         "Embedding and head are weights of their own here: they are not tied.", has::model,
         [](Settings& s) { s.head_in_embedding = true; }},
        {"the positions", "positions' gradient forgotten", "The rows of the positions are weights as well.", has::model,
         [](Settings& s) { set(s, Path::positions, 0.0); }},
        {"the positions", "positions' gradient of the last sequence alone",
         "All sequences use the same positions: add their gradients up.", has::model,
         [](Settings& s) { s.last_sequence_moves_positions = true; }},
        {"the positions", "positions' gradient of the first sequence alone",
         "All sequences use the same positions: add their gradients up.", has::model,
         [](Settings& s) { s.first_sequence_moves_positions = true; }},
        {"the positions", "positions not added on the way forwards",
         "The first block reads the embedding's rows plus those of the positions.", has::model,
         [](Settings& s) { s.positions_not_added = true; }},
        {"the positions", "positions run on over the batch",
         "Each sequence begins with position 0, forwards and on the way back: in ids read on as one row, t % n is the "
         "place of entry t.",
         has::model, [](Settings& s) { s.positions_run_on = true; }},
        {"the positions", "positions' gradient runs on over the batch",
         "Row p of the positions gets the gradient of token p of every sequence: in ids read on as one row, p = t % n.",
         has::model, [](Settings& s) { s.positions_gradient_runs_on = true; }},
        {"what is left", "embedding's gradient never assigned",
         "A copy of w holds weights, not gradients: assign each part.", has::model,
         [](Settings& s) { s.left = ".embedding"; }},
        {"what is left", "positions' gradient never assigned",
         "A copy of w holds weights, not gradients: assign each part.", has::model,
         [](Settings& s) { s.left = ".positions"; }},
        {"what is left", "blocks' gradients never assigned",
         "A copy of w holds weights, not gradients: assign each part.", has::model,
         [](Settings& s) { s.left = ".blocks"; }},
        {"what is left", "last norm's gradient never assigned",
         "A copy of w holds weights, not gradients: assign each part.", has::model,
         [](Settings& s) { s.left = ".last"; }},
        {"what is left", "head's gradient never assigned",
         "A copy of w holds weights, not gradients: assign each part.", has::model,
         [](Settings& s) { s.left = ".head"; }},
        {"what is left", "embedding's gradient added to the embedding",
         "A copy of w holds weights, not gradients: begin with zeros.", has::model,
         [](Settings& s) { s.left = ".embedding", s.added_to_left = true; }},
        {"what is left", "positions' gradient added to the positions",
         "A copy of w holds weights, not gradients: begin with zeros.", has::model,
         [](Settings& s) { s.left = ".positions", s.added_to_left = true; }},
        {"what is left", "all gradients added to the weights",
         "A copy of w holds weights, not gradients: begin with zeros.", has::model,
         [](Settings& s) { s.left = ".", s.added_to_left = true; }},
        {"what is left", "rows of unused positions keep the weights",
         "Positions from n on move nothing: their gradient is 0. A copy of w holds weights there.", has::model,
         [](Settings& s) { s.unused_positions_left = true; }},
        {"what is left", "rows of unused symbols keep the weights",
         "A symbol that does not occur moves nothing: its gradient is 0. A copy of w holds weights there.", has::model,
         [](Settings& s) { s.unused_symbols_left = true; }},
        {"what is left", "blocks' gradients left at 0", "dw.blocks[l] is what block_backward returns for block l.",
         has::model, [](Settings& s) { s.left = ".blocks", s.left_at_0 = true; }},
        {"what is left", "last norm's gradient left at 0",
         "The last norm has weights, too: layer_norm_backward gives dw.last.", has::model,
         [](Settings& s) { s.left = ".last", s.left_at_0 = true; }},
        {"what is left", "head's gradient left at 0", "The head has weights, too: affine_backward gives dw.head.",
         has::model, [](Settings& s) { s.left = ".head", s.left_at_0 = true; }},
        {"the blocks", "blocks visited forwards on the way back",
         "The last block comes first on the way back: let l run from the last block down to 0.", has::model,
         [](Settings& s) { s.blocks_forwards = true; }},
        {"the blocks", "first block left out on the way back",
         "The loop over the blocks ends with block 0: for (l = blocks; l-- > 0;).", has::model,
         [](Settings& s) { s.first_block_left_out = true; }},
        {"the blocks", "last block left out on the way back",
         "The loop over the blocks begins with the last one, whose number is one less than there are.", has::model,
         [](Settings& s) { s.last_block_left_out = true; }},
        {"the blocks", "blocks' gradients in reverse order",
         "The way back visits the last block first, but its gradient belongs to dw.blocks[l] as well.", has::model,
         [](Settings& s) { s.blocks_reversed = true; }},
        {"the embedding", "embedding gets the gradient from above the blocks",
         "The embedding is read by the first block: it gets the dX of block 0.", has::model,
         [](Settings& s) { s.embedding_skips_blocks = true; }},
        {"the last norm", "last norm left out on the way back",
         "The last block's result goes through the last norm: pass the head's dX through layer_norm_backward.",
         has::model, [](Settings& s) { s.last_norm_skipped = true; }},
        {"the positions", "positions' gradient averaged over the batch",
         "All sequences use the same positions: add their gradients up.", has::model,
         [](Settings& s) { s.positions_mean = true; }},
        {"the loss", "loss's gradient not divided by the number of counted positions",
         "The loss is a mean: its gradient is divided by Σ counts as well.", has::model,
         [](Settings& s) { s.loss_is_sum = true; }},
        {"the loss", "every position counts in the gradient",
         "Where counts is 0, the position adds nothing to the loss, and nothing to its gradient.", has::model,
         [](Settings& s) { s.loss_counts_all = true; }},
        {"the blocks", "each block's gradient at its result",
         "block_backward takes what the block has read: X[l], not X[l + 1].", has::model,
         [](Settings& s) { s.block_at_result = true; }},
        {"the blocks", "each block's gradient at what the last one has read",
         "Keep what each block has read, one Tensor for each: block_backward takes X[l].", has::model,
         [](Settings& s) { s.one_pass_kept = true; }},
        {"the blocks", "every block gets the last one's gradient",
         "Each block's dX is the dY of the block before it: keep it for the next pass of the loop.", has::model,
         [](Settings& s) { s.blocks_skipped = true; }},
        {"the last norm", "head's gradient from what the last norm reads",
         "The head reads the last norm's result: affine_backward takes that.", has::model,
         [](Settings& s) { s.head_at_input_of_norm = true; }},
        {"the last norm", "last norm's gradient at its result",
         "The last norm reads the last block's result: layer_norm_backward takes that.", has::model,
         [](Settings& s) { s.last_norm_at_result = true; }},
        {"the blocks", "gradient stops at the last block",
         "Each block's dX is the dY of the block before it, down to the embedding.", has::model,
         [](Settings& s) { s.only_last_block = true; }},
    },
    {},
};

Backward<Affine> affine_wrong(const Settings& settings, const Tensor& X, const Affine& w, const Tensor& dY) {
    require_affine_backward(X, w, dY);
    Backward<Affine> result = backward_of(
        backward_slopes<AffineNumbers>(X, w, dY,
                                       [&](const Matrix& x, const AffineNumbers& numbers) {
                                           return ModelDefinition(settings).affine(x, numbers, tokens_of(X));
                                       }),
        w);
    if (settings.bias_subtracted) result.dX = result.dX - sum(w.W * w.b, -1);
    if (settings.transposed_before_joined && X.dimension() > 2) {
        const std::size_t in = length(w.W, 0), out = length(w.W, 1), rows = in == 0 ? 0 : X.size() / in;
        result.dw.W = matmul(reshape(matrix_transpose(X), {in, rows}), reshape(dY, {rows, out}));
    }
    return result;
}
Backward<Norm> norm_wrong(const Settings& settings, const Tensor& X, const Norm& w, const Tensor& dY) {
    require_layer_norm_backward(X, w, dY);
    return backward_of(backward_slopes<NormNumbers>(X, w, dY,
                                                    [&](const Matrix& x, const NormNumbers& numbers) {
                                                        return ModelDefinition(settings).layer_norm(x, numbers,
                                                                                                    tokens_of(X));
                                                    }),
                       w);
}
Backward<Attention> attention_wrong(const Settings& settings, const Tensor& X, const Attention& w, std::size_t heads,
                                    const Tensor& dY) {
    require_attention_backward(X, w, heads, dY);
    Backward<Attention> result =
        backward_of(backward_slopes<AttentionNumbers>(
                        X, w, dY,
                        [&](const Matrix& x, const AttentionNumbers& numbers) {
                            return ModelDefinition(settings).attention(x, numbers, {tokens_of(X), heads});
                        }),
                    w);
    if (settings.keys_values_exchanged) std::swap(result.dw.K, result.dw.V);
    if (settings.dw_exchanged) std::swap(result.dw.Q, result.dw.K);
    if (settings.dw_q_for_k) result.dw.K = result.dw.Q;
    if (settings.dw_k_for_v) result.dw.V = result.dw.K;
    return result;
}
Backward<Block> block_wrong(const Settings& settings, const Tensor& X, const Block& w, std::size_t heads,
                            const Tensor& dY) {
    require_block_backward(X, w, heads, dY);
    return backward_of(
        backward_slopes<BlockNumbers>(X, w, dY,
                                      [&](const Matrix& x, const BlockNumbers& numbers) {
                                          return ModelDefinition(settings).block(x, numbers, {tokens_of(X), heads});
                                      }),
        w);
}
// Rows of embedding and positions that no token reads: as they are in w.
void leave_unused_rows(const Settings& settings, const Tensor& ids, const Model& w, Model& dw) {
    const std::size_t width = length(w.embedding, -1);
    for (std::size_t row = length(ids, -1); settings.unused_positions_left && row < length(w.positions, 0); ++row)
        for (std::size_t a = 0; a < width; ++a) dw.positions(row, a) = w.positions(row, a);
    for (std::size_t row = 0; settings.unused_symbols_left && row < length(w.embedding, 0); ++row)
        for (std::size_t a = 0; a < width; ++a)
            if (std::find(ids.begin(), ids.end(), static_cast<double>(row)) == ids.end())
                dw.embedding(row, a) = w.embedding(row, a);
}
ModelGradients model_wrong(const Settings& settings, const Tensor& ids, const Tensor& targets, const Tensor& counts,
                           const Model& w) {
    require_model_gradients(ids, targets, counts, w);
    ModelNumbers numbers(w);
    std::vector<Matrix*> arrays;
    add(arrays, numbers);
    const auto loss = [&] {
        const ModelDefinition& wrong = ModelDefinition(settings);
        return wrong.cross_entropy(wrong.logits(ids, numbers), targets, counts);
    };
    ModelGradients result{loss().value, w};
    const Slopes found = slopes(arrays, loss);
    std::size_t part = 0;
    visit("", result.dw, [&](const std::string&, Tensor& x) { x = found.values[part++]; });
    if (settings.blocks_reversed) std::reverse(result.dw.blocks.begin(), result.dw.blocks.end());
    if (settings.head_in_embedding) result.dw.embedding += matrix_transpose(result.dw.head.W);
    if (!settings.left.empty()) {
        std::vector<Tensor> weights;
        visit("", w, [&](const std::string&, const Tensor& x) { weights.push_back(x); });
        part = 0;
        visit("", result.dw, [&](const std::string& name, Tensor& x) {
            if (name.starts_with(settings.left))
                x = settings.left_at_0       ? zeros(shape_of(x))
                    : settings.added_to_left ? x + weights[part]
                                             : weights[part];
            ++part;
        });
    }
    leave_unused_rows(settings, ids, w, result.dw);
    return result;
}

const Settings right;
const MutationsOf affine_mutations("affine_backward", table, has::bias | has::tokens | has::matrix | has::matrix_alone,
                                   right, &affine_wrong);
const MutationsOf norm_mutations("layer_norm_backward", table, has::tokens | has::norm | has::norm_alone, right,
                                 &norm_wrong);
const MutationsOf attention_mutations("attention_backward", table,
                                      has::bias | has::tokens | has::matrix | has::attention | has::attention_alone,
                                      right, &attention_wrong);
const MutationsOf block_mutations("block_backward", table,
                                  has::bias | has::tokens | has::norm | has::attention | has::block | has::block_alone,
                                  right, &block_wrong);
const MutationsOf model_mutations("model_gradients", table, has::attention | has::norm | has::block | has::model, right,
                                  &model_wrong);

// Calls made for the diagnosis alone: several sequences, numbers of both signs, square matrices.
const Tensor X = random_tensor({2, 3, 4}, 901), dY = random_tensor({2, 3, 4}, 902);
const Probes affine_probes("affine_backward", [] {
    return std::vector{probe(&linattn::affine_backward, X, random_affine(4, 4, 903), dY)};
});
const Probes norm_probes("layer_norm_backward",
                         [] { return std::vector{probe(&linattn::layer_norm_backward, X, random_norm(4, 903), dY)}; });
const Probes attention_probes("attention_backward", [] {
    return std::vector{probe(&linattn::attention_backward, X, random_attention(4, 903), std::size_t{2}, dY)};
});
const Probes block_probes("block_backward", [] {
    return std::vector{probe(&linattn::block_backward, X, random_block(4, 3, 903), std::size_t{2}, dY)};
});

}  // namespace linattn::testing::backward_mutations
