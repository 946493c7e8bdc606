// A tape: every value of a forward pass, and for each value a function that passes its gradient back. This is what a
// framework keeps so that loss.backward() works. Training with other kinds of attention and the recall task use it; the
// backward pass of every step that has weights is one of your functions of this lab. And Adam, for all weights of a model.
#pragma once

#include <functional>

#include "training.hpp"

namespace linattn {

class Tape {
public:
    /// A value on the tape, by its number.
    using Value = std::size_t;
    /// Passes the gradient with respect to a value on to the inputs from which it was computed.
    using Back = std::function<void(const Tensor& gradient)>;

    /// Appends a value and its backward function.
    Value append(Tensor value, Back back);
    const Tensor& operator[](Value at) const { return entries_[at].value; }
    /// Appends what was computed from x alone. \param back from its gradient to the gradient with respect to x
    Value append_from(Value x, Tensor value, std::function<Tensor(const Tensor& gradient)> back);
    /// Adds to the gradient with respect to a value.
    void accumulate_gradient(Value to, const Tensor& gradient);
    /// Runs the backward pass, from a value whose gradient is known to the first value on the tape.
    void backward(Value from, const Tensor& gradient);

    // Where a step has weights, their gradients are added to `dw`, which must exist until the backward pass is done.
    Value lookup(const Tensor& ids, const Tensor& table, Tensor& dw);
    Value affine(Value x, const Affine& w, Affine& dw);
    Value norm(Value x, const Norm& w, Norm& dw);
    Value gelu(Value x);
    Value add(Value a, Value b);
    Value split_heads(Value x, std::size_t heads);
    Value merge_heads(Value x);

private:
    struct Entry {
        Tensor value;
        Back back;
        Tensor gradient{};
        bool reached = false;
    };
    std::vector<Entry> entries_;
};

/// Adam's moments before the first step.
std::vector<Moments> first_moments(const std::vector<Tensor*>& weights);
/// One step of Adam for every weight.
void adam_steps(const std::vector<Tensor*>& weights, const std::vector<Tensor*>& gradients,
                std::vector<Moments>& moments, double rate);
void set_to_zero(const std::vector<Tensor*>& arrays);

}  // namespace linattn
