#include "memories.hpp"

#include <cmath>

namespace linattn {
namespace {

constexpr std::size_t chunk = 16;

Tape::Value scaled(Tape& tape, Tape::Value x, double factor) {
    return tape.append(factor * tape[x],
                       [&tape, x, factor](const Tensor& gradient) { tape.accumulate_gradient(x, factor * gradient); });
}

// \shape{(…, n, 1)} → \shape{(…, n)}
Tape::Value without_last_axis(Tape& tape, Tape::Value x) {
    return tape.append(sum(tape[x], -1),
                       [&tape, x](const Tensor& gradient) { tape.accumulate_gradient(x, expand_dims(gradient, -1)); });
}

// x between `before` and `after` more entries of that value along the axis.
Tape::Value padded(Tape& tape, Tape::Value x, std::ptrdiff_t axis, std::size_t before, std::size_t after,
                   double value) {
    const std::size_t n = length(tape[x], axis);
    const auto filled = [&](std::size_t count) {
        Shape shape = shape_of(tape[x]);
        shape[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(shape.size()) + axis)] = count;
        return full(shape, value);
    };
    const Tensor whole = concatenate(concatenate(filled(before), tape[x], axis), filled(after), axis);
    return tape.append(whole, [&tape, x, axis, before, n](const Tensor& gradient) {
        tape.accumulate_gradient(x, slice(gradient, axis, before, before + n));
    });
}

Tape::Value last_tokens(Tape& tape, Tape::Value x, std::size_t count) {
    const std::size_t n = length(tape[x], -2);
    return tape.append(tokens(tape[x], n - count, n), [&tape, x, n, count](const Tensor& gradient) {
        Tensor whole = zeros(shape_of(tape[x]));
        set_tokens(whole, n - count, gradient);
        tape.accumulate_gradient(x, whole);
    });
}

}  // namespace

Tensor sigmoid(const Tensor& x) { return 1.0 / (1.0 + exp(-x)); }
Tensor log_sigmoid(const Tensor& x) { return minimum(x, 0.0) - log(1.0 + exp(-abs(x))); }

Rule rule_of(const std::string& name, bool own_gradient) {
    return {name == "decay" || name == "both", name == "delta" || name == "both", own_gradient};
}

Tape::Value remember(Tape& tape, const Rule& rule, Tape::Value q, Tape::Value k, Tape::Value v, Tape::Value gate,
                     Tape::Value step) {
    const Tensor log_decay = rule.decays ? log_sigmoid(tape[gate]) : zeros(shape_of(tape[gate]));
    const auto send_gate = [=, &tape](const Tensor& dlog_decay) {
        if (rule.decays) tape.accumulate_gradient(gate, dlog_decay * (1.0 - exp(log_decay)));
    };
    const auto send = [=, &tape](const Tensor& dQ, const Tensor& dK, const Tensor& dV) {
        tape.accumulate_gradient(q, dQ);
        tape.accumulate_gradient(k, dK);
        tape.accumulate_gradient(v, dV);
    };
    if (!rule.corrects)
        return tape.append(
            gated_attention_chunkwise(tape[q], tape[k], tape[v], log_decay, chunk), [=, &tape](const Tensor& dO) {
                const GatedGradients d = gated_attention_backward(tape[q], tape[k], tape[v], log_decay, dO);
                send(d.Q, d.K, d.V);
                send_gate(d.log_decay);
            });
    const Tensor beta = sigmoid(tape[step]);
    return tape.append(
        gated_delta_rule_chunkwise(tape[q], tape[k], tape[v], beta, log_decay, chunk), [=, &tape](const Tensor& dO) {
            const GatedDeltaGradients d =
                rule.own_gradient ? gated_delta_rule_backward(tape[q], tape[k], tape[v], beta, log_decay, dO, chunk)
                                  : given_delta_gradients(tape[q], tape[k], tape[v], beta, log_decay, dO);
            send(d.Q, d.K, d.V);
            send_gate(d.log_decay);
            tape.accumulate_gradient(step, d.beta * beta * (1.0 - beta));
        });
}

// One sequence: first the writes, which ask nothing, then the queries, which write nothing and forget nothing.
RecallMemory recall_by(const Rule& rule) {
    const auto read = [rule](Tape& tape, const Written& in) {
        const std::size_t writes = length(tape[in.k], -2), queries = length(tape[in.q], -2);
        const double factor = 1.0 / std::sqrt(static_cast<double>(length(tape[in.k], -1)));
        const Tape::Value q = padded(tape, scaled(tape, in.q, factor), -2, writes, 0, 0.0),
                          k = padded(tape, scaled(tape, in.k, factor), -2, 0, queries, 0.0),
                          v = padded(tape, in.v, -2, 0, queries, 0.0),
                          gate = padded(tape, without_last_axis(tape, in.gate), -1, 0, queries, INFINITY),
                          step = padded(tape, without_last_axis(tape, in.step), -1, 0, queries, 0.0);
        return last_tokens(tape, remember(tape, rule, q, k, v, gate, step), queries);
    };
    return {read, rule.corrects ? 3.0 : 1.0};  // a = 0.95 or 0.73 at first
}

}  // namespace linattn
