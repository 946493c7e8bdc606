// The labs' model with another kind of attention in each block. Linear attention uses your functions as they are. For
// the other kinds the model is put together here, on a tape, from your functions.
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

}  // namespace linattn
