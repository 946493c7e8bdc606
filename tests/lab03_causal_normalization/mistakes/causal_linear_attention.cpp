#include "wrong_normalizers.hpp"

namespace linattn::testing {
namespace {

#define CAUSAL_MISTAKE(name, explanation)                                                                             \
    MISTAKE(causal_linear_attention,                                                                                  \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi, double epsilon), name, "§3.3", \
            explanation)

bool earlier(std::size_t i, std::size_t j) { return j < i; }
bool itself(std::size_t i, std::size_t j) { return j == i; }

// All heads one after another as a single long sequence: what becomes of a state that is not reset.
Tensor as_one_sequence(const Tensor& x) {
    return reshape(x, {x.size() / std::max<std::size_t>(length(x, -1), 1), length(x, -1)});
}

CAUSAL_MISTAKE("no normaliser", "Divide φ(q_i)ᵀS_i by φ(q_i)·z_i + ε.") {
    return weighted_sum(raw(Q, K, phi, causal), V);
}
CAUSAL_MISTAKE("normaliser inverted", "The sum of the weights divides; it does not multiply.") {
    const Weights weights = raw(Q, K, phi, causal);
    return weighted_sum(weights, V) * (row_sums(weights) + epsilon);
}
CAUSAL_MISTAKE("normaliser not causal", "z_i is a running sum like S_i: only the tokens up to i count in it.") {
    return weighted_sum(raw(Q, K, phi, causal), V) / (row_sums(raw(Q, K, phi, everywhere)) + epsilon);
}
CAUSAL_MISTAKE("normaliser on the wrong axis",
               "Sum over the keys j ≤ i for each query i, not over the queries for each key.") {
    const Weights weights = raw(Q, K, phi, causal);
    return weighted_sum(weights / (sum(weights, -2, keep_dims) + epsilon), V);
}
CAUSAL_MISTAKE("normaliser without the query",
               "Each query has a denominator of its own: φ(q_i)·z_i, not the sum of z_i's entries.") {
    return weighted_sum(raw(Q, K, phi, causal), V) / (key_sums(K, phi, causal) + epsilon);
}
CAUSAL_MISTAKE("divided by the number of tokens", "The weights of row i do not sum to i: divide by φ(q_i)·z_i.") {
    return weighted_sum(raw(Q, K, phi, causal), V) / (tokens_in_row(Q, causal) + epsilon);
}
CAUSAL_MISTAKE("strict diagonal", "Token i must see itself: update S and z with token i first, then read them.") {
    return normalized_over(Q, K, V, phi, earlier, epsilon);
}
CAUSAL_MISTAKE("z read before it is updated",
               "The denominator counts token i too: update z before you read it, as you do with S.") {
    return weighted_sum(raw(Q, K, phi, causal), V) / (row_sums(raw(Q, K, phi, earlier)) + epsilon);
}
CAUSAL_MISTAKE("z replaced instead of added to", "z grows by φ(k_i) at every token; it does not become it.") {
    return weighted_sum(raw(Q, K, phi, causal), V) / (row_sums(raw(Q, K, phi, itself)) + epsilon);
}
CAUSAL_MISTAKE("z summed along the features",
               "z_i is a sum over the tokens j ≤ i, the axis before the last, for each feature by itself.") {
    const Tensor below = row_sums(weights_by_definition(phi(Q), cumsum(phi(K), -1), itself));
    return weighted_sum(raw(Q, K, phi, causal), V) / (below + epsilon);
}
CAUSAL_MISTAKE("first token left out", "Tokens are counted from 0 in the code: the loop begins there.") {
    Tensor output = normalized_over(
        Q, K, V, phi, [](std::size_t i, std::size_t j) { return 0 < j && j <= i; }, epsilon);
    if (length(V, -2) > 0) set_token(output, 0, zeros(shape_of(token(V, 0))));
    return output;
}
CAUSAL_MISTAKE("φ missing from the query", "The query that reads S and z is φ(q_i), not q_i.") {
    const Weights weights = weights_by_definition(Q, phi(K), causal);
    return weighted_sum(weights, V) / (row_sums(weights) + epsilon);
}
CAUSAL_MISTAKE("total instead of the running sum",
               "Output i uses S_i and z_i, the sums up to token i, not over all tokens.") {
    return normalized_over(Q, K, V, phi, everywhere, epsilon);
}
CAUSAL_MISTAKE("ε missing", "ε is not in your denominator: it is added to φ(q_i)·z_i.") {
    return normalized_over(Q, K, V, phi, causal, 0.0);
}
CAUSAL_MISTAKE("ε added after the division", "A division binds before an addition: put the sum and ε in parentheses.") {
    return normalized_over(Q, K, V, phi, causal, 0.0) + epsilon;
}
CAUSAL_MISTAKE("ε put into z", "ε belongs to the denominator, not to z: there it is multiplied with the query.") {
    return with_epsilon_in_z(Q, K, V, phi, causal, epsilon);
}
CAUSAL_MISTAKE("ε inside the sum", "ε is added once to each denominator, not once for every token: keep it out of z.") {
    const Weights weights = raw(Q, K, phi, causal);
    return weighted_sum(weights, V) / (row_sums(weights) + tokens_in_row(Q, causal) * epsilon);
}
CAUSAL_MISTAKE("state shared between batch entries",
               "Every leading index needs an S and a z of its own; this sums them into one.") {
    return normalized_across_heads(Q, K, V, phi, causal, epsilon);
}
CAUSAL_MISTAKE("state carried over from head to head", "Start every leading index from S = 0 and z = 0.") {
    return reshape(normalized_over(as_one_sequence(Q), as_one_sequence(K), as_one_sequence(V), phi, causal, epsilon),
                   shape_of(V));
}
CAUSAL_MISTAKE("computed in O(n²)", "Carry S and z from token to token: no n×n matrix of weights.") {
    return normalized_over(Q, K, V, phi, causal, epsilon);
}

}  // namespace
}  // namespace linattn::testing
