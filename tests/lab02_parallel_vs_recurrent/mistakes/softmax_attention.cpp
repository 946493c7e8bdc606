#include <cmath>

#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

Tensor with_scale(const Tensor& Q, const Tensor& K, const Tensor& V, const Allowed& allowed, double scale) {
    return weighted_sum(softmax_rows(weights_by_definition(Q, K, everywhere) * scale, allowed), V);
}
double root_of_width(const Tensor& x) { return std::sqrt(static_cast<double>(length(x, -1))); }

MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "no 1/√d_k scale", "§2.1",
        "Divide the scores by √d_k before the softmax.") {
    return with_scale(Q, K, V, allowed_by(mask), 1.0);
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask),
        "scaled by d_k instead of its root", "§2.1", "The scale is 1/√d_k, which keeps the variance of a score at 1.") {
    return with_scale(Q, K, V, allowed_by(mask), 1.0 / static_cast<double>(length(Q, -1)));
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "scaled by the value width",
        "§2.1", "A score sums d_k products, so d_k is the width that counts, not d_v.") {
    return with_scale(Q, K, V, allowed_by(mask), 1.0 / root_of_width(V));
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "softmax over the queries",
        "§2.1", "Each row, one query against all keys, must sum to 1: reduce over the last axis of the scores.") {
    const Allowed allowed = allowed_by(mask);
    const Weights scores = weights_by_definition(Q, K, everywhere) / root_of_width(Q);
    const Weights columns =
        softmax_rows(matrix_transpose(scores), [&](std::size_t j, std::size_t i) { return allowed(i, j); });
    return weighted_sum(matrix_transpose(columns), V);
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "masked after the softmax",
        "§2.1", "A weight set to 0 after the softmax leaves a row that sums to less than 1: mask the scores instead.") {
    Weights weights = softmax_rows(weights_by_definition(Q, K, everywhere) / root_of_width(Q), everywhere);
    const Weights kept = weights_by_definition(ones(shape_of(Q)), ones(shape_of(Q)), allowed_by(mask));
    return weighted_sum(weights * (kept > 0.0), V);
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "diagonal masked out",
        "§2.1",
        "A token may look at itself: the causal mask keeps j ≤ i. Without it the first row has nothing to average.") {
    return with_scale(
        Q, K, V, mask == Mask::none ? Allowed(everywhere) : [](std::size_t i, std::size_t j) { return j < i; },
        1.0 / root_of_width(Q));
}
MISTAKE(softmax_attention, (const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask), "mask transposed", "§2.1",
        "Token i may look at j ≤ i, the lower triangle; this looks at the future.") {
    return with_scale(
        Q, K, V, mask == Mask::none ? Allowed(everywhere) : [](std::size_t i, std::size_t j) { return j >= i; },
        1.0 / root_of_width(Q));
}

}  // namespace
}  // namespace linattn::testing
