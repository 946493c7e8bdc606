#include "text_model.hpp"

#include <cmath>

namespace linattn {
namespace {

Tensor lengths(const Tensor& x) { return sqrt(sum(x * x, -1, keep_dims) + 1e-6); }

// Vectors of length 1.
Tape::Value unit(Tape& tape, Tape::Value x) {
    const Tensor size = lengths(tape[x]), y = tape[x] / size;
    return tape.append_from(
        x, y, [y, size](const Tensor& gradient) { return (gradient - y * sum(gradient * y, -1, keep_dims)) / size; });
}

// One number for each token and head: \shape{(batch, n, heads)} → \shape{(batch, heads, n)}
Tape::Value heads_first(Tape& tape, Tape::Value x) {
    return tape.append_from(x, matrix_transpose(tape[x]),
                            [](const Tensor& gradient) { return matrix_transpose(gradient); });
}

// Half of what a head keeps is gone after 2 tokens in the first head, after 14, 103 and 760 in the next ones.
MemoryGates initial_gates(std::size_t d, std::size_t heads) {
    const std::size_t e = d / heads;
    return {
        {zeros({d, heads}), 2.0 * arange(heads) + 1.0}, {zeros({d, heads}), zeros({heads})}, {ones({e}), zeros({e})}};
}

}  // namespace

std::vector<Tensor*> TextModel::Weights::all() {
    std::vector<Tensor*> list = parameters(model);
    for (MemoryGates& each : gates)
        list.insert(list.end(),
                    {&each.gate.W, &each.gate.b, &each.step.W, &each.step.b, &each.output.gain, &each.output.bias});
    return list;
}

TextModel::TextModel(std::optional<Rule> rule, Model w) : rule_(rule), w_{std::move(w), {}} {
    if (rule_) w_.gates.assign(w_.model.blocks.size(), initial_gates(length(w_.model.embedding, 1), w_.model.heads));
    moments_ = first_moments(w_.all());
}

Tape::Value TextModel::forward(Tape& tape, const Tensor& ids, Weights& dw) const {
    const Attend remembering = [&](Tape& on, std::size_t l, Tape::Value normed, Tape::Value q, Tape::Value k,
                                   Tape::Value v) {
        const MemoryGates& gates = w_.gates[l];
        MemoryGates& d = dw.gates[l];
        const Tape::Value gate = heads_first(on, on.affine(normed, gates.gate, d.gate)),
                          step = heads_first(on, on.affine(normed, gates.step, d.step));
        return on.norm(remember(on, *rule_, unit(on, q), unit(on, k), v, gate, step), gates.output, d.output);
    };
    return run_model(tape, rule_ ? remembering : attention_of(AttentionKind::softmax), ids, w_.model, dw.model);
}

double TextModel::train(const Batch& batch, double rate) {
    Weights dw = w_;
    set_to_zero(dw.all());
    Tape tape;
    const Tape::Value said = forward(tape, batch.ids, dw);
    const CrossEntropy loss = cross_entropy(tape[said], batch.targets, batch.counts);
    tape.backward(said, loss.dlogits);
    double squares = 0.0;
    for (const Tensor* gradient : dw.all()) squares += total(*gradient * *gradient);
    const double factor = std::min(1.0, 1.0 / std::sqrt(squares));  // gradients of norm 1 at most
    for (Tensor* gradient : dw.all()) *gradient *= factor;
    adam_steps(w_.all(), dw.all(), moments_, rate);
    return loss.loss;
}

Tensor TextModel::logits(const Tensor& ids) const {
    Tape tape;
    Weights unused = w_;
    return tape[forward(tape, ids, unused)];
}

// The same as forward(), a token at a time. With corrects, 9.10; a sum needs no function for one token.
AttendToken TextModel::token_by_token(std::vector<Tensor>& states) const {
    return [&](std::size_t l, const Tensor& normed, const Tensor& q, const Tensor& k, const Tensor& v) {
        const MemoryGates& gates = w_.gates[l];
        const auto row = [](const Tensor& x) { return expand_dims(x, -2); };  // (batch, heads, 1, e)
        const auto of_token = [&](const Affine& map) { return expand_dims(matmul(normed, map.W) + map.b, -1); };
        const Tensor Q = row(q / lengths(q)), K = row(k / lengths(k)), gate = of_token(gates.gate);
        const Tensor log_decay = rule_->decays ? log_sigmoid(gate) : zeros(shape_of(gate));
        Tensor& S = states[l];
        Tensor read;
        if (rule_->corrects) {
            GatedDeltaResult next = gated_delta_rule_resume(Q, K, row(v), sigmoid(of_token(gates.step)), log_decay, S);
            read = std::move(next.output);
            S = std::move(next.S);
        } else {
            S = expand_dims(exp(log_decay), -1) * S + matmul(matrix_transpose(K), row(v));
            read = matmul(Q, S);
        }
        return layer_norm(reshape(read, shape_of(v)), gates.output);
    };
}

Tensor TextModel::continued(const Tensor& prompt, std::size_t count) const {
    if (!rule_) return generate_with_kv_cache(prompt, count, w_.model, argmax);
    const std::size_t e = length(w_.model.embedding, 1) / w_.model.heads;
    std::vector<Tensor> states(w_.model.blocks.size(), zeros({length(prompt, 0), w_.model.heads, e, e}));
    return generate_with(token_by_token(states), prompt, count, w_.model, argmax);
}

}  // namespace linattn
