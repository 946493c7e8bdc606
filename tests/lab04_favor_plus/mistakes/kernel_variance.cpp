#include <cmath>

#include "favor.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define VARIANCE_MISTAKE(name, explanation) \
    MISTAKE(kernel_variance, (const Tensor& q, const Tensor& k, std::size_t m), name, "§4.6", explanation)

// What a formula of q·k, of ‖q‖² and of ‖k‖² gives for every pair, with q and k scaled by these powers of 1/d.
template <class Formula>
Tensor of_pairs(const Tensor& q, const Tensor& k, std::size_t m, double power_of_q, double power_of_k,
                Formula formula) {
    require_rank(q, "q", 1, "(…, d)", "kernel_variance");
    require_shape(k, "k", shape_of(q), "(…, d), the shape of q,", "kernel_variance");
    if (m == 0) reject("kernel_variance", "m", "at least 1", "0");
    const Shape shape = shape_of(q);
    Tensor result = zeros(Shape(shape.begin(), shape.end() - 1));
    const std::size_t d = shape.back();
    const double scale_of_q = std::pow(static_cast<double>(d), -power_of_q),
                 scale_of_k = std::pow(static_cast<double>(d), -power_of_k);
    for (std::size_t i = 0; i < result.size(); ++i) {
        double dot = 0.0, of_q = 0.0, of_k = 0.0;
        for (std::size_t a = i * d; a < (i + 1) * d; ++a) {
            const double from_q = scale_of_q * q.data()[a], from_k = scale_of_k * k.data()[a];
            dot += from_q * from_k;
            of_q += from_q * from_q;
            of_k += from_k * from_k;
        }
        result.data()[i] = formula(dot, of_q, of_k) / static_cast<double>(m);
    }
    return result;
}
template <class Formula>
Tensor of_pairs(const Tensor& q, const Tensor& k, std::size_t m, Formula formula) {
    return of_pairs(q, k, m, 0.25, 0.25, formula);
}
double variance(double dot, double of_q, double of_k) {
    return std::exp(2 * dot) * (std::exp(of_q + of_k + 2 * dot) - 1);
}

VARIANCE_MISTAKE("not divided by m",
                 "The formula is m times the variance: the mean of m estimates varies m times less.") {
    return of_pairs(q, k, m, variance) * static_cast<double>(m);
}
VARIANCE_MISTAKE("divided by m²", "The mean of m estimates has a variance m times smaller: divide once.") {
    return of_pairs(q, k, m, variance) / static_cast<double>(m);
}
VARIANCE_MISTAKE("only the query scaled", "Scale the key by d^(-1/4) too.") {
    return of_pairs(q, k, m, 0.25, 0.0, variance);
}
VARIANCE_MISTAKE("only the key scaled", "Scale the query by d^(-1/4) too.") {
    return of_pairs(q, k, m, 0.0, 0.25, variance);
}
VARIANCE_MISTAKE("divided by the squared kernel",
                 "That is the square of the relative error. The variance itself has e^(2 q̂·k̂) in front.") {
    return of_pairs(q, k, m, [](double dot, double of_q, double of_k) { return std::exp(of_q + of_k + 2 * dot) - 1; });
}
VARIANCE_MISTAKE("query and key not scaled", "All products and norms are those of q̂ and k̂, scaled by d^(-1/4).") {
    return of_pairs(q, k, m, 0.0, 0.0, variance);
}
VARIANCE_MISTAKE("mean square instead of the variance",
                 "Subtract the square of the mean: that is the -1 in the bracket.") {
    return of_pairs(q, k, m, [](double dot, double of_q, double of_k) { return std::exp(4 * dot + of_q + of_k); });
}
VARIANCE_MISTAKE("difference instead of the sum", "The exponent is ‖q̂ + k̂‖²: it is q̂ + k̂ that w meets in φ(q)·φ(k).") {
    return of_pairs(q, k, m, [](double dot, double of_q, double of_k) {
        return std::exp(2 * dot) * (std::exp(of_q + of_k - 2 * dot) - 1);
    });
}
VARIANCE_MISTAKE("kernel not squared", "A variance has the square of the kernel as its unit: e^(2 q̂·k̂).") {
    return of_pairs(q, k, m, [](double dot, double of_q, double of_k) {
        return std::exp(dot) * (std::exp(of_q + of_k + 2 * dot) - 1);
    });
}
VARIANCE_MISTAKE("standard deviation instead of the variance", "No root: the contract asks for the variance.") {
    return sqrt(of_pairs(q, k, m, variance));
}

}  // namespace
}  // namespace linattn::testing
