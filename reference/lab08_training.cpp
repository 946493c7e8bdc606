// Lab 08: read labs/lab08_training/README.md, write the functions below, run: ctest -L lab08
#include "training.hpp"

#include <cmath>

#include "random.hpp"

// BEGIN SOLUTION
#include <algorithm>
// END SOLUTION

namespace linattn {

// BEGIN SOLUTION
namespace {

constexpr std::size_t tokens_at_a_time = 32;  // a chunk of attention

// All tokens of all sequences as the rows of one matrix.
Tensor as_rows(const Tensor& X, std::size_t width) { return reshape(X, {width == 0 ? 0 : X.size() / width, width}); }

Tensor elu_plus_one_of(const Tensor& x) { return maximum(x, 0.0) + exp(minimum(x, 0.0)); }

Tensor affine(const Tensor& X, const Affine& w) { return matmul(X, w.W) + w.b; }

// Queries, keys and values, split into heads, and what φ makes of them.
struct Projected {
    Tensor Q, K, V, phi_Q, phi_K;
};

Projected project(const Tensor& X, const Attention& w, std::size_t heads) {
    const Tensor Q = split_heads(affine(X, w.Q), heads), K = split_heads(affine(X, w.K), heads);
    return {Q, K, split_heads(affine(X, w.V), heads), elu_plus_one_of(Q), elu_plus_one_of(K)};
}

// Causal attention in each head, merged. Each chunk reads the sums S and z over the tokens before it, and its own tokens by
// the quadratic form.
Tensor attend(const Projected& x) {
    const auto& [leading, n, d_k, d_v] = require_attention_shapes(x.phi_Q, x.phi_K, x.V);
    Tensor O = zeros(shape_of(x.V)), S = zeros(join(leading, {d_k, d_v})), z = zeros(join(leading, {1, d_k}));
    for (std::size_t begin = 0; begin < n; begin += tokens_at_a_time) {
        const std::size_t end = std::min(begin + tokens_at_a_time, n);
        const Tensor q = tokens(x.phi_Q, begin, end), k = tokens(x.phi_K, begin, end), v = tokens(x.V, begin, end);
        const Tensor place = arange(end - begin);
        const Tensor A = matmul(q, matrix_transpose(k)) * (expand_dims(place, -1) >= place);
        const Tensor D = sum(A, -1, keep_dims) + sum(q * z, -1, keep_dims) + attention_epsilon;
        set_tokens(O, begin, (matmul(A, v) + matmul(q, S)) / D);
        S += matmul(matrix_transpose(k), v);
        z += sum(k, -2, keep_dims);
    }
    return merge_heads(O);
}

// Multi-head attention up to its last projection.
Tensor merged_heads(const Tensor& X, const Attention& w, std::size_t heads) { return attend(project(X, w, heads)); }

// C is what the last projection reads.
Backward<Attention> attention_backward_from(const Projected& x, const Tensor& C, const Tensor& X, const Attention& w,
                                            std::size_t heads, const Tensor& dY) {
    const auto& [Q, K, V, phi_Q, phi_K] = x;
    const Backward<Affine> output = affine_backward(C, w.O, dY);
    const AttentionGradients d = causal_attention_backward_chunkwise(phi_Q, phi_K, V, split_heads(output.dX, heads),
                                                                     attention_epsilon, tokens_at_a_time);
    const Backward<Affine> query = affine_backward(X, w.Q, merge_heads(elu_plus_one_backward(Q, d.phi_Q)));
    const Backward<Affine> key = affine_backward(X, w.K, merge_heads(elu_plus_one_backward(K, d.phi_K)));
    const Backward<Affine> value = affine_backward(X, w.V, merge_heads(d.V));
    return {query.dX + key.dX + value.dX, {query.dw, key.dw, value.dw, output.dw}};
}

// What a block's backward pass needs of the way forwards.
struct BlockPass {
    Tensor X, normed;
    Projected projected;
    Tensor C, Y, normed_again, hidden, activated;
};

BlockPass forwards(const Tensor& X, const Block& w, std::size_t heads) {
    const Tensor normed = layer_norm(X, w.before_attention);
    const Projected projected = project(normed, w.attention, heads);
    const Tensor C = attend(projected), Y = X + affine(C, w.attention.O);
    const Tensor normed_again = layer_norm(Y, w.before_feed_forward);
    const Tensor hidden = affine(normed_again, w.feed_forward.up);
    return {X, normed, projected, C, Y, normed_again, hidden, gelu(hidden)};
}

Backward<Block> block_backward_from(const BlockPass& pass, const Block& w, std::size_t heads, const Tensor& dY) {
    const Backward<Affine> down = affine_backward(pass.activated, w.feed_forward.down, dY);
    const Backward<Affine> up =
        affine_backward(pass.normed_again, w.feed_forward.up, gelu_backward(pass.hidden, down.dX));
    const Backward<Norm> second = layer_norm_backward(pass.Y, w.before_feed_forward, up.dX);
    const Tensor dMiddle = dY + second.dX;
    const Backward<Attention> attention =
        attention_backward_from(pass.projected, pass.C, pass.normed, w.attention, heads, dMiddle);
    const Backward<Norm> first = layer_norm_backward(pass.X, w.before_attention, attention.dX);
    return {dMiddle + first.dX, {first.dw, attention.dw, second.dw, {up.dw, down.dw}}};
}

Update step_with(const Tensor& w, const Tensor& g, const Moments& state, double rate, bool rectified) {
    const double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-8;
    Update next{w, {beta_1 * state.m + (1.0 - beta_1) * g, beta_2 * state.v + (1.0 - beta_2) * g * g, state.step + 1}};
    const double t = static_cast<double>(next.state.step), decayed = std::pow(beta_2, t);
    const Tensor m = next.state.m / (1.0 - std::pow(beta_1, t));
    const double longest = 2.0 / (1.0 - beta_2) - 1.0, so_far = longest - 2.0 * t * decayed / (1.0 - decayed);
    if (rectified && so_far <= 4.0) {
        next.w -= rate * m;
        return next;
    }
    double factor = rate;
    if (rectified)
        factor *= std::sqrt((so_far - 4.0) * (so_far - 2.0) * longest / ((longest - 4.0) * (longest - 2.0) * so_far));
    next.w -= factor * m / (sqrt(next.state.v / (1.0 - decayed)) + epsilon);
    return next;
}

}  // namespace
// END SOLUTION

Backward<Affine> affine_backward(const Tensor& X, const Affine& w, const Tensor& dY) {
    require_affine_backward(X, w, dY);
    // Each token is a row: dX = dY Wᵀ, dW = Xᵀ dY, and db sums dY over all rows.
    // BEGIN SOLUTION
    const Tensor x = as_rows(X, length(w.W, 0)), dy = as_rows(dY, length(w.W, 1));
    return {reshape(matmul(dy, matrix_transpose(w.W)), shape_of(X)), {matmul(matrix_transpose(x), dy), sum(dy, 0)}};
    // END SOLUTION
}

Backward<Norm> layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY) {
    require_layer_norm_backward(X, w, dY);
    // Mean and deviation depend on every entry of a token: each takes its share out of the gradient.
    // BEGIN SOLUTION
    const std::size_t d = length(X, -1);
    const Tensor centred = X - mean(X, -1, keep_dims);
    const Tensor deviation = sqrt(mean(centred * centred, -1, keep_dims) + norm_epsilon);
    const Tensor x = centred / deviation, g = dY * w.gain;
    const Tensor dX = (g - mean(g, -1, keep_dims) - x * mean(g * x, -1, keep_dims)) / deviation;
    return {dX, {sum(as_rows(dY * x, d), 0), sum(as_rows(dY, d), 0)}};
    // END SOLUTION
}

Tensor gelu_backward(const Tensor& X, const Tensor& dY) {
    require_shape(dY, "dY", shape_of(X), "the shape of X");
    // The product rule for x Φ(x). The slope of Φ is the density of a normal number.
    // BEGIN SOLUTION
    const Tensor cdf = 0.5 * (1.0 + erf(X / std::sqrt(2.0)));
    const Tensor density = exp(-0.5 * X * X) / std::sqrt(2.0 * 3.141592653589793);
    return dY * (cdf + X * density);
    // END SOLUTION
}

Backward<Attention> attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY) {
    require_attention_backward(X, w, heads, dY);
    // Forwards up to Q, K and V; then back through the last projection, the heads, φ and three projections. X gets three parts.
    // BEGIN SOLUTION
    return attention_backward_from(project(X, w, heads), merged_heads(X, w, heads), X, w, heads, dY);
    // END SOLUTION
}

Backward<Block> block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY) {
    require_block_backward(X, w, heads, dY);
    // Keep what each part read on the way forwards: its backward pass takes that. Each skip passes its gradient on as it is.
    // BEGIN SOLUTION
    return block_backward_from(forwards(X, w, heads), w, heads, dY);
    // END SOLUTION
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts) {
    require_cross_entropy(logits, targets, counts);
    // log p = logits - log Σ e^logits; subtract the largest logit first. Both results are divided by the sum of counts.
    // BEGIN SOLUTION
    const Tensor shifted = logits - amax(logits, -1, keep_dims);
    const Tensor log_p = shifted - log(sum(exp(shifted), -1, keep_dims));
    const Tensor wanted = one_hot(targets, length(logits, -1)), counted = expand_dims(counts, -1);
    const double positions = total(counts);
    return {-total(counted * wanted * log_p) / positions, counted * (exp(log_p) - wanted) / positions};
    // END SOLUTION
}

ModelGradients model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w) {
    require_model_gradients(ids, targets, counts, w);
    // Keep what each block read. A row of the embedding gets the sum over all places where its id stands.
    // BEGIN SOLUTION
    const std::size_t n = length(ids, -1), d = length(w.embedding, 1);
    Tensor X = rows(w.embedding, ids) + slice(w.positions, 0, 0, n);
    std::vector<BlockPass> passes;
    for (const Block& block : w.blocks) {
        passes.push_back(forwards(X, block, w.heads));
        X = passes.back().Y + affine(passes.back().activated, block.feed_forward.down);
    }
    const Tensor last = layer_norm(X, w.last);
    const CrossEntropy loss = cross_entropy(affine(last, w.head), targets, counts);

    ModelGradients result{loss.loss, w};
    const Backward<Affine> head = affine_backward(last, w.head, loss.dlogits);
    const Backward<Norm> norm = layer_norm_backward(X, w.last, head.dX);
    result.dw.head = head.dw;
    result.dw.last = norm.dw;
    Tensor dX = norm.dX;
    for (std::size_t l = w.blocks.size(); l-- > 0;) {
        const Backward<Block> block = block_backward_from(passes[l], w.blocks[l], w.heads, dX);
        result.dw.blocks[l] = block.dw;
        dX = block.dX;
    }
    const Tensor chosen = reshape(one_hot(ids, length(w.embedding, 0)), {ids.size(), length(w.embedding, 0)});
    result.dw.embedding = matmul(matrix_transpose(chosen), as_rows(dX, d));
    const Tensor unused = zeros({length(w.positions, 0) - n, d});
    result.dw.positions = concatenate(sum(reshape(dX, {n == 0 ? 0 : ids.size() / n, n, d}), 0), unused, 0);
    return result;
    // END SOLUTION
}

Update adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // t counts from 1: it is that of the state that goes out. Nothing that comes in is changed.
    // BEGIN SOLUTION
    return step_with(w, g, state, rate, false);
    // END SOLUTION
}

Batch copy_batch(std::size_t batch, std::size_t length, std::size_t symbols, std::uint64_t seed) {
    require_copy_batch(batch, length, symbols);
    // A row of 2·length + 1 symbols: the sequence, the separator, the sequence again; ids and targets are one apart.
    // BEGIN SOLUTION
    SplitMix64 random(seed);
    const std::size_t n = 2 * length;
    Batch result{zeros({batch, n}), zeros({batch, n}), zeros({batch, n})};
    for (std::size_t b = 0; b < batch; ++b) {
        std::vector<double> sequence(n + 1, static_cast<double>(symbols));  // the separator, where nothing else comes
        for (std::size_t i = 0; i < length; ++i)
            sequence[i] = sequence[length + 1 + i] = std::floor(random.uniform() * static_cast<double>(symbols));
        for (std::size_t i = 0; i < n; ++i) {
            result.ids(b, i) = sequence[i];
            result.targets(b, i) = sequence[i + 1];
            result.counts(b, i) = i >= length ? 1.0 : 0.0;
        }
    }
    return result;
    // END SOLUTION
}

Update radam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // Adam with a factor for the first steps, in which v̂ rests on few gradients: rectify where ρ exceeds 4.
    // BEGIN SOLUTION
    return step_with(w, g, state, rate, true);
    // END SOLUTION
}

}  // namespace linattn
