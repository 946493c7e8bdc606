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
Tensor argmax(const Tensor& logits);

/// The attention of block l for one token, which it may keep: `normed` \shape{(batch, d)} is what the block projects from, q, k
/// and v are \shape{(batch, heads, e)}, and so is the result.
using AttendToken =
    std::function<Tensor(std::size_t l, const Tensor& normed, const Tensor& q, const Tensor& k, const Tensor& v)>;

/// Continues the prompt by count symbols, token by token. \param prompt \shape{(batch, n)} with n ≥ 1
/// \return the new symbols \shape{(batch, count)}
Tensor generate_with(const AttendToken& attend, const Tensor& prompt, std::size_t count, const Model& w,
                     const Choice& choose);

/// Continues the prompt by count symbols with lab 07's block_step, a state of fixed size for each block.
/// \param prompt \shape{(batch, n)} with n ≥ 1   \return the new symbols \shape{(batch, count)}
Tensor generate_with_state(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// The same with softmax attention in the place of linear attention: each block keeps all keys and values.
Tensor generate_with_kv_cache(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// The same, but nothing is kept: the whole sequence is read again for each new symbol.
Tensor generate_recomputing(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// With lab 07's hybrid_attention_step: a state, and the keys and values of the last `hybrid_window` tokens.
Tensor generate_with_window(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose);

/// Calls the one of these that keeps what this kind of attention needs.
Tensor generate_with_attention(AttentionKind kind, const Tensor& prompt, std::size_t count, const Model& w,
                               const Choice& choose);

}  // namespace linattn
