#include "each_entry.hpp"

namespace linattn::testing {
namespace {

MISTAKE(relu, (const Tensor& x), "leaky slope for negative x", "§1.2",
        "Negative entries become 0, not a small multiple of themselves: features may not be negative.") {
    return each_entry(x, [](double v) { return v < 0.0 ? 0.01 * v : v; });
}
MISTAKE(relu, (const Tensor& x), "absolute value", "§1.2",
        "Cut negative entries off at 0 instead of turning their sign.") {
    return each_entry(x, [](double v) { return std::fabs(v); });
}
MISTAKE(relu, (const Tensor& x), "clipped at one", "§1.2", "There is no ceiling: positive entries stay as they are.") {
    return each_entry(x, [](double v) { return v < 0.0 ? 0.0 : v > 1.0 ? 1.0 : v; });
}

}  // namespace
}  // namespace linattn::testing
