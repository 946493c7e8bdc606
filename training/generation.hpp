// Ways to continue a sequence with the same weights: from the state of linear attention, from the keys and values of
// softmax attention, by recomputing everything, and from a state and a window. ./course train compares their speed.
#pragma once

#include <functional>

#include "kinds.hpp"

namespace linattn {

/// Chooses one symbol for each row of logits \shape{(batch, symbols)} → \shape{(batch)}.
using Choice = std::function<Tensor(const Tensor& logits)>;

/// Draws each symbol with the probability that the model gives it.
Choice at_random(std::uint64_t seed);

/// The symbol with the largest logit; among equal ones, the smallest id.
Tensor likeliest(const Tensor& logits);

/// Continues the prompt by count symbols with lab 07's block_step, a state of fixed size for each block.
/// \param prompt \shape{(batch, n)} with n ≥ 1   \return the new symbols \shape{(batch, count)}
Tensor continue_from_state(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// The same with softmax attention in the place of linear attention: each block keeps all keys and values.
Tensor continue_from_cache(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// The same, but nothing is kept: the whole sequence is read again for each new symbol.
Tensor continue_from_nothing(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// With lab 07's hybrid_attention_step: a state, and the keys and values of the last `hybrid_window` tokens.
Tensor continue_from_window(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// Calls the one of these that keeps what this kind of attention needs.
Tensor continue_with(Kind kind, const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

}  // namespace linattn
