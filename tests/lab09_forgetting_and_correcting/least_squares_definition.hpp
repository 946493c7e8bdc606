// Recursive least squares with everything that people get wrong as a setting: the formula of Sherman and Morrison in products
// of whole matrices, O(d_k³) for a token. What is expected comes from the normal equations instead.
#pragma once

#include "forgetting.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// What P, the inverse of ridge I + Σ k kᵀ, begins with.
enum class Begin { inverse_of_ridge, inverse_everywhere, ridge, one, inverse_of_square, inverse_of_root };
/// What stands for the gain P k / (1 + kᵀP k).
enum class Gain { right, undivided, without_one, of_new_P_divided, of_new_P_divided_anew, key };
/// How P goes on: P − (P k kᵀ P) / (1 + kᵀP k).
enum class Update {
    right,
    never,
    undivided,
    added,
    without_one,
    by_gain_and_gain,
    by_gain_and_key,
    by_key_and_gain,
    by_key_and_key
};

struct LeastSquaresSettings {
    Begin begin = Begin::inverse_of_ridge;
    Gain gain = Gain::right;
    Update update = Update::right;
    bool ridge_for_one = false;      ///< in both divisors
    double read = 1.0;               ///< how often what the state returns for the key is subtracted
    bool asks_with_query = false;    ///< q in place of k where the error is computed
    bool row_by_row = false;         ///< each row of S is corrected by what the key reads of it and of the rows before
    bool read_for_each_row = false;  ///< … by what the key reads of all rows, those before it corrected already
    bool keys_normalized = false, queries_normalized = false;
    bool replaces_S = false;  ///< in place of adding to it
    double forgets = 1.0;     ///< what P is divided by at every token, and what stands for the 1 in the divisors
    bool queries_for_keys = false, keys_for_queries = false;  ///< where they write, and where they read
    bool reads_before = false;                                ///< o_i = S_{i-1}ᵀq_i
    bool reads_sums_with_P_before = false;                    ///< o_i = (P_{i-1} Σ_{j≤i} k_j v_jᵀ)ᵀ q_i
    bool P_carried = false, S_carried = false;                ///< a head begins with what the one before it left
    bool only_first_head = false, only_last_token = false, first_token_skipped = false, all_but_last_token = false;
    bool outputs_added_up = false;  ///< over the tokens
    double ridge_factor = 1.0;      ///< of the argument
    bool operator==(const LeastSquaresSettings&) const = default;
};

Tensor least_squares_by_settings(const LeastSquaresSettings& settings, const Tensor& Q, const Tensor& K,
                                 const Tensor& V, double ridge);

/// The right outputs by the normal equations, with the tolerance of the recursion.
Expected expected_least_squares(const Tensor& Q, const Tensor& K, const Tensor& V, double ridge);

}  // namespace linattn::testing
