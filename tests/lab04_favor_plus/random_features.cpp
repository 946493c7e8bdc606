#include "random_features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "array_view.hpp"

namespace linattn::testing {
namespace {

Shape with_width(const Tensor& x, std::size_t width) {
    Shape shape = shape_of(x);
    shape.back() = width;
    return shape;
}

}  // namespace

double scale_of(const Tensor& x, double power) { return std::pow(static_cast<double>(length(x, -1)), -power); }

Tensor exponents(const Tensor& x, const Tensor& W, double scale, double norm_scale) {
    const RowExtents rows(x);
    const std::size_t d = rows.width, m = length(W, 0);
    Tensor result = zeros(with_width(x, m));
    for (std::size_t i = 0; i < rows.leading * rows.n; ++i)
        for (std::size_t r = 0; r < m; ++r) {
            double& entry = result.data()[i * m + r];
            const std::size_t head = i / rows.n * rows.n * d;  // all of its entries: nobody pastes this for an answer
            for (std::size_t e = head; e < head + rows.n * d; ++e) {
                if (e < i * d || e >= (i + 1) * d) continue;
                const double of_x = x.data()[e];
                entry += W(r, e - i * d) * scale * of_x - norm_scale * of_x * norm_scale * of_x / 2.0;
            }
        }
    return result;
}

Tensor exponents(const Tensor& x, const Tensor& W) { return exponents(x, W, scale_of(x), scale_of(x)); }

Tensor positive_features(const Tensor& x, const Tensor& W, Shared shift) {
    Tensor result = exponents(x, W);
    const std::size_t m = length(W, 0), shared = shift == Shared::token ? m : length(x, -2) * m;
    for (std::size_t begin = 0; begin < result.size(); begin += shared) {
        const double largest = *std::max_element(result.data() + begin, result.data() + begin + shared);
        for (std::size_t i = begin; i < begin + shared; ++i)
            result.data()[i] = std::exp(result.data()[i] - largest) / std::sqrt(static_cast<double>(m));
    }
    return result;
}

Tensor trigonometric_features(const Tensor& x, const Tensor& W) {
    const RowExtents rows(x);
    const std::size_t m = length(W, 0);
    const Tensor angles = exponents(x, W, scale_of(x), 0.0), growth = exponents(x, zeros(shape_of(W)));
    Tensor result = zeros(with_width(x, 2 * m));
    for (std::size_t i = 0; i < rows.leading * rows.n; ++i)
        for (std::size_t r = 0; r < m; ++r) {
            const double angle = angles.data()[i * m + r];
            const double factor = std::exp(-growth.data()[i * m + r]) / std::sqrt(static_cast<double>(m));
            result.data()[i * 2 * m + r] = factor * std::cos(angle);
            result.data()[i * 2 * m + m + r] = factor * std::sin(angle);
        }
    return result;
}

double feature_rounding(const Tensor& x, const Tensor& W) {
    double largest = 0.0;  // Σ |w x̂| + ‖x̂‖²/2
    const Tensor magnitude = exponents(abs(x), abs(W), scale_of(x), 0.0) - exponents(x, zeros(shape_of(W)));
    for (std::size_t i = 0; i < magnitude.size(); ++i) largest = std::max(largest, magnitude.data()[i]);
    // Two sides that round, an exponent and a shift each: d products and sums, and the few roundings of x̂ and its norm.
    return 0x1p-53 * (4.0 * static_cast<double>(length(x, -1) + 6) * largest + 16.0);
}

Expected expected_positive_features(const Tensor& x, const Tensor& W, Stabilizer stabilizer) {
    const Tensor value = positive_features(x, W, stabilizer == Stabilizer::per_token ? Shared::token : Shared::head);
    return {value, value * feature_rounding(x, W) + std::numeric_limits<double>::denorm_min(),
            "(4 (d + 6) max(sum |w x| + |x|^2 / 2) + 16)·2^-53 of each feature, with the scaled x"};
}

Expected expected_trigonometric_features(const Tensor& x, const Tensor& W) {
    const Tensor value = trigonometric_features(x, W);
    const Tensor grown =
        trigonometric_features(x, zeros(shape_of(W)));  // cos 0 = 1: the factor of each token, beside zeros
    return {value, (amax(grown, -1, keep_dims) + zeros(shape_of(value))) * feature_rounding(x, W),
            "(4 (d + 6) max(sum |w x| + |x|^2 / 2) + 16)·2^-53 of each token's e^(|x|^2 / 2), with the scaled x"};
}

Pair::Pair(std::size_t d, double of_sum, std::uint64_t stream)
    : q(normal({1, d}, random_seed(stream))), k(normal({1, d}, random_seed(stream + 1))), square(of_sum) {
    double along = 0.0, of_q = 0.0, of_k = 0.0;
    for (std::size_t a = 0; a < d; ++a) along += q(0, a) * k(0, a), of_q += q(0, a) * q(0, a);
    k -= q * (along / of_q);  // at right angles
    for (std::size_t a = 0; a < d; ++a) of_k += k(0, a) * k(0, a);
    const double unscaled = std::sqrt(square / 2.0) / scale_of(q);
    q *= unscaled / std::sqrt(of_q);
    k *= unscaled / std::sqrt(of_k);
}

std::vector<double> kernel_estimates(const Pair& pair, const Tensor& W) {
    const Tensor of_q = exponents(pair.q, W), of_k = exponents(pair.k, W);
    std::vector<double> estimates(length(W, 0));
    for (std::size_t r = 0; r < estimates.size(); ++r) estimates[r] = std::exp(of_q(0, r) + of_k(0, r));
    return estimates;
}

double mean_of(const std::vector<double>& values) {
    double total = 0.0;
    for (const double value : values) total += value;
    return total / static_cast<double>(values.size());
}

}  // namespace linattn::testing
