// The functions of lab 07 by their definitions, in plain loops over single entries: heads one after another, weights of
// attention one by one, and no state. With the default settings each is what the contract says, with a tolerance for each
// entry (rounded.hpp). What people get wrong is a setting; a mutation (mistakes/mutations.cpp) turns one from right to wrong.
#pragma once

#include <optional>
#include <vector>

#include "features.hpp"
#include "suite.hpp"
#include "transformer.hpp"

namespace linattn::testing {

/// Which entry of X (n, h·e) belongs to entry a of token i in head t, or the other way round.
enum class Layout {
    side_by_side,
    reshaped_only,            ///< (n, h·e) read on as (h, n, e)
    transposed_and_reshaped,  ///< the same after exchanging tokens and columns
    strided,                  ///< head t has the columns t, t + h, …
    reversed_heads,
    reversed_columns,
    next_head,
    first_head_only,
    last_head_only,
    begins_at_heads,      ///< head t begins at column t·h
    begins_at_number,     ///< … at column t
    width_before_tokens,  ///< (h, n, e) written as (h, e, n)
    sequences_overlap,    ///< a sequence begins n·e numbers behind the one before, where it is n·h·e
    heads_before_batch,   ///< the heads of (…, h, n, e) looked for in front of all leading axes
    tokens_before_batch,  ///< (…, n, h e) written as (n, …, h e)
};
/// What merge_heads does with the heads, or split_heads returns.
enum class Axes {
    right,
    not_exchanged,  ///< (…, n, h, e) or what comes of taking (…, h, n, e) for it
    front,          ///< axes 1 and 2 exchanged, right with one leading axis
    width_before_tokens,
    summed,
    averaged,
    below_each_other,      ///< (…, h·n, e)
    heads_last,            ///< (…, n, e, h)
    heads_first,           ///< before all leading axes
    heads_first_reshaped,  ///< … in an array of the right shape
    first_axis_as_tokens,  ///< (n, …, d)
    over_the_first         ///< every leading index where the first one belongs
};

/// What layer norm subtracts, and what it divides by.
enum class Centre { mean, nothing, over_all, over_tokens, from_variance_only, sum };
enum class Spread {
    root_of_variance,
    over_d_minus_1,
    not_centred,  ///< the mean of x² instead of the variance
    variance,     ///< without the root
    not_averaged,
    absolute,
    largest,
    not_squared,            ///< the mean of x - m: 0
    from_mean_so_far,       ///< each deviation from the mean of the entries up to its own
    from_mean_before,       ///< … of those before its own, the first from 0
    so_far,                 ///< the deviations up to its own
    difference_of_squares,  ///< the mean of x² minus the squared mean: cancels
    nothing,
};
enum class NormEpsilon { inside, subtracted, outside, missing, squared, both, floor, above_too, over_d };
enum class Gain {
    multiplied,
    missing,
    added_to_one,
    after_bias,
    divided,
    first_only,
    added,
    squared,
    before_norm,
    on_x
};
enum class Bias { added, before_division, missing, subtracted, exchanged_with_gain };

enum class Gelu {
    right,
    tanh_approximation,
    logistic_approximation,
    without_x,
    without_root,
    root_outside,
    times_root,
    not_halved,
    without_one,
    two_sided,        ///< erf(|x|/√2), the probability between -|x| and |x|
    half_argument,    ///< erf(x/2)
    erf_halved_only,  ///< 1 + erf/2
    plus_x,           ///< x + Φ
    without_erf,      ///< (1 + x/√2)/2 in place of Φ
    upside_down,
    relu,
    silu,
    identity,
    elu,
    density,   ///< x times the normal density
    erf_of_0,  ///< x/2
    tanh_without_cube,
    tanh_of_whole_cube,    ///< x³ without its 0.044715
    tanh_without_root,     ///< 2/π in place of its root
    tanh_without_factor,   ///< nothing in place of the root
    logistic_with_number,  ///< x σ(c x)
    erf_with_number        ///< erf(c x)
};

/// Which earlier tokens count for token i of a head.
enum class Seen { up_to_own, before_own, all, own_only, from_own_on };

/// Whose tokens a head's sums hold besides its own.
enum class Carried {
    no,
    all_before,
    same_entry,
    in_turn,          ///< what all heads added before, which take turns at every token
    in_turn_in_entry  ///< … those of the same batch entry
};

/// What is wrong with multi-head attention.
struct AttentionMistakes {
    Seen above = Seen::up_to_own, below = Seen::up_to_own;  ///< the line of the fraction
    Features q = Features::elu_plus_one, k = Features::elu_plus_one, v = Features::none;
    bool features_before_projection = false, softmax = false, scaled = false, divided = true;
    double power_of_q = 0.0, power_of_k = 0.0;  ///< of the heads' width, by which they are multiplied before φ
    bool S_transposed = false;                  ///< φ(q)·v in place of φ(q)·φ(k), φ(k) in place of v
    bool q_and_k_exchanged = false, k_and_v_exchanged = false, values_from_keys = false, keys_from_queries = false,
         values_not_projected = false;
    bool each_head_from_its_columns = false;  ///< of X: projected by a block of W
    bool queries_from_keys = false, keys_from_values = false;
    bool multiplied_by_sum = false;  ///< the output times the denominator
    bool bias_q = true, bias_k = true, bias_v = true, bias_o = true, bias_o_for_each_head = false;
    bool bias_of_q_for_k = false, bias_of_q_for_v = false, bias_of_k_for_v = false, bias_of_v_for_o = false;
    bool biases_before_products = false, bias_o_before_product = false;  ///< (X + b) W; of Q, K and V; of O
    bool biases_twice = false;                                           ///< of all four
    bool raw_queries = false, raw_keys = false, raw_values = false;      ///< of a block's X, not of its norm
    bool transposed = false, output_projection = true;
    bool one_head = false, heads_add_up = false, first_head_divides = false, first_head_for_all = false,
         all_heads_divide = false;
    Carried carried_above = Carried::no, carried_below = Carried::no;  ///< what earlier heads left
    bool plain_keys_above = false, plain_keys_below = false;           ///< φ missing in one of the two sums
    bool divided_by_count = false, query_below = true;
    double epsilon_counts = 1.0;  ///< how often attention_epsilon is added
    bool epsilon_after_division = false, epsilon_per_token = false, epsilon_per_feature = false, epsilon_in_z = false;
    bool mean_of_features = false;  ///< the mean of φ(q)_a z_a in place of their sum
    bool count_divides_too = false, S_divided_on = false;
    bool numerators_kept = false, denominators_kept = false;  ///< those of the tokens before are in a token's
    bool only_first_head = false, only_last_head = false;     ///< of a sequence: the others are 0 when they are merged
    bool operator==(const AttentionMistakes&) const = default;
};

/// Where a half of a block has its norm. Right: in front of its layer.
enum class NormAt { in_front, behind, on_both_sides };

/// How a block puts its parts together.
struct BlockMistakes {
    bool norm_first = true, norm_second = true, norms_exchanged = false, first_norm_twice = false;
    bool post_norm_first = false, post_norm_second = false;
    bool post_norm = false, skip_from_norm_first = false, skip_from_norm_second = false, norm_at_the_end = false;
    NormAt first_norm_at = NormAt::in_front, second_norm_at = NormAt::in_front;
    bool second_norm_of_attention = false;  ///< of its result, besides the first norm in front of it
    bool skip_first = true, skip_second = true, second_skip_from_input = false, feed_forward_from_input = false,
         feed_forward_from_attention = false;
    bool feed_forward_first = false, gelu_after_down = false, gelu_in_front = false, gelu_missing = false;
    bool attention_missing = false, feed_forward_missing = false, attention_subtracted = false;
    bool bias_up = true, bias_down = true, bias_up_after_gelu = false, bias_up_twice = false, bias_down_twice = false;
    bool operator==(const BlockMistakes&) const = default;
};

enum class Positions {
    right,
    missing,
    from_one,
    backwards,
    by_id,
    of_the_sequence,  ///< the number of the sequence in the batch
    run_on,           ///< over the whole batch, and from 0 again after the longest length
    run_on_to_last,   ///< … and then no further than the last row
    run_on_by_batch,  ///< … and from 0 again after as many as there are sequences
    first_only,
    times,
    behind_blocks,
    before_each_block
};
enum class Blocks {
    all,
    none,
    first_only,
    all_but_first,
    all_but_last,
    first_for_all,
    backwards,
    each_from_input,
    summed,
    twice
};
struct ModelMistakes {
    Positions positions = Positions::right;
    Blocks blocks = Blocks::all;
    bool embedding_scaled = false, last_norm = true, head_bias = true, tied = false, softmax = false,
         ids_shifted = false, norm_of_embedding = false, norm_after_each_block = false, one_head = false;
    bool operator==(const ModelMistakes&) const = default;
};

/// What is wrong with the memory that a step reads or returns.
enum class Returned { sums, as_it_came, of_new_token_only, twice };
struct StepMistakes {
    Returned S = Returned::sums, z = Returned::sums;
    bool past_ignored = false, past_not_read = false, past_S_transposed = false, S_transposed = false,
         no_features_in_z = false, epsilon_in_z = false, S_divided = false;
    bool heads_share = false, batch_shares = false, writes_argument = false;
    bool S_of_first_head = false, z_of_first_head = false;  ///< that came in, for all
    double kept = 1.0;                                      ///< what the sums that came in are multiplied by
    bool operator==(const StepMistakes&) const = default;
};

/// What is wrong with generation: with what is read where, and what is chosen.
enum class Choice {
    smallest_of_largest,
    last_of_largest,
    smallest,
    second,
    first_batch_entry,
    above_zero,         ///< of the logits above 0, id 0 where there is none
    largest_so_far,     ///< … of the sequences of the batch: the largest logit is not set back for the next one
    largest_of_symbols  ///< … of the symbols of its sequence
};
/// Where a text is taken to be at its end, so that no symbol is chosen from there on.
enum class TextEnds { never, at_symbol_0, at_last_symbol, at_repeated_symbol };
struct GenerateMistakes {
    Choice choice = Choice::smallest_of_largest;
    TextEnds ends = TextEnds::never;
    bool end_repeated = false;  ///< to fill what is left of the result, in place of 0
    bool one_memory_for_all_blocks = false, batch_shares_memory = false, memory_of_first_block_only = false;
    bool last_of_prompt_twice = false, prompt_forgotten = false, only_last_of_prompt = false,
         nothing_remembered = false;
    bool back_to_prompt = false;  ///< each symbol read with the memories that the prompt left
    bool feeds_prompt_again = false, chosen_once = false, from_first_token = false, one_late = false;
    bool reads_one_behind = false;  ///< the symbol before the newest one
    int position_of_new = 0;        ///< added to the position of each new token
    bool position_stuck = false;    ///< all new tokens at that of the first of them
    bool positions_start_again = false, position_always_zero = false, positions_from_one = false;
    bool prompt_included = false, one_too_many = false, one_too_few = false;
    bool operator==(const GenerateMistakes&) const = default;
};

struct TransformerSettings {
    Layout split = Layout::side_by_side, merge = Layout::side_by_side;
    Axes split_axes = Axes::right, merge_axes = Axes::right;
    Centre centre = Centre::mean;
    Spread spread = Spread::root_of_variance;
    bool sum_kept = false, squares_kept = false;  ///< what the tokens before have added to the sums of a norm
    bool first_norm_for_all = false;              ///< mean and variance
    NormEpsilon norm_epsilon_at = NormEpsilon::inside;
    std::optional<double> norm_epsilon_value;
    Gain gain = Gain::multiplied;
    Bias bias = Bias::added;
    Gelu gelu = Gelu::right;
    double gelu_number = 1.0;  ///< where it has one
    AttentionMistakes attention;
    BlockMistakes block;
    ModelMistakes model;
    StepMistakes step;
    GenerateMistakes generate;
    double factor = 1.0;  ///< of every output
    bool operator==(const TransformerSettings&) const = default;
};

using Settings = TransformerSettings;

Expected expected_split_heads(const Tensor& X, std::size_t heads, const Settings& settings = {});
Expected expected_merge_heads(const Tensor& X, const Settings& settings = {});
Expected expected_layer_norm(const Tensor& X, const Norm& w, const Settings& settings = {});
Expected expected_gelu(const Tensor& X, const Settings& settings = {});
Expected expected_multi_head_attention(const Tensor& X, const Attention& w, std::size_t heads,
                                       const Settings& settings = {});
Expected expected_transformer_block(const Tensor& X, const Block& w, std::size_t heads, const Settings& settings = {});
Expected expected_logits(const Tensor& ids, const Model& w, const Settings& settings = {});

/// The output, S and z of one token after those that the memory holds.
std::vector<Expected> expected_block_step(const Tensor& x, const Block& w, std::size_t heads, const Memory& memory,
                                          const Settings& settings = {});
/// The memory after all tokens of X.
std::vector<Expected> expected_memory(const Tensor& X, const Block& w, std::size_t heads);

/// What generate must return: each symbol by the logits of the whole sequence before it.
/// \param margin becomes the least by which a chosen logit is larger than the others, less what rounding explains
Tensor generated_by_recomputing(const Tensor& prompt, std::size_t count, const Model& w, double& margin);
/// The same with one token read after the other, its keys and values kept in a list, and perhaps something wrong.
Tensor generated_by_settings(const Tensor& prompt, std::size_t count, const Model& w, const Settings& settings = {},
                             double* margin = nullptr);

}  // namespace linattn::testing
