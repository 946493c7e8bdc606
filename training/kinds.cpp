#include "kinds.hpp"

#include <cmath>

namespace linattn {
namespace {

// Weights of softmax attention over the last `window` tokens, each token's own included: (…, n, n).
Tensor softmax_weights(const Tensor& Q, const Tensor& K, std::size_t window) {
    const Tensor place = arange(length(Q, -2)), behind = expand_dims(place, -1) - place;
    Tensor weights = matmul(Q, matrix_transpose(K));
    weights /= std::sqrt(static_cast<double>(length(K, -1)));
    weights = where((behind >= 0.0) * (behind < window), weights, -INFINITY);
    weights -= amax(weights, -1, keep_dims);
    weights = exp(weights);
    weights /= sum(weights, -1, keep_dims);
    return weights;
}

// Passes `share` of the gradient of softmax attention on.
void softmax_backward(Tape& tape, Tape::Value q, Tape::Value k, Tape::Value v, const Tensor& weights,
                      const Tensor& gradient) {
    Tensor scores = matmul(gradient, matrix_transpose(tape[v]));
    scores -= sum(scores * weights, -1, keep_dims);
    scores *= weights;
    scores /= std::sqrt(static_cast<double>(length(tape[k], -1)));
    tape.accumulate_gradient(q, matmul(scores, tape[k]));
    tape.accumulate_gradient(k, matmul(matrix_transpose(scores), tape[q]));
    tape.accumulate_gradient(v, matmul(matrix_transpose(weights), gradient));
}

void linear_backward(Tape& tape, Tape::Value q, Tape::Value k, Tape::Value v, const Tensor& gradient) {
    const auto features = [](const Tensor& x) { return where(x > 0.0, x + 1.0, exp(minimum(x, 0.0))); };
    const AttentionGradients d =
        causal_attention_backward(features(tape[q]), features(tape[k]), tape[v], gradient, attention_epsilon);
    tape.accumulate_gradient(q, elu_plus_one_backward(tape[q], d.phi_Q));
    tape.accumulate_gradient(k, elu_plus_one_backward(tape[k], d.phi_K));
    tape.accumulate_gradient(v, d.V);
}

// Queries, keys and values by heads, (batch, heads, n, e).
Tape::Value attend(Tape& tape, AttentionKind kind, Tape::Value q, Tape::Value k, Tape::Value v) {
    const std::size_t n = length(tape[q], -2);
    const Tensor weights = softmax_weights(tape[q], tape[k], kind == AttentionKind::softmax ? n : hybrid_window);
    if (kind == AttentionKind::softmax)
        return tape.append(matmul(weights, tape[v]), [&tape, q, k, v, weights](const Tensor& gradient) {
            softmax_backward(tape, q, k, v, weights, gradient);
        });
    const Tensor gate = full({length(tape[q], 0), length(tape[q], 1), n}, hybrid_gate);
    return tape.append(hybrid_attention(tape[q], tape[k], tape[v], gate, hybrid_window),
                       [&tape, q, k, v, weights](const Tensor& gradient) {
                           softmax_backward(tape, q, k, v, weights, hybrid_gate * gradient);
                           linear_backward(tape, q, k, v, (1.0 - hybrid_gate) * gradient);
                       });
}

}  // namespace

Attend attention_of(AttentionKind kind) {
    return [kind](Tape& tape, std::size_t, Tape::Value, Tape::Value q, Tape::Value k, Tape::Value v) {
        return attend(tape, kind, q, k, v);
    };
}

Tape::Value run_model(Tape& tape, const Attend& attend_in, const Tensor& ids, const Model& w, Model& dw) {
    const Tensor places = arange(length(ids, -1)) + zeros(shape_of(ids));
    Tape::Value x =
        tape.add(tape.lookup(ids, w.embedding, dw.embedding), tape.lookup(places, w.positions, dw.positions));
    for (std::size_t l = 0; l < w.blocks.size(); ++l) {
        const Block& block = w.blocks[l];
        Block& d = dw.blocks[l];
        const Tape::Value normed = tape.norm(x, block.before_attention, d.before_attention);
        const auto heads = [&](const Affine& map, Affine& dmap) {
            return tape.split_heads(tape.affine(normed, map, dmap), w.heads);
        };
        const Tape::Value q = heads(block.attention.Q, d.attention.Q), k = heads(block.attention.K, d.attention.K),
                          v = heads(block.attention.V, d.attention.V);
        const Tape::Value merged = tape.merge_heads(attend_in(tape, l, normed, q, k, v));
        x = tape.add(x, tape.affine(merged, block.attention.O, d.attention.O));
        const Tape::Value hidden = tape.affine(tape.norm(x, block.before_feed_forward, d.before_feed_forward),
                                               block.feed_forward.up, d.feed_forward.up);
        x = tape.add(x, tape.affine(tape.gelu(hidden), block.feed_forward.down, d.feed_forward.down));
    }
    return tape.affine(tape.norm(x, w.last, dw.last), w.head, dw.head);
}

Model zeros_like(const Model& w) {
    Model all = w;
    set_to_zero(parameters(all));
    return all;
}

ModelGradients gradients_of(AttentionKind kind, const Tensor& ids, const Tensor& targets, const Tensor& loss_mask,
                            const Model& w) {
    if (kind == AttentionKind::linear) return model_gradients(ids, targets, loss_mask, w);
    Tape tape;
    ModelGradients result{0.0, zeros_like(w)};
    const Tape::Value logits = run_model(tape, attention_of(kind), ids, w, result.dw);
    const CrossEntropy loss = cross_entropy(tape[logits], targets, loss_mask);
    result.loss = loss.loss;
    tape.backward(logits, loss.dlogits);
    return result;
}

Tensor logits_of(AttentionKind kind, const Tensor& ids, const Model& w) {
    if (kind == AttentionKind::linear) return logits(ids, w);
    Tape tape;
    Model unused = zeros_like(w);
    return tape[run_model(tape, attention_of(kind), ids, w, unused)];
}

}  // namespace linattn
