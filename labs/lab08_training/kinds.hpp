// The model of the labs with another attention in each block. Linear attention uses your functions as they are. For the
// others the way through the model is here, on a tape, and its pieces are yours.
#pragma once

#include "training.hpp"

namespace linattn {

enum class Kind {
    linear,
    softmax,
    hybrid  ///< half of softmax over the last `hybrid_window` tokens, half of linear over all
};

constexpr std::size_t hybrid_window = 16;
constexpr double hybrid_gate = 0.5;  ///< for every token: the weight of softmax

/// model_gradients with this attention.
ModelGradients gradients_of(Kind kind, const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w);

/// logits with this attention.
Tensor logits_of(Kind kind, const Tensor& ids, const Model& w);

}  // namespace linattn
