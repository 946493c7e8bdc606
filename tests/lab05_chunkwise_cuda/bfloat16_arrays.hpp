// Arrays of bfloat16, and what rounding to it means by definition: in double, without a look at any bits.
#pragma once

#include "arrays.hpp"
#include "mixed_precision.hpp"

namespace linattn::testing {

using Patterns = std::vector<std::uint16_t>;

/// The multiple of x's own unit in the last place that is nearest, the even one of two; ±∞ past the largest.
double nearest_bfloat16(double x);

/// The pattern of a number of bfloat16.
std::uint16_t upper_half(double x);

std::vector<float> numbers_of(std::span<const std::uint16_t> patterns);

/// Random Q, K and V as in Arrays, rounded. No feature of theirs lies so near to the middle between two numbers of
/// bfloat16 that the last bits of e^x decide which of them it becomes.
struct Bfloat16Arrays {
    Sizes sizes;
    Patterns Q, K, V;
    Bfloat16Arrays(const Sizes& sizes, std::uint64_t stream, double scale = 1.0);
    explicit Bfloat16Arrays(const Arrays& in, bool near_borders_too = false);
};

/// Rounded features in the places of Q and K, and V: what the products multiply.
Arrays factors_of(const Bfloat16Arrays& in);

/// The definition on those factors, which are exact; so the tolerance is that of sums in float32.
Expected expected_mixed_output(const Bfloat16Arrays& in, float epsilon);

}  // namespace linattn::testing
