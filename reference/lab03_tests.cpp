// Lab 03, exercise 3.8: tests of causal_linear_attention_resume; see labs/lab03_causal_normalization/README.md, section 3.8
#include "normalized_attention.hpp"
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
        if (!(abs(a.data()[e] - b.data()[e]) <= 1e-11 * (1.0 + abs(b.data()[e])))) return false;
    return true;
}

bool near(const CausalState& a, const CausalState& b) { return near(a.S, b.S) && near(a.z, b.z); }

CausalState plus_token(const CausalState& state, const Tensor& phi_k, const Tensor& v) {
    return {state.S + expand_dims(phi_k, -1) * expand_dims(v, -2), state.z + phi_k};
}

bool rejects(const ResumableAttention& resume, const Tensor& Q, const Tensor& K, const CausalState& state,
             const FeatureMap& phi) {
    try {
        resume(Q, K, Q, state, phi, 0.5);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace
// END SOLUTION

std::vector<std::string> test_causal_linear_attention_resume(const ResumableAttention& resume) {
    // Call resume(Q, K, V, state, phi, epsilon) and add a sentence for each result that is wrong: the outputs, and the state.
    // normal(shape, seed) gives random inputs; a CausalState is made of S and z: {zeros({c, d_v}), zeros({c})}.
    // BEGIN SOLUTION
    std::vector<std::string> wrong;
    // Features of both signs, and c ≠ d_k; a column of ones keeps the denominators away from 0.
    const FeatureMap phi("(x / 2, 4)", [](const Tensor& x) { return concatenate(0.5 * x, 4.0 + 0.0 * x, -1); });
    const CausalState before{normal({2, 2, 6, 5}, 1), 8.0 + normal({2, 2, 6}, 2)};
    for (const std::size_t n : {0U, 1U, 2U, 7U, 40U}) {
        const Tensor Q = normal({2, 2, n, 3}, 3), K = normal({2, 2, n, 3}, 4), V = normal({2, 2, n, 5}, 5);
        const CausalState passed{before.S, before.z};
        const OutputAndState result = resume(Q, K, V, passed, phi, 0.5);
        if (!near(passed, before)) wrong.push_back("changes the state that it is given");
        CausalState state = before;
        Tensor output = zeros(shape_of(V));
        for (std::size_t i = 0; i < n; ++i) {
            state = plus_token(state, phi(token(K, i)), token(V, i));
            const Tensor phi_q = phi(token(Q, i));
            set_token(output, i,
                      sum(expand_dims(phi_q, -1) * state.S, -2) / (sum(phi_q * state.z, -1, keep_dims) + 0.5));
        }
        if (!near(result.output, output)) wrong.push_back("wrong outputs for n = " + std::to_string(n));
        if (!near(result.state, state)) wrong.push_back("wrong state after n = " + std::to_string(n));
    }
    const CausalState small{zeros({4, 2}), zeros({4})};
    if (!rejects(resume, ones({3, 2}), ones({4, 2}), small, phi)) wrong.push_back("takes K of another length");
    if (!rejects(resume, ones({3, 2}), ones({3, 2}), {zeros({3, 2}), zeros({4})}, phi))
        wrong.push_back("takes a state of another width");
    return wrong;
    // END SOLUTION
}

}  // namespace linattn
