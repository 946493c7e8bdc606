// Lab 05: the same attention as in chunkwise.hpp with half the bytes, on the CPU. Inputs and features are bfloat16; sums
// stay in float32, and so does the state.
//
// A bfloat16 is the upper half of a float: 1 bit of sign, 8 of exponent, 7 of fraction. Arrays hold these 16 bits, the
// pattern of the number, contiguous, row by row, with the shapes of chunkwise.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "chunkwise.hpp"

namespace linattn {

/// The number that a bfloat16 stands for; every one is a float too.
inline float from_bfloat16(std::uint16_t pattern) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(pattern) << 16);
}

/// The nearest bfloat16 to each number; of two equally near, the one whose last bit is 0. Subnormals are rounded like other
/// numbers, ±0 and ±∞ stay what they are, what rounds past the largest bfloat16 becomes ±∞, and a NaN becomes some NaN.
/// \param x any number of entries
/// \return as many patterns
/// \throws nothing, whatever the numbers
/// \complexity{1, 1} per entry   \solves{5,7}
std::vector<std::uint16_t> to_bfloat16(std::span<const float> x);

/// chunkwise_linear_attention on bfloat16 inputs. φ(q) and φ(k) are computed in float32 and then rounded to bfloat16; the
/// products and the normaliser use the rounded ones. A, S, z, every sum and the output are float32.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param epsilon added to every denominator
/// \return \shape{(heads, n, d_v)}, float32
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \complexity{n\,d(d + C), d^2 + C(C + d)}   \solves{5,8}
Array chunkwise_mixed_precision(std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                                std::span<const std::uint16_t> V, const Sizes& sizes, int chunk, float epsilon);

// The check at the head of the function above; it throws std::invalid_argument.
void require_bfloat16_arrays(std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                             std::span<const std::uint16_t> V, const Sizes& sizes, int chunk,
                             const char* caller = __builtin_FUNCTION());

}  // namespace linattn
