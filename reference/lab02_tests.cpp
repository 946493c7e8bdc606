// Lab 02, exercise 2.8: tests of linear_attention_parallel; see labs/lab02_parallel_vs_recurrent/README.md, section 2.8
#include "linear_attention.hpp"
#include "random.hpp"

// BEGIN SOLUTION
#include <stdexcept>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

bool near(const Tensor& a, const Tensor& b) {
    if (shape_of(a) != shape_of(b)) return false;
    for (std::size_t e = 0; e < a.size(); ++e)
        if (!(abs(a.data()[e] - b.data()[e]) <= 1e-12 * (1.0 + abs(b.data()[e])))) return false;
    return true;
}

bool rejects(const CausalAttention& attention, const Tensor& Q, const Tensor& K, const Tensor& V,
             const FeatureMap& phi) {
    try {
        attention(Q, K, V, phi);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

// The formula, token after token, in the words of NumPy.
Tensor by_definition(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V) {
    Tensor output = zeros(shape_of(V));
    for (std::size_t i = 0; i < length(V, -2); ++i) {
        const Tensor weights = sum(tokens(phi_K, 0, i + 1) * expand_dims(token(phi_Q, i), -2), -1, keep_dims);
        set_token(output, i, sum(weights * tokens(V, 0, i + 1), -2));
    }
    return output;
}

}  // namespace
// END SOLUTION

std::vector<std::string> test_linear_attention_parallel(const CausalAttention& attention) {
    // Call attention(Q, K, V, phi) on inputs whose results you know, and add a sentence for each result that is wrong.
    // normal(shape, seed) gives random inputs; a FeatureMap is made of a name and a function: {"twice", twice}.
    // BEGIN SOLUTION
    std::vector<std::string> wrong;
    // Features of both signs, and c ≠ d_k.
    const FeatureMap phi("(x, 1 - x²)", [](const Tensor& x) { return concatenate(x, 1.0 - x * x, -1); });
    for (const std::size_t n : {0U, 1U, 7U, 40U}) {
        const Tensor Q = normal({2, 2, n, 3}, 1), K = normal({2, 2, n, 3}, 2), V = normal({2, 2, n, 5}, 3);
        const Tensor output = attention(Q, K, V, phi);
        if (!near(output, by_definition(phi(Q), phi(K), V)))
            wrong.push_back("differs from the definition for n = " + std::to_string(n));
    }
    const Tensor three = ones({3, 2}), four = ones({4, 2});
    if (!rejects(attention, three, four, three, phi) || !rejects(attention, three, three, four, phi))
        wrong.push_back("takes shapes that do not belong together");
    return wrong;
    // END SOLUTION
}

}  // namespace linattn
