// Lab 06: read labs/lab06_gradients/README.md, write the functions below, run: ctest -L lab06
#include "gradients.hpp"

#include "gradient_arguments.hpp"

namespace linattn {

Tensor central_differences(const ScalarFunction& f, const Tensor& x, double h) {
    require_step(h);
    // One entry at a time moves, by h up and by h down; all others stay.
    // YOUR CODE HERE
    throw NotImplemented("central_differences");
}

Tensor elu_plus_one_backward(const Tensor& x, const Tensor& dY) {
    require_shape(dY, "dY", shape_of(x), "(…), the shape of x,");
    // The slope of φ is 1 from 0 on, and eˣ below.
    // YOUR CODE HERE
    throw NotImplemented("elu_plus_one_backward");
}

Tensor reverse_cumsum(const Tensor& x, std::ptrdiff_t axis) {
    require_axis(x, axis);
    // Add up from the end. The total less a running sum from the front would be another number.
    // YOUR CODE HERE
    throw NotImplemented("reverse_cumsum");
}

AttentionGradients attention_backward_quadratic(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // Forwards first: A, D and O. Then back through the division, the product with V, the row sums and the mask.
    // YOUR CODE HERE
    throw NotImplemented("attention_backward_quadratic");
}

AttentionGradients causal_attention_backward_parallel(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                      const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // S and z of all tokens are running sums from the front, R and r running sums from the end.
    // YOUR CODE HERE
    throw NotImplemented("causal_attention_backward_parallel");
}

AttentionGradients causal_attention_backward(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                             const Tensor& dO, double epsilon) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    // The first loop runs from the first token to the last, the second from the last to the first. From the
    // first loop the second needs one dN_i and one dD_i for each token, but no state.
    // YOUR CODE HERE
    throw NotImplemented("causal_attention_backward");
}

AttentionGradients causal_attention_backward_chunkwise(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                                       const Tensor& dO, double epsilon, std::size_t chunk) {
    const AttentionShape shape = require_gradient_arguments(phi_Q, phi_K, V, dO, epsilon);
    require_chunk(chunk);
    // Inside a chunk the matrices of the quadratic form, across chunks the states of the loops.
    // YOUR CODE HERE
    throw NotImplemented("causal_attention_backward_chunkwise");
}

}  // namespace linattn
