// Lab 04: read labs/lab04_favor_plus/README.md, write the functions below, run: ctest -L lab04
#include "favor.hpp"

// BEGIN SOLUTION
#include <cmath>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

// x̂ = x·d^(-1/4), so that q̂·k̂ = q·k/√d.
Tensor scaled(const Tensor& x) { return x / std::pow(static_cast<double>(length(x, -1)), 0.25); }

// ‖x‖² of every token: (…, d) → (…, 1).
Tensor squared_norm(const Tensor& x) { return sum(x * x, -1, keep_dims); }

// w_r·x̂ of every token: (…, n, d) → (…, n, m).
Tensor projected(const Tensor& x_hat, const Tensor& W) { return matmul(x_hat, matrix_transpose(W)); }

double root_of_rows(const Tensor& W) { return std::sqrt(static_cast<double>(length(W, 0))); }

}  // namespace
// END SOLUTION

Tensor gaussian_projection(std::size_t m, std::size_t d, std::uint64_t seed) {
    // One direction for each row. Pass the seed on as it is: it alone determines the numbers.
    // BEGIN SOLUTION
    return normal({m, d}, seed);
    // END SOLUTION
}

Tensor orthogonal_projection(std::size_t m, std::size_t d, std::uint64_t seed) {
    if (d == 0) reject("orthogonal_projection", "d", "at least 1", "0");
    // Directions: the columns of Q, with the signs that make the diagonal of R positive, become the rows of a block.
    // Lengths: those of m further rows of normals. Drawn together with the directions, they are independent of them.
    // BEGIN SOLUTION
    const std::size_t rows = (m + d - 1) / d * d;  // whole blocks
    const Tensor draws = normal({rows + m, d}, seed);
    Tensor directions = zeros({m, d});
    for (std::size_t first = 0; first < m; first += d) {
        const auto [Q, R] = qr(tokens(draws, first, first + d));
        for (std::size_t j = 0; j < d && first + j < m; ++j)
            for (std::size_t a = 0; a < d; ++a) directions(first + j, a) = R(j, j) < 0.0 ? -Q(a, j) : Q(a, j);
    }
    return directions * sqrt(squared_norm(tokens(draws, rows, rows + m)));
    // END SOLUTION
}

Tensor positive_random_features(const Tensor& x, const Tensor& W, Stabilizer stabilizer) {
    require_rank(x, "x", 2, "(…, n, d)");
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,");
    // First the whole exponent, norm included; its maximum is the shift.
    // BEGIN SOLUTION
    const Tensor x_hat = scaled(x);
    const Tensor exponent = projected(x_hat, W) - squared_norm(x_hat) / 2.0;
    Tensor shift = amax(exponent, -1, keep_dims);
    if (stabilizer == Stabilizer::per_sequence) shift = amax(shift, -2, keep_dims);
    return exp(exponent - shift) / root_of_rows(W);
    // END SOLUTION
}

Tensor trigonometric_random_features(const Tensor& x, const Tensor& W) {
    require_rank(x, "x", 2, "(…, n, d)");
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,");
    // First all cosines, then all sines, along the last axis.
    // BEGIN SOLUTION
    const Tensor x_hat = scaled(x);
    const Tensor angle = projected(x_hat, W);
    return concatenate(cos(angle), sin(angle), -1) * exp(squared_norm(x_hat) / 2.0) / root_of_rows(W);
    // END SOLUTION
}

Tensor favor_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask, double epsilon) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_rank(W, "W", 2, "(m, d)");
    require_shape(W, "W", {length(W, 0), shape.d_k}, "(m, d), with the d of Q,");
    // Take features of Q per token, of K per sequence, with this W. Then linear attention: S sums φ(k)vᵀ, z sums φ(k).
    // BEGIN SOLUTION
    const Tensor phi_Q = positive_random_features(Q, W, Stabilizer::per_token);
    const Tensor phi_K = positive_random_features(K, W, Stabilizer::per_sequence);
    if (mask == Mask::none) {
        const Tensor numerator = matmul(phi_Q, matmul(matrix_transpose(phi_K), V));
        const Tensor denominator = sum(phi_Q * sum(phi_K, -2, keep_dims), -1, keep_dims);
        return numerator / (denominator + epsilon);
    }
    const std::size_t m = length(W, 0);
    Tensor output = zeros(shape_of(V));
    Tensor S = zeros(join(shape.leading, {m, shape.d_v}));
    Tensor z = zeros(join(shape.leading, {m}));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor q = token(phi_Q, i), k = token(phi_K, i);
        S += expand_dims(k, -1) * expand_dims(token(V, i), -2);
        z += k;
        const Tensor numerator = sum(expand_dims(q, -1) * S, -2);
        set_token(output, i, numerator / (sum(q * z, -1, keep_dims) + epsilon));
    }
    return output;
    // END SOLUTION
}

Tensor kernel_variance(const Tensor& q, const Tensor& k, std::size_t m) {
    require_rank(q, "q", 1, "(…, d)");
    require_shape(k, "k", shape_of(q), "(…, d), the shape of q,");
    if (m == 0) reject("kernel_variance", "m", "at least 1", "0");
    // Norms and products are all those of q̂ and k̂.
    // BEGIN SOLUTION
    const Tensor q_hat = scaled(q), k_hat = scaled(k), both = q_hat + k_hat;
    return exp(2.0 * sum(q_hat * k_hat, -1)) * (exp(sum(both * both, -1)) - 1.0) / static_cast<double>(m);
    // END SOLUTION
}

}  // namespace linattn
