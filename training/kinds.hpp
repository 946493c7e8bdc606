// The labs' model with another kind of attention in each block. Linear attention uses your functions as they are. For
// the other kinds the model is put together here, on a tape, from your functions.
#pragma once

#include "training.hpp"

namespace linattn {

enum class Kind {
    linear,
    softmax,
    hybrid  ///< the mean of softmax over the last `hybrid_window` tokens and linear attention over all
};

constexpr std::size_t hybrid_window = 16;
constexpr double hybrid_gate = 0.5;  ///< for every token: the weight of softmax

/// model_gradients with this attention.
ModelGradients gradients_of(Kind kind, const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w);

/// logits with this attention.
Tensor logits_of(Kind kind, const Tensor& ids, const Model& w);

}  // namespace linattn
