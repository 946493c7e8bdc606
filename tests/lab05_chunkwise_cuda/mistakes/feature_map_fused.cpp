#include <cmath>

#include "arrays.hpp"
#include "faults.hpp"

namespace linattn::testing::feature_map_fused_mistakes {

#define MAP_MISTAKE(name, explanation) \
    MISTAKE(feature_map_fused, (Values x, const gpu::RunOptions& run), name, "§5.2", explanation)

Array each(Values x, float (*f)(float)) {
    Array y{{x.size()}, {}};
    for (const float entry : x) y.values.push_back(f(entry));
    return y;
}

MAP_MISTAKE("elu without the one", "elu(x) + 1 is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return v > 0.0f ? v : std::expm1(v); });
}
MAP_MISTAKE("branches exchanged", "x + 1 is for x > 0; e^x for the others.") {
    return each(x, [](float v) { return v > 0.0f ? std::exp(v) : v + 1.0f; });
}
MAP_MISTAKE("one added to both branches", "e^x - 1 + 1 is e^x: below 0 nothing is added.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp(v) + 1.0f; });
}
MAP_MISTAKE("softplus instead of elu",
            "log(1 + e^x) is another positive map: this one is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return std::max(v, 0.0f) + std::log1p(std::exp(-std::fabs(v))); });
}
MAP_MISTAKE("SELU plus one", "SELU has factors of its own, 1.05 and 1.67: elu + 1 is x + 1 above 0 and e^x below.") {
    return each(
        x, [](float v) { return 1.0507009873554805f * (v > 0.0f ? v : 1.6732632423543772f * std::expm1(v)) + 1.0f; });
}
MAP_MISTAKE("GELU plus one", "GELU is another activation: elu + 1 is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return 0.5f * v * (1.0f + std::erf(v * 0.70710678f)) + 1.0f; });
}
MAP_MISTAKE("SiLU plus one", "x times the sigmoid is another activation: elu + 1 is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return v / (1.0f + std::exp(-v)) + 1.0f; });
}
MAP_MISTAKE("sigmoid instead of elu plus one", "The sigmoid stays below 1: elu + 1 is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return 1.0f / (1.0f + std::exp(-v)); });
}
MAP_MISTAKE("1 missing above 0", "Above 0 the map is x + 1, which equals the exponential at x = 0.") {
    return each(x, [](float v) { return v > 0.0f ? v : std::exp(v); });
}
MAP_MISTAKE("relu plus one", "Below 0 the map falls off as e^x; it is not 1 everywhere.") {
    return each(x, [](float v) { return std::max(v, 0.0f) + 1.0f; });
}
MAP_MISTAKE("relu instead of elu plus one", "Below 0 the map is e^x, above it x + 1.") {
    return each(x, [](float v) { return std::max(v, 0.0f); });
}
MAP_MISTAKE("exponential above 0 as well", "Above 0 the map is the line x + 1.") {
    return each(x, [](float v) { return std::exp(v); });
}
MAP_MISTAKE("1 subtracted and added again below 0",
            "e^x - 1 + 1 loses the digits of small features, down to 0: return e^x itself.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : (std::exp(v) - 1.0f) + 1.0f; });
}
MAP_MISTAKE("a NaN becomes 1", "fmaxf and fminf return the other number where one is NaN: choose with a comparison.") {
    return each(x, [](float v) { return std::isnan(v) ? 1.0f : v > 0.0f ? v + 1.0f : std::exp(v); });
}
MAP_MISTAKE("base 2 below 0", "Below 0 the map is e^x, to the base e: __expf, not exp2f.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp2(v); });
}
MAP_MISTAKE("base 2 below 0, exponent multiplied by ln 2 instead of divided",
            "e^x is 2^(x / ln 2): the exponent of 2 is x times 1.44, not times 0.69.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp2(v * 0.69314718f); });
}
MAP_MISTAKE("exponent divided by ln 2, but base e, below 0",
            "x / ln 2 is the exponent of 2, for exp2f: __expf takes x itself.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp(v * 1.44269504f); });
}
MAP_MISTAKE("exp(-x) below 0", "The sign is wrong: below 0 the map is e^x, which is below 1 there.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp(-v); });
}
MAP_MISTAKE("2 added above 0", "Above 0 the map is x + 1, which equals the exponential at x = 0.") {
    return each(x, [](float v) { return v > 0.0f ? v + 2.0f : std::exp(v); });
}
MAP_MISTAKE("1 subtracted above 0", "Above 0 the map is x + 1, which equals the exponential at x = 0.") {
    return each(x, [](float v) { return v > 0.0f ? v - 1.0f : std::exp(v); });
}
MAP_MISTAKE("1 subtracted below 0", "e^x - 1 is elu; elu + 1 is e^x below 0.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::expm1(v); });
}
MAP_MISTAKE("line from 1 on", "The branches meet at 0: x + 1 where x > 0.") {
    return each(x, [](float v) { return v > 1.0f ? v + 1.0f : std::exp(v); });
}
MAP_MISTAKE("slope in place of the map", "Above 0 the map is x + 1; 1 is its slope.") {
    return each(x, [](float v) { return v > 0.0f ? 1.0f : std::exp(v); });
}
MAP_MISTAKE("both branches computed and mixed", "0 · e^1000 is not 0: choose a branch, do not multiply by 0 and 1.") {
    return each(x, [](float v) {
        const float above = v > 0.0f ? 1.0f : 0.0f;
        return above * (v + 1.0f) + (1.0f - above) * std::exp(v);
    });
}

}  // namespace linattn::testing::feature_map_fused_mistakes
