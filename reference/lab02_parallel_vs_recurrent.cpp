// Lab 02: read labs/lab02_parallel_vs_recurrent/README.md, write the functions below, run: ctest -L lab02
#include "linear_attention.hpp"

// BEGIN SOLUTION
#include <limits>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

// 1 where token i may look at token j, 0 elsewhere: lower triangular for Mask::causal.
Tensor mask_matrix(std::size_t n, Mask mask) {
    Tensor allowed = ones({n, n});
    if (mask == Mask::causal)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) allowed(i, j) = 0.0;
    return allowed;
}

// a bᵀ for every leading index: (…, m), (…, n) → (…, m, n).
Tensor outer(const Tensor& a, const Tensor& b) { return expand_dims(a, -1) * expand_dims(b, -2); }

// aᵀ M for every leading index: (…, m), (…, m, n) → (…, n).
Tensor row_times(const Tensor& a, const Tensor& M) { return sum(expand_dims(a, -1) * M, -2); }

}  // namespace
// END SOLUTION

Tensor softmax_attention(const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Scores are scaled by 1/√d_k. A token that the mask forbids gets the score -∞, so that its weight is 0.
    // Subtract each row's maximum before exp: weights stay the same and nothing overflows.
    // BEGIN SOLUTION
    const Tensor scores = matmul(Q, matrix_transpose(K)) / sqrt(static_cast<double>(shape.d_k));
    const Tensor masked = where(mask_matrix(shape.n, mask), scores, -std::numeric_limits<double>::infinity());
    const Tensor weights = exp(masked - amax(masked, -1, keep_dims));
    return matmul(weights / sum(weights, -1, keep_dims), V);
    // END SOLUTION
}

Tensor linear_attention_quadratic(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, Mask mask) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The n×n weights first, then their product with V.
    // BEGIN SOLUTION
    const Tensor weights = matmul(phi(Q), matrix_transpose(phi(K))) * mask_matrix(shape.n, mask);
    return matmul(weights, V);
    // END SOLUTION
}

Tensor linear_attention_bidirectional(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // The same product with the other bracket first: nothing of size n×n is ever made.
    // BEGIN SOLUTION
    return matmul(phi(Q), matmul(matrix_transpose(phi(K)), V));
    // END SOLUTION
}

Tensor linear_attention_parallel(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // Every S_i at once: the running sum over the tokens of φ(k_j)v_jᵀ, an array of shape (…, n, c, d_v).
    // BEGIN SOLUTION
    const Tensor S = cumsum(outer(phi(K), V), -3);
    return row_times(phi(Q), S);
    // END SOLUTION
}

Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    // One state S per leading index. Update it with token i first, then read it.
    // BEGIN SOLUTION
    Tensor output = zeros(shape_of(V));
    Tensor S;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor update = outer(phi(token(K, i)), token(V, i));
        if (i == 0)
            S = update;
        else
            S += update;
        set_token(output, i, row_times(phi(token(Q, i)), S));
    }
    return output;
    // END SOLUTION
}

AttentionStep linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& S,
                                    const FeatureMap& phi) {
    const AttentionShape shape = require_step_shapes(q, k, v);
    const Tensor phi_k = phi(k);
    require_shape(S, "S", join(shape.leading, {length(phi_k, -1), shape.d_v}), "(…, c, d_v)");
    // The state that came in stays as it is: make a new one.
    // BEGIN SOLUTION
    const Tensor updated = S + outer(phi_k, v);
    return {row_times(phi(q), updated), updated};
    // END SOLUTION
}

std::vector<std::string> inclusive_scan(const std::vector<std::string>& states, const Combine& combine) {
    // Up the tree: entry i takes in the 2, 4, 8, … entries before it. Down again: fill in what lies between.
    // BEGIN SOLUTION
    std::vector<std::string> prefix = states;
    const std::size_t n = prefix.size();
    std::size_t stride = 1;
    for (; stride < n; stride *= 2)
        for (std::size_t i = 2 * stride - 1; i < n; i += 2 * stride) prefix[i] = combine(prefix[i - stride], prefix[i]);
    for (stride /= 2; stride > 0; stride /= 2)
        for (std::size_t i = 3 * stride - 1; i < n; i += 2 * stride) prefix[i] = combine(prefix[i - stride], prefix[i]);
    return prefix;
    // END SOLUTION
}

}  // namespace linattn
