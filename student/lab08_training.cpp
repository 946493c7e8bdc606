#include "training.hpp"

#include <cmath>

#include "random.hpp"

namespace linattn {

Backward<Affine> affine_backward(const Tensor& X, const Affine& w, const Tensor& dY) {
    require_affine_backward(X, w, dY);
    // YOUR CODE HERE
    throw NotImplemented("affine_backward");
}

Backward<Norm> layer_norm_backward(const Tensor& X, const Norm& w, const Tensor& dY) {
    require_layer_norm_backward(X, w, dY);
    // YOUR CODE HERE
    throw NotImplemented("layer_norm_backward");
}

Tensor gelu_backward(const Tensor& X, const Tensor& dY) {
    require_shape(dY, "dY", shape_of(X), "the shape of X");
    // YOUR CODE HERE
    throw NotImplemented("gelu_backward");
}

Backward<Attention> attention_backward(const Tensor& X, const Attention& w, std::size_t heads, const Tensor& dY) {
    require_attention_backward(X, w, heads, dY);
    // YOUR CODE HERE
    throw NotImplemented("attention_backward");
}

Backward<Block> block_backward(const Tensor& X, const Block& w, std::size_t heads, const Tensor& dY) {
    require_block_backward(X, w, heads, dY);
    // YOUR CODE HERE
    throw NotImplemented("block_backward");
}

CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets, const Tensor& counts) {
    require_cross_entropy(logits, targets, counts);
    // YOUR CODE HERE
    throw NotImplemented("cross_entropy");
}

ModelGradients model_gradients(const Tensor& ids, const Tensor& targets, const Tensor& counts, const Model& w) {
    require_model_gradients(ids, targets, counts, w);
    // YOUR CODE HERE
    throw NotImplemented("model_gradients");
}

Update adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // YOUR CODE HERE
    throw NotImplemented("adam_step");
}

Batch copy_batch(std::size_t batch, std::size_t length, std::size_t symbols, std::uint64_t seed) {
    require_copy_batch(batch, length, symbols);
    // YOUR CODE HERE
    throw NotImplemented("copy_batch");
}

Update radam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    require_step(w, g, state, rate);
    // YOUR CODE HERE
    throw NotImplemented("radam_step");
}

}  // namespace linattn
