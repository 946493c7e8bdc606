#include "wrong_normalizers.hpp"

namespace linattn::testing {
namespace {

#define NORMALIZED_MISTAKE(name, explanation)                                                                         \
    MISTAKE(normalized_linear_attention,                                                                              \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, double epsilon), name, "§3.2", \
            explanation)

NORMALIZED_MISTAKE("no normaliser", "Divide φ(q)ᵀS by φ(q)·z + ε.") {
    return weighted_sum(raw(Q, K, phi, everywhere), V);
}
NORMALIZED_MISTAKE("normaliser inverted", "The sum of the weights divides; it does not multiply.") {
    const Weights weights = raw(Q, K, phi, everywhere);
    return weighted_sum(weights, V) * (row_sums(weights) + epsilon);
}
NORMALIZED_MISTAKE("normaliser on the wrong axis",
                   "Sum over the keys for each query, not over the queries for each key.") {
    const Weights weights = raw(Q, K, phi, everywhere);
    return weighted_sum(weights / (sum(weights, -2, keep_dims) + epsilon), V);
}
NORMALIZED_MISTAKE("z summed over the queries", "z is the sum of the keys' features: Σ_j φ(k_j), not Σ_j φ(q_j).") {
    return weighted_sum(raw(Q, K, phi, everywhere), V) / (row_sums(raw(Q, Q, phi, everywhere)) + epsilon);
}
NORMALIZED_MISTAKE("φ missing from S", "Both sums are made of φ(k_j), the one in S too.") {
    return weighted_sum(weights_by_definition(phi(Q), K, everywhere), V) /
           (row_sums(raw(Q, K, phi, everywhere)) + epsilon);
}
NORMALIZED_MISTAKE("normaliser without the query",
                   "Each query has a denominator of its own: φ(q)·z, not the sum of z's entries.") {
    return weighted_sum(raw(Q, K, phi, everywhere), V) / (key_sums(K, phi, everywhere) + epsilon);
}
NORMALIZED_MISTAKE("divided by the number of tokens", "The weights do not sum to n: divide by φ(q)·z.") {
    return weighted_sum(raw(Q, K, phi, everywhere), V) / (tokens_in_row(Q, everywhere) + epsilon);
}
NORMALIZED_MISTAKE("running sum instead of the total", "Without a mask both S and z are sums over all tokens.") {
    return normalized_over(Q, K, V, phi, causal, epsilon);
}
NORMALIZED_MISTAKE("ε missing", "ε is not in your denominator: it is added to φ(q)·z.") {
    return normalized_over(Q, K, V, phi, everywhere, 0.0);
}
NORMALIZED_MISTAKE("ε added after the division",
                   "A division binds before an addition: put the sum and ε in parentheses.") {
    return normalized_over(Q, K, V, phi, everywhere, 0.0) + epsilon;
}
NORMALIZED_MISTAKE("ε put into z", "ε belongs to the denominator, not to z: there it is multiplied with the query.") {
    return with_epsilon_in_z(Q, K, V, phi, everywhere, epsilon);
}
NORMALIZED_MISTAKE("ε inside the sum", "ε is added once to the whole sum, not once for every token in it.") {
    const Weights weights = raw(Q, K, phi, everywhere);
    return weighted_sum(weights, V) / (row_sums(weights) + tokens_in_row(Q, everywhere) * epsilon);
}
NORMALIZED_MISTAKE("states mixed across heads",
                   "Every leading index has its own S and z: never sum over leading axes.") {
    return normalized_across_heads(Q, K, V, phi, everywhere, epsilon);
}
NORMALIZED_MISTAKE("computed in O(n²)", "Sum φ(k_j)v_jᵀ and φ(k_j) over the tokens first: no n×n matrix of weights.") {
    return normalized_over(Q, K, V, phi, everywhere, epsilon);
}

}  // namespace
}  // namespace linattn::testing
