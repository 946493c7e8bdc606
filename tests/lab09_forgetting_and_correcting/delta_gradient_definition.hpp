// The gradients of the gated delta rule by their definition, with everything that people get wrong as a setting. O(n²) loops
// over pairs of tokens, in double. With the default settings they are right, which the suite confirms by central differences
// of the rule itself. With u_i and D_ij of delta_definition.hpp, and e_i = β_i du_i:
//     du_j = Σ_{i≥j} D_ij (q_i·k_j) dO_i − Σ_{i>j} D_ij (k_i·k_j) e_i
#pragma once

#include "delta_definition.hpp"

namespace linattn::testing {

/// What the gradient of β_i is the product of du_i with.
enum class BetaGradient { error, value, error_before_chunk, written };
/// How the gradient of a log decay is summed: over the pairs of tokens that the decay lies between.
enum class DecayGradient {
    right,            ///< q·dq − v·dv of the token and of all later ones
    of_pairs,         ///< of all pairs that it lies between: the same, where dQ and dV are right
    of_one_chunk,     ///< only pairs of one chunk
    of_states,        ///< only pairs of different chunks
    not_summed,       ///< q·dq − v·dv of the token alone
    from_the_front,   ///< the sum of these over the tokens up to it
    without_own,      ///< … over the tokens after it
    queries_only,     ///< q·dq alone
    values_added,     ///< q·dq + v·dv
    keys_for_values,  ///< q·dq − k·dk, as without a correction
    keys_too,         ///< q·dq − v·dv − k·dk
    queries_twice,    ///< 2 q·dq − v·dv
    values_only,      ///< −v·dv
};
enum class DeltaGradientsWritten {
    all,
    all_but_first_chunk,
    all_but_last_chunk,
    all_but_short_chunk,
    unless_count_overflows,
    only_first_head,
    only_last_head,
    exchanged
};

struct DeltaGradientSettings {
    DeltaSettings forward;              ///< its key and query say what e_i and dO_i read of earlier writes, too
    Reading R_of_outputs, R_of_errors;  ///< what a write sees of later outputs, and of later errors
    double errors_in_du = 1.0, errors_in_dk = 1.0;  ///< how often later errors count in du_j, and in dk_j
    double outputs_in_dk = 1.0, own_error_in_dk = 1.0;
    bool row_of_M_in_dk = true, column_of_M_in_dk = true;         ///< within the chunk: the own error, and later ones
    bool system_not_transposed = false, beta_of_own_row = false;  ///< in the transposed system
    bool scores_not_transposed = false, dscores_not_transposed = false;  ///< within the chunk: in du, and in dk
    bool dscores_undecayed = false, dscores_unmasked = false;            ///< dO Uᵀ without D, and without the mask
    bool dM_undecayed = false;                                           ///< e Uᵀ without D
    bool queries_in_R_too_early = false;  ///< the chunk's own are in the R that du and dk read
    bool du_reads_R_undecayed = false;
    bool dk_reads_R_carried_on = false;  ///< … to before the chunk already
    bool beta_in_dv = true;
    BetaGradient beta = BetaGradient::error;
    DecayGradient log_decay = DecayGradient::right;
    Heads heads_of_decay = Heads::own;      ///< whose tokens count in it
    SumAxis decay_along = SumAxis::tokens;  ///< of its running sum; if another, log_decay is not_summed
    double decay_factor = 1.0;              ///< of the gradient of log_decay
    bool of_decay_itself = false;           ///< the gradient with respect to a
    DeltaGradientsWritten written = DeltaGradientsWritten::all;
    bool queries_normalized = false, keys_normalized = false, sigmoid_of_beta = false;  ///< of the arguments, once
    double beta_times = 1.0;                                                            ///< … and β times this
    double factor = 1.0;                                                                ///< of all five
    bool operator==(const DeltaGradientSettings&) const = default;
};

GatedDeltaGradients delta_gradients_by_settings(const DeltaCall& call, const Tensor& dO,
                                                const DeltaGradientSettings& settings);

/// The right gradients with their tolerances: Q, K, V, beta, log_decay.
std::vector<Expected> expected_delta_gradients(const DeltaCall& call, const Tensor& dO);

}  // namespace linattn::testing
