// What holds for every form of gated attention, said once. A GatedForm is one exercise seen through the arguments that all
// of them take.
#pragma once

#include <functional>
#include <vector>

#include "gated_definition.hpp"
#include "long_sizes.hpp"
#include "sizes.hpp"

namespace linattn::testing {

/// How strong random decays are, as logarithms.
enum class Strength {
    weak,    ///< from -0.1 to 0: after 64 tokens something is left
    middle,  ///< from -1.5 to -0.05
    mixed,   ///< from -20 to -1e-3, as many between -20 and -2 as between -0.01 and -1e-3
    resets,  ///< of 0, -1e-3, -1, -20, -1e4 and -inf
};
Tensor random_decays(const Shape& shape, std::uint64_t stream, Strength strength);
inline constexpr Strength all_strengths[] = {Strength::middle, Strength::weak, Strength::mixed, Strength::resets};

/// Random Q, K (…, n, d_k) and V, dO (…, n, d_v), and decays: (…, n), or (…, n, d_k) for each channel.
struct GatedInputs {
    Tensor Q, K, V, log_decay, dO;
    GatedInputs(const Size& size, std::uint64_t stream, Strength strength, bool each_channel = false);
    GatedCall call() const { return {Q, K, V, log_decay}; }
};

/// Tokens of many pieces of 20, (pieces, 20, …): the first of each forgets all, so that what the definition, which is slow for long
/// sequences, gives for each piece, it gives for all tokens in one sequence, too.
constexpr std::size_t tokens_of_piece = 20;
void reset_pieces(Tensor& log_decay);
/// That sequence: (1, pieces · 20, …).
Tensor joined(const Tensor& x);
Expected joined(const Expected& of_pieces);
/// For a sum over all later tokens, from the last piece on: its rounding is that of all of them.
Expected joined_sum(const Expected& of_pieces);

struct GatedForm {
    std::function<Call<Tensor>(const GatedInputs& in)> run;
    bool each_channel = false;

    GatedInputs inputs(const Size& size, std::uint64_t stream, Strength strength) const {
        return {size, stream, strength, each_channel};
    }
    void equals_the_definition(const GatedInputs& in) const { run(in).equals(expected_gated_attention(in.call())); }
};

void gives_the_worked_example(const GatedForm& form);
void rejects_what_does_not_belong_together(const GatedForm& form);
void rejects_decays_that_are_no_logarithms(const GatedForm& form);
void equals_the_definition(const GatedForm& form);
void forgets_nothing_with_logarithms_of_0(const GatedForm& form);
void forgets_all_with_logarithms_of_minus_infinity(const GatedForm& form);
void survives_a_reset_among_weak_decays(const GatedForm& form);
void equals_the_definition_at_every_size(const GatedForm& form);
/// \param n 20 times a number
void equals_the_definition_at_long_sizes(const GatedForm& form, std::size_t n = many_tokens);
void handles_one_token_and_no_token(const GatedForm& form);
void handles_large_and_tiny_numbers(const GatedForm& form);
void never_depends_on_a_later_token(const GatedForm& form);
void remembers_nothing(const GatedForm& form);
void costs_no_more_than_in_proportion_to_n(const GatedForm& form);
/// Twice the tokens cost about four times as much, not eight.
void costs_no_more_than_in_proportion_to_n_squared(const std::function<Trial(std::size_t n)>& run);
/// A few rows or numbers for each token are tolerated.
void keeps_no_state_for_each_token(const GatedForm& form);
void does_not_go_by(const GatedForm& form, const std::vector<const char*>& others);
/// An answer that is wrong because the mask of exercise 9.2 is, which it calls, leads there.
void uses_a_right_mask(const GatedForm& form);

}  // namespace linattn::testing
