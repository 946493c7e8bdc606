// The gradients of normalised causal linear attention by their definition, with everything that people get wrong as a
// setting. O(n²) loops over pairs of tokens, in double: token i asks, token j is looked at. With the default settings
// they are right, which the suite confirms by central differences of attention itself; a mutation (gradient_mutations.cpp)
// turns a setting from right to wrong.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "attention_definition.hpp"
#include "attention_gradients.hpp"

namespace linattn::testing {

/// One of the sums over pairs of tokens (i, j) that the gradients are made of.
struct PairSum {
    Tokens tokens = Tokens::up_to_own;
    Heads heads = Heads::own;  ///< own, all, first and own_after_earlier only
    double factor = 1.0;
    bool own_block_again = false;  ///< all pairs of a block count once more
    bool without_last_query = false;
    bool without_short_chunk = false;  ///< the queries of a last chunk that is shorter than the others
    double decay = 1.0;                ///< for each token between the two
    double over_d_k = 0.0;             ///< divided by the number of features to this power …
    bool over_d_k_in_block = false;    ///< … within a block alone
    bool mean_of_keys = false, mean_of_queries = false;  ///< over those that count, in place of the sum
    bool operator==(const PairSum&) const = default;
};

/// What stands for dN_i where a sum needs it.
enum class Upstream { dN, dO, dN_over_D, dO_times_D, output, value };
/// What stands for dD_i.
enum class NormalizerGradient {
    right,           ///< -dO·o / D
    from_numerator,  ///< -dO·N / D
    undivided,       ///< -dO·o
    divided_twice,
    without_output,    ///< the sum of dO's entries in place of dO·o
    without_upstream,  ///< the sum of o's entries
    from_value,        ///< dO·v_i
    mean,              ///< the mean over the row in place of the sum
};
/// What R_j is read with: v_j and φ(k_j) are right.
enum class Reader { right, upstream, dN, output, query };
enum class GradientsWritten {
    all,
    all_but_first,
    all_but_first_chunk,
    first_chunk_as_kept,  ///< dN still stands where dV of its tokens belongs
    first_as_kept,        ///< dN and dD still stand where the gradients of token 0 belong
    all_but_last,
    all_but_short_chunk,     ///< on the way back
    nothing_of_short_chunk,  ///< dφ(q) neither
    all_but_short_chunk_of_dQ,
    all_but_short_chunk_of_dK,
    all_but_short_chunk_of_dV,
    all_but_first_rest,  ///< the first n mod block tokens, on the way back
    first_rest_as_kept,  ///< … where dN still stands in dV
    all_but_dQ,
    all_but_dK,
    all_but_dV,
    only_last,
    exchanged,
    only_first_head,
    only_last_head,
    unless_count_overflows
};

struct GradientSettings {
    PairSum S, z;                                                         ///< forwards: above and below the line of o_i
    PairSum S_of_dQ, z_of_dQ;                                             ///< what dφ(q_i) reads
    PairSum R_of_dK, r, R_of_dV;                                          ///< what dφ(k_j) and dv_j read
    double epsilon_of_O = 1.0, epsilon_of_dN = 1.0, epsilon_of_dD = 1.0;  ///< how often ε is added to D there
    Upstream upstream_of_dQ = Upstream::dN, upstream_of_dK = Upstream::dN, upstream_of_dV = Upstream::dN;
    Epsilon epsilon = Epsilon::added;   ///< above_too, twice, subtracted and missing are told by the counts
    bool z_of_dQ_with_epsilon = false;  ///< where ε was put into z, dφ(q_i) reads it there
    bool epsilon_after_dN = false;      ///< dO / D + ε
    NormalizerGradient dD = NormalizerGradient::right;
    bool D_without_axis = false, dD_without_axis = false;  ///< (…, n), stretched from the right: keep_dims forgotten
    Tokens D_of_dN = Tokens::up_to_own;                    ///< which tokens z has where it divides dO
    bool dA_not_transposed = false;                        ///< dφ(K) = dA φ(Q)
    bool A_not_transposed = false;                         ///< dV = A dN
    bool R_begins_with_S = false, r_begins_with_z = false;
    bool queries_in_forward_S = false, keys_in_z = false;  ///< S summed over queries from the start, z with it or not
    bool queries_in_S = false, keys_in_R = false;          ///< φ(q_j) in place of φ(k_j), φ(k_i) in place of φ(q_i)
    bool queries_in_r = false;                             ///< r all the same of φ(q_i)
    bool keys_in_dK = false;                               ///< φ(k_i) in place of φ(q_i) in dφ(k_j) alone
    bool key_token_upstream = false;                       ///< R pairs φ(q_i) with dN_j
    int upstream_shift = 0;                                ///< R pairs φ(q_i) with dN_{i + shift}, where there is one
    bool dO_across_chunks = false;                         ///< R pairs φ(q_i) with dO_i for keys of earlier chunks
    bool r_of_head_totals = false;                         ///< dD summed over the leading axes
    bool dD_of_last_head = false;                          ///< … or that of the last one for all
    bool dD_over_heads = false;                 ///< … or summed where it is computed, so for dφ(Q) as well
    bool R_of_sums = false, r_of_sums = false;  ///< Σ φ(q) times Σ dN, or Σ dD, in place of Σ φ(q) dNᵀ
    bool key_token_query = false;               ///< R pairs φ(q_j) with dN_i
    bool key_token_dD = false;                  ///< r pairs φ(q_i) with dD_j
    bool key_token_dD_in_block = false;         ///< … for queries of the key's own chunk
    bool key_token_dD_of_dQ = false;            ///< dφ(q_i) sums φ(k_j) dD_j, over the same pairs
    bool r_without_queries = false;             ///< r sums dD_i alone, the same for all features
    bool r_without_dD = false;                  ///< r sums φ(q_i) alone
    bool last_D_in_R = false;                   ///< dN divided by the D of the last token, where R takes it
    bool last_dD = false, last_dN = false;      ///< r, and R, take that of the last token for all
    bool query_token_value = false;             ///< S pairs φ(k_j) with v_i
    bool S_for_R = false;                       ///< dφ(k_j) reads the state of the forward pass
    Reader reader_of_dK = Reader::right, reader_of_dV = Reader::right;
    bool S_along_features = false, R_along_features = false,
         r_along_features = false;                      ///< running sums over the features
    bool D_of_keys = false;                             ///< column sums of A in place of row sums
    bool dA_times_A = false;                            ///< as for softmax, whose slope is its weight
    bool dN_left_in_dV = false, dD_left_in_dK = false;  ///< what was kept there for the way back
    bool dV_in_R = false;                               ///< R takes dV from where dN was kept, written over too early
    /// What r takes from where dD was kept: R v, or all of dφ(K), of each feature or of the first one.
    enum class InR { dD, Rv, dK } in_r = InR::dD;
    bool first_feature_in_r = false;
    bool D_over_features = false;  ///< the mean over the features in place of their sum
    bool keys_in_A = false;        ///< φ(k_i) in place of φ(q_i) forwards
    bool rolled_back = false;      ///< S and z of earlier tokens by subtraction from the last ones
    GradientsWritten written = GradientsWritten::all;
    bool short_unless_only_one = false;          ///< a chunk longer than n is cut to n, and no short one then
    bool D_goes_on = false, dD_goes_on = false;  ///< the sum in it begins with that of the token before
    bool dQ_goes_on = false, dK_goes_on = false, dV_goes_on = false;  ///< … of the feature, or channel, before
    double factor = 1.0;                                              ///< of all three
    bool over_n = false;                                              ///< all three divided by n
    std::optional<double> epsilon_fixed;                              ///< in place of the argument
    std::size_t block = 0;                                            ///< of Tokens::own_block; 0: the call's chunk
    bool operator==(const GradientSettings&) const = default;
};

/// One call of an exercise.
struct GradientCall {
    const Tensor &phi_Q, &phi_K, &V, &dO;
    double epsilon;
    std::size_t chunk = 0;  ///< 0: not chunkwise
};

AttentionGradients gradients_by_settings(const GradientCall& call, const GradientSettings& settings);

/// The right gradients with their tolerances: phi_Q, phi_K, V.
std::vector<Expected> expected_gradients(const GradientCall& call);

}  // namespace linattn::testing
