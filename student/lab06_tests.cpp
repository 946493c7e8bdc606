// Lab 06, exercise 6.8: tests of causal_attention_backward; see labs/lab06_gradients/README.md, section 6.8
#include "gradients.hpp"
#include "random.hpp"

namespace linattn {

std::vector<std::string> test_causal_attention_backward(const AttentionBackward& backward) {
    // Call backward(phi_Q, phi_K, V, dO, epsilon) on inputs whose gradients you know, or find out by differences, and add a
    // sentence for each gradient that is wrong. normal(shape, seed) gives random inputs.
    // YOUR CODE HERE
    throw NotImplemented("test_causal_attention_backward");
}

}  // namespace linattn
