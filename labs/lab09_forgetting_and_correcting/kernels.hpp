// The kernel of lab 09: its declaration, and the arrays that it keeps in shared memory.
#pragma once

#include "delta_kernel.hpp"
#include "kernels/student_kernels.hpp"

namespace linattn::kernels {

/// The shared memory of gated_delta_forward.
struct DeltaTiles {
    Tile q, k;           // chunk × d_k
    Tile u;              // chunk × d_v: the right sides first, then what each token writes
    Tile A;              // chunk × chunk, where j ≤ i: the decays D_ij first, then (q_i·k_j) D_ij
    Tile L;              // chunk × chunk, where j < i: β_i (k_i·k_j) D_ij
    Tile S;              // d_k × d_v
    float* since_begin;  // chunk: the decay from the chunk's first token to token i, both included
    float* until_end;    // chunk: the decay from token j + 1 to the chunk's last token

    __device__ DeltaTiles(Sizes sizes, int chunk) {
        gpu::SharedMemory shared;
        q = Tile::take(shared, chunk, sizes.d_k, "q");
        k = Tile::take(shared, chunk, sizes.d_k, "k");
        u = Tile::take(shared, chunk, sizes.d_v, "u");
        A = Tile::take(shared, chunk, chunk, "A");
        L = Tile::take(shared, chunk, chunk, "L");
        S = Tile::take(shared, sizes.d_k, sizes.d_v, "S");
        since_begin = shared.take<float>(chunk, "since_begin");
        until_end = shared.take<float>(chunk, "until_end");
    }
    static std::size_t bytes(Sizes sizes, int chunk) {
        return 2 * Tile::bytes(chunk, sizes.d_k) + Tile::bytes(chunk, sizes.d_v) + 2 * Tile::bytes(chunk, chunk) +
               Tile::bytes(sizes.d_k, sizes.d_v) + gpu::shared_bytes<float>(chunk, chunk);
    }
};

// You write this. Pointers are to device memory; shapes as in delta_kernel.hpp. The stub says how it is launched.
__global__ void gated_delta_forward(const float* Q, const float* K, const float* V, const float* beta,
                                    const float* log_decay, float* O, Sizes sizes, int chunk);

}  // namespace linattn::kernels
