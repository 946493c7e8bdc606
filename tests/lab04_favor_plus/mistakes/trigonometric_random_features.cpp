#include <cmath>

#include "random_features.hpp"

namespace linattn::testing {
namespace {

#define TRIGONOMETRIC_MISTAKE(name, explanation) \
    MISTAKE(trigonometric_random_features, (const Tensor& x, const Tensor& W), name, "§4.4", explanation)

// The checks that stand in the stub already.
void check(const Tensor& x, const Tensor& W) {
    require_rank(x, "x", 2, "(…, n, d)", "trigonometric_random_features");
    require_rank(W, "W", 2, "(m, d)", "trigonometric_random_features");
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,", "trigonometric_random_features");
}

// Column r of the right features becomes column place(r).
template <class Place>
Tensor rearranged(const Tensor& phi, Place place) {
    const std::size_t width = length(phi, -1);
    Tensor result = phi;
    for (std::size_t i = 0; i < phi.size(); ++i)
        result.data()[i / width * width + place(i % width, width / 2)] = phi.data()[i];
    return result;
}

TRIGONOMETRIC_MISTAKE("input not scaled by d^(-1/4)", "Scale x first: q̂·k̂ has to be q·k/√d, not q·k.") {
    check(x, W);
    return trigonometric_features(x, W, 1.0, 1.0);
}
TRIGONOMETRIC_MISTAKE("norm of the unscaled input", "The norm in e^(‖x̂‖²/2) is that of x̂, the scaled input.") {
    check(x, W);
    return trigonometric_features(x, W, scale_of(x), 1.0);
}
TRIGONOMETRIC_MISTAKE("norm left out", "Without e^(‖x̂‖²/2) the product estimates e^(-‖q̂-k̂‖²/2), the Gaussian kernel.") {
    check(x, W);
    return trigonometric_features(x, W, scale_of(x), 0.0);
}
TRIGONOMETRIC_MISTAKE("sign of the norm",
                      "Here the norm is added: e^(+‖x̂‖²/2). It is the positive features that subtract it.") {
    check(x, W);
    const Tensor squares = sum(x * x, -1, keep_dims) * scale_of(x, 0.5);
    return trigonometric_features(x, W, scale_of(x), 0.0) * exp(squares / -2.0);
}
TRIGONOMETRIC_MISTAKE("norm not halved", "The factor of a token is e^(‖x̂‖²/2): half the squared norm.") {
    check(x, W);
    return trigonometric_features(x, W, scale_of(x), std::sqrt(2.0) * scale_of(x));
}
TRIGONOMETRIC_MISTAKE("1/√m left out",
                      "cos² + sin² = 1 for each of m directions: divide by √m, so that the product is a mean.") {
    check(x, W);
    return trigonometric_features(x, W) * std::sqrt(static_cast<double>(length(W, 0)));
}
TRIGONOMETRIC_MISTAKE("divided by √(2m)",
                      "There are 2m features but m directions: cos and sin of one direction count once.") {
    check(x, W);
    return trigonometric_features(x, W) / std::sqrt(2.0);
}
TRIGONOMETRIC_MISTAKE("divided by m instead of √m", "Query and key both bring the factor: 1/√m each makes 1/m.") {
    check(x, W);
    return trigonometric_features(x, W) / std::sqrt(static_cast<double>(length(W, 0)));
}
TRIGONOMETRIC_MISTAKE("√(2/m) instead of 1/√m",
                      "√(2/m) goes with cosines of random phases; with cosines and sines the factor is 1/√m.") {
    check(x, W);
    return trigonometric_features(x, W) * std::sqrt(2.0);
}
TRIGONOMETRIC_MISTAKE("cosines only", "Both: cos a cos b + sin a sin b = cos(a - b), and it takes both.") {
    check(x, W);
    const Tensor both = trigonometric_features(x, W);
    Shape shape = shape_of(both);
    shape.back() /= 2;
    Tensor half = zeros(shape);
    for (std::size_t i = 0; i < half.size(); ++i)
        half.data()[i] = both.data()[i / shape.back() * 2 * shape.back() + i % shape.back()];
    return half;
}
TRIGONOMETRIC_MISTAKE("sines before cosines", "First all cosines, then all sines.") {
    check(x, W);
    return rearranged(trigonometric_features(x, W), [](std::size_t r, std::size_t m) { return (r + m) % (2 * m); });
}
TRIGONOMETRIC_MISTAKE("cosines and sines alternate", "First all cosines, then all sines.") {
    check(x, W);
    return rearranged(trigonometric_features(x, W),
                      [](std::size_t r, std::size_t m) { return r < m ? 2 * r : 2 * (r - m) + 1; });
}

}  // namespace
}  // namespace linattn::testing
