// Lab 02, exercise 2.8: tests of linear_attention_parallel; see labs/lab02_parallel_vs_recurrent/README.md, section 2.8
#include "linear_attention.hpp"
#include "random.hpp"

namespace linattn {

std::vector<std::string> test_linear_attention_parallel(const CausalAttention& attention) {
    // Call attention(Q, K, V, phi) on inputs whose results you know, and add a sentence for each result that is wrong.
    // normal(shape, seed) gives random inputs; a FeatureMap is made of a name and a function: {"twice", twice}.
    // YOUR CODE HERE
    throw NotImplemented("test_linear_attention_parallel");
}

}  // namespace linattn
