// Lab 06: read labs/lab06_gradients/README.md, write the functions below, run: ctest -L lab06
#include "gradients.hpp"

#include "gradient_arguments.hpp"

// BEGIN SOLUTION
#include <algorithm>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

Tensor outer(const Tensor& a, const Tensor& b) { return expand_dims(a, -1) * expand_dims(b, -2); }

// aᵀM and M b, for every leading index.
Tensor row_times(const Tensor& a, const Tensor& M) { return sum(expand_dims(a, -1) * M, -2); }
Tensor times_column(const Tensor& M, const Tensor& b) { return sum(M * expand_dims(b, -2), -1); }

// 1 where j ≤ i.
Tensor causal_mask(std::size_t n) { return cumsum(ones({n, 1}), 0) >= cumsum(ones({1, n}), 1); }

}  // namespace
// END SOLUTION

Tensor central_differences(const ScalarFunction& f, const Tensor& x, double h) {
    require_step(h);
    // One entry at a time moves, by h up and by h down; all others stay.
    // BEGIN SOLUTION
    Tensor gradient = zeros(shape_of(x));
    Tensor moved = x;
    for (std::size_t e = 0; e < x.size(); ++e) {
        moved.data()[e] = x.data()[e] + h;
        const double up = f(moved);
        moved.data()[e] = x.data()[e] - h;
        const double down = f(moved);
        moved.data()[e] = x.data()[e];
        gradient.data()[e] = (up - down) / (2.0 * h);
    }
    return gradient;
    // END SOLUTION
}

Tensor elu_plus_one_backward(const Tensor& x, const Tensor& dY) {
    require_shape(dY, "dY", shape_of(x), "(…), the shape of x,");
    // The slope of φ is 1 from 0 on, and eˣ below.
    // BEGIN SOLUTION
    return dY * exp(minimum(x, 0.0));
    // END SOLUTION
}

Tensor reverse_cumsum(const Tensor& x, std::ptrdiff_t axis) {
    require_axis(x, axis);
    // Add up from the end. The total less a running sum from the front would be another number.
    // BEGIN SOLUTION
    return flip(cumsum(flip(x, axis), axis), axis);
    // END SOLUTION
}

AttentionGradients attention_backward_quadratic(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // Forwards first: A, D and O. Then back through the division, the product with V, the row sums and the mask.
    // BEGIN SOLUTION
    const Tensor mask = causal_mask(shape.n);
    const Tensor A = matmul(phi_Q, matrix_transpose(phi_K)) * mask;
    const Tensor D = sum(A, -1, keep_dims) + epsilon;
    const Tensor O = matmul(A, V) / D;
    const Tensor dN = dO / D;
    const Tensor dD = -sum(dN * O, -1, keep_dims);
    const Tensor dA = (matmul(dN, matrix_transpose(V)) + dD) * mask;
    return {matmul(dA, phi_K), matmul(matrix_transpose(dA), phi_Q), matmul(matrix_transpose(A), dN)};
    // END SOLUTION
}

AttentionGradients causal_attention_backward_parallel(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                      const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // S and z of all tokens are running sums from the front, R and r running sums from the end.
    // BEGIN SOLUTION
    const Tensor S = cumsum(outer(phi_K, V), -3);
    const Tensor z = cumsum(phi_K, -2);
    const Tensor D = sum(phi_Q * z, -1, keep_dims) + epsilon;
    const Tensor dN = dO / D;
    const Tensor dD = -sum(dN * row_times(phi_Q, S) / D, -1, keep_dims);
    const Tensor R = reverse_cumsum(outer(phi_Q, dN), -3);
    const Tensor r = reverse_cumsum(phi_Q * dD, -2);
    return {times_column(S, dN) + z * dD, times_column(R, V) + r, row_times(phi_K, R)};
    // END SOLUTION
}

AttentionGradients causal_attention_backward(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                             const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // The first loop runs from the first token to the last, the second from the last to the first. From the
    // first loop the second needs one dN_i and one dD_i for each token, but no state.
    // BEGIN SOLUTION
    AttentionGradients d{zeros(shape_of(phi_Q)), zeros(shape_of(phi_K)), zeros(shape_of(V))};
    Tensor S = zeros(join(shape.leading, {shape.d_k, shape.d_v})), z = zeros(join(shape.leading, {shape.d_k}));
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor q = token(phi_Q, i), k = token(phi_K, i);
        S += outer(k, token(V, i));
        z += k;
        const Tensor D = sum(q * z, -1, keep_dims) + epsilon;
        const Tensor dN = token(dO, i) / D;
        const Tensor dD = -sum(dN * row_times(q, S), -1, keep_dims) / D;
        set_token(d.phi_Q, i, times_column(S, dN) + z * dD);
        // Kept for the way back where they take no room: dN_i fits dv_i's row, dD_i fills dφk_i's.
        set_token(d.V, i, dN);
        set_token(d.phi_K, i, dD + zeros(shape_of(k)));
    }
    Tensor R = zeros(shape_of(S)), r = zeros(shape_of(z));
    for (std::size_t i = shape.n; i-- > 0;) {
        const Tensor q = token(phi_Q, i);
        R += outer(q, token(d.V, i));
        r += q * token(d.phi_K, i);
        set_token(d.phi_K, i, times_column(R, token(V, i)) + r);
        set_token(d.V, i, row_times(token(phi_K, i), R));
    }
    return d;
    // END SOLUTION
}

AttentionGradients causal_attention_backward_chunkwise(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                       const Tensor& dO, double epsilon, std::size_t chunk) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    require_chunk(chunk);
    // Inside a chunk the matrices of the quadratic form, across chunks the states of the loops.
    // BEGIN SOLUTION
    AttentionGradients d{zeros(shape_of(phi_Q)), zeros(shape_of(phi_K)), zeros(shape_of(V))};
    const std::size_t n = shape.n, longest = std::min(chunk, n);
    Tensor all_dD = zeros(join(shape.leading, {n, 1}));
    Tensor S = zeros(join(shape.leading, {shape.d_k, shape.d_v})), z = zeros(join(shape.leading, {1, shape.d_k}));
    for (std::size_t begin = 0; begin < n; begin += longest) {
        const std::size_t end = std::min(begin + longest, n);
        const Tensor q = tokens(phi_Q, begin, end), k = tokens(phi_K, begin, end), v = tokens(V, begin, end);
        const Tensor mask = causal_mask(end - begin);
        const Tensor A = matmul(q, matrix_transpose(k)) * mask;
        const Tensor D = sum(A, -1, keep_dims) + sum(q * z, -1, keep_dims) + epsilon;
        const Tensor dN = tokens(dO, begin, end) / D;
        const Tensor dD = -sum(dN * (matmul(A, v) + matmul(q, S)) / D, -1, keep_dims);
        const Tensor dA = (matmul(dN, matrix_transpose(v)) + dD) * mask;
        set_tokens(d.phi_Q, begin, matmul(dA, k) + matmul(dN, matrix_transpose(S)) + dD * z);
        set_tokens(d.V, begin, dN);  // for the way back
        set_tokens(all_dD, begin, dD);
        S += matmul(matrix_transpose(k), v);
        z += sum(k, -2, keep_dims);
    }
    Tensor R = zeros(shape_of(S)), r = zeros(shape_of(z));
    for (std::size_t chunks = n == 0 ? 0 : (n - 1) / longest + 1; chunks-- > 0;) {
        const std::size_t begin = chunks * longest, end = std::min(begin + longest, n);
        const Tensor q = tokens(phi_Q, begin, end), k = tokens(phi_K, begin, end), v = tokens(V, begin, end);
        const Tensor dN = tokens(d.V, begin, end), dD = tokens(all_dD, begin, end);
        const Tensor mask = causal_mask(end - begin);
        const Tensor A = matmul(q, matrix_transpose(k)) * mask;
        const Tensor dA = (matmul(dN, matrix_transpose(v)) + dD) * mask;
        set_tokens(d.phi_K, begin, matmul(matrix_transpose(dA), q) + matmul(v, matrix_transpose(R)) + r);
        set_tokens(d.V, begin, matmul(matrix_transpose(A), dN) + matmul(k, R));
        R += matmul(matrix_transpose(q), dN);
        r += sum(q * dD, -2, keep_dims);
    }
    return d;
    // END SOLUTION
}

}  // namespace linattn
