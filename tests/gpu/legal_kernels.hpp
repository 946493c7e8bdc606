// What CUDA allows: legal_test.cu runs it on the CPU, and nvcc compiles it too (legal_kernels.cu). Sections are those of the
// CUDA C++ Programming Guide 12.
#pragma once

#include <cstring>

#include "gpu/gpu.hpp"

extern __shared__ float smem[];

namespace linattn::kernels {
__global__ void reverse_in_dynamic_memory(float* x) {
    extern __shared__ float smem[];  // another declaration of the same
    smem[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = smem[blockDim.x - 1 - threadIdx.x];
}
}  // namespace linattn::kernels

namespace legal {

// Kernels as they are written ----------------------------------------------------------------------------------------

template <int Tile>
__global__ void __launch_bounds__(Tile * 4) transpose(const float* in, float* out, int rows, int columns) {
    __shared__ float tile[Tile][Tile + 1];
    const int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile;
    for (int j = threadIdx.y; j < Tile; j += blockDim.y)
        if (x < columns && y + j < rows) tile[j][threadIdx.x] = in[(y + j) * columns + x];
    __syncthreads();
    for (int j = threadIdx.y; j < Tile; j += blockDim.y)
        if (y + static_cast<int>(threadIdx.x) < rows && static_cast<int>(blockIdx.x) * Tile + j < columns)
            out[(blockIdx.x * Tile + j) * rows + y + threadIdx.x] = tile[threadIdx.x][j];
}

__device__ __forceinline__ float warp_sum(float value) {
    for (int by = 16; by > 0; by /= 2) value += __shfl_down_sync(0xffffffffu, value, by);
    return value;
}

__global__ void total_of(const float* x, float* total, int* blocks, int count) {
    __shared__ float parts[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) sum += x[i];
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = warp_sum(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) {
        atomicAdd(total, sum);
        atomicAdd(blocks, 1);
    }
}

__global__ void scan_of_fours(const float4* x, float* y) {
    const int t = threadIdx.x;
    const float4 four = x[t];
    smem[t] = four.x + four.y + four.z + four.w;
    __syncthreads();
    for (int by = 1; by < static_cast<int>(blockDim.x); by *= 2) {
        const float before = t >= by ? smem[t - by] : 0.0f;
        __syncthreads();
        smem[t] += before;
        __syncthreads();
    }
    y[t] = smem[t];
}

__global__ void reduce_in_a_warp(const float* x, float* out) {
    __shared__ float sums[64];
    const int t = threadIdx.x;
    sums[t] = x[t];
    __syncwarp();
    for (int by = 16; by > 0; by /= 2) {
        const float sum = t % 32 < by ? sums[t] + sums[t + by] : 0.0f;
        __syncwarp();
        if (t % 32 < by) sums[t] = sum;
        __syncwarp();
    }
    if (t % 32 == 0) out[t / 32] = sums[t];
}

__global__ void number_threads(int* numbers) {
    const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int size = blockDim.x * blockDim.y * blockDim.z;
    numbers[block * size + thread] = block * size + thread;
}

__global__ void vote(unsigned* out) {
    const int lane = threadIdx.x;
    const unsigned even = __ballot_sync(0xffffffffu, lane % 2 == 0);
    if (lane < 16) {
        const int any = __any_sync(0x0000ffffu, lane == 3), all = __all_sync(0x0000ffffu, lane < 16);
        const int from = __shfl_sync(0x0000ffffu, lane, 5), swapped = __shfl_xor_sync(0x0000ffffu, lane, 1);
        if (lane == 2) {
            out[0] = even;
            out[1] = any * 10 + all;
            out[2] = from * 100 + swapped;
        }
    }
}

// Accesses of every size (5.3.2, "Device Memory Accesses": 1, 2, 4, 8 or 16 bytes, naturally aligned) -----------------

__global__ void own_bytes_as_a_word(unsigned* out) {
    __shared__ unsigned words[64];
    volatile unsigned char* bytes = reinterpret_cast<unsigned char*>(&words[threadIdx.x]);
    for (unsigned i = 0; i < 4; ++i) bytes[i] = static_cast<unsigned char>(threadIdx.x + i);
    out[threadIdx.x] = *reinterpret_cast<volatile unsigned*>(&words[threadIdx.x]);
}
__global__ void neighbours_bytes(unsigned* out) {
    __shared__ unsigned char bytes[64];
    bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);  // four threads, one word: no race
    __syncthreads();
    out[threadIdx.x] = bytes[63 - threadIdx.x];
}
__global__ void doubles_out_of_words(unsigned* out) {
    __shared__ __align__(8) unsigned words[128];
    words[threadIdx.x] = 0;
    words[threadIdx.x + 64] = 0x3ff00000u + threadIdx.x;
    __syncthreads();
    words[2 * threadIdx.x] = 0;
    words[2 * threadIdx.x + 1] = 0x3ff00000u;  // the upper half of 1.0
    __syncwarp();
    double one = 0.0;
    memcpy(&one, words + 2 * (threadIdx.x ^ 1), sizeof one);
    out[threadIdx.x] = static_cast<unsigned>(one);
}
__global__ void shorts_then_chars(unsigned* out) {
    __shared__ unsigned short halves[64];
    halves[threadIdx.x] = static_cast<unsigned short>(256 * threadIdx.x + 7);
    __syncthreads();
    const volatile unsigned char* bytes = reinterpret_cast<const unsigned char*>(halves);
    out[threadIdx.x] = bytes[2 * (63 - threadIdx.x)] + bytes[2 * (63 - threadIdx.x) + 1];
}
struct Padded {
    char letter;
    float number;
    short last;
};
__global__ void struct_copies(unsigned* out) {
    __shared__ Padded in[64], copies[64];
    in[threadIdx.x].letter = 1;
    in[threadIdx.x].number = 2.0f;
    in[threadIdx.x].last = static_cast<short>(threadIdx.x);
    copies[63 - threadIdx.x] = in[threadIdx.x];  // what lies between the members too
    __syncthreads();
    const Padded copy = copies[threadIdx.x];
    out[threadIdx.x] =
        static_cast<unsigned>(copy.letter) + static_cast<unsigned>(copy.number) + static_cast<unsigned>(copy.last);
}
// memcpy and memset are device functions too (10.34, "Dynamic Global Memory Allocation and Operations"); memmove is none.
__global__ void copies_memory(unsigned* out) {
    __shared__ unsigned rows[64][9], shifted[64][9];
    memset(rows[threadIdx.x], 0, sizeof rows[0]);
    rows[threadIdx.x][8] = threadIdx.x;
    __syncthreads();
    memcpy(shifted[threadIdx.x], rows[63 - threadIdx.x], 4 * (threadIdx.x % 2 + 8));
    out[threadIdx.x] = shifted[threadIdx.x][7] + rows[63 - threadIdx.x][8];
}

// Warps ---------------------------------------------------------------------------------------------------------------

// 10.19, "Warp Vote Functions": "for all non-exited threads in mask". The second warp of 48 threads has 16 lanes.
__global__ void votes_of_a_partial_warp(unsigned* out) {
    const unsigned all = static_cast<unsigned>(__all_sync(~0u, 1)), any = static_cast<unsigned>(__any_sync(~0u, 0));
    const unsigned ballot = __ballot_sync(~0u, 1), some = static_cast<unsigned>(__all_sync(~0u, threadIdx.x % 32 > 0));
    out[threadIdx.x] = ballot == (threadIdx.x < 32 ? ~0u : 0xffffu) ? all * 100 + any * 10 + some : 0;
}
// 10.6, "Synchronization Functions", and 10.22, "Warp Shuffle Functions": "all non-exited threads named in mask must
// execute the same intrinsic with the same mask".
__global__ void leaves_before_a_warp_operation(unsigned* out) {
    __shared__ unsigned shared[64];
    out[threadIdx.x] = 0;
    if (threadIdx.x % 32 >= 20) return;
    shared[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = shared[threadIdx.x ^ 1] + __shfl_xor_sync(~0u, 1000u, 2) + (__ballot_sync(~0u, 1) == 0xfffffu);
}
__global__ void leaves_one_by_one(unsigned* out) {
    unsigned passed = 0;
    for (unsigned i = 0; i < threadIdx.x; ++i) {
        __syncwarp();
        ++passed;
    }
    out[threadIdx.x] = passed;
}
// 10.22: a width divides the warp into groups; a lane that would leave its group keeps its own value.
__global__ void shuffles_in_groups(unsigned* out) {
    const unsigned lane = threadIdx.x;
    const unsigned from = __shfl_sync(~0u, lane, 11, 8);  // 11 mod 8 of the own group
    const unsigned up = __shfl_up_sync(~0u, lane, 3, 8), down = __shfl_down_sync(~0u, lane, 3, 8);
    const unsigned crossed = __shfl_xor_sync(~0u, lane, 8, 8);  // earlier groups only
    const unsigned far = __shfl_down_sync(~0u, lane, 0xffffffffu);
    out[lane] = ((from * 32 + up) * 32 + down) * 32 + crossed + (far == lane ? 0 : 1u << 31);
}
// 2.2, "Thread Hierarchy": the number of a thread is x + y Dx + z Dx Dy, and 32 in a row are a warp.
__global__ void lanes_of_a_flat_block(unsigned* out) {
    const unsigned number = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[number] = __shfl_sync(~0u, number, 0);
}
// 10.6: allowed in a branch that all threads of the block take alike.
__global__ void barrier_in_a_uniform_branch(unsigned* out) {
    __shared__ unsigned shared[64];
    shared[threadIdx.x] = threadIdx.x;
    for (int round = 0; round < 3; ++round)
        if (round % 2 == 0) {
            __syncthreads();
            const unsigned other = shared[63 - threadIdx.x];
            __syncthreads();
            shared[threadIdx.x] = other;
        } else {
            __syncthreads();
        }
    out[threadIdx.x] = shared[threadIdx.x];
}
// 10.14, "Atomic Functions": no order among themselves, and read after a barrier.
__global__ void atomics_then_reads(unsigned* out) {
    __shared__ unsigned sum, bits, last;
    __shared__ double total;
    if (threadIdx.x == 0) {
        sum = bits = last = 0;
        total = 0.0;
    }
    __syncthreads();
    atomicAdd(&sum, 1u);
    atomicOr(&bits, 1u << threadIdx.x % 32);
    atomicMax(&last, threadIdx.x);
    atomicInc(&sum, ~0u);
    atomicAdd(&total, 0.5);
    __syncthreads();
    out[threadIdx.x] = sum + (bits == ~0u ? 1000 : 0) + last + static_cast<unsigned>(total);
}

// Dynamic shared memory (10.3.3, "__shared__"): under any name, all begin at the same place ---------------------------

extern __shared__ unsigned whatever[];
extern __shared__ double numbers[];

__global__ void names_it_otherwise(unsigned* out) {
    extern __shared__ unsigned inside[];
    whatever[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = inside[63 - threadIdx.x];
    __syncthreads();
    numbers[threadIdx.x] = 1.0;
    __syncthreads();
    out[threadIdx.x] += static_cast<unsigned>(numbers[63 - threadIdx.x]);
}
template <unsigned Step>
__global__ void names_it_in_a_template(unsigned* out) {
    extern __shared__ float of_template[];
    of_template[threadIdx.x] = static_cast<float>(threadIdx.x * Step);
    __syncthreads();
    out[threadIdx.x] = static_cast<unsigned>(of_template[63 - threadIdx.x]);
}

// The language --------------------------------------------------------------------------------------------------------

__global__ void vocabulary(unsigned* __restrict__ out) {
    __shared__ float3 points[64];
    __shared__ uint2 pairs[64];
    const int t = static_cast<int>(threadIdx.x);
    points[t] = make_float3(1.0f, 2.0f, static_cast<float>(t));
    pairs[t] = make_uint2(1, threadIdx.x);
    __syncthreads();
    float sum = 0.0f;
#pragma unroll 4
    for (int i = -1; i <= 1; ++i) sum += (points + 1)[min(max(t + i, -1), 62)].x;
    volatile unsigned late = __popc(0xf0u) + __ffs(8) + __clz(1);  // 4 + 4 + 31
    const double widest = max(1.0f, 2.0);
    out[t] = static_cast<unsigned>(sum) + min(5, 7u) + late + static_cast<unsigned>(widest) + __ldg(&pairs[63 - t].x) +
             __float_as_uint(__uint_as_float(2u)) + sizeof(float3) + alignof(double2);
}

}  // namespace legal
