#include "random.hpp"

#include <cmath>
#include <numbers>

namespace linattn {

std::uint64_t SplitMix64::bits() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

Tensor normal(const Shape& shape, std::uint64_t seed) {
    SplitMix64 random(seed);
    Tensor x = zeros(shape);
    for (std::size_t i = 0; i < x.size(); i += 2) {  // Box and Muller: a point of the plane, from its radius and angle
        const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
        const double angle = 2.0 * std::numbers::pi * random.uniform();
        x.data()[i] = radius * std::cos(angle);
        if (i + 1 < x.size()) x.data()[i + 1] = radius * std::sin(angle);
    }
    return x;
}

}  // namespace linattn
