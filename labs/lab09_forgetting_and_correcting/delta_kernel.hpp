// Exercise 9.14: the gated delta rule in float32, as a kernel. Arrays are contiguous, row by row: Q, K
// \shape{(heads, n, d_k)}, V, output \shape{(heads, n, d_v)}, beta, log_decay \shape{(heads, n)}. Chunk m holds the tokens
// m·chunk to min(n, (m+1)·chunk) - 1; the last chunk may be shorter.
//
// The function launches your kernel of the same name (kernels.hpp); its launch code is given. `run` has the settings of the
// CPU run: the order of the threads, and what is checked. A GPU ignores them.
#pragma once

#include "gpu/error.hpp"
#include "kernels/float_arrays.hpp"

namespace linattn {

/// The gated delta rule of 9.11. One block per head takes the head's chunks in order; S stays in shared memory, and begins
/// with zeros. No exponent is above 0, and a decay between two tokens of a chunk is as accurate as the sum of its own
/// logarithms.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param beta how strongly each token writes \shape{(heads, n)}
/// \param log_decay logarithms of the decays \shape{(heads, n)}, from -inf to 0
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param run settings of the CPU run
/// \return \shape{(heads, n, d_v)}
/// \throws std::invalid_argument when a length is not what the sizes say, an entry of log_decay is above 0 or NaN, or chunk
/// is less than 1
/// \throws gpu::Error when a block would need more shared memory than it may have
/// \complexity{n(d_k\,d_v + C(d_k + d_v)), d_k\,d_v + C(C + d_k + d_v)} for chunks of C tokens
/// \paper{yang2024gated, section 3.3}   \solves{9,14}
Array gated_delta_forward(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                          std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes, int chunk,
                          const gpu::RunOptions& run);

/// The checks at the head of gated_delta_forward.
void require_delta_arrays(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                          std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes, int chunk,
                          const char* caller = __builtin_FUNCTION());

}  // namespace linattn
