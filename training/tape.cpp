#include "tape.hpp"

namespace linattn {

Tape::Value Tape::append(Tensor value, Back back) {
    entries_.push_back({std::move(value), std::move(back)});
    return entries_.size() - 1;
}

Tape::Value Tape::append_from(Value x, Tensor value, std::function<Tensor(const Tensor& gradient)> back) {
    return append(std::move(value),
                  [this, x, back](const Tensor& gradient) { accumulate_gradient(x, back(gradient)); });
}

void Tape::accumulate_gradient(Value to, const Tensor& gradient) {
    Entry& entry = entries_[to];
    if (entry.reached)
        entry.gradient += gradient;
    else
        entry.gradient = gradient;
    entry.reached = true;
}

void Tape::backward(Value from, const Tensor& gradient) {
    accumulate_gradient(from, gradient);
    for (Value at = from + 1; at-- > 0;)
        if (entries_[at].reached) entries_[at].back(entries_[at].gradient);
}

Tape::Value Tape::lookup(const Tensor& ids, const Tensor& table, Tensor& dw) {
    return append(rows(table, ids), [ids, &table, &dw](const Tensor& gradient) {
        const Affine as_product{table, zeros({length(table, 1)})};  // of one-hot rows with the table
        dw += affine_backward(one_hot(ids, length(table, 0)), as_product, gradient).dw.W;
    });
}

Tape::Value Tape::affine(Value x, const Affine& w, Affine& dw) {
    return append(matmul(entries_[x].value, w.W) + w.b, [this, x, &w, &dw](const Tensor& gradient) {
        const Backward<Affine> back = affine_backward(entries_[x].value, w, gradient);
        dw.W += back.dw.W;
        dw.b += back.dw.b;
        accumulate_gradient(x, back.dX);
    });
}

Tape::Value Tape::norm(Value x, const Norm& w, Norm& dw) {
    return append(layer_norm(entries_[x].value, w), [this, x, &w, &dw](const Tensor& gradient) {
        const Backward<Norm> back = layer_norm_backward(entries_[x].value, w, gradient);
        dw.gain += back.dw.gain;
        dw.bias += back.dw.bias;
        accumulate_gradient(x, back.dX);
    });
}

Tape::Value Tape::gelu(Value x) {
    return append_from(x, linattn::gelu(entries_[x].value),
                       [this, x](const Tensor& gradient) { return gelu_backward(entries_[x].value, gradient); });
}

Tape::Value Tape::add(Value a, Value b) {
    return append(entries_[a].value + entries_[b].value, [this, a, b](const Tensor& gradient) {
        accumulate_gradient(a, gradient);
        accumulate_gradient(b, gradient);
    });
}

Tape::Value Tape::split_heads(Value x, std::size_t heads) {
    return append_from(x, linattn::split_heads(entries_[x].value, heads),
                       [](const Tensor& gradient) { return linattn::merge_heads(gradient); });
}

Tape::Value Tape::merge_heads(Value x) {
    const std::size_t heads = length(entries_[x].value, -3);
    return append_from(x, linattn::merge_heads(entries_[x].value),
                       [heads](const Tensor& gradient) { return linattn::split_heads(gradient, heads); });
}

std::vector<Moments> first_moments(const std::vector<Tensor*>& weights) {
    std::vector<Moments> moments;
    for (const Tensor* weight : weights) moments.push_back({zeros(shape_of(*weight)), zeros(shape_of(*weight)), 0});
    return moments;
}

void adam_steps(const std::vector<Tensor*>& weights, const std::vector<Tensor*>& gradients,
                std::vector<Moments>& moments, double rate) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Update update = adam_step(*weights[i], *gradients[i], moments[i], rate);
        *weights[i] = std::move(update.w);
        moments[i] = std::move(update.state);
    }
}

void set_to_zero(const std::vector<Tensor*>& arrays) {
    for (Tensor* each : arrays) *each = zeros(shape_of(*each));
}

}  // namespace linattn
