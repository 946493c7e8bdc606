// What lab 05's kernels share: their declarations, and the arrays that they keep in shared memory.
#pragma once

#include "chunkwise.hpp"
#include "kernels/student_kernels.hpp"

namespace linattn::kernels {

/// The shared memory of chunkwise_forward and packed_chunkwise_forward.
struct ForwardTiles {
    Tile phi_Q, phi_K;  // chunk × d_k
    Tile V;             // chunk × d_v
    Tile A;             // chunk × chunk: φ(q_i)·φ(k_j) where j ≤ i
    Tile S;             // d_k × d_v
    float* z;           // d_k
    float* normalizer;  // chunk: φ(q_i)·z_i + ε

    __device__ ForwardTiles(Sizes sizes, int chunk) {
        gpu::SharedMemory shared;
        phi_Q = Tile::take(shared, chunk, sizes.d_k, "phi_Q");
        phi_K = Tile::take(shared, chunk, sizes.d_k, "phi_K");
        V = Tile::take(shared, chunk, sizes.d_v, "V");
        A = Tile::take(shared, chunk, chunk, "A");
        S = Tile::take(shared, sizes.d_k, sizes.d_v, "S");
        z = shared.take<float>(sizes.d_k, "z");
        normalizer = shared.take<float>(chunk, "normalizer");
    }
    static std::size_t bytes(Sizes sizes, int chunk) {
        return 2 * Tile::bytes(chunk, sizes.d_k) + Tile::bytes(chunk, sizes.d_v) + Tile::bytes(chunk, chunk) +
               Tile::bytes(sizes.d_k, sizes.d_v) + gpu::shared_bytes<float>(sizes.d_k, chunk);
    }
};

/// The shared memory of chunk_states.
struct StateTiles {
    Tile phi_K;  // chunk × d_k
    Tile V;      // chunk × d_v

    __device__ StateTiles(Sizes sizes, int chunk) {
        gpu::SharedMemory shared;
        phi_K = Tile::take(shared, chunk, sizes.d_k, "phi_K");
        V = Tile::take(shared, chunk, sizes.d_v, "V");
    }
    static std::size_t bytes(Sizes sizes, int chunk) {
        return Tile::bytes(chunk, sizes.d_k) + Tile::bytes(chunk, sizes.d_v);
    }
};

/// The shared memory of chunk_outputs: as in chunkwise_forward, but S and z stay in device memory.
struct OutputTiles {
    Tile phi_Q, phi_K;  // chunk × d_k
    Tile V;             // chunk × d_v
    Tile A;             // chunk × chunk
    float* normalizer;  // chunk

    __device__ OutputTiles(Sizes sizes, int chunk) {
        gpu::SharedMemory shared;
        phi_Q = Tile::take(shared, chunk, sizes.d_k, "phi_Q");
        phi_K = Tile::take(shared, chunk, sizes.d_k, "phi_K");
        V = Tile::take(shared, chunk, sizes.d_v, "V");
        A = Tile::take(shared, chunk, chunk, "A");
        normalizer = shared.take<float>(chunk, "normalizer");
    }
    static std::size_t bytes(Sizes sizes, int chunk) {
        return 2 * Tile::bytes(chunk, sizes.d_k) + Tile::bytes(chunk, sizes.d_v) + Tile::bytes(chunk, chunk) +
               gpu::shared_bytes<float>(chunk);
    }
};

// You write all but apply_feature_map, which is given and calls your feature_map_fused. Pointers are to device memory; shapes
// as in chunkwise.hpp. The stub says how each is launched.
__global__ void apply_feature_map(const float* x, float* y, int count);
__global__ void chunkwise_forward(const float* Q, const float* K, const float* V, float* O, Sizes sizes, int chunk,
                                  float epsilon);
__global__ void chunk_states(const float* K, const float* V, float* S, float* z, Sizes sizes, int chunk);
__global__ void scan_states(float* S, float* z, Sizes sizes, int chunks);
__global__ void chunk_outputs(const float* Q, const float* K, const float* V, const float* S, const float* z, float* O,
                              Sizes sizes, int chunk, float epsilon);
__global__ void packed_chunkwise_forward(const float* Q, const float* K, const float* V, const int* borders, float* O,
                                         Sizes sizes, int chunk, float epsilon);

}  // namespace linattn::kernels
