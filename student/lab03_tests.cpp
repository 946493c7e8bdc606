// Lab 03, exercise 3.8: tests of causal_linear_attention_resume; see labs/lab03_causal_normalization/README.md, section 3.8
#include "normalized_attention.hpp"
#include "random.hpp"

namespace linattn {

std::vector<std::string> test_causal_linear_attention_resume(const ResumableAttention& resume) {
    // Call resume(Q, K, V, state, phi, epsilon) and add a sentence for each result that is wrong: the outputs, and the state.
    // normal(shape, seed) gives random inputs; a CausalState is made of S and z: {zeros({c, d_v}), zeros({c})}.
    // YOUR CODE HERE
    throw NotImplemented("test_causal_linear_attention_resume");
}

}  // namespace linattn
