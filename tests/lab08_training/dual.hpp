// A number and its slopes along two directions: what a function makes of x + h, to first order in h. Every gradient that
// this lab's suites expect is such a slope, of the model written in plain loops: nothing is subtracted, no step is chosen,
// and no chain rule is applied backwards. Beside each of the two stands a bound of what rounding can have done to it.
#pragma once

#include <cmath>
#include <cstddef>

namespace linattn::testing {

/// The slopes of a number along several directions, as many as a processor computes with at once.
constexpr std::size_t directions = 2;
using Slope [[gnu::vector_size(directions * sizeof(double))]] = double;
inline Slope size_of(const Slope& a) { return a < 0.0 ? -a : a; }

struct Dual {
    double value = 0.0;
    Slope slope{};
    double value_terms = 0.0;  ///< the same if none of its terms could cancel
    Slope slope_terms{};

    Dual() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): a plain number is a Dual that does not move
    Dual(double x) : value(x), value_terms(std::fabs(x)) {}

    /// f(a), from f, f′ and f″ at a's value.
    static Dual through(const Dual& a, double f, double first, double second) {
        Dual y;
        y.value = f;
        y.slope = first * a.slope;
        y.value_terms = std::fabs(f) + std::fabs(first) * a.value_terms;
        y.slope_terms = std::fabs(first) * a.slope_terms + size_of(second * a.slope) * a.value_terms;
        return y;
    }

    // Friends, so that they are found for Duals alone and hide no operator of Tensors.
    friend Dual operator+(const Dual& a, const Dual& b) {
        Dual y;
        y.value = a.value + b.value;
        y.slope = a.slope + b.slope;
        y.value_terms = a.value_terms + b.value_terms;
        y.slope_terms = a.slope_terms + b.slope_terms;
        return y;
    }
    friend Dual operator*(const Dual& a, const Dual& b) {
        Dual y;
        y.value = a.value * b.value;
        y.slope = a.slope * b.value + a.value * b.slope;
        y.value_terms = std::fabs(a.value) * b.value_terms + a.value_terms * std::fabs(b.value);
        y.slope_terms = a.slope_terms * std::fabs(b.value) + size_of(a.slope) * b.value_terms +
                        a.value_terms * size_of(b.slope) + std::fabs(a.value) * b.slope_terms;
        return y;
    }
    friend Dual operator-(const Dual& a) { return through(a, -a.value, -1.0, 0.0); }
    friend Dual operator-(const Dual& a, const Dual& b) { return a + -b; }
    friend Dual operator/(const Dual& a, const Dual& b) {
        const double f = 1.0 / b.value;
        return a * through(b, f, -f * f, 2.0 * f * f * f);
    }
    Dual& operator+=(const Dual& b) { return *this = *this + b; }
};

inline Dual exponential(const Dual& a) {
    const double f = std::exp(a.value);
    return Dual::through(a, f, f, f);
}
inline Dual logarithm(const Dual& a) {
    return Dual::through(a, std::log(a.value), 1.0 / a.value, -1.0 / (a.value * a.value));
}
inline Dual square_root(const Dual& a) {
    const double f = std::sqrt(a.value);
    return Dual::through(a, f, 0.5 / f, -0.25 / (f * a.value));
}
/// Φ, the distribution function of the standard normal distribution.
inline Dual normal_cdf(const Dual& a) {
    const double x = a.value, density = 0.3989422804014327 * std::exp(-0.5 * x * x);
    return Dual::through(a, 0.5 * std::erfc(-x * 0.7071067811865476), density, -x * density);
}

}  // namespace linattn::testing
