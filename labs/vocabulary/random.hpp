// Random numbers that a seed decides: the same seed gives the same numbers, in every run and on every machine (to the
// last bits of the machine's log and cos). Different seeds, neighbours included, give independent ones.
#pragma once

#include <cstdint>

#include "tensor.hpp"

namespace linattn {

/// The source of them all: SplitMix64, 64 bits at a time.
class SplitMix64 {
public:
    /// Mixes the seed first, so that neighbouring seeds have nothing in common.
    explicit SplitMix64(std::uint64_t seed) : state_(seed) { state_ = bits(); }

    std::uint64_t bits();
    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

private:
    std::uint64_t state_;
};

/// Independent entries with the standard normal distribution N(0, 1).
Tensor normal(const Shape& shape, std::uint64_t seed);

}  // namespace linattn
