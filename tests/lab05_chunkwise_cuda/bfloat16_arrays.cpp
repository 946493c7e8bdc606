#include "bfloat16_arrays.hpp"

#include <cmath>

namespace linattn::testing {
namespace {

double feature(double x) { return x > 0.0 ? x + 1.0 : std::exp(x); }

// Whether 4 roundings of float32 may decide what the feature becomes.
bool is_near_a_border(double x) {
    const double phi = feature(x);
    return x < 0.0 && nearest_bfloat16(phi * (1.0 - 0x1p-22)) != nearest_bfloat16(phi * (1.0 + 0x1p-22));
}

}  // namespace

double nearest_bfloat16(double x) {
    if (x == 0.0 || !std::isfinite(x)) return x;
    int exponent = 0;
    std::frexp(x, &exponent);                                           // |x| in [2^(exponent-1), 2^exponent)
    const double unit = std::ldexp(1.0, std::max(exponent - 8, -133));  // 8 bits, fewer below 2^-126
    const double rounded = std::nearbyint(x / unit) * unit;
    const double largest = 0x1.FEp127;
    return std::fabs(rounded) > largest ? std::copysign(infinity, x) : rounded;
}

std::uint16_t upper_half(double x) {
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
}

std::vector<float> numbers_of(std::span<const std::uint16_t> patterns) {
    std::vector<float> numbers;
    numbers.reserve(patterns.size());
    for (const std::uint16_t pattern : patterns) numbers.push_back(from_bfloat16(pattern));
    return numbers;
}

Bfloat16Arrays::Bfloat16Arrays(const Arrays& in, bool near_borders_too) : sizes(in.sizes) {
    for (const auto& [from, to] : {std::pair(&in.Q, &Q), {&in.K, &K}, {&in.V, &V}})
        for (const float number : *from) {
            const double nearest = nearest_bfloat16(static_cast<double>(number));
            const bool left_out = to != &V && !near_borders_too && is_near_a_border(nearest);
            to->push_back(left_out ? 0 : upper_half(nearest));
        }
}

Bfloat16Arrays::Bfloat16Arrays(const Sizes& s, std::uint64_t stream, double scale)
    : Bfloat16Arrays([&] {
          Arrays in(s, stream);
          for (std::vector<float>* array : {&in.Q, &in.K})
              for (float& x : *array) x *= static_cast<float>(scale);
          return in;
      }()) {}

Arrays factors_of(const Bfloat16Arrays& in) {
    Arrays factors(in.sizes, 0);
    factors.Q = numbers_of(in.Q);
    factors.K = numbers_of(in.K);
    factors.V = numbers_of(in.V);
    for (std::vector<float>* array : {&factors.Q, &factors.K})
        for (float& x : *array) x = static_cast<float>(nearest_bfloat16(feature(static_cast<double>(x))));
    return factors;
}

Expected expected_mixed_output(const Bfloat16Arrays& in, float epsilon) {
    return expected_output(factors_of(in), epsilon, false);
}

}  // namespace linattn::testing
