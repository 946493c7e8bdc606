// A tape: every value of a forward pass, and for each the way back from it. This is what a framework keeps so that
// loss.backward() works. Training with other kinds of attention, and the recall task, use it; every step of it that has
// weights goes back through your functions of this lab.
#pragma once

#include <functional>

#include "training.hpp"

namespace linattn {

class Tape {
public:
    /// A value on the tape, by its number.
    using Value = std::size_t;
    /// Passes the gradient with respect to a value on to what the value was made of.
    using Back = std::function<void(const Tensor& slope)>;

    /// Appends a value and the way back from it.
    Value append(Tensor value, Back back);
    const Tensor& operator[](Value at) const { return entries_[at].value; }
    /// Adds to the gradient with respect to a value.
    void send(Value to, const Tensor& slope);
    /// From a value whose gradient is known back to the first.
    void go_back(Value from, const Tensor& slope);

    // Where a step has weights, their gradients are added to `dw`, which must live until the way back is done.
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
        Tensor slope{};
        bool reached = false;
    };
    std::vector<Entry> entries_;
};

}  // namespace linattn
