// float32 arrays as the comparison sees them, and what the definition makes of them, in double.
#pragma once

#include <functional>

#include "chunkwise.hpp"
#include "suite.hpp"

namespace linattn {

testing::Parts parts_of(const Array& array);
testing::Parts parts_of(const States& states);
std::string describe(const Sizes& sizes);

}  // namespace linattn

namespace linattn::testing {

using Values = std::span<const float>;

/// Random Q and K with entries in [-2, 2), V in [-1, 1).
struct Arrays {
    Sizes sizes;
    std::vector<float> Q, K, V;
    Arrays(const Sizes& sizes, std::uint64_t stream);
};

std::vector<float> rounded(const Tensor& x);
Tensor tensor_of(Values values, const Shape& shape);
Array array_of(const Tensor& x);

/// How often the pair (i, j) counts; for most definitions 1 or 0.
using Count = std::function<double(int i, int j)>;
Count up_to_itself();

/// What φ is applied to; for all definitions both.
struct Mapped {
    bool Q = true, K = true;
};

/// o_i = Σ_j count(i, j) φ(q_i)·φ(k_j) v_j / (Σ_j counted(i, j) φ(q_i)·φ(k_j) + ε), in double.
Tensor output_by_definition(Values Q, Values K, Values V, const Sizes& sizes, float epsilon, const Count& count,
                            const Count& counted, Mapped mapped = {});

/// The causal output with its tolerance. A sum of m terms is off by 2⁻²⁴ min(m, 7√m) of their size: every rounding in
/// the same direction, or, as rounding errors do, m independent ones (7 standard deviations: below 1e-11).
Expected expected_output(const Arrays& in, float epsilon);

/// S and z of every chunk: over its own tokens, or over all tokens before it.
std::vector<Expected> expected_states(const Arrays& in, int chunk, bool before);

/// The same without tolerances: `rows` tells how many rows of a chunk that begins at `start` count; rows past the end
/// of the sequence have φ = 1 and v = 0.
struct ChunkSums {
    Tensor S, z, size_of_S;
};
ChunkSums sums_of_chunks(Values K, Values V, const Sizes& sizes, int chunk, const std::function<int(int start)>& rows,
                         bool mapped = true);

/// Σ over the chunks before (inclusive: and the chunk itself), for x of shape (heads, chunks, …).
Tensor sums_before(const Tensor& x, bool inclusive = false);

/// One order for cases that are about numbers; the large ones unwatched, which is 3 times faster.
inline const gpu::RunOptions quick{gpu::RunOptions::Order::shuffled, 3, true, false};
inline const gpu::RunOptions unwatched{gpu::RunOptions::Order::shuffled, 3, false, false};

/// Both sides of every border, as in sizes.hpp.
std::vector<Sizes> every_size();

/// Forward, reverse and shuffled.
std::vector<gpu::RunOptions> every_order(bool checked);

}  // namespace linattn::testing
