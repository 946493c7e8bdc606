// The features of this lab by their definition, entry by entry: what the suites compare with. Each token looks at all
// tokens and counts some of them, so that none of this is an answer to paste.
#pragma once

#include "cost_claims.hpp"
#include "favor.hpp"
#include "oracle.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// d^(-power) for the width d of x.
double scale_of(const Tensor& x, double power = 0.25);

/// w_r·x̂ - ‖x̂‖²/2 for every token and every direction, where x̂ = scale x; the norm may be given another scale.
/// \return \shape{(…, n, m)}
Tensor exponents(const Tensor& x, const Tensor& W, double scale, double norm_scale);
Tensor exponents(const Tensor& x, const Tensor& W);

/// Which exponents share one shift, their maximum.
enum class Shared { token, head };
/// exp(e - shift)/√m.
Tensor positive_features(const Tensor& x, const Tensor& W, Shared shift);

/// e^{‖x̂‖²/2} [cos w_r·x̂ …, sin w_r·x̂ …]/√m. \return \shape{(…, n, 2m)}
Tensor trigonometric_features(const Tensor& x, const Tensor& W);

/// Relative rounding error that a feature may have, the largest over the array: an exponent is a sum of d products and
/// a norm, and its error is a relative error of the feature.
double feature_rounding(const Tensor& x, const Tensor& W);
Expected expected_positive_features(const Tensor& x, const Tensor& W, Stabilizer stabilizer);
Expected expected_trigonometric_features(const Tensor& x, const Tensor& W);

/// A query and a key, (1, d) each, in random directions at right angles, so that the kernel is 1, with ‖q̂ + k̂‖² = square.
struct Pair {
    Tensor q, k;
    double square;
    Pair(std::size_t d, double of_sum, std::uint64_t stream);
};

/// exp(w_r·q̂ + w_r·k̂ - ‖q̂‖²/2 - ‖k̂‖²/2) for each direction: independent estimates of the kernel, 1 on average.
std::vector<double> kernel_estimates(const Pair& pair, const Tensor& W);
double mean_of(const std::vector<double>& values);

}  // namespace linattn::testing
