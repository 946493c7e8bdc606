#include "rules.hpp"

#include <cmath>

namespace linattn {
namespace {

constexpr std::size_t chunk = 16;

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
    return tape.append_from(x, whole,
                            [=](const Tensor& gradient) { return slice(gradient, axis, before, before + n); });
}

Tensor outer(const Tensor& a, const Tensor& b) { return matmul(matrix_transpose(a), b); }  // of two rows

// Of one number for each token that of token i, as a factor of rows and of states \shape{(…, 1, 1)}.
Tensor factor(const Tensor& x, std::size_t i) { return expand_dims(slice(x, -1, i, i + 1), -1); }

// The gradients of the gated delta rule, token by token. The state before every token is kept, which 9.12 does not do.
GatedDeltaGradients given_delta_gradients(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                          const Tensor& log_decay, const Tensor& dO) {
    const std::size_t n = length(K, -2);
    const Tensor a = exp(log_decay);
    const auto row = [](const Tensor& x, std::size_t i) { return tokens(x, i, i + 1); };
    std::vector<Tensor> faded, errors;  // what each token finds, and its value less what that returns for its key
    Tensor S = zeros(shape_of(matmul(matrix_transpose(K), V)));
    for (std::size_t i = 0; i < n; ++i) {
        S *= factor(a, i);
        faded.push_back(S);
        errors.push_back(row(V, i) - matmul(row(K, i), S));
        S += outer(row(K, i), factor(beta, i) * errors[i]);
    }
    const Shape numbers = join(shape_of(beta), {1});
    GatedDeltaGradients d{zeros(shape_of(Q)), zeros(shape_of(K)), zeros(shape_of(V)), zeros(numbers), zeros(numbers)};
    Tensor R = zeros(shape_of(S));
    for (std::size_t i = n; i-- > 0;) {
        const Tensor k = row(K, i), b = factor(beta, i), o = row(dO, i);
        set_tokens(d.Q, i, matmul(o, matrix_transpose(faded[i] + outer(k, b * errors[i]))));
        R += outer(row(Q, i), o);
        const Tensor written = matmul(k, R), dv = b * written;
        set_tokens(d.V, i, dv);
        set_tokens(d.beta, i, sum(written * errors[i], -1, keep_dims));
        set_tokens(d.K, i, matmul(b * errors[i], matrix_transpose(R)) - matmul(dv, matrix_transpose(faded[i])));
        R -= outer(k, dv);
        set_tokens(d.log_decay, i, sum(sum(R * faded[i], -1, keep_dims), -2, keep_dims));
        R *= factor(a, i);
    }
    d.beta = sum(d.beta, -1);
    d.log_decay = sum(d.log_decay, -1);
    return d;
}

}  // namespace

Tensor log_sigmoid(const Tensor& x) { return minimum(x, 0.0) - log(1.0 + exp(-abs(x))); }

Rule rule_of(const std::string& name, bool own_gradient) {
    return {name == "decay" || name == "both", name == "delta" || name == "both", own_gradient};
}

Tape::Value remember(Tape& tape, const Rule& rule, Tape::Value q, Tape::Value k, Tape::Value v, Tape::Value gate,
                     Tape::Value step) {
    const Tensor log_decay = rule.decays ? log_sigmoid(tape[gate]) : zeros(shape_of(tape[gate]));
    const auto send = [=, &tape](const auto& d) {
        tape.accumulate_gradient(q, d.Q);
        tape.accumulate_gradient(k, d.K);
        tape.accumulate_gradient(v, d.V);
        if (rule.decays) tape.accumulate_gradient(gate, d.log_decay * (1.0 - exp(log_decay)));
    };
    if (!rule.corrects)
        return tape.append(
            gated_attention_chunkwise(tape[q], tape[k], tape[v], log_decay, chunk),
            [=, &tape](const Tensor& dO) { send(gated_attention_backward(tape[q], tape[k], tape[v], log_decay, dO)); });
    const Tensor beta = sigmoid(tape[step]);
    return tape.append(
        gated_delta_rule_chunkwise(tape[q], tape[k], tape[v], beta, log_decay, chunk), [=, &tape](const Tensor& dO) {
            const GatedDeltaGradients d =
                rule.own_gradient ? gated_delta_rule_backward(tape[q], tape[k], tape[v], beta, log_decay, dO, chunk)
                                  : given_delta_gradients(tape[q], tape[k], tape[v], beta, log_decay, dO);
            send(d);
            tape.accumulate_gradient(step, d.beta * beta * (1.0 - beta));
        });
}

// One sequence: first the writes, which ask nothing, then the queries, which write nothing and forget nothing.
RecallMemory recall_by(const Rule& rule) {
    const auto read = [rule](Tape& tape, const Written& in) {
        const std::size_t writes = length(tape[in.k], -2), queries = length(tape[in.q], -2);
        const double factor = 1.0 / std::sqrt(static_cast<double>(length(tape[in.k], -1)));
        const auto scaled = [&](Tape::Value x) {
            return tape.append_from(x, factor * tape[x],
                                    [factor](const Tensor& gradient) { return factor * gradient; });
        };
        const auto number = [&](Tape::Value x) {  // of each token
            return tape.append_from(x, sum(tape[x], -1),
                                    [](const Tensor& gradient) { return expand_dims(gradient, -1); });
        };
        const Tape::Value q = padded(tape, scaled(in.q), -2, writes, 0, 0.0),
                          k = padded(tape, scaled(in.k), -2, 0, queries, 0.0),
                          v = padded(tape, in.v, -2, 0, queries, 0.0),
                          gate = padded(tape, number(in.gate), -1, 0, queries, INFINITY),
                          step = padded(tape, number(in.step), -1, 0, queries, 0.0),
                          all = remember(tape, rule, q, k, v, gate, step);
        return tape.append_from(all, tokens(tape[all], writes, writes + queries), [=, &tape](const Tensor& gradient) {
            Tensor whole = zeros(shape_of(tape[all]));
            set_tokens(whole, writes, gradient);
            return whole;
        });
    };
    return {read, rule.corrects ? 3.0 : 1.0};  // a = 0.95 or 0.73 at first
}

}  // namespace linattn
