#include "generation.hpp"

#include <cmath>

#include "random.hpp"

namespace linattn {
namespace {

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

Tensor softmax(Tensor x) {
    x -= amax(x, -1, keep_dims);
    x = exp(x);
    x /= sum(x, -1, keep_dims);
    return x;
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
