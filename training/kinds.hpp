// The labs' model with another kind of attention in each block, to train and to generate. Linear attention uses your functions as
// they are. For the other kinds the model is put together here, on a tape, from your functions.
#pragma once

#include "tape.hpp"

namespace linattn {

enum class AttentionKind {
    linear,
    softmax,
    hybrid  ///< the mean of softmax over the last `hybrid_window` tokens and linear attention over all
};

constexpr std::size_t hybrid_window = 16;
constexpr double hybrid_gate = 0.5;  ///< for every token: the weight of softmax

/// model_gradients with this attention.
ModelGradients gradients_of(AttentionKind kind, const Tensor& ids, const Tensor& targets, const Tensor& loss_mask,
                            const Model& w);

/// logits with this attention.
Tensor logits_of(AttentionKind kind, const Tensor& ids, const Model& w);

/// The attention of block l on a tape: `normed` \shape{(batch, n, d)} is what the block projects from, q, k and v are
/// \shape{(batch, heads, n, e)}, and so is the result.
using Attend = std::function<Tape::Value(Tape& tape, std::size_t l, Tape::Value normed, Tape::Value q, Tape::Value k,
                                         Tape::Value v)>;

/// Softmax or hybrid.
Attend attention_of(AttentionKind kind);

/// From ids to logits with this attention, on the tape. The gradients of the weights will be added to dw.
Tape::Value run_model(Tape& tape, const Attend& attend, const Tensor& ids, const Model& w, Model& dw);

/// A model of the same shapes whose weights are all 0.
Model zeros_like(const Model& w);

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

/// The same with lab 07's block_step, a state of fixed size for each block.
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
