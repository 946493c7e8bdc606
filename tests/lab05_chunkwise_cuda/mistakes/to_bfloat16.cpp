#include <cmath>

#include "bfloat16_arrays.hpp"

namespace linattn::testing::to_bfloat16_mistakes {

// The answer, except where `wrong` has one of its own.
template <class Wrong>
Patterns rounded_but(Values x, Wrong wrong) {
    Patterns patterns;
    for (const float number : x) {
        const std::uint16_t right = upper_half(nearest_bfloat16(static_cast<double>(number)));
        patterns.push_back(static_cast<std::uint16_t>(wrong(number, std::bit_cast<std::uint32_t>(number), right)));
    }
    return patterns;
}

// Something added before the lower half is cut off; NaN and infinities are right.
Patterns added_and_cut(Values x, std::uint32_t added) {
    return rounded_but(x, [added](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isfinite(number) ? (bits + added) >> 16 : right;
    });
}

#define ROUNDING_MISTAKE(name, explanation) MISTAKE(to_bfloat16, (Values x), name, "§5.7", explanation)

ROUNDING_MISTAKE("truncated instead of rounded",
                 "The upper half alone is rounded towards 0; what is cut off decides which neighbour is nearer.") {
    return added_and_cut(x, 0);
}
ROUNDING_MISTAKE("halfway numbers rounded away from 0",
                 "0x8000 added always carries when halfway: add 0x7FFF, and 1 more when the upper half is odd.") {
    return added_and_cut(x, 0x8000);
}
ROUNDING_MISTAKE("halfway numbers rounded towards 0",
                 "0x7FFF added never carries when halfway: add 1 more when the upper half is odd.") {
    return added_and_cut(x, 0x7FFF);
}
ROUNDING_MISTAKE("halfway numbers rounded to the odd neighbour",
                 "Halfway, the upper half has to end in 0: carry when its last bit is 1.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isfinite(number) ? (bits + 0x8000 - (bits >> 16 & 1)) >> 16 : right;
    });
}
ROUNDING_MISTAKE(
    "last bit set wherever something is cut off",
    "That rounds to the odd neighbour: add to the lower half, and let it carry where it is large enough.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isfinite(number) ? bits >> 16 | ((bits & 0xFFFF) != 0 ? 1u : 0u) : right;
    });
}
ROUNDING_MISTAKE("whatever lies above halfway rounded to the even neighbour",
                 "The even neighbour is for exactly halfway: above it the next one up is nearer.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isfinite(number) ? (bits >> 16) + ((bits & 0x8000) != 0 ? bits >> 16 & 1 : 0) : right;
    });
}
ROUNDING_MISTAKE("odd or even told by the wrong bit",
                 "The last bit of the upper half is bit 16: bits >> 16 & 1 says whether it is odd.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isfinite(number) ? (bits + 0x7FFF + (bits >> 17 & 1)) >> 16 : right;
    });
}
ROUNDING_MISTAKE(
    "carry into the exponent lost",
    "A fraction of ones that is rounded up carries into the exponent: 1.999 becomes 2. Add to all 32 bits.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        const bool carries = std::isfinite(number) && (right & 0x7F) == 0 && (bits >> 16 & 0x7F) == 0x7F;
        return carries ? bits >> 23 << 7 : right;
    });
}
ROUNDING_MISTAKE("carry or-ed into the exponent",
                 "Where the exponent's last bit is 1 already, or changes nothing: add, so that the carry moves on.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        const std::uint32_t fraction = (bits & 0x7FFFFF) + 0x7FFF + (bits >> 16 & 1);
        return std::isfinite(number) ? ((bits & 0xFF800000) | fraction) >> 16 : right;
    });
}
ROUNDING_MISTAKE("always rounded away from 0", "Carry only when the lower half is more than 0x8000, or that and odd.") {
    return added_and_cut(x, 0xFFFF);
}
ROUNDING_MISTAKE("NaN rounded like a number",
                 "The carry runs through a NaN's fraction and leaves an infinity or a zero: treat NaN by itself.") {
    return rounded_but(
        x, [](float, std::uint32_t bits, std::uint32_t) { return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16; });
}
ROUNDING_MISTAKE("NaN cut to an infinity",
                 "A NaN whose upper fraction is 0 is an infinity once cut: set a bit of the fraction.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isnan(number) ? bits >> 16 : right;
    });
}
ROUNDING_MISTAKE("infinity turned into NaN", "Exponent all ones and fraction 0 is an infinity: only others are NaN.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::isinf(number) ? bits >> 16 | 0x40 : right;
    });
}
ROUNDING_MISTAKE("negative numbers taken for NaN",
                 "Compare exponent and fraction alone, without the sign: bits & 0x7FFFFFFF.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::signbit(number) ? bits >> 16 | 0x40 : right;
    });
}
ROUNDING_MISTAKE("subnormals flushed to 0", "Subnormals round by the same addition as all others.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) {
        return std::fabs(number) < 0x1p-126f ? bits >> 31 << 15 : right;
    });
}
ROUNDING_MISTAKE("largest number in place of an infinity",
                 "What rounds past the largest number becomes infinite: let the carry reach the exponent.") {
    return rounded_but(x, [](float number, std::uint32_t, std::uint32_t right) {
        return std::isfinite(number) && (right & 0x7FFF) == 0x7F80 ? right - 1 : right;
    });
}
ROUNDING_MISTAKE("sign of zero lost", "Keep the sign bit: -0.0f is the pattern 0x8000.") {
    return rounded_but(x, [](float number, std::uint32_t, std::uint32_t right) { return number == 0.0f ? 0 : right; });
}
ROUNDING_MISTAKE("sign lost", "The sign is the first of the 16 bits.") {
    return rounded_but(x, [](float, std::uint32_t, std::uint32_t right) { return right & 0x7FFF; });
}
ROUNDING_MISTAKE("rounded to multiples of 1/128",
                 "That is right from 1 to 2 only: which numbers are neighbours depends on the exponent.") {
    return rounded_but(x, [](float number, std::uint32_t, std::uint32_t right) -> std::uint32_t {
        if (std::isnan(number)) return right;
        return std::bit_cast<std::uint32_t>(std::nearbyint(number * 128.0f) / 128.0f) >> 16;
    });
}
ROUNDING_MISTAKE("a 256th of the number added before the cut",
                 "Half of the distance to the next one does not grow with the fraction: add to the bits instead.") {
    return rounded_but(x, [](float number, std::uint32_t, std::uint32_t right) {
        return std::isnan(number) ? right : std::bit_cast<std::uint32_t>(number + number / 256.0f) >> 16;
    });
}
ROUNDING_MISTAKE("lower half kept",
                 "Sign, exponent and the first bits of the fraction are the upper half: shift by 16.") {
    return rounded_but(x, [](float, std::uint32_t bits, std::uint32_t) { return bits; });
}
ROUNDING_MISTAKE("IEEE half precision instead of bfloat16",
                 "bfloat16 has 8 bits of exponent, as a float has, and 7 of fraction; half precision has 5 and 10.") {
    return rounded_but(x, [](float number, std::uint32_t bits, std::uint32_t right) -> std::uint32_t {
        if (!std::isfinite(number) || number == 0.0f) return right;
        const std::uint32_t exponent = bits >> 23 & 0xFF, sign = bits >> 16 & 0x8000;
        if (exponent < 113) return sign;
        if (exponent > 142) return sign | 0x7C00;
        return sign | (((exponent - 112) << 10) + (bits >> 13 & 0x3FF) + (bits >> 12 & 1));
    });
}

// The answer but for one number, which the loop does not reach.
Patterns but_for_number(Values x, bool last) {
    Patterns patterns = rounded_but(x, [](float, std::uint32_t, std::uint32_t right) { return right; });
    if (!patterns.empty()) (last ? patterns.back() : patterns.front()) = 0;
    return patterns;
}
ROUNDING_MISTAKE("last number left at 0", "The last number is x.size() - 1: the loop runs while i < x.size().") {
    return but_for_number(x, true);
}
ROUNDING_MISTAKE("first number left at 0", "Numbers are counted from 0: the loop begins there.") {
    return but_for_number(x, false);
}

}  // namespace linattn::testing::to_bfloat16_mistakes
