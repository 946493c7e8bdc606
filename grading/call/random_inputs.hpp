// Random inputs, the same on every machine, from a seed that every message prints.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "tensor.hpp"

namespace linattn::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The seed that all inputs of a run come from: LINATTN_SEED, or 1.
std::uint64_t master_seed();

/// The seed of the inputs made last in this case, as messages print it; empty when none were random.
const std::string& last_seed();
void forget_seed();

/// Entries uniform in [low, high). `stream` tells inputs of one case apart.
Tensor random_tensor(const Shape& shape, std::uint64_t stream, double low = -2.0, double high = 2.0);

/// A seed for a function that takes one.
std::uint64_t random_seed(std::uint64_t stream);

}  // namespace linattn::testing
