// Attention by its definition, with everything that people get wrong as a setting. O(n²) loops over single entries, in
// double. With the default settings it is causal linear attention; an exercise says in which settings it differs, and a
// mutation (attention_mutations.cpp) sets one of them to a wrong value.
#pragma once

#include <cstddef>
#include <optional>

#include "attention.hpp"
#include "oracle.hpp"

namespace linattn::testing {

/// What a weight is made of: Σ_a φ(q)_a φ(k)_a, exp(q·k), or Σ_a exp(q_a + k_a).
enum class Kernel { features, exponential, exponentials };
/// Which input plays a part.
enum class From { query, key };
/// Which tokens j count for token i.
enum class Tokens {
    all,
    up_to_own,
    before_own,
    from_own_on,
    after_own,
    one_too_many,
    all_but_next,
    own_only,
    all_but_own,
    up_to_own_without_first,
    all_but_last,
    own_block,  ///< of settings.block tokens
    first_block,
    up_to_row_of_block,     ///< as many as its own block has up to it, from token 0 on
    without_block_ends,     ///< the last token of each block is missing from the blocks after it
    earlier_blocks,         ///< those of its own block do not count
    earlier_blocks_or_own,  ///< … but in the first block, which has no earlier one
    whole_blocks,           ///< later ones of its own block count, too
    whole_blocks_but_next,
    whole_blocks_but_first,        ///< … but in the first block
    own_block_and_later,           ///< those up to its own of its block, and all of later blocks
    own_block_from_own_on,         ///< those from its own on of its block, and all of the blocks before it
    own_block_once_more,           ///< those up to its own, and all of its block once more
    earlier_of_block_once_more,    ///< … and those of its block before it once more
    up_to_own_of_block_once_more,  ///< … and those of its block before it, and itself, once more
    own_block_and_last,
    without_block_before,
    blocks_one_later,    ///< own block up to its own, and the blocks after each of the earlier ones
    blocks_one_earlier,  ///< … where token i is seen by those before it: the block before each of the later ones
    last_block_moved_back,  ///< the last block is whole and begins earlier: what it shares with the one before counts twice
    last_ones,              ///< the last settings.block tokens
    last_of_all,
    first_of_all,
    no_token,
    up_to_own_and_block_end,  ///< the last token of the own block, too
    whole_blocks_only,        ///< those of a last block that is not full are left out
    scan_in_place,            ///< as often as a scan that reads what it has changed in this round counts them
    half_before,              ///< of a recursion over halves: its own, and the left half where it is in the right one
};
/// How often token j counts for token i of n: 0, 1 or 2 times. \param block tokens in a block
double counts(Tokens tokens, std::size_t i, std::size_t j, std::size_t n, std::size_t block);

/// Whether (n + chunk - 1) / chunk, meant for the number of chunks, comes out as 0.
inline bool count_overflows(std::size_t n, std::size_t chunk) { return n + chunk - 1 < chunk - 1; }

/// Whose tokens count for a head.
enum class Heads {
    own,
    all,
    mean_of_all,
    own_after_earlier,       ///< what earlier heads left behind, then its own
    own_after_earlier_here,  ///< the same within a batch entry
    up_to_own,               ///< those of earlier heads with the mask of its own
    in_turn,                 ///< the heads take turns at every token, or at every block: all that came before
    along_first_axis,        ///< token i of those up to its own along the first axis, which may be that of the tokens
    first,
    last,
};
/// Along what the running sum runs.
enum class Along { tokens, features, values };
/// What the padding mask does, if there is one.
enum class Padding {
    removed,
    ignored,
    inverted,
    keys_and_values_before_phi,
    keys_before_phi,
    keys_after_phi_times_zero,
    keys_and_values_times_zero,
    outputs_too,
    outputs_only,
    mask_of_first_head,
    nothing_after_first,
    state_starts_anew,
    output_repeated,     ///< a padded query gets the output before it
    stops_at_first,      ///< no output from the first padding on
    as_many_from_first,  ///< as many tokens count as are not padded, from token 0 on
};
/// How old sums follow a maximum that grows. With the weight left out a token comes in as if it were the largest so far.
/// At a new maximum the sums may begin anew.
enum class Rescale { right, none, after_adding, inverted, inverted_from_second, weight_left_out, anew };
/// Which tokens the returned state holds.
enum class Returned { all, none, first, last, all_twice, all_but_last, whole_blocks };

/// Where the changes of a sum's queries and keys apply: a chunk has products of its own tokens, and a state of earlier ones.
enum class Where { everywhere, own_block, earlier_blocks };

/// What features are divided by: their Euclidean length or their sum.
enum class Unit { none, length, sum };

/// One of the two sums over the tokens: S above the line, z below it.
struct TokenSum {
    From query = From::query, key = From::key;
    int phi_q = 1, phi_k = 1;                                     ///< how often φ is applied
    Where where = Where::everywhere;                              ///< the four above, units, scale and next blocks
    bool query_of_token_j = false, key_of_token_i = false;        ///< indices mixed up
    bool keys_reshaped = false;                                   ///< (n, c) read on as (c, n)
    bool query_of_next_block = false, key_of_next_block = false;  ///< the same row of it; 0 where that is beyond n
    Unit unit_q = Unit::none, unit_k = Unit::none;                ///< what features are divided by
    double q_over_d_k = 0.0;                                      ///< φ(q) divided by d_k to this power
    bool first_d_k_features = false;                              ///< the others are left out
    Tokens tokens = Tokens::up_to_own;
    Heads heads = Heads::own;
    Along along = Along::tokens;
    double first_counts = 1.0, own_counts = 1.0;  ///< how often the first token, and token i for itself, are added
    bool negative_features_cut_off = false;
    double decay = 1.0, write = 1.0;  ///< what the sum, and what comes to it, is multiplied by at every token
    double begins = 0.0;              ///< what its entries are before the first token
    double read = 1.0, kept = 1.0;    ///< how often the state that came in counts: in outputs, in the returned state
    double again = 0.0;               ///< … and how often once more at every token after the first
    bool of_first_head = false;       ///< it is that of the first head for all
    Returned returned = Returned::all;
    Padding padding = Padding::removed;
    Rescale rescale = Rescale::right;
    bool operator==(const TokenSum&) const = default;
};

/// Which Mask a call obeys.
enum class MaskHandling { given, never, always, exchanged, only_in_first_head };
/// What the scores are multiplied by.
enum class Scale {
    one,
    over_root_d_k,
    over_d_k,
    over_root_d_v,
    over_root_n,
    over_root_c,
    over_c,
    times_root_d_k,
    over_rounded_root_d_k,
    zero
};
/// What a forbidden score becomes before exp. Times 0, -∞ makes the others NaN.
enum class Forbidden {
    minus_infinity,
    zero,
    minus_one,
    infinity_times_zero,
    infinity_times_zero_if_causal,
    number,             ///< settings.forbidden_score
    weight_times_zero,  ///< as it is, and its weight multiplied by 0
};
/// What is subtracted in an exponent. Those up to row_added are those of softmax attention, the others those of streaming.
enum class Shift {
    row,
    none,
    whole_matrix,
    row_before_mask,
    column,
    row_along_columns,
    smallest_of_row,
    row_added,
    not_given_to_query,
    taken_from_query,
    from_zero_on,
    query_given_maximum_before,
    query_unshifted,
    query_by_itself,
    query_by_two_maxima,
    one_for_all_channels,
    whole_sequence,
    whole_sequence_one_for_all_channels,
    each_key,
    keys_only,
    first_key,   ///< the largest is that of token 0 for all
    latest_key,  ///< … that of token i alone
    smallest_key,
    over_earlier_heads,  ///< the maximum goes on from head to head
};
/// What the weighted sum of values is divided by.
enum class Divisor {
    none,
    sum,
    times_sum,
    column,
    row_along_columns,
    count,
    count_before,
    n,
    keys_alone,
    query_alone,
    length,
    absolute_terms,
    absolute_sum,
    mean,
    sum_twice,
    largest_weight,
    sum_cut_off_at_zero,
    sums_so_far,          ///< of the rows before, too
    sums_of_block,        ///< … of its block
    all_heads,            ///< the sum over all leading axes
    each_feature,         ///< each feature of the keys by its own sum
    average_of_features,  ///< … and the query's features by theirs
    key_features,         ///< each key by the sum of its features
    mean_of_row,          ///< the sum over the number of all tokens, also where some do not count
    root,
    mean_of_features,  ///< the mean of φ(q)_a z_a in place of their sum
    product_of_sums,   ///< Σ_a φ(q)_a times Σ_a z_a
    sum_and_count,     ///< the sum, and then the number of tokens
    sum_up_to_key,     ///< each weight by the sum of those before it in its row, and itself
    last_numerator,    ///< the last column of values in place of the column of ones behind it
    lengths_of_pair,   ///< each weight by the lengths of its two features
    size_of_output,    ///< the root of the mean square of the output itself
    length_of_output,  ///< … of the sum of its squares
};
/// How ε enters.
enum class Epsilon {
    added,
    missing,
    after_division,
    floor,
    per_token,
    per_token_of_all,
    per_feature,
    per_token_and_feature,
    per_width,  ///< c times
    twice,
    subtracted,
    above_too,
    squared,
    root,
    only_where_zero,
    factor,
    unshifted,   ///< not relative to the query's largest exponent
    with_query,  ///< added to the sum of the query's features, where that divides
};
/// What a buffer for settings.block tokens, or for one, still holds: the sums of those before, in each head or in all.
enum class Left { nothing, of_head, of_all };
/// A sum in one variable that goes on from channel to channel of an output: within a token, a head, or all the way.
enum class GoesOn { never, in_token, in_head, in_all };
/// The token's own block and the earlier ones divided each by itself, and then added; one that is empty is left out, or not.
enum class BlocksDivided { no, apart, apart_if_empty_too, averaged, averaged_if_empty_too, averaged_by_tokens };
/// Which outputs are written.
enum class OutputsWritten {
    all,
    none,
    only_last,
    all_but_first,
    all_but_last,
    only_first_head,
    whole_blocks,  ///< of settings.block tokens
    running_sum,
    running_sum_over_heads,  ///< head after head
    running_sum_over_all,    ///< all heads of token 0, then those of token 1
    over_first_head,         ///< those of each head where the first one's belong
    value_added
};

struct AttentionSettings {
    TokenSum S, z;
    Kernel kernel = Kernel::features;
    int phi_v = 0;
    enum class AtWriting { nothing, by_key, by_query } at_writing = AtWriting::nothing;  ///< what divides a value
    bool numerator_over_c = false;
    bool epsilon_in_q = false, epsilon_in_k = false;  ///< added to every entry of φ(q), of φ(k)
    double inputs_over_d_k = 0.0;                     ///< queries divided by d_k to this power before φ …
    bool scaled_before_phi_k = false;                 ///< … and keys, too
    bool running_sum_on_total = false;                ///< where all tokens count, those up to token i count once more
    bool divisor_always_causal = false;
    bool queries_of_first_head = false, keys_of_first_head = false, values_of_first_head = false;  ///< for all
    bool value_of_token_i = false, value_of_token_i_in_block = false;
    bool value_of_next_block = false;  ///< in the state: the same row of it, 0 where that is beyond n
    bool rest_of_own_block = false;    ///< … or, where that is beyond n, the own row: of keys and of values
    bool last_query_again = false, last_key_again = false,
         last_value_again = false;  ///< the last token has that of the one before
    double mask_added = 0.0;        ///< to the scores of the tokens that count; the others stay as they are
    bool phi_of_scores = false;     ///< φ(QKᵀ)
    bool mirrored = false;          ///< the weights of later tokens are those below the diagonal
    bool delta_rule = false;        ///< v less what the state returns for the key, in place of v
    enum class InBlock { product, exponential, softmax } in_block = InBlock::product;  ///< weights of the own block
    std::optional<double> least_divisor;                                               ///< max(|sum|, this)
    bool values_summed = false;  ///< in place of each value the sum of those up to token i
    MaskHandling mask = MaskHandling::given;
    std::size_t block = 0;  ///< of the Tokens above: how many tokens it has
    Scale scale = Scale::one;
    double factor_of_scores = 1.0, forbidden_score = 0.0;
    std::optional<double> forbidden_weight;
    bool scale_after = false;  ///< weights in place of scores
    Forbidden forbidden = Forbidden::minus_infinity;
    Shift shift = Shift::row;
    Divisor divisor = Divisor::none;
    Epsilon epsilon = Epsilon::added;
    std::optional<double> epsilon_fixed;      ///< in place of the argument
    bool S_reshaped = false;                  ///< v φ(k)ᵀ read on as (c, d_v)
    bool S_read_reshaped = false;             ///< φ(k) vᵀ read on as (d_v, c)
    bool S_divided_on = false;                ///< S of the next token is this one's, divided
    double factor = 1.0;                      ///< of every output
    Where divided = Where::everywhere;        ///< which part of an output
    std::optional<std::size_t> entries_of_S;  ///< so many entries of S get the blocks before, the others stay
    bool average_moved =
        false;  ///< an output is the one before it, moved towards the own value by its share of the weights
    bool state_read_by_first = false;  ///< the state that came in, by the query of token 0 for all
    bool pieces_divided = false;       ///< the state that came in and the new tokens divided each by itself …
    bool pieces_averaged = false;      ///< … and not added, but averaged
    BlocksDivided blocks_divided = BlocksDivided::no;
    GoesOn numerator_goes_on = GoesOn::never, denominator_goes_on = GoesOn::never;
    Left numerators_left = Left::nothing, denominators_left = Left::nothing, scores_left = Left::nothing;
    std::size_t filled = 0;  ///< φ(0) is in the z returned, as often as tokens are missing from a last block of so many
    bool returned_divided = false, epsilon_returned = false, writes_argument = false;
    OutputsWritten written = OutputsWritten::all;
    bool operator==(const AttentionSettings&) const = default;
};

/// One call of an exercise. What an exercise does not have is left empty.
struct AttentionCall {
    Tensor Q, K, V;  ///< \shape{(…, n, d)}; a single token has n = 1
    FeatureMap phi = oracle_feature_map("identity");
    double epsilon = 0.0;
    bool causal = true;
    const Tensor *S = nullptr, *z = nullptr;  ///< the state that came in
    const Tensor* padding = nullptr;          ///< \shape{(…, n)}, 1 for a token and 0 for padding
};
struct AttentionResult {
    Tensor output, S, z;
};

AttentionResult attention_by_settings(const AttentionCall& call, const AttentionSettings& settings);

}  // namespace linattn::testing
