// Lab 05: causal linear attention with φ(x) = elu(x) + 1, a chunk of tokens at a time, in float32.
//     o_i = φ(q_i)ᵀS_i / (φ(q_i)·z_i + ε),  S_i = Σ_{j≤i} φ(k_j)v_jᵀ,  z_i = Σ_{j≤i} φ(k_j)
// Arrays are contiguous, row by row: Q, K \shape{(heads, n, d_k)}, V, output \shape{(heads, n, d_v)}. Chunk m holds the
// tokens m·chunk to min(n, (m+1)·chunk) - 1; there are ⌈n/chunk⌉ chunks, and the last may be shorter.
//
// The first function runs on the CPU, and you write it. Each of the others launches your kernel of the same name, or, for
// feature_map_fused, a given kernel that calls yours (kernels.hpp); their launch code is given. `run` has the settings of
// the CPU run: the order of the threads, and what is checked. A GPU ignores them.
#pragma once

#include "gpu/error.hpp"
#include "kernels/float_arrays.hpp"

namespace linattn {

/// S and z of every chunk.
struct States {
    Array S;  ///< \shape{(heads, chunks, d_k, d_v)}
    Array z;  ///< \shape{(heads, chunks, d_k)}
};

/// On the CPU: the masked weights inside a chunk, φ(Q)S for the chunks before it, all of it as products of matrices.
/// A NaN or an infinity in V may make all outputs of its chunk NaN, those of earlier tokens too: a product multiplies by
/// the zeros of the mask, and 0 · NaN is NaN. It does not change the outputs of earlier chunks.
/// The method is graded, too: at least half of the multiply-adds are done in add_product (matrix.hpp), a chunk at a time.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param epsilon added to every denominator
/// \return \shape{(heads, n, d_v)}
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \complexity{n\,d(d + C), d^2 + C(C + d)}   \paper{yang2023, section 2.2}   \solves{5,1}
Array chunkwise_linear_attention(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                 const Sizes& sizes, int chunk, float epsilon);

/// φ(x) = elu(x) + 1, entry by entry, in a kernel that calls your __device__ function.
/// \param x any number of entries   \param run settings of the CPU run
/// \return as many
/// \throws gpu::Error when the kernel breaks a rule of the CUDA model
/// \complexity{1, 1} per entry   \solves{5,2}
Array feature_map_fused(std::span<const float> x, const gpu::RunOptions& run);

/// One block per head takes the head's chunks in order; S and z stay in shared memory.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param epsilon added to every denominator
/// \param run settings of the CPU run
/// \return \shape{(heads, n, d_v)}
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \throws gpu::Error when a block would need more shared memory than it may have
/// \complexity{n\,d(d + C), d^2 + C(C + d)}   \paper{yang2023, section 2.2}   \solves{5,3}
Array chunkwise_forward(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                        const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run);

/// First pass, one block per chunk and head: what each chunk alone adds, S = Σ φ(k_j)v_jᵀ and z = Σ φ(k_j) over its
/// tokens.
/// \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param run settings of the CPU run
/// \return S \shape{(heads, chunks, d_k, d_v)} and z \shape{(heads, chunks, d_k)}
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \throws gpu::Error when a block would need more shared memory than it may have
/// \complexity{n\,d^2, n\,d^2/C}   \solves{5,4}
States chunk_states(std::span<const float> K, std::span<const float> V, const Sizes& sizes, int chunk,
                    const gpu::RunOptions& run);

/// Second pass, one thread per entry of S and z: replaces what each chunk adds by the sum over the chunks before it.
/// \param S \shape{(heads, chunks, d_k, d_v)}   \param z \shape{(heads, chunks, d_k)}
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param run settings of the CPU run
/// \return S and z of the same shapes
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \complexity{n\,d^2/C, 1}   \solves{5,5}
States scan_states(std::span<const float> S, std::span<const float> z, const Sizes& sizes, int chunk,
                   const gpu::RunOptions& run);

/// Third pass, one block per chunk and head: the outputs, from the chunk's tokens and the state before it.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param S \shape{(heads, chunks, d_k, d_v)}   \param z \shape{(heads, chunks, d_k)}, both of the tokens before a chunk
/// \param sizes the lengths   \param chunk tokens in a chunk, at least 1   \param epsilon added to every denominator
/// \param run settings of the CPU run
/// \return \shape{(heads, n, d_v)}
/// \throws std::invalid_argument when a length is not what the sizes say, or chunk is less than 1
/// \throws gpu::Error when a block would need more shared memory than it may have
/// \complexity{n\,d(d + C), C(C + d)}   \solves{5,6}
Array chunk_outputs(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                    std::span<const float> S, std::span<const float> z, const Sizes& sizes, int chunk, float epsilon,
                    const gpu::RunOptions& run);

/// chunkwise_forward for several sequences in one row, without padding between them. One block per sequence and head takes
/// the chunks of its sequence in order. They are counted from the sequence's first token, and its last one may be shorter;
/// another cut that gives the same numbers is accepted. S and z begin at 0 in each. Nothing of a sequence, not even a NaN,
/// changes an output of another one.
/// \param Q \shape{(heads, n, d_k)}   \param K \shape{(heads, n, d_k)}   \param V \shape{(heads, n, d_v)}
/// \param borders \shape{(sequences + 1)}, sequence s holds the tokens borders[s] to borders[s + 1] - 1 of every head. The
/// first entry is 0, the last is n, and none is less than the one before; a sequence may be empty
/// \param sizes the lengths, n of all sequences together   \param chunk tokens in a chunk, at least 1
/// \param epsilon added to every denominator   \param run settings of the CPU run
/// \return \shape{(heads, n, d_v)}
/// \throws std::invalid_argument when a length is not what the sizes say, chunk is less than 1, or borders are not such
/// \throws gpu::Error when a block would need more shared memory than it may have
/// \complexity{n\,d(d + C), d^2 + C(C + d)}   \paper{yang2023, section 2.2, for each sequence}   \solves{5,9}
Array packed_chunkwise_forward(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                               std::span<const int> borders, const Sizes& sizes, int chunk, float epsilon,
                               const gpu::RunOptions& run);

/// ⌈n/chunk⌉
inline int chunks_of(const Sizes& sizes, int chunk) { return (sizes.n + chunk - 1) / chunk; }

// The checks at the head of each function; they throw std::invalid_argument.
void require_attention_arrays(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                              const Sizes& sizes, int chunk, const char* caller = __builtin_FUNCTION());
void require_states(std::span<const float> S, std::span<const float> z, const Sizes& sizes, int chunk,
                    const char* caller = __builtin_FUNCTION());
void require_borders(std::span<const int> borders, const Sizes& sizes, const char* caller = __builtin_FUNCTION());

}  // namespace linattn
