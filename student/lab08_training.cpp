// Lab 08: read labs/lab08_training/README.md, write the functions below, run: ctest -L lab08
#include "training.hpp"

#include <cmath>

#include "random.hpp"

namespace linattn {

Backward<Affine> affine_backward(const Tensor& X, const Affine& w, const Tensor& dY) {
    require_affine_backward(X, w, dY);
    // Each token is a row: dX = dY Wᵀ, dW = Xᵀ dY, and db sums dY over all rows.
    // YOUR CODE HERE
    throw NotImplemented("affine_backward");
}

Backward<Norm> layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY) {
    require_layer_norm_backward(X, w, dY);
    // Mean and deviation depend on every entry of a token: each takes its share out of the gradient.
    // YOUR CODE HERE
    throw NotImplemented("layer_norm_backward");
}

Tensor gelu_backward(const Tensor& X, const Tensor& dY) {
    require_shape(dY, "dY", shape_of(X), "the shape of X");
    // The product rule for x Φ(x). The slope of Φ is the density of a normal number.
    // YOUR CODE HERE
    throw NotImplemented("gelu_backward");
}

Backward<Attention> attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY) {
    require_attention_backward(X, w, heads, dY);
    // Forwards up to Q, K and V; then back through the last projection, the heads, φ and three projections. X gets three parts.
    // YOUR CODE HERE
    throw NotImplemented("attention_backward");
}

Backward<Block> block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY) {
    require_block_backward(X, w, heads, dY);
    // Keep what each part read on the way forwards: its backward pass takes that. Each skip passes its gradient on as it is.
    // YOUR CODE HERE
    throw NotImplemented("block_backward");
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts) {
    require_cross_entropy(logits, targets, counts);
    // log p = logits - log Σ e^logits; subtract the largest logit first. Both results are divided by the sum of counts.
    // YOUR CODE HERE
    throw NotImplemented("cross_entropy");
}

ModelGradients model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w) {
    require_model_gradients(ids, targets, counts, w);
    // Keep what each block read. A row of the embedding gets the sum over all places where its id stands.
    // YOUR CODE HERE
    throw NotImplemented("model_gradients");
}

Update adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // t counts from 1: it is that of the state that goes out. Nothing that comes in is changed.
    // YOUR CODE HERE
    throw NotImplemented("adam_step");
}

Batch copy_batch(std::size_t batch, std::size_t length, std::size_t symbols, std::uint64_t seed) {
    require_copy_batch(batch, length, symbols);
    // A row of 2·length + 1 symbols: the sequence, the separator, the sequence again; ids and targets are one apart.
    // YOUR CODE HERE
    throw NotImplemented("copy_batch");
}

Update radam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // Adam with a factor for the first steps, in which v̂ rests on few gradients: rectify where ρ exceeds 4.
    // YOUR CODE HERE
    throw NotImplemented("radam_step");
}

}  // namespace linattn
