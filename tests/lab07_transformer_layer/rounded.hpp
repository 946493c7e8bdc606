// A number together with how far a right answer, computed in double and in any order, may be from it: error analysis that
// is carried along, so that a tolerance follows for every entry of a result, however many layers it has gone through.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace linattn::testing {

/// What two roundings are: one here and one in the answer.
inline constexpr double two_roundings = 2.0 * 0x1p-53;

/// Where such a tolerance comes from, for the message.
inline constexpr const char* carried_error =
    "error analysis carried along the definition: 2·2^-53 for every operation, n of them for a sum of n terms";

struct Rounded {
    double value = 0.0;
    double error = 0.0;
};

[[gnu::always_inline]] inline Rounded rounded(double value, double error) {
    return {value, error + two_roundings * std::fabs(value) + std::numeric_limits<double>::denorm_min()};
}
inline Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
inline Rounded operator+(const Rounded& a, const Rounded& b) {
    return rounded(a.value + b.value, a.error + b.error + two_roundings * (std::fabs(a.value) + std::fabs(b.value)));
}
inline Rounded operator-(const Rounded& a, const Rounded& b) { return a + -b; }
[[gnu::always_inline]] inline Rounded operator*(const Rounded& a, const Rounded& b) {
    return rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error + a.error * b.error);
}
inline Rounded operator/(const Rounded& a, const Rounded& b) {
    const double quotient = a.value / b.value;
    const double least = std::max(std::fabs(b.value) - b.error, 0.0);
    // Twice the rounding: a factor 1/b may have been taken inside.
    return rounded(quotient, (a.error + std::fabs(quotient) * b.error) / least + two_roundings * std::fabs(quotient));
}

/// f(a) for a function whose slope is at most `slope` near a; the library's f may be off by some units.
inline Rounded mapped(const Rounded& a, double (*f)(double), double slope) {
    const double value = f(a.value);
    return rounded(value, slope * a.error + 4.0 * two_roundings * std::fabs(value));
}
inline Rounded exponential(const Rounded& a) {
    const double value = std::exp(a.value);
    return rounded(value, value * std::expm1(a.error) + 4.0 * two_roundings * value);
}
inline Rounded root(const Rounded& a) {
    const double value = std::sqrt(a.value), least = std::sqrt(std::max(a.value - a.error, 0.0));
    return rounded(value, value == 0.0 ? 0.0 : a.error / (value + least));
}

/// A sum whose terms may be added in any order.
class SumOfTerms {
public:
    [[gnu::always_inline]] void add(const Rounded& term) {
        value_ += term.value;
        error_ += term.error;
        magnitude_ += std::fabs(term.value);
        ++terms_;
    }
    Rounded total() const { return rounded(value_, error_ + static_cast<double>(terms_) * two_roundings * magnitude_); }
    std::size_t terms() const { return terms_; }

private:
    double value_ = 0.0, error_ = 0.0, magnitude_ = 0.0;
    std::size_t terms_ = 0;
};

}  // namespace linattn::testing
