#include "kinds.hpp"

#include <cmath>

#include "random.hpp"

namespace linattn {
namespace {

Tensor softmax(Tensor x) {
    x -= amax(x, -1, keep_dims);
    x = exp(x);
    x /= sum(x, -1, keep_dims);
    return x;
}

// Weights of softmax attention over the last `window` tokens, each token's own included: (…, n, n).
Tensor softmax_weights(const Tensor& Q, const Tensor& K, std::size_t window) {
    const Tensor place = arange(length(Q, -2)), behind = expand_dims(place, -1) - place;
    Tensor scores = matmul(Q, matrix_transpose(K));
    scores /= std::sqrt(static_cast<double>(length(K, -1)));
    return softmax(where((behind >= 0.0) * (behind < window), scores, -INFINITY));
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

Tensor projected(const Tensor& x, const Affine& map) { return map.b + matmul(x, map.W); }

Tensor last_logits(const Tensor& x, const Model& w) { return projected(layer_norm(x, w.last), w.head); }

// What the model reads at a place: (batch) ids → (batch, d).
Tensor embedded(const Tensor& ids, std::size_t place, const Model& w) {
    return rows(w.embedding, ids) + token(w.positions, place);
}

Tensor column(const Tensor& ids, std::size_t place) { return token(expand_dims(ids, -1), place); }

// Reads the prompt and what it has generated, one symbol at a time. `step` turns one token into its logits.
template <class Step>
Tensor generate(const Tensor& prompt, std::size_t count, const Choice& choose, const Step& step) {
    const std::size_t batch = length(prompt, 0), n = length(prompt, 1);
    Tensor generated = zeros({batch, count, 1});
    for (std::size_t place = 0; place + 1 < n + count; ++place) {
        const Tensor id = place < n ? column(prompt, place) : token(generated, place - n);
        const Tensor answer = step(reshape(id, {batch}), place);
        if (place + 1 >= n) set_token(generated, place + 1 - n, reshape(choose(answer), {batch, 1}));
    }
    return reshape(generated, {batch, count});
}

// One token (batch, d) through all blocks.
Tensor logits_of_token(const Tensor& ids, std::size_t place, const Model& w, const AttendToken& attend) {
    Tensor x = embedded(ids, place, w);
    const Shape by_heads{length(x, 0), w.heads, length(x, 1) / w.heads};
    for (std::size_t l = 0; l < w.blocks.size(); ++l) {
        const Block& block = w.blocks[l];
        const Tensor normed = layer_norm(x, block.before_attention);
        const auto head = [&](const Affine& map) { return reshape(projected(normed, map), by_heads); };
        const Tensor seen =
            attend(l, normed, head(block.attention.Q), head(block.attention.K), head(block.attention.V));
        x += projected(reshape(seen, shape_of(x)), block.attention.O);
        const FeedForward& layer = block.feed_forward;
        x += projected(gelu(projected(layer_norm(x, block.before_feed_forward), layer.up)), layer.down);
    }
    return last_logits(x, w);
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

Choice at_random(std::uint64_t seed) {
    return [random = SplitMix64(seed)](const Tensor& logits) mutable {
        const Tensor p = softmax(logits);
        Tensor chosen = zeros({length(p, 0)});
        for (std::size_t b = 0; b < length(p, 0); ++b) {
            double left = random.uniform();
            std::size_t symbol = 0;
            while (symbol + 1 < length(p, 1) && left >= p(b, symbol)) left -= p(b, symbol++);
            chosen(b) = static_cast<double>(symbol);
        }
        return chosen;
    };
}

Tensor argmax(const Tensor& logits) {
    Tensor chosen = zeros({length(logits, 0)});
    for (std::size_t b = 0; b < length(logits, 0); ++b)
        for (std::size_t symbol = 1; symbol < length(logits, 1); ++symbol)
            if (logits(b, symbol) > logits(b, static_cast<std::size_t>(chosen(b))))
                chosen(b) = static_cast<double>(symbol);
    return chosen;
}

Tensor generate_with(const AttendToken& attend, const Tensor& prompt, std::size_t count, const Model& w,
                     const Choice& choose) {
    return generate(prompt, count, choose,
                    [&](const Tensor& id, std::size_t place) { return logits_of_token(id, place, w, attend); });
}

Tensor generate_with_state(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose) {
    const std::size_t batch = length(prompt, 0), e = length(w.embedding, 1) / w.heads;
    std::vector<Memory> memories(w.blocks.size(), {zeros({batch, w.heads, e, e}), zeros({batch, w.heads, e})});
    return generate(prompt, count, choose, [&](const Tensor& id, std::size_t place) {
        Tensor x = embedded(id, place, w);
        for (std::size_t l = 0; l < w.blocks.size(); ++l) {
            BlockStep step = block_step(x, w.blocks[l], w.heads, memories[l]);
            x = std::move(step.output);
            memories[l] = std::move(step.memory);
        }
        return last_logits(x, w);
    });
}

Tensor generate_with_kv_cache(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose) {
    struct Cache {
        Tensor K, V;  // of all tokens so far, (batch, heads, n, e)
    };
    const Tensor none = zeros({length(prompt, 0), w.heads, 0, length(w.embedding, 1) / w.heads});
    std::vector<Cache> caches(w.blocks.size(), {none, none});
    const auto attend = [&](std::size_t l, const Tensor&, const Tensor& q, const Tensor& k, const Tensor& v) {
        Cache& cache = caches[l];
        cache.K = concatenate(cache.K, expand_dims(k, -2), -2);
        cache.V = concatenate(cache.V, expand_dims(v, -2), -2);
        Tensor scores = matmul(cache.K, expand_dims(q, -1));
        scores /= std::sqrt(static_cast<double>(length(q, -1)));
        const Tensor weights = softmax(reshape(scores, {length(q, 0), w.heads, length(cache.K, -2)}));
        return reshape(matmul(expand_dims(weights, -2), cache.V), shape_of(q));
    };
    return generate_with(attend, prompt, count, w, choose);
}

Tensor generate_with_window(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose) {
    const Shape heads{length(prompt, 0), w.heads};
    const Tensor no_token = zeros({heads[0], heads[1], 0, length(w.embedding, 1) / w.heads});
    HybridMemory nothing;
    nothing.K = nothing.V = no_token;
    nothing.S = matmul(matrix_transpose(no_token), no_token);  // the sum over no token
    nothing.z = sum(no_token, -2);
    std::vector<HybridMemory> memories(w.blocks.size(), nothing);
    const auto attend = [&](std::size_t l, const Tensor&, const Tensor& q, const Tensor& k, const Tensor& v) {
        HybridStep step = hybrid_attention_step(q, k, v, full(heads, hybrid_gate), hybrid_window, memories[l]);
        memories[l] = std::move(step.memory);
        return step.output;
    };
    return generate_with(attend, prompt, count, w, choose);
}

Tensor generate_recomputing(const Tensor& prompt, std::size_t count, const Model& w, const Choice& choose) {
    Tensor ids = prompt;
    for (std::size_t i = 0; i < count; ++i) {
        const Tensor answers = logits_of(AttentionKind::softmax, ids, w);
        ids = concatenate(ids, expand_dims(choose(token(answers, length(ids, 1) - 1)), -1), 1);
    }
    return slice(ids, 1, length(prompt, 1), length(ids, 1));
}

Tensor generate_with_attention(AttentionKind kind, const Tensor& prompt, std::size_t count, const Model& w,
                               const Choice& choose) {
    switch (kind) {
        case AttentionKind::linear: return generate_with_state(prompt, count, w, choose);
        case AttentionKind::softmax: return generate_with_kv_cache(prompt, count, w, choose);
        case AttentionKind::hybrid: break;
    }
    return generate_with_window(prompt, count, w, choose);
}

}  // namespace linattn
