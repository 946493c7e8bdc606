#include "each_entry.hpp"

namespace linattn::testing {
namespace {

MISTAKE(elu_plus_one, (const Tensor& x), "elu without the plus one", "§1.1",
        "Features must stay positive: add 1 to elu, which makes it x + 1 above 0 and the exponential below.") {
    return each_entry(x, [](double v) { return v > 0.0 ? v : std::expm1(v); });
}
MISTAKE(elu_plus_one, (const Tensor& x), "exp(x) - 1 + 1 loses small values", "§1.1",
        "Return the exponential itself: subtracting 1 rounds its digits away, and adding 1 does not bring them back.") {
    return each_entry(x, [](double v) { return v > 0.0 ? v + 1.0 : (std::exp(v) - 1.0) + 1.0; });
}
MISTAKE(elu_plus_one, (const Tensor& x), "exp(-x) below 0", "§1.1",
        "The sign is wrong: the exponential of x itself, which is below 1 for negative x.") {
    return each_entry(x, [](double v) { return v > 0.0 ? v + 1.0 : std::exp(-v); });
}
MISTAKE(elu_plus_one, (const Tensor& x), "condition without > 0", "§1.1",
        "`where(x, …)` asks whether x differs from 0, which negative entries do as well: write x > 0.") {
    return each_entry(x, [](double v) { return v != 0.0 ? v + 1.0 : std::exp(v); });
}
MISTAKE(elu_plus_one, (const Tensor& x), "branches exchanged", "§1.1",
        "Exchange them: the line belongs to x > 0, the exponential to the rest.") {
    return each_entry(x, [](double v) { return v > 0.0 ? std::exp(v) : v + 1.0; });
}
MISTAKE(elu_plus_one, (const Tensor& x), "exp of large x overflows", "§1.1",
        "0 times infinity is NaN: pick a branch with where in place of multiplying, or cap the argument of exp at 0.") {
    return each_entry(x, [](double v) {
        const double above = v > 0.0 ? 1.0 : 0.0;
        return above * (v + 1.0) + (1.0 - above) * std::exp(v);
    });
}

}  // namespace
}  // namespace linattn::testing
