// Gated attention, its mask and its gradients by their definition, with everything that people get wrong as a setting.
// Loops over all pairs of tokens, and for each pair over all tokens that might lie between, in double: token i asks, token
// j was written. With the default settings they are right; a mutation (gated_mutations.cpp) turns a setting from right to
// wrong.
#pragma once

#include <cstddef>
#include <vector>

#include "attention_definition.hpp"
#include "results.hpp"
#include "running_sums.hpp"

namespace linattn::testing {

/// What is made of the logarithms between two tokens.
enum class DecayBy {
    sum,                      ///< e to their sum
    nothing,                  ///< 1
    product_of_logarithms,    ///< log_decay taken for the decay
    sum_itself,               ///< no exponential
    last_one,                 ///< the decay of token i alone
    power_of_last,            ///< the decay of token i, as often as tokens lie between
    power_of_first_token,     ///< the decay of token 0, as often as tokens lie between
    difference,               ///< e to the difference of two running sums
    sum_times_zero,           ///< the terms that do not belong to the sum times 0: NaN where one is −∞
    along_rows,               ///< the running sum goes along the rows: min(j + 1, i) times the logarithm of token i
    power_of_writer,          ///< the decay of token j, as often as tokens lie between
    power_of_next,            ///< the decay of token j + 1, as often
    carried_from_row_to_row,  ///< the sum is not set back to 0 for the next row
    carried_from_row_to_row_own_left_out,  ///< … and takes the terms of D alone, not that of token 0
    carried_from_column_to_column,
    along_first_axis,             ///< the running sum goes along axis 0 of (…, n, n)
    difference_along_first_axis,  ///< e to the difference of two running sums along axis 0 of (…, n)
    ratio,                        ///< e to a running sum, times e to minus another: the ratio of two running products
    ratio_cut_off,                ///< the same with exponents of at most 80
    sum_below_zero,               ///< e to the sum, and 0 where the sum is 0 and j < i
};
/// What D_ij is for j > i. Right: 0, and never computed.
enum class Above { zero, zero_times_exponential, one, inverse, transposed };
/// Which channel's decay an entry of a key gets, where there is one for each.
enum class Channels { own, mean, sum, first, of_values };
/// What the state is multiplied by from chunk to chunk.
enum class Between {
    all_decays,
    nothing,
    last_decay,
    first_decay,
    all_but_first_decay,
    decay_twice,
    next_chunk,
    of_sequence
};
/// What the state is multiplied by where token i of a later chunk reads it.
enum class ReadBy {
    decays_up_to_own,
    nothing,
    decays_before_own,
    decays_without_first,
    decays_of_chunk,
    decays_from_sequence_begin,
    decays_after_own,  ///< … of the chunk: D's last row
};
/// Which part of a chunk's D a key is multiplied by where the chunk is added to the state. Right: its last row.
enum class PartOfD { last_row, last_column, first_row, first_column };

struct DecaySettings {
    DecayBy by = DecayBy::sum;
    Above above = Above::zero;
    int from = 1, to = 0;                                        ///< the sum runs over tokens j + from to i + to
    double times = 1.0;                                          ///< what each logarithm is multiplied by
    bool diagonal = true;                                        ///< whether token i sees what it writes
    bool masks_overlap = false;                                  ///< that of sequence h begins at h·n
    bool one_on_diagonal = false, carried_to_next_head = false;  ///< where a sum is not set back to 0
    bool read_again = false;                                     ///< the decay of token i once more
    Heads heads = Heads::own;
    bool of_first_chunk = false;  ///< in every chunk
    bool sigmoid = false;         ///< of the logarithm, in place of e to it
    double least = -infinity;     ///< no sum of logarithms is smaller
    bool cumulated = false;       ///< the decay of a token is that of all tokens up to it
    Channels channels = Channels::own;
    bool reshaped = false;         ///< (n, d_k) logarithms read on as (d_k, n)
    bool inside_decayed = true;    ///< pairs of a chunk
    bool empty_state_too = false;  ///< 0 times an infinite factor is NaN
    bool keys_decayed = true;      ///< until their chunk ends
    bool keys_own_decay = false;   ///< their own decay, too
    bool keys_and_state = false;   ///< their chunk's decays as well, which S gets after they are in it
    bool keys_from_begin = false;  ///< decayed from their chunk's beginning to them, not from them to its end
    PartOfD keys_by = PartOfD::last_row;
    Between between = Between::all_decays;
    ReadBy read = ReadBy::decays_up_to_own;
    SumAxis read_along = SumAxis::tokens,
            between_along = SumAxis::tokens;  ///< of the running sums that both are made of
    bool operator==(const DecaySettings&) const = default;
};

enum class GatedWritten {
    all,
    all_but_short_chunk,
    unless_count_overflows,
    all_but_first,
    all_but_last,
    running_sum,  ///< each row has those of the tokens before in it
    only_last,
    only_first_head,
    only_last_head
};

struct GatedSettings {
    Tokens tokens = Tokens::up_to_own;
    Heads heads = Heads::own;
    DecaySettings decay;
    bool updated_first = false;  ///< a chunk's queries read the state that has the chunk's keys already
    bool complement = false;     ///< each write times 1 - a
    bool keys_for_queries = false, queries_for_keys = false, value_of_token_i = false;
    bool decay_added = false;                                  ///< to the score
    bool logarithms_added = false;                             ///< … those between the two tokens
    bool exponential = false;                                  ///< e to the scores
    bool mask_as_matrix = false;                               ///< DᵀK in the place of K
    bool scaled = false;                                       ///< by 1/√d_k
    bool normalized = false;                                   ///< rows divided by their sums
    bool softmax = false;                                      ///< e to the scores, and divided by their decayed sum
    bool keys_reshaped = false;                                ///< (n, d_k) read on as (d_k, n)
    bool averaged = false;                                     ///< rows divided by the number of tokens so far
    bool queries_normalized = false, keys_normalized = false;  ///< divided by their lengths
    GatedWritten written = GatedWritten::all;
    bool operator==(const GatedSettings&) const = default;
};

/// One call. log_decay \shape{(…, n)}, or \shape{(…, n, d_k)} where every channel has a decay.
struct GatedCall {
    const Tensor &Q, &K, &V, &log_decay;
    std::size_t chunk = 0;  ///< 0: not chunkwise
};

Tensor decay_mask_by_settings(const Tensor& log_decay, const DecaySettings& settings);
Tensor gated_attention_by_settings(const GatedCall& call, const GatedSettings& settings);

/// Which pairs of tokens count, and how much is left between them.
struct PairSettings {
    Tokens tokens = Tokens::up_to_own;
    Heads heads = Heads::own;
    DecaySettings decay;
    bool from_the_end = false;  ///< a head takes over what the one before has left at token 0
    bool operator==(const PairSettings&) const = default;
};

/// Which tokens the gradient of log_decay sums over.
enum class LogDecaySum { from_own_on, own_only, up_to_own, after_own, all };

struct GatedGradientSettings {
    PairSettings S, R_of_dK, R_of_dV;
    LogDecaySum sum = LogDecaySum::from_own_on;
    double queries = 1.0, keys = -1.0, values = 0.0;  ///< how often q·dq, k·dk and v·dv count in it
    bool averaged = false;                            ///< over the features
    bool of_decay = false;                            ///< with respect to a, not log a
    bool times_decay = false;                         ///< multiplied by a
    bool exchanged = false;                           ///< dQ and dK
    bool query_token_value = false;                   ///< v_i in place of v_j
    bool upstream_of_key = false;                     ///< dO_j in place of dO_i
    bool R_begins_with_S = false;                     ///< with the last one, in place of zeros
    bool last_not_in_R = false;                       ///< R begins with the token before the last one
    bool last_not_in_sum = false;                     ///< … and so does the sum of the gradient of log_decay
    bool own_write_counted = false, own_read_left_out = false;  ///< in the gradient of log_decay
    bool S_in_dK = false;                                       ///< the state of the way forwards in place of R
    Heads heads_of_decay = Heads::own;                          ///< whose tokens count in the gradient of log_decay
    SumAxis decay_along = SumAxis::tokens;                      ///< of its running sum; if another, `sum` is own_only
    GatedWritten written = GatedWritten::all;
    bool operator==(const GatedGradientSettings&) const = default;
};

/// The gradient of log_decay as one running sum makes it, from the last token on, that belongs to all leading indices, or that
/// is not set back between them. \param heads all, own_after_earlier or, for what it is already, own
void sum_decays_over_heads(Tensor& gradient, Heads heads);

GatedGradients gated_gradients_by_settings(const GatedCall& call, const Tensor& dO,
                                           const GatedGradientSettings& settings);

/// The right results with their tolerances.
Expected expected_decay_mask(const Tensor& log_decay);
Expected expected_gated_attention(const GatedCall& call);
std::vector<Expected> expected_gated_gradients(const GatedCall& call, const Tensor& dO);

}  // namespace linattn::testing
