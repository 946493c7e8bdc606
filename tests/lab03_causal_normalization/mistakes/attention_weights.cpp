#include <algorithm>

#include "normalized_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define WEIGHTS_MISTAKE(name, explanation)                                                                           \
    MISTAKE(attention_weights, (const Tensor& Q, const Tensor& K, const FeatureMap& phi, Mask mask, double epsilon), \
            name, "§3.1", explanation)

Weights raw(const Tensor& Q, const Tensor& K, const FeatureMap& phi, const Allowed& allowed) {
    return weights_by_definition(phi(Q), phi(K), allowed);
}
Weights divided_by_row(const Weights& weights, double epsilon) {
    const Tensor row_sums = sum(weights, -1, keep_dims);
    return weights / (row_sums + epsilon);
}

// Under Mask::causal this instead of j ≤ i.
Allowed causal_as(Mask mask, const Allowed& wrong) { return mask == Mask::causal ? wrong : Allowed(everywhere); }

WEIGHTS_MISTAKE("no normaliser", "Divide each row by its sum plus ε.") { return raw(Q, K, phi, allowed_by(mask)); }
WEIGHTS_MISTAKE("normaliser on the wrong axis",
                "Each row, one query over all keys, sums to one: reduce over the last axis.") {
    const Weights weights = raw(Q, K, phi, allowed_by(mask));
    return weights / (sum(weights, -2, keep_dims) + epsilon);
}
WEIGHTS_MISTAKE("normaliser not causal",
                "Mask first, then sum: a token that is not looked at does not count in the sum.") {
    return raw(Q, K, phi, allowed_by(mask)) / (sum(raw(Q, K, phi, everywhere), -1, keep_dims) + epsilon);
}
WEIGHTS_MISTAKE("mask ignored", "With Mask::causal the weights of later tokens, j > i, must be 0.") {
    return divided_by_row(raw(Q, K, phi, everywhere), epsilon);
}
WEIGHTS_MISTAKE("mask transposed", "Token i may look at j ≤ i, the lower triangle; this looks at the future.") {
    return divided_by_row(raw(Q, K, phi, causal_as(mask, [](std::size_t i, std::size_t j) { return j >= i; })),
                          epsilon);
}
WEIGHTS_MISTAKE("strict diagonal", "A token may look at itself: the causal mask keeps j ≤ i.") {
    return divided_by_row(raw(Q, K, phi, causal_as(mask, [](std::size_t i, std::size_t j) { return j < i; })), epsilon);
}
WEIGHTS_MISTAKE("softmax of the scores",
                "φ has taken the place of the exponential: divide φ(q)·φ(k) itself by its sum.") {
    const Weights score = raw(Q, K, phi, everywhere);
    return divided_by_row(weights_by_definition(ones(shape_of(Q)), ones(shape_of(K)), allowed_by(mask)) /
                              static_cast<double>(length(Q, -1)) * exp(score - amax(score, -1, keep_dims)),
                          epsilon);
}
WEIGHTS_MISTAKE("mask on the first leading index only",
                "w(i, j) is an entry of the first matrix only; `where` and arithmetic reach all of them.") {
    const Weights masked = raw(Q, K, phi, allowed_by(mask));
    Weights weights = raw(Q, K, phi, everywhere);
    const std::size_t n = length(Q, -2);
    if (weights.size() > 0) std::copy_n(masked.data(), n * n, weights.data());
    return divided_by_row(weights, epsilon);
}
WEIGHTS_MISTAKE("φ forgotten", "Apply φ to Q and to K before you multiply them.") {
    return divided_by_row(weights_by_definition(Q, K, allowed_by(mask)), epsilon);
}
WEIGHTS_MISTAKE("keep_dims forgotten",
                "Without keep_dims the sums of the rows lie along the columns, and that is what they divide.") {
    const Weights weights = raw(Q, K, phi, allowed_by(mask));
    return weights / (sum(weights, -1) + epsilon);
}
WEIGHTS_MISTAKE("ε missing", "ε is not in your denominator: it is added to the sum of each row.") {
    return divided_by_row(raw(Q, K, phi, allowed_by(mask)), 0.0);
}
WEIGHTS_MISTAKE("ε added after the division",
                "A division binds before an addition: put the sum and ε in parentheses.") {
    return divided_by_row(raw(Q, K, phi, allowed_by(mask)), 0.0) + epsilon;
}
WEIGHTS_MISTAKE("ε inside the sum", "ε is added once to the whole sum, not once for every entry of the row.") {
    const Weights weights = raw(Q, K, phi, allowed_by(mask));
    return weights / sum(weights + epsilon, -1, keep_dims);
}
WEIGHTS_MISTAKE("ε as a floor", "ε is added to the sum, however large that is: not max(sum, ε).") {
    const Weights weights = raw(Q, K, phi, allowed_by(mask));
    return weights / maximum(sum(weights, -1, keep_dims), epsilon);
}

}  // namespace
}  // namespace linattn::testing
