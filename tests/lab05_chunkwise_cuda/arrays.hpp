// float32 arrays as the comparison sees them, and what the definition makes of them, in double.
#pragma once

#include "chunkwise.hpp"
#include "kernel_claims.hpp"

namespace linattn {

testing::Parts parts_of(const States& states);

}  // namespace linattn

namespace linattn::testing {

/// Random Q and K with entries in [-2, 2), V in [-1, 1).
struct Arrays {
    Sizes sizes;
    std::vector<float> Q, K, V;
    Arrays(const Sizes& sizes, std::uint64_t stream);
};

using Borders = std::vector<int>;  ///< of sequences in a row; empty: the row is one sequence

/// o_i = Σ_{j≤i} φ(q_i)·φ(k_j) v_j / (Σ_{j≤i} φ(q_i)·φ(k_j) + ε), in double, j in the sequence of i. Not mapped, Q and K are
/// features already.
Tensor output_by_definition(Values Q, Values K, Values V, const Sizes& sizes, float epsilon, bool mapped = true,
                            const Borders& borders = {});

/// The causal output with its tolerance. A sum of m terms is off by 2⁻²⁴ min(m, 7√m) of their size: every rounding in
/// the same direction, or, as rounding errors do, m independent ones (7 standard deviations: below 1e-11).
Expected expected_output(const Arrays& in, float epsilon, bool mapped = true, const Borders& borders = {});

/// S and z of every chunk: over its own tokens, or over all tokens before it.
std::vector<Expected> expected_states(const Arrays& in, int chunk, bool before);

/// The same without tolerances, over the chunk's own tokens.
struct ChunkSums {
    Tensor S, z, size_of_S;
};
ChunkSums sums_of_chunks(Values K, Values V, const Sizes& sizes, int chunk);

/// Σ over the chunks before, for x of shape (heads, chunks, …).
Tensor sums_before(const Tensor& x);

/// Both sides of every border, as in sizes.hpp.
std::vector<Sizes> every_size();

/// More tokens than the memory of a block can hold at once. every_size has more heads than a card has multiprocessors.
constexpr Sizes many_tokens_of_a_head{1, 4100, 8, 8};

}  // namespace linattn::testing
