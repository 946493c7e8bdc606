// Hybrid attention by its definition: two explicit weights for each pair of tokens, and no state. As in definition.hpp, what
// people get wrong is a setting.
#pragma once

#include <vector>

#include "features.hpp"
#include "suite.hpp"
#include "transformer.hpp"

namespace linattn::testing {

/// How the two kinds of attention are mixed.
enum class Gate {
    right,
    exchanged,
    missing,
    local_only,
    both_with_gate,
    squashed,
    averaged,
    first_token,
    first_head,
    window_alone,
    linear_alone,
    rest_added,
    before_division  ///< of numerators and of denominators
};
/// Which keys the softmax sees.
enum class Window {
    last,
    with_empty_places,  ///< … where there are fewer, keys and values of 0 in the other places
    in_blocks,
    all_before,
    without_own,
    around,
    future_too,
    first,          ///< the oldest keys stay, newer ones never come in
    first_and_own,  ///< the oldest keys stay but for one, whose place each newer one takes
};
/// Which tokens linear attention adds up.
enum class LinearTokens { all_before, outside_window, in_window, without_own, all };
/// What becomes of the keys and values in the memory.
enum class Cache {
    last,
    unbounded,
    newest_leaves,
    newest_replaced,  ///< the new one takes the place of the one before it
    one_less,
    values_stay,
    newest_first,
    replaced,
    features,
    as_it_came
};

/// Of a softmax with a running maximum: what is not rescaled when it grows.
enum class NotRescaled { nothing, values, denominator, both };

struct HybridSettings {
    Gate gate = Gate::right;
    Window window = Window::last;
    std::ptrdiff_t wider = 0;  ///< by how many tokens the window is too wide
    LinearTokens linear = LinearTokens::all_before;
    double scale_power = -0.5;  ///< scores are multiplied by d to this power
    bool scale_of_values = false, shifted = true, features_in_softmax = false;
    Features features_q = Features::elu_plus_one, features_k = Features::elu_plus_one;  ///< of linear attention
    double power_of_q = 0.0, power_of_k = 0.0;  ///< of d_k, by which they are multiplied before φ
    NotRescaled not_rescaled = NotRescaled::nothing;
    bool divided = true, softmax_divided = true;
    bool softmax_divided_by_all = false;                     ///< by the sum over all tokens so far
    bool linear_by_count = false, softmax_by_count = false;  ///< divided by the number of tokens
    bool epsilon_after_division = false;
    double epsilon_counts = 1.0;
    Cache cache = Cache::last;
    bool S_carried = false, z_carried = false;  ///< to the next head
    bool heads_in_turn = false;                 ///< one S and z for all, the loop over heads inside of that over tokens
    bool queries_of_first_head = false, keys_of_first_head = false, values_of_first_head = false;  ///< for all
    bool S_of_first_head = false, z_of_first_head = false;  ///< of the memory that came in
    bool S_read_reshaped = false;                           ///< (d_k, d_v) read on as (d_v, d_k)
    bool outputs_over_first_head = false;
    bool softmax_numerators_kept = false, softmax_denominators_kept = false, linear_denominators_kept = false;
    bool S_not_updated = false, z_not_updated = false, leaving_key_into_state = false, past_ignored = false;
    bool leaving_key_out_of_state = false, leaving_key_not_read = false;  ///< returned, and read, without it
    bool writes_argument = false;
    bool operator==(const HybridSettings&) const = default;
};

Expected expected_hybrid_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate,
                                   std::size_t window, const HybridSettings& settings = {});

/// The output of the last token of Q, K and V, and the memory after it: S, z, K, V.
std::vector<Expected> expected_hybrid_step(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& gate,
                                           std::size_t window);

/// One token after those that the memory holds.
HybridStep hybrid_step_by_settings(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& gate,
                                   std::size_t window, const HybridMemory& memory, const HybridSettings& settings);

}  // namespace linattn::testing
