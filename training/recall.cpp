#include "recall.hpp"

#include <cmath>

#include "generation.hpp"
#include "random.hpp"
#include "tape.hpp"

namespace linattn {
namespace {

constexpr std::size_t width = 32;

Affine random_affine(std::size_t in, std::size_t out, std::uint64_t seed) {
    return {normal({in, out}, seed) / std::sqrt(static_cast<double>(in)), zeros({out})};
}

// From (batch, writes, 1) what the gate says to how much of each write is left at the end, (batch, 1, writes).
Tensor left_at_the_end(const Tensor& gate) {
    const Tensor log_a = -log(1.0 + exp(-gate));
    return matrix_transpose(exp(sum(log_a, -2, keep_dims) - cumsum(log_a, -2)));
}

// The queries q read a sum of what the keys k and values v have written.
Tape::Value read(Tape& tape, Tape::Value q, Tape::Value k, Tape::Value v, Tape::Value gate, bool decay) {
    const double scale = 1.0 / static_cast<double>(width);
    const Tensor left = decay ? left_at_the_end(tape[gate]) : ones({length(tape[gate], 0), 1, length(tape[gate], 1)});
    const Tensor weights = scale * matmul(tape[q], matrix_transpose(tape[k])) * left;  // (batch, queries, writes)
    return tape.append(
        matmul(weights, tape[v]), [&tape, q, k, v, gate, decay, scale, left, weights](const Tensor& slope) {
            const Tensor d = matmul(slope, matrix_transpose(tape[v])), products = scale * d * left;
            tape.send(v, matmul(matrix_transpose(weights), slope));
            tape.send(q, matmul(products, tape[k]));
            tape.send(k, matmul(matrix_transpose(products), tape[q]));
            if (!decay) return;
            // a of a write shortens all writes before it.
            const Tensor of_write = matrix_transpose(sum(d * weights, -2, keep_dims));  // (batch, writes, 1)
            tape.send(gate, (cumsum(of_write, -2) - of_write) / (1.0 + exp(tape[gate])));
        });
}

}  // namespace

RecallTask::RecallTask(std::uint64_t seed)
    : key(zeros({batch, writes})), value(key), query(zeros({batch, queries})), wanted(query), writes_since(query) {
    SplitMix64 random(seed);
    const auto one_of = [&random](std::size_t count) {
        return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
    };
    for (std::size_t b = 0; b < batch; ++b) {
        for (std::size_t i = 0; i < writes; ++i) {
            key(b, i) = static_cast<double>(one_of(keys));
            value(b, i) = static_cast<double>(one_of(values));
        }
        for (std::size_t i = 0; i < queries; ++i) {
            query(b, i) = key(b, one_of(writes));
            std::size_t last = writes - 1;
            while (key(b, last) != query(b, i)) --last;
            wanted(b, i) = value(b, last);
            writes_since(b, i) = static_cast<double>(writes - 1 - last);
        }
    }
}

std::vector<Tensor*> RecallModel::Weights::all() {
    std::vector<Tensor*> list{&keys, &values};
    for (Affine* map : {&q, &k, &v, &gate, &head}) list.insert(list.end(), {&map->W, &map->b});
    for (Norm* norm : {&query, &key, &output}) list.insert(list.end(), {&norm->gain, &norm->bias});
    return list;
}

RecallModel::RecallModel(bool decay, std::uint64_t seed) : decay_(decay) {
    const auto seed_of = [&seed] { return ++seed; };
    seed *= 1000;
    const Norm norm{ones({width}), zeros({width})};
    w_ = {normal({RecallTask::keys, width}, seed_of()),
          normal({RecallTask::values, width}, seed_of()),
          random_affine(width, width, seed_of()),
          random_affine(width, width, seed_of()),
          random_affine(width, width, seed_of()),
          {zeros({width, 1}), full({1}, 1.0)},  // a = 0.73 at first
          random_affine(width, RecallTask::values, seed_of()),
          norm,
          norm,
          norm};
    for (const Tensor* weight : w_.all()) moments_.push_back({zeros(shape_of(*weight)), zeros(shape_of(*weight)), 0});
}

std::size_t RecallModel::weights() const {
    std::size_t count = 0;
    for (const Moments& each : moments_) count += each.m.size();
    return count;
}

Tape::Value RecallModel::forward(Tape& tape, const RecallTask& task, Weights& dw) const {
    const auto written =
        tape.add(tape.lookup(task.key, w_.keys, dw.keys), tape.lookup(task.value, w_.values, dw.values));
    const auto asked = tape.lookup(task.query, w_.keys, dw.keys);
    const auto q = tape.norm(tape.affine(asked, w_.q, dw.q), w_.query, dw.query);
    const auto k = tape.norm(tape.affine(written, w_.k, dw.k), w_.key, dw.key);
    const auto v = tape.affine(written, w_.v, dw.v);
    const auto seen = read(tape, q, k, v, tape.affine(written, w_.gate, dw.gate), decay_);
    return tape.affine(tape.norm(seen, w_.output, dw.output), w_.head, dw.head);
}

double RecallModel::train(const RecallTask& task, double rate) {
    Weights dw = w_;
    for (Tensor* slope : dw.all()) *slope = zeros(shape_of(*slope));
    Tape tape;
    const Tape::Value said = forward(tape, task, dw);
    const CrossEntropy loss = cross_entropy(tape[said], task.wanted, ones(shape_of(task.wanted)));
    tape.go_back(said, loss.dlogits);
    const std::vector<Tensor*> weights = w_.all(), slopes = dw.all();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        Update update = adam_step(*weights[i], *slopes[i], moments_[i], rate);
        *weights[i] = std::move(update.w);
        moments_[i] = std::move(update.state);
    }
    return loss.loss;
}

Tensor RecallModel::answers(const RecallTask& task) const {
    Weights unused = w_;
    Tape tape;
    const Tensor said = tape[forward(tape, task, unused)];
    const Tensor by_rows = reshape(said, {task.query.size(), RecallTask::values});
    return reshape(likeliest(by_rows), shape_of(task.query));
}

}  // namespace linattn
