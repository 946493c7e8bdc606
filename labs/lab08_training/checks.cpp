#include <cmath>

#include "training.hpp"

namespace linattn {
namespace {

Shape with_last(const Tensor& x, std::size_t width) {
    Shape shape = shape_of(x);
    shape.back() = width;
    return shape;
}

void require_counts(const Tensor& counts, const Shape& positions, const char* caller) {
    require_shape(counts, "counts", positions, "one for each position,", caller);
    bool any = false;
    for (const double count : counts) {
        if (count != 0.0 && count != 1.0)
            reject(caller, "counts", "0 or 1 at every position", to_string(full({}, count)));
        any = any || count == 1.0;
    }
    if (!any) reject(caller, "counts", "1 at one position at least", "none: there is nothing to take the mean of");
}

void require_at_least_one(std::size_t number, const char* argument, const char* caller) {
    if (number == 0) reject(caller, argument, "at least 1", "0");
}

}  // namespace

void require_affine_backward(const Tensor& X, const Affine& w, const Tensor& dY, const char* caller) {
    require_rank(w.W, "w.W", 2, "(in, out)", caller);
    const std::size_t in = length(w.W, -2), out = length(w.W, -1);
    require_shape(w.W, "w.W", {in, out}, "(in, out)", caller);
    require_shape(w.b, "w.b", {out}, "one entry for each column of W,", caller);
    require_rank(X, "X", 1, "(…, in)", caller);
    require_shape(X, "X", with_last(X, in), "(…, in)", caller);
    require_shape(dY, "dY", with_last(X, out), "(…, out) with the leading axes of X", caller);
}

void require_layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY, const char* caller) {
    require_rank(X, "X", 1, "(…, d)", caller);
    require_norm(w, "w", length(X, -1), caller);
    require_shape(dY, "dY", shape_of(X), "the shape of X", caller);
}

void require_attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY,
                                const char* caller) {
    require_rank(X, "X", 2, "(…, n, d)", caller);
    require_heads(length(X, -1), heads, caller);
    require_attention(w, "w", length(X, -1), caller);
    require_shape(dY, "dY", shape_of(X), "the shape of X", caller);
}

void require_block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY, const char* caller) {
    require_rank(X, "X", 2, "(…, n, d)", caller);
    require_heads(length(X, -1), heads, caller);
    require_block(w, "w", length(X, -1), caller);
    require_shape(dY, "dY", shape_of(X), "the shape of X", caller);
}

void require_cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts, const char* caller) {
    require_rank(logits, "logits", 2, "(…, n, v)", caller);
    Shape positions = shape_of(logits);
    positions.pop_back();
    require_shape(targets, "targets", positions, "one for each position,", caller);
    require_ids(targets, "targets", length(logits, -1), caller);
    require_counts(counts, positions, caller);
}

void require_model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w,
                             const char* caller) {
    require_model(w, "w", caller);
    const std::size_t vocab_size = length(w.embedding, -2);
    require_rank(ids, "ids", 2, "(batch, n)", caller);
    require_shape(ids, "ids", {length(ids, -2), length(ids, -1)}, "(batch, n)", caller);
    require_ids(ids, "ids", vocab_size, caller);
    require_positions(w, "ids", length(ids, -1), caller);
    require_shape(targets, "targets", shape_of(ids), "the shape of ids", caller);
    require_ids(targets, "targets", vocab_size, caller);
    require_counts(counts, shape_of(ids), caller);
}

void require_step(const Tensor& w, const Tensor& g, const Moments& state, double rate, const char* caller) {
    require_shape(g, "g", shape_of(w), "the shape of w", caller);
    require_shape(state.m, "state.m", shape_of(w), "the shape of w", caller);
    require_shape(state.v, "state.v", shape_of(w), "the shape of w", caller);
    if (!std::isfinite(rate) || rate < 0.0) reject(caller, "rate", "a finite number ≥ 0", to_string(full({}, rate)));
}

void require_copy_batch(std::size_t batch, std::size_t length, std::size_t symbols, const char* caller) {
    require_at_least_one(batch, "batch", caller);
    require_at_least_one(length, "length", caller);
    require_at_least_one(symbols, "symbols", caller);
}

}  // namespace linattn
