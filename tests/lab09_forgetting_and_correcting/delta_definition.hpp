// The delta rule and the gated delta rule by their definition, with everything that people get wrong as a setting. O(n²) loops
// over pairs of tokens, in double, and no state: token i sees of token j the write k_j u_jᵀ, times the decays between the two.
// With the default settings they are right; a mutation (mistakes/delta_mutations.cpp) turns a setting from right to wrong.
//     u_i = β_i (v_i − Σ_{j<i} D_ij (k_i·k_j) u_j),   o_i = Σ_{j≤i} D_ij (q_i·k_j) u_j
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "attention_definition.hpp"
#include "forgetting.hpp"
#include "running_sums.hpp"

namespace linattn::testing {

/// What a token is taken to have written under its key.
enum class Wrote { u, value, beta_value, beta_u, right_side, two_terms };
/// What stands for β_i before a term of u_i.
enum class Beta { own, none, squared, sigmoid, over_length, of_writer, of_first_chunk, of_first_head, less_one };
/// The decays inside a chunk, from token j to token i.
enum class Inside {
    right,
    none,
    with_writer,
    without_reader,
    one_before,
    since_begin,            ///< the decays from the chunk's beginning to token i in their place
    right_and_since_begin,  ///< … and beside them
    transposed,             ///< D of the two tokens exchanged: 0 below the diagonal
    ratio                   ///< the decays since the chunk's beginning, times the inverse of those of token j
};
/// The decays from the chunk's beginning to token i.
enum class SinceBegin {
    right,
    none,
    without_own,
    without_first,
    of_sequence,
    of_chunk,
    own_only,
    after_own,
    along_axis  ///< that of token i of several heads: the running sum goes along another axis
};
/// The decays of the whole chunks in between.
enum class Carried { right, none, first_token, last_token, all_but_first, twice, next_chunk, along_axis, of_sequence };
/// The decays from token j to its chunk's end.
enum class UntilEnd {
    right,
    none,
    since_begin,
    with_own,
    whole,
    right_and_whole,
    ratio,
    last_column,  ///< of D, in place of its last row
    first_row,
    first_column
};

/// How one token sees what others have written.
struct Reading {
    Tokens tokens = Tokens::up_to_own;  ///< a key never sees its own token, though
    Wrote of_chunk = Wrote::u, of_state = Wrote::u;
    Inside inside = Inside::right;
    SinceBegin since_begin = SinceBegin::right;
    Carried carried = Carried::right;
    UntilEnd until_end = UntilEnd::right;
    double first_state = 1.0;  ///< how often the state that came in counts
    bool operator==(const Reading&) const = default;
};

/// The decays a of tokens that lie in chunks of `block` tokens, multiplied.
class DecayProducts {
public:
    DecayProducts() = default;
    DecayProducts(std::vector<double> decays, std::size_t tokens_of_a_chunk);

    std::vector<double> a;
    std::size_t block = 1;
    std::vector<double> along_axis;  ///< for each token, what a running sum along another axis makes of them

    double product(std::size_t from, std::size_t to) const { return from < to ? of_tokens(from, to) : 1.0; }
    double inverse_since_begin(std::size_t j) const { return 1.0 / product(begin_of(j / block), j + 1); }
    std::size_t begin_of(std::size_t chunk) const { return chunk * block; }
    std::size_t end_of(std::size_t chunk) const { return std::min((chunk + 1) * block, a.size()); }
    double inside(const Reading& reading, std::size_t i, std::size_t j) const;
    double since_begin(const Reading& reading, std::size_t i) const;
    double until_end(const Reading& reading, std::size_t j) const;
    /// Of chunks from, …, to - 1.
    double carried(const Reading& reading, std::size_t from, std::size_t to) const;
    /// What token i sees of what token j has written is multiplied by this.
    double between(const Reading& reading, std::size_t i, std::size_t j) const;
    double since_first_state(const Reading& reading, std::size_t i) const;

private:
    double of_chunk(Carried carried, std::size_t chunk) const;

    /// The products of the numbers from, …, to - 1.
    class Ranges {
    public:
        Ranges() = default;
        explicit Ranges(const std::vector<double>& numbers);
        double operator()(std::size_t from, std::size_t to) const { return products_[from * count_ + to - 1]; }
        bool empty() const { return products_.empty(); }

    private:
        std::size_t count_ = 0;
        std::vector<double> products_;
    };
    Ranges of_tokens;
    mutable std::map<Carried, Ranges> of_chunks;  ///< made where it is asked for
};

/// For each token of a head the exponential of the running sum of log_decay \shape{(…, n)} along an axis.
std::vector<double> decays_along(const Tensor& log_decay, std::size_t head, SumAxis axis, const DecayProducts& decays);

/// Where U = U' - c ⊙ (W S): what stands in the two systems. Right are D in U' alone, and c before W S; or D in both, and c
/// on W's right side.
struct SolvedForW {
    bool used = false, D_in_values = true, D_in_W = true, c_on_right_side = false, c_before_WS = true;
    bool operator==(const SolvedForW&) const = default;
};

/// A term of u_i: what it is multiplied by.
struct Term {
    Beta beta = Beta::own;
    double factor = 1.0;
    bool operator==(const Term&) const = default;
};

/// How a decay comes of its logarithm.
enum class Decay {
    exponential,
    the_logarithm,
    forgotten,
    squared,
    inverse,
    complement,
    none_of_first_token,
    of_first_chunk,
    of_first_head,
    sigmoid,
    cumulated
};
enum class DeltaWritten {
    all,
    all_but_last,
    only_last,
    only_first_head,
    all_but_short_chunk,
    whole_chunks,
    unless_count_overflows,  ///< nothing where n + chunk - 1 does
    running_sum
};
enum class StateReturned { right, as_it_came, without_last };

struct DeltaSettings {
    Reading key, query, last;  ///< what k_i sees, what q_i sees, and the state after the last token
    Term value, state, chunk;  ///< of v_i, of what k_i sees of earlier chunks, and of its own
    Decay decay = Decay::exponential;
    double log_decay_times = 1.0;
    bool asks_state_with_query = false;  ///< q_i in place of k_i where the error is computed
    bool asks_chunk_with_query = false;
    bool reads_with_key = false;                                      ///< k_i in place of q_i where the output is read
    bool reads_chunk_with_key = false, reads_state_with_key = false;  ///< … only there
    bool scores_transposed = false;                                   ///< k_i·q_j where a chunk reads itself
    bool state_written_under_query = false;                           ///< q_j in place of k_j where a chunk enters S
    bool writes_under_query = false;                                  ///< q_i in place of k_i where u_i is written
    bool value_written_first = false;                                 ///< the error after the value has been written
    bool scores_to_end = false;      ///< times q·k, q of the chunk's last token, where D's last row was
    bool scores_in_system = false;   ///< times q_i·k_j, kept where D was
    bool state_after_solve = false;  ///< U = U' - β ⊙ c ⊙ (K S), with U' solved for the values alone
    SolvedForW W;
    bool diagonal_counted = false;  ///< 1 + β_i k_i·k_i before u_i
    bool keys_normalized = false;   ///< divided by their lengths
    bool queries_normalized = false;
    bool value_decayed = false;               ///< v_i since its chunk began, like what the state returns
    bool updated_first = false;               ///< q_i sees the state after its chunk
    bool write_scaled_by_complement = false;  ///< the write times 1 − a_i
    bool beta_fades = false;                  ///< the state times 1 − β_i
    bool carried_to_next_head = false;        ///< a head begins with the state of the one before it
    SumAxis sums_along = SumAxis::tokens;     ///< where something is along_axis
    double scores_over_root = 0.0;            ///< divided by d_k to this power
    double scale = 1.0;                       ///< of all outputs
    std::optional<double> beta_fixed;         ///< in place of the argument
    double beta_times = 1.0;                  ///< of every β
    double added_to_length = 0.0;             ///< to k·k where β is over_length
    double under_root = 0.0;                  ///< added to the squares of a row that is normalised
    bool first_token_skipped = false;
    DeltaWritten written = DeltaWritten::all;
    StateReturned returned = StateReturned::right;
    bool writes_argument = false;  ///< the state that came in
    std::size_t block = 0;         ///< tokens in a chunk; 0: as the call says
    bool operator==(const DeltaSettings&) const = default;
};

/// One call of an exercise. What an exercise does not have is left empty.
struct DeltaCall {
    const Tensor &Q, &K, &V, &beta;
    const Tensor* log_decay = nullptr;
    const Tensor* S = nullptr;  ///< the state that came in
    std::size_t chunk = 1;
};

struct DeltaResult {
    Tensor output, S, u;  ///< u \shape{(…, n, d_v)}: what each token writes under its key
};
DeltaResult delta_by_settings(const DeltaCall& call, const DeltaSettings& settings);

/// How far what tokens write reaches, for the tolerances: norms, and the decays times what a later write may enlarge,
/// |1 - β k·k| where that is above 1, and times the error of a decay whose exponent is large.
struct DeltaSizes {
    DeltaSizes(const DeltaCall& call, std::size_t head);
    double between(std::size_t i, std::size_t j) const { return reach[j + 1][i]; }
    double from_start(std::size_t i) const { return reach[0][i]; }

    std::size_t n, d_k;
    std::vector<double> keys, queries, betas;  ///< lengths of keys and queries, sizes of β
    std::vector<std::vector<double>> reach;
};

/// The right outputs, and the right state after them, with their tolerances.
std::vector<Expected> expected_delta(const DeltaCall& call);

}  // namespace linattn::testing
