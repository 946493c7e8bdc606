// What runs on a GPU unchanged: engine_test.cu runs it on the CPU, and nvcc compiles it too (legal_kernels.cu).
#pragma once

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

}  // namespace legal
