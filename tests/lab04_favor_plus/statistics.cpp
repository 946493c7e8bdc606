#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "oracle.hpp"

namespace linattn::testing {

double distance_from(std::vector<double> samples, const std::function<double(double)>& cdf) {
    if (std::ranges::any_of(samples, [](double x) { return std::isnan(x); })) return 1.0;  // they have no order
    std::sort(samples.begin(), samples.end());
    const auto n = static_cast<double>(samples.size());
    double distance = 0.0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double there = cdf(samples[i]), before = static_cast<double>(i) / n,
                     after = static_cast<double>(i + 1) / n;
        const double apart = std::max(there - before, after - there);
        distance = std::max(distance, apart);
    }
    return distance;
}

double largest_distance(std::size_t n) {
    return std::sqrt(std::log(2.0 / false_alarm) / (2.0 * static_cast<double>(n)));
}

double largest_mean(std::size_t n) { return std::sqrt(2.0 * std::log(2.0 / false_alarm) / static_cast<double>(n)); }

double deepest_mean(std::size_t n, double variance) {
    // exp(-n t² / 2(variance + t/3)) = α, solved for t.
    const double a = std::log(1.0 / false_alarm) / static_cast<double>(n);
    return a / 3.0 + std::sqrt(a * a / 9.0 + 2.0 * a * variance);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double chi_square_cdf(double x, std::size_t d) {
    double term = std::exp(-x / 2.0), above = 0.0;
    for (std::size_t i = 0; i < d / 2; ++i) {
        above += term;
        term *= x / (2.0 * static_cast<double>(i + 1));
    }
    return 1.0 - above;
}

Tensor unit_rows(const Tensor& x) { return x / sqrt(sum(x * x, -1, keep_dims)); }

double largest_cosine(const Tensor& unit, std::size_t first, std::size_t last) {
    const std::size_t d = length(unit, 1);
    double largest = 0.0;
    for (std::size_t i = first; i < last; ++i)
        for (std::size_t j = first; j < i; ++j) {
            const double cosine = std::fabs(dot_product(unit.data() + i * d, unit.data() + j * d, d));
            if (cosine > largest || std::isnan(cosine)) largest = cosine;  // a NaN stays
        }
    return largest;
}
double largest_cosine_of_rows(const Tensor& x) { return largest_cosine(unit_rows(x), 0, length(x, 0)); }

std::string decimals(double x, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, x);
    return text;
}

}  // namespace linattn::testing
