#include <cmath>

#include "random_features.hpp"

namespace linattn::testing {
namespace {

#define POSITIVE_MISTAKE(name, explanation)                                                                       \
    MISTAKE(positive_random_features, (const Tensor& x, const Tensor& W, [[maybe_unused]] Stabilizer stabilizer), \
            name, "§4.3", explanation)

// The checks that stand in the stub already.
void check(const Tensor& x, const Tensor& W) {
    require_rank(x, "x", 2, "(…, n, d)", "positive_random_features");
    require_rank(W, "W", 2, "(m, d)", "positive_random_features");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,", "positive_random_features");
}

Shared shared(Stabilizer stabilizer) { return stabilizer == Stabilizer::per_token ? Shared::token : Shared::head; }
double root_of_m(const Tensor& W) { return std::pow(static_cast<double>(length(W, 0)), 0.5); }

POSITIVE_MISTAKE("input not scaled by d^(-1/4)", "Scale x first: q̂·k̂ has to be q·k/√d, not q·k.") {
    check(x, W);
    return features(exponents(x, W, 1.0, 1.0), shared(stabilizer));
}
POSITIVE_MISTAKE("scaled by 1/√d instead of d^(-1/4)", "Query and key are both scaled: each takes the root of 1/√d.") {
    check(x, W);
    return features(exponents(x, W, scale_of(x, 0.5), scale_of(x, 0.5)), shared(stabilizer));
}
POSITIVE_MISTAKE("norm of the unscaled input", "The norm is that of x̂, the scaled input, as in the product with W.") {
    check(x, W);
    return features(exponents(x, W, scale_of(x), 1.0), shared(stabilizer));
}
POSITIVE_MISTAKE("norm left out", "Subtract ‖x̂‖²/2: the mean of e^(w·x̂) is e^(‖x̂‖²/2), not 1.") {
    check(x, W);
    return features(exponents(x, W, scale_of(x), 0.0), shared(stabilizer));
}
POSITIVE_MISTAKE("norm added instead of subtracted", "Subtract ‖x̂‖²/2. It is the sines and cosines that add it.") {
    check(x, W);
    const Tensor bare = exponents(x, W, scale_of(x), 0.0);
    return features(2.0 * bare - exponents(x, W), shared(stabilizer));
}
POSITIVE_MISTAKE("norm not squared", "The norm enters squared: ‖x̂‖²/2 is half the sum of squares, without a root.") {
    check(x, W);
    const Tensor bare = exponents(x, W, scale_of(x), 0.0), half_of_square = bare - exponents(x, W);
    return features(bare - sqrt(half_of_square / 2.0), shared(stabilizer));
}
POSITIVE_MISTAKE("norm not halved", "Subtract half of ‖x̂‖².") {
    check(x, W);
    return features(exponents(x, W, scale_of(x), std::sqrt(2.0) * scale_of(x)), shared(stabilizer));
}
POSITIVE_MISTAKE("1/√m left out",
                 "The product of two features is a sum over m directions: divide each feature by √m for a mean.") {
    check(x, W);
    return positive_features(x, W, shared(stabilizer)) * root_of_m(W);
}
POSITIVE_MISTAKE("divided by m instead of √m", "Query and key both bring the factor: 1/√m each makes 1/m.") {
    check(x, W);
    return positive_features(x, W, shared(stabilizer)) / root_of_m(W);
}
POSITIVE_MISTAKE("divided by √d instead of √m",
                 "The mean is over the m directions: their number counts, not the width.") {
    check(x, W);
    return positive_features(x, W, shared(stabilizer)) * root_of_m(W) / std::sqrt(static_cast<double>(length(W, 1)));
}
POSITIVE_MISTAKE("sines and cosines instead of exponentials",
                 "Those are the features of 4.4, and they can make negative weights.") {
    check(x, W);
    return trigonometric_features(x, W);
}
POSITIVE_MISTAKE(
    "per-token shift for every stabilizer",
    "Stabilizer::per_sequence wants one shift for all tokens of a head: otherwise each key is reweighted.") {
    check(x, W);
    return positive_features(x, W, Shared::token);
}
POSITIVE_MISTAKE("per-sequence shift for every stabilizer",
                 "Stabilizer::per_token wants each token's own largest exponent.") {
    check(x, W);
    return positive_features(x, W, Shared::head);
}
POSITIVE_MISTAKE("stabilizers exchanged",
                 "per_token takes the maximum over a token's directions; per_sequence over all tokens as well.") {
    check(x, W);
    return positive_features(x, W, stabilizer == Stabilizer::per_token ? Shared::head : Shared::token);
}
POSITIVE_MISTAKE("one shift for each direction",
                 "per_sequence wants one maximum for the whole head: over the directions, and then over the tokens.") {
    check(x, W);
    if (stabilizer == Stabilizer::per_token) return positive_features(x, W, Shared::token);
    const Tensor across = matrix_transpose(exponents(x, W));  // (…, m, n): features() shifts row by row
    const double directions = static_cast<double>(length(W, 0)), tokens = static_cast<double>(length(x, -2));
    return matrix_transpose(features(across, Shared::token)) * std::sqrt(tokens / directions);
}
POSITIVE_MISTAKE("shift without the norm",
                 "The shift is the largest of the whole exponent, w·x̂ - ‖x̂‖²/2: then the largest feature is 1/√m.") {
    check(x, W);
    const Tensor bare = features(exponents(x, W, scale_of(x), 0.0), shared(stabilizer));
    return bare * exp(sum(x * x, -1, keep_dims) * scale_of(x, 0.5) / -2.0);
}
POSITIVE_MISTAKE("one shift for all heads",
                 "Take the maximum over the tokens and directions of one head, not over leading axes.") {
    check(x, W);
    return positive_features(x, W, stabilizer == Stabilizer::per_token ? Shared::token : Shared::array);
}
POSITIVE_MISTAKE("no shift at all", "Subtract the largest exponent before exp.") {
    check(x, W);
    return positive_features(x, W, Shared::nothing);
}

}  // namespace
}  // namespace linattn::testing
