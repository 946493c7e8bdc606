// Lab 07's model with one of the memories of lab 09 in each block, or with softmax, to predict the bytes of a text.
#pragma once

#include <optional>

#include "kinds.hpp"
#include "rules.hpp"

namespace linattn {

/// What a block has beside lab 07's weights: for each head a number that says how much of the state a token keeps, one that
/// says how much of its value it writes, and a norm of what the head reads, in place of a denominator.
struct MemoryGates {
    Affine gate, step;  ///< from d to the number of heads
    Norm output;        ///< of width e
};

class TextModel {
public:
    /// \param rule none for softmax
    TextModel(std::optional<Rule> rule, Model w);
    /// One step of Adam. \return the loss before it
    double train(const Batch& batch, double rate);
    Tensor logits(const Tensor& ids) const;
    /// The most likely bytes after the prompt \shape{(1, n)}, from a state that your 9.10 hands from token to token.
    Tensor continued(const Tensor& prompt, std::size_t count) const;

private:
    struct Weights {
        Model model;
        std::vector<MemoryGates> gates;
        std::vector<Tensor*> all();
    };
    Tape::Value forward(Tape& tape, const Tensor& ids, Weights& dw) const;
    AttendToken token_by_token(std::vector<Tensor>& states) const;

    std::optional<Rule> rule_;
    Weights w_;
    std::vector<Moments> moments_;
};

}  // namespace linattn
