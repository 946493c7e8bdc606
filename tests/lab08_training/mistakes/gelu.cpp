// Wrong slopes of GELU: one line each.
#include <cmath>

#include "results.hpp"

namespace linattn::testing::gelu_mistakes {

constexpr double pi = 3.141592653589793;

double cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
double density(double x) { return 0.3989422804014327 * std::exp(-0.5 * x * x); }

double slope_by_tanh(double x) {
    const double c = 0.7978845608028654, t = std::tanh(c * (x + 0.044715 * x * x * x));
    return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * c * (1.0 + 0.134145 * x * x);
}
constexpr double root_of_two_over_pi = 0.7978845608028654;
double t_of(double x, double c) { return std::tanh(root_of_two_over_pi * (x + c * x * x * x)); }
double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double slope_by_sigmoid(double x) {
    const double s = 1.0 / (1.0 + std::exp(-1.702 * x));
    return s + 1.702 * x * s * (1.0 - s);
}

#define GELU_MISTAKE(name, explanation, slope) GELU_GRADIENT_MISTAKE(name, explanation, dy*(slope))
#define GELU_GRADIENT_MISTAKE(name, explanation, dX_e)                                       \
    MISTAKE(gelu_backward, (const Tensor& X, const Tensor& dY), name, "§8.3", explanation) { \
        require_shape(dY, "dY", shape_of(X), "the shape of X", "gelu_backward");             \
        Tensor dX = dY;                                                                      \
        for (std::size_t e = 0; e < X.size(); ++e) {                                         \
            const double x = X.data()[e], dy = dY.data()[e];                                 \
            dX.data()[e] = (dX_e);                                                           \
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
GELU_MISTAKE("slope of the approximation by tanh, without the slope of its argument",
             "GELU is x Φ(x), with erf and not its approximation by tanh.",
             0.5 * (1.0 + t_of(x, 0.044715)) + 0.5 * x * (1.0 - t_of(x, 0.044715) * t_of(x, 0.044715)))
GELU_MISTAKE("slope of the approximation by tanh, its argument's without the cubic term",
             "GELU is x Φ(x), with erf and not its approximation by tanh.",
             0.5 * (1.0 + t_of(x, 0.044715)) +
                 0.5 * x * (1.0 - t_of(x, 0.044715) * t_of(x, 0.044715)) * root_of_two_over_pi)
GELU_MISTAKE("slope of the approximation by tanh without its cubic term",
             "GELU is x Φ(x), with erf and not its approximation by tanh.",
             0.5 * (1.0 + t_of(x, 0.0)) + 0.5 * x * (1.0 - t_of(x, 0.0) * t_of(x, 0.0)) * root_of_two_over_pi)
GELU_MISTAKE("slope of SiLU", "x σ(x) is another function: GELU has Φ instead of σ.",
             (1.0 + x * (1.0 - sigmoid(x))) * sigmoid(x))
GELU_MISTAKE("slope of x·(1 + erf(x))/2", "The formula is Φ(x) = (1 + erf(x/√2))/2, and its slope e^(−x²/2)/√(2π).",
             cdf(std::sqrt(2.0) * x) + std::sqrt(2.0) * x * density(std::sqrt(2.0) * x))
GELU_MISTAKE("slope of x·(1 + erf(x/2))/2",
             "The formula is Φ(x) = (1 + erf(x/√2))/2: the normal distribution with variance 1, not 2.",
             cdf(x / std::sqrt(2.0)) + x / std::sqrt(2.0) * density(x / std::sqrt(2.0)))
GELU_MISTAKE("slope of relu", "GELU is smooth: Φ(x) + x Φ′(x).", x > 0.0 ? 1.0 : 0.0)

// Φ itself
GELU_MISTAKE("Φ not halved", "Φ(x) = (1 + erf(x/√2))/2 goes from 0 to 1.", 2.0 * cdf(x) + x * density(x))
GELU_MISTAKE("erf always taken at 0", "In C++ 1 / 2 is 0, and its root with it: write 0.5, or divide x by √2.",
             0.5 + x * density(x))
GELU_MISTAKE("1 left out of Φ", "Φ(x) = (1 + erf(x/√2))/2 goes from 0 to 1.", cdf(x) - 0.5 + x * density(x))
GELU_MISTAKE("half of erf, without brackets", "Φ(x) = (1 + erf(x/√2))/2: all of 1 + erf is halved.",
             cdf(x) + 0.5 + x * density(x))
GELU_MISTAKE("1 − erf in place of 1 + erf", "Φ(x) = (1 + erf(x/√2))/2, with a plus: Φ grows with x.",
             cdf(-x) + x * density(x))
GELU_MISTAKE("erf of √2·x in place of x/√2", "The formula is Φ(x) = (1 + erf(x/√2))/2.", cdf(2.0 * x) + x * density(x))
GELU_MISTAKE("erf of x/2 in place of x/√2", "The formula is Φ(x) = (1 + erf(x/√2))/2: divide by the root of 2.",
             cdf(x / std::sqrt(2.0)) + x * density(x))
// Φ′
GELU_MISTAKE("density of x in place of x²", "Φ′(x) = e^(−x²/2)/√(2π): square x.",
             cdf(x) + x * 0.3989422804014327 * std::exp(-0.5 * x))
GELU_MISTAKE("density with e^(+x²/2)", "Φ′(x) = e^(−x²/2)/√(2π), with a minus: far from 0 the density falls.",
             cdf(x) + x * 0.3989422804014327 * std::exp(0.5 * x * x))
GELU_MISTAKE("density times √(2π)", "Φ′(x) = e^(−x²/2)/√(2π): divide by the root.",
             cdf(x) + x * std::exp(-0.5 * x * x) * std::sqrt(2.0 * pi))
GELU_MISTAKE("density with 1/√2·π", "Φ′(x) = e^(−x²/2)/√(2π): π is under the root, and below the line.",
             cdf(x) + x * std::exp(-0.5 * x * x) / std::sqrt(2.0) * pi)
GELU_MISTAKE("density with 1/(√2 π)", "Φ′(x) = e^(−x²/2)/√(2π): π is under the root.",
             cdf(x) + x * std::exp(-0.5 * x * x) / (std::sqrt(2.0) * pi))
GELU_MISTAKE("slope of erf in place of Φ′",
             "Φ is half of 1 + erf(x/√2), so that its slope is e^(−x²/2)/√(2π), not that of erf, 2/√π e^(−x²).",
             cdf(x) + x * 2.0 / std::sqrt(pi) * std::exp(-x * x))
GELU_MISTAKE("slope of erf at x/√2 in place of Φ′",
             "Φ is half of 1 + erf(x/√2): its slope has the factors 1/2 and 1/√2 besides that of erf.",
             cdf(x) + x * 2.0 / std::sqrt(pi) * std::exp(-0.5 * x * x))
GELU_MISTAKE("half of the slope of erf, at x",
             "Φ(x) = (1 + erf(x/√2))/2: take the slope of erf at x/√2, and multiply it by 1/√2.",
             cdf(x) + x / std::sqrt(pi) * std::exp(-x * x))
GELU_MISTAKE("Φ (1 − Φ) in place of Φ′", "That is the slope of the logistic function. Φ′ is e^(−x²/2)/√(2π).",
             cdf(x) + x * cdf(x) * cdf(-x))
GELU_MISTAKE("Φ in place of Φ′", "The product rule: Φ(x) + x Φ′(x), and Φ′ is the density e^(−x²/2)/√(2π).",
             cdf(x) + x * cdf(x))
// how they are put together
GELU_MISTAKE("density left out", "The product rule: Φ(x) + x Φ′(x).", cdf(x) + x)
GELU_MISTAKE("x² in the second term", "The product rule: Φ(x) + x Φ′(x), with x once.", cdf(x) + x * x * density(x))
GELU_MISTAKE("x in both terms", "The product rule: Φ(x) + x Φ′(x); the slope of the factor x is 1.",
             x*(cdf(x) + density(x)))
GELU_MISTAKE("product of Φ and x Φ′", "The product rule: Φ(x) + x Φ′(x), the sum of the two.", cdf(x) * x * density(x))
GELU_GRADIENT_MISTAKE("dY left out", "That is the slope of GELU: multiply it by dY.",
                      cdf(x) + x * density(x) + 0.0 * dy)
GELU_GRADIENT_MISTAKE("dY in the first term only", "dY multiplies the whole slope: dY (Φ(x) + x Φ′(x)).",
                      dy* cdf(x) + x * density(x))
GELU_GRADIENT_MISTAKE("dY in the second term only", "dY multiplies the whole slope: dY (Φ(x) + x Φ′(x)).",
                      cdf(x) + dy * x * density(x))
GELU_GRADIENT_MISTAKE("dY added to the slope", "dY multiplies the slope: dY (Φ(x) + x Φ′(x)).",
                      dy + cdf(x) + x * density(x))
GELU_GRADIENT_MISTAKE("X and dY exchanged", "The slope is that at X, and dY is its factor.",
                      x*(cdf(dy) + dy * density(dy)))

}  // namespace linattn::testing::gelu_mistakes
