#include "tape.hpp"

namespace linattn {

Tape::Value Tape::append(Tensor value, Back back) {
    entries_.push_back({std::move(value), std::move(back)});
    return entries_.size() - 1;
}

void Tape::send(Value to, const Tensor& slope) {
    Entry& entry = entries_[to];
    if (entry.reached)
        entry.slope += slope;
    else
        entry.slope = slope;
    entry.reached = true;
}

void Tape::go_back(Value from, const Tensor& slope) {
    send(from, slope);
    for (Value at = from + 1; at-- > 0;)
        if (entries_[at].reached) entries_[at].back(entries_[at].slope);
}

Tape::Value Tape::lookup(const Tensor& ids, const Tensor& table, Tensor& dw) {
    return append(rows(table, ids), [ids, &table, &dw](const Tensor& slope) {
        const Affine as_product{table, zeros({length(table, 1)})};  // of one-hot rows with the table
        dw += affine_backward(one_hot(ids, length(table, 0)), as_product, slope).dw.W;
    });
}

Tape::Value Tape::affine(Value x, const Affine& w, Affine& dw) {
    return append(matmul(entries_[x].value, w.W) + w.b, [this, x, &w, &dw](const Tensor& slope) {
        const Backward<Affine> back = affine_backward(entries_[x].value, w, slope);
        dw.W += back.dw.W;
        dw.b += back.dw.b;
        send(x, back.dX);
    });
}

Tape::Value Tape::norm(Value x, const Norm& w, Norm& dw) {
    return append(layer_norm(entries_[x].value, w), [this, x, &w, &dw](const Tensor& slope) {
        const Backward<Norm> back = layer_norm_backward(entries_[x].value, w, slope);
        dw.gain += back.dw.gain;
        dw.bias += back.dw.bias;
        send(x, back.dX);
    });
}

Tape::Value Tape::gelu(Value x) {
    return append(linattn::gelu(entries_[x].value),
                  [this, x](const Tensor& slope) { send(x, gelu_backward(entries_[x].value, slope)); });
}

Tape::Value Tape::add(Value a, Value b) {
    return append(entries_[a].value + entries_[b].value, [this, a, b](const Tensor& slope) {
        send(a, slope);
        send(b, slope);
    });
}

Tape::Value Tape::split_heads(Value x, std::size_t heads) {
    return append(linattn::split_heads(entries_[x].value, heads),
                  [this, x](const Tensor& slope) { send(x, linattn::merge_heads(slope)); });
}

Tape::Value Tape::merge_heads(Value x) {
    const std::size_t heads = length(entries_[x].value, -3);
    return append(linattn::merge_heads(entries_[x].value),
                  [this, x, heads](const Tensor& slope) { send(x, linattn::split_heads(slope, heads)); });
}

}  // namespace linattn
