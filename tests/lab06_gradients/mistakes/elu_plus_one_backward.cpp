#include <algorithm>
#include <cmath>

#include "gradients.hpp"
#include "suite.hpp"

namespace linattn::testing::elu_plus_one_backward_mistakes {

template <class Function>
Tensor each_pair(const Tensor& x, const Tensor& dY, Function f) {
    require_shape(dY, "dY", shape_of(x), "(…), the shape of x,");
    Tensor dX = x;
    for (std::size_t e = 0; e < dX.size(); ++e) dX.data()[e] = f(x.data()[e], dY.data()[e]);
    return dX;
}

MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "dY forgotten", "§6.2",
        "The chain rule multiplies the slope by what comes from above: dY · φ'(x).") {
    return each_pair(x, dY, [](double v, double) { return std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "dY forgotten below 0", "§6.2",
        "Both branches are multiplied by dY: dY above 0, and dY eˣ below.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "the slope forgotten", "§6.2",
        "dX is dY times the slope of φ, which is 1 above 0 only.") {
    return each_pair(x, dY, [](double, double g) { return g; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "φ in place of its slope", "§6.2",
        "Above 0 φ is x + 1 and its slope is 1.") {
    return each_pair(x, dY, [](double v, double g) { return g * (v > 0.0 ? v + 1.0 : std::exp(v)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of relu", "§6.2",
        "Below 0 φ is eˣ and so is its slope; only relu is flat there.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : 0.0; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of relu, 0 at 0 as well", "§6.2",
        "Below 0 φ is eˣ and so is its slope; only relu is flat there.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : 0.0; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "leaky slope of 0.01 below 0", "§6.2",
        "Below 0 φ is eˣ and so is its slope; a constant slope is that of leaky relu.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : 0.01 * g; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "exponential above 0 as well", "§6.2",
        "Above 0 φ is a line with slope 1: pick the branch with where, or cap the argument of exp at 0.") {
    return each_pair(x, dY, [](double v, double g) { return g * std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope 0 above 0", "§6.2",
        "Above 0 φ is x + 1 and its slope is 1.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? 0.0 : g * std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "branches exchanged", "§6.2",
        "Exchange them: the slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g * std::exp(v) : g; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "exp of large x overflows", "§6.2",
        "0 times infinity is NaN: pick a branch with where in place of multiplying, or cap the argument of exp at 0.") {
    return each_pair(x, dY, [](double v, double g) {
        const double above = v >= 0.0 ? 1.0 : 0.0;
        return g * (above + (1.0 - above) * std::exp(v));
    });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope 0 at 0", "§6.2",
        "At 0 both branches have slope 1: x >= 0, or x > 0 with the exponential for all the rest.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : v < 0.0 ? g * std::exp(v) : 0.0; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope 2 at 0", "§6.2",
        "Only one branch counts at 0: x >= 0 on one side, x < 0 on the other.") {
    return each_pair(x, dY,
                     [](double v, double g) { return g * ((v >= 0.0 ? 1.0 : 0.0) + (v <= 0.0 ? std::exp(v) : 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "exp(-x) below 0", "§6.2",
        "The sign is wrong: the exponential of x itself, which is below 1 for negative x.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : g * std::exp(-v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "elu in place of its slope", "§6.2",
        "elu is eˣ - 1 below 0; its slope is eˣ.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : g * std::expm1(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "1 added to the slope", "§6.2",
        "The 1 of elu + 1 is a constant: it has no slope.") {
    return each_pair(x, dY, [](double v, double g) { return g * (1.0 + std::exp(std::min(v, 0.0))); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "exp(x) - 1 + 1 loses small slopes", "§6.2",
        "Return the exponential itself: subtracting 1 rounds its digits away, and adding 1 does not bring them back.") {
    return each_pair(x, dY, [](double v, double g) { return g * ((std::exp(std::min(v, 0.0)) - 1.0) + 1.0); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x and dY exchanged", "§6.2",
        "The slope is taken at x and multiplied by dY, not the other way round.") {
    return each_pair(x, dY, [](double v, double g) { return v * std::exp(std::min(g, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x taken for the output", "§6.2",
        "The slope is y itself where y ≤ 1, but x is what went in, not y.") {
    return each_pair(x, dY, [](double v, double g) { return v > 1.0 ? g : g * v; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x + 1 below 0", "§6.2",
        "Below 0 the slope is elu + 1 of the output, which is eˣ; x is the input, so take eˣ.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * (v + 1.0); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x itself below 0", "§6.2",
        "Below 0 the slope is eˣ, the feature itself; x is what went in.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * v; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope added to dY", "§6.2",
        "The chain rule multiplies: dY · φ'(x).") {
    return each_pair(x, dY, [](double v, double g) { return g + std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "divided by the slope", "§6.2",
        "The chain rule multiplies: dY · φ'(x).") {
    return each_pair(x, dY, [](double v, double g) { return g / std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of the sigmoid", "§6.2",
        "φ is elu + 1, not a sigmoid: its slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) {
        const double y = 1.0 / (1.0 + std::exp(-v));
        return g * y * (1.0 - y);
    });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of softplus", "§6.2",
        "φ is elu + 1, not log(1 + eˣ): its slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) { return g / (1.0 + std::exp(-v)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of SELU", "§6.2",
        "φ is elu + 1, not SELU, whose factors are 1.05 and 1.67: its slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) {
        return g * 1.0507009873554805 * (v > 0.0 ? 1.0 : 1.6732632423543772 * std::exp(v));
    });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of GELU", "§6.2",
        "φ is elu + 1, not GELU: its slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) {
        return g * (std::erfc(-v / std::sqrt(2.0)) / 2.0 +
                    v * std::exp(-v * v / 2.0) / std::sqrt(2.0 * 3.14159265358979323846));
    });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of SiLU", "§6.2",
        "φ is elu + 1, not x times the sigmoid: its slope is 1 above 0 and eˣ below.") {
    return each_pair(x, dY, [](double v, double g) {
        const double y = 1.0 / (1.0 + std::exp(-v));
        return g * (y + v * y * (1.0 - y));
    });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "branch chosen by the sign of dY", "§6.2",
        "Which branch counts is decided by x, not by dY.") {
    return each_pair(x, dY, [](double v, double g) { return g >= 0.0 ? g : g * std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "1 added to the slope below 0", "§6.2",
        "elu' = elu + 1 has the 1 of elu + 1 in it: below 0 the slope of φ is φ itself, eˣ.") {
    return each_pair(x, dY, [](double v, double g) { return g * (v < 0.0 ? std::exp(v) + 1.0 : 1.0); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "1 added to the slope above 0", "§6.2",
        "Above 0 φ is x + 1, whose slope is 1.") {
    return each_pair(x, dY, [](double v, double g) { return g * (v > 0.0 ? 2.0 : std::exp(v)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "base 2 below 0", "§6.2",
        "Below 0 the slope is eˣ, to the base e: exp, not exp2.") {
    return each_pair(x, dY, [](double v, double g) { return g * std::exp2(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY),
        "base 2 below 0, exponent multiplied by ln 2 instead of divided", "§6.2",
        "eˣ is 2^(x / ln 2): the exponent of 2 is x times 1.44, not times 0.69.") {
    return each_pair(x, dY, [](double v, double g) { return g * std::exp2(std::log(2.0) * std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope of base 2 below 0", "§6.2",
        "The factor ln 2 belongs to the slope of 2ˣ: below 0 φ is eˣ, and so is its slope.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * std::log(2.0) * std::exp2(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope at dY", "§6.2",
        "Both are needed in their places: the slope is taken at x.") {
    return each_pair(x, dY, [](double, double g) { return g * std::exp(std::min(g, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x in place of dY", "§6.2",
        "The chain rule multiplies the slope by what comes from above: dY · φ'(x).") {
    return each_pair(x, dY, [](double v, double) { return v * std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x eˣ below 0", "§6.2",
        "The slope of eˣ is eˣ, without a factor.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * v * std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "exponential up to 1", "§6.2",
        "The branches of φ meet at 0: cap the argument of exp there.") {
    return each_pair(x, dY, [](double v, double g) { return g * std::exp(std::min(v, 1.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "larger of x and 0 in the exponential", "§6.2",
        "Below 0 the slope is eˣ, above it 1: the argument of exp is the smaller of x and 0.") {
    return each_pair(x, dY, [](double v, double g) { return g * std::exp(std::max(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "sign of dY", "§6.2",
        "The chain rule multiplies: dY · φ'(x), with a plus.") {
    return each_pair(x, dY, [](double v, double g) { return -g * std::exp(std::min(v, 0.0)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "eˣ twice below 0", "§6.2",
        "Below 0 the slope is eˣ, once.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * std::exp(2.0 * v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "1 added to the slope below 0, and at 0", "§6.2",
        "elu' = elu + 1 has the 1 of elu + 1 in it: below 0 the slope of φ is φ itself, eˣ, and 1 at 0.") {
    return each_pair(x, dY, [](double v, double g) { return g * (v > 0.0 ? 1.0 : std::exp(v) + 1.0); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "1 added to the slope above 0, and at 0", "§6.2",
        "Above 0 φ is x + 1, whose slope is 1, as it is at 0.") {
    return each_pair(x, dY, [](double v, double g) { return g * (v >= 0.0 ? 2.0 : std::exp(v)); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "elu in place of its slope, 0 at 0 as well", "§6.2",
        "elu is eˣ - 1 below 0; its slope is eˣ, and 1 at 0.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : g * std::expm1(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "slope 0 above 0, and at 0", "§6.2",
        "Above 0 φ is x + 1 and its slope is 1, as it is at 0.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? 0.0 : g * std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "dY forgotten below 0, and at 0", "§6.2",
        "Both branches are multiplied by dY: dY above 0, and dY eˣ below.") {
    return each_pair(x, dY, [](double v, double g) { return v > 0.0 ? g : std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "leaky slope of 0.01 below 0, 1 at 0", "§6.2",
        "Below 0 φ is eˣ and so is its slope; a constant slope is that of leaky relu.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : 0.01 * g; });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x eˣ below 0, 1 at 0", "§6.2",
        "The slope of eˣ is eˣ, without a factor.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : g * v * std::exp(v); });
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "x itself below 0, 1 at 0", "§6.2",
        "Below 0 the slope is eˣ, the feature itself; x is what went in.") {
    return each_pair(x, dY, [](double v, double g) { return v >= 0.0 ? g : g * v; });
}

// The right slopes but for one entry, which the loop does not reach: there is what there was.
Tensor but_for_entry(const Tensor& x, const Tensor& dY, bool last, const Tensor& before) {
    Tensor dX = each_pair(x, dY, [](double v, double g) { return g * std::exp(std::min(v, 0.0)); });
    if (const std::size_t at = last ? dX.size() - 1 : 0; dX.size() > 0) dX.data()[at] = before.data()[at];
    return dX;
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "last entry left at 0", "§6.2",
        "The last entry has a slope, too: the loop ends before x.size().") {
    return but_for_entry(x, dY, true, zeros(shape_of(x)));
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "first entry left at 0", "§6.2",
        "Entries are counted from 0: the loop begins there.") {
    return but_for_entry(x, dY, false, zeros(shape_of(x)));
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "last entry of dY left as it is", "§6.2",
        "The last entry is x.size() - 1: the loop runs while e < x.size().") {
    return but_for_entry(x, dY, true, dY);
}
MISTAKE(elu_plus_one_backward, (const Tensor& x, const Tensor& dY), "first entry of dY left as it is", "§6.2",
        "Entries are counted from 0: the loop begins there.") {
    return but_for_entry(x, dY, false, dY);
}

}  // namespace linattn::testing::elu_plus_one_backward_mistakes
