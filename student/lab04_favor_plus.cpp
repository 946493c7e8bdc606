// Lab 04: read labs/lab04_favor_plus/README.md, write the functions below, run: ctest -L lab04
#include "favor.hpp"

namespace linattn {

Tensor gaussian_projection(std::size_t m, std::size_t d, std::uint64_t seed) {
    // One direction for each row. Pass the seed on as it is: it alone determines the numbers.
    // YOUR CODE HERE
    throw NotImplemented("gaussian_projection");
}

Tensor orthogonal_projection(std::size_t m, std::size_t d, std::uint64_t seed) {
    if (d == 0) reject("orthogonal_projection", "d", "at least 1", "0");
    // Directions: the columns of Q, with the signs that make the diagonal of R positive, become the rows of a block.
    // Lengths: those of m further rows of normals. Drawn together with the directions, they are independent of them.
    // YOUR CODE HERE
    throw NotImplemented("orthogonal_projection");
}

Tensor positive_random_features(const Tensor& x, const Tensor& W, Stabilizer stabilizer) {
    require_rank(x, "x", 2, "(…, n, d)");
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,");
    // First the whole exponent, norm included; its maximum is the shift.
    // YOUR CODE HERE
    throw NotImplemented("positive_random_features");
}

Tensor trigonometric_random_features(const Tensor& x, const Tensor& W) {
    require_rank(x, "x", 2, "(…, n, d)");
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,");
    // First all cosines, then all sines, along the last axis.
    // YOUR CODE HERE
    throw NotImplemented("trigonometric_random_features");
}

Tensor favor_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), shape.d_k}, "(m, d), with the d of Q,");
    // Take features of Q per token, of K per sequence, with this W. Then linear attention: S sums φ(k)vᵀ, z sums φ(k).
    // YOUR CODE HERE
    throw NotImplemented("favor_attention");
}

Tensor kernel_variance(const Tensor& q, const Tensor& k, std::size_t m) {
    require_rank(q, "q", 1, "(…, d)");
    require_shape(k, "k", shape_of(q), "(…, d), the shape of q,");
    if (m == 0) reject("kernel_variance", "m", "at least 1", "0");
    // Norms and products are all those of q̂ and k̂.
    // YOUR CODE HERE
    throw NotImplemented("kernel_variance");
}

}  // namespace linattn
