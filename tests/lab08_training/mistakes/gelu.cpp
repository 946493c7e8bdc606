// Wrong slopes of GELU: one line each.
#include <cmath>

#include "results.hpp"

namespace linattn::testing {
namespace {

double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double density(double x) { return 0.3989422804014327 * std::exp(-0.5 * x * x); }

double slope_by_tanh(double x) {
    const double c = 0.7978845608028654, t = std::tanh(c * (x + 0.044715 * x * x * x));
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * c * (1.0 + 0.134145 * x * x);
}
double slope_by_sigmoid(double x) {
    const double s = 1.0 / (1.0 + std::exp(-1.702 * x));
    return s + 1.702 * x * s * (1.0 - s);
}

#define GELU_MISTAKE(name, explanation, slope)                                               \
    MISTAKE(gelu_backward, (const Tensor& X, const Tensor& dY), name, "§8.3", explanation) { \
        require_shape(dY, "dY", shape_of(X), "the shape of X", "gelu_backward");             \
        Tensor dX = dY;                                                                      \
        for (std::size_t e = 0; e < X.size(); ++e) {                                         \
            const double x = X.data()[e];                                                    \
            dX.data()[e] *= (slope);                                                         \
        }                                                                                    \
        return dX;                                                                           \
    }

GELU_MISTAKE("Φ taken for a constant", "The product rule: Φ(x) + x Φ′(x), and Φ′ is the density e^(−x²/2)/√(2π).",
             cdf(x))
GELU_MISTAKE("x taken for a constant", "The product rule: Φ(x) + x Φ′(x).", x* density(x))
GELU_MISTAKE("density without its factor", "Φ′(x) = e^(−x²/2)/√(2π): do not forget 1/√(2π).",
             cdf(x) + x * std::exp(-0.5 * x * x))
GELU_MISTAKE("density with 1/(2π)", "Φ′(x) = e^(−x²/2)/√(2π): the root of 2π.",
             cdf(x) + 0.3989422804014327 * x * density(x))
GELU_MISTAKE("density with 1/√π", "Φ′(x) = e^(−x²/2)/√(2π): the slope of erf(x/√2) has the factor 1/√2 of x/√2, too.",
             cdf(x) + std::sqrt(2.0) * x * density(x))
GELU_MISTAKE("density doubled", "Φ is half of 1 + erf, and so is its slope: e^(−x²/2)/√(2π).",
             cdf(x) + 2.0 * x * density(x))
GELU_MISTAKE("density with e^(−x²)", "Φ′(x) = e^(−x²/2)/√(2π): half of x².",
             cdf(x) + x * 0.3989422804014327 * std::exp(-x * x))
GELU_MISTAKE("density without e^(−x²/2)", "Φ′(x) = e^(−x²/2)/√(2π). In C++ 1 / 2 is 0: write 0.5 or 1.0 / 2.0.",
             cdf(x) + x * 0.3989422804014327)
GELU_MISTAKE("GELU itself", "The slope of x Φ(x) is Φ(x) + x Φ′(x).", x* cdf(x))
GELU_MISTAKE("density not multiplied by x", "The product rule: Φ(x) + x Φ′(x).", cdf(x) + density(x))
GELU_MISTAKE("sign of the second term", "The product rule: Φ(x) + x Φ′(x), with a plus.", cdf(x) - x * density(x))
GELU_MISTAKE("erf without √2", "The formula is Φ(x) = (1 + erf(x/√2))/2.", 0.5 * std::erfc(-x) + x * density(x))
GELU_MISTAKE("slope of the approximation by tanh", "GELU is x Φ(x), with erf and not its approximation by tanh.",
             slope_by_tanh(x))
GELU_MISTAKE("slope of x·sigmoid(1.702x)", "GELU is x Φ(x), not its approximation by a sigmoid.", slope_by_sigmoid(x))
GELU_MISTAKE("slope of relu", "GELU is smooth: Φ(x) + x Φ′(x).", x > 0.0 ? 1.0 : 0.0)

}  // namespace
}  // namespace linattn::testing
