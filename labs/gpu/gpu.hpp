// One kernel source, two machines. nvcc compiles it for a GPU; any C++20 compiler compiles it for the CPU run, where
// every CUDA thread is a fiber and blocks run one after another, so that each run is the same as the last.
//
//     gpu::Buffer<float> x(host_values, "x"), y(count, "y");
//     gpu::launch(kernel, grid, block, shared_bytes, x.data(), y.data(), count);
//     y.copy_to(result);
//
// The CPU run is stricter than a GPU. Shared memory and new buffers start poisoned with NaN; buffers end at a guard
// page; threads take turns forward, in reverse or shuffled (gpu::RunOptions); every thread of a block has to reach the same
// barrier. A fault ends the launch with one gpu::Error. In files compiled with -fsanitize=thread,alignment,bounds a
// checked run also finds races within and between blocks, reads of unwritten memory, and misaligned vector accesses
// (engine/checker.hpp).
//
// Modelled: 1-D to 3-D grids and blocks, static and extern __shared__ arrays, SharedMemory,
// __syncthreads, __syncwarp, shuffles and votes with masks, atomics, float2 to float4, templates, __launch_bounds__.
// Not modelled: time, occupancy and registers; lanes of a warp running in lockstep; the order in which writes become
// visible (here at once, so that __threadfence does nothing); streams, PTX, textures, cooperative groups, dynamic
// parallelism; tensor cores; 16-bit floats; the device's heap (new and malloc in a kernel). What of this has a name is rejected at
// compile time (on_cpu.hpp). Under clang a misaligned vector access is found only where one instruction makes it, and an
// index outside of a kernel's own array not at all; before clang 15, what memcpy and copies of large structs write
// counts as unwritten. A result of the CPU run is a result of the CPU run: it is not GPU-verified.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "error.hpp"

#ifdef __CUDACC__
#include "on_cuda.hpp"
#else
#include "on_cpu.hpp"
#endif

namespace gpu {

// Apart from the vocabulary of CUDA, both sides have:
//
// bool available()               whether a kernel can run: always on the CPU, on a GPU when there is one.
// size_t most_shared_bytes()     of dynamic shared memory for one block.
// void launch(kernel, grid, block, shared_bytes, args…)
//                                runs the kernel to its end; throws Error.
// float not_implemented(function) stands in a kernel that is not written yet; the launch throws NotWritten.
// int row_major(entries, row, column, columns, stride)
//                                row * stride + column: where an entry of a matrix lies.
// SharedMemory                   cuts a block's dynamic shared memory into arrays, below.

/// Arrays laid out one after the other, each from a multiple of 16 bytes on: the bytes that SharedMemory needs for
/// them.
template <class T, class... Counts>
constexpr std::size_t shared_bytes(Counts... counts) {
    return (std::size_t{0} + ... + ((static_cast<std::size_t>(counts) * sizeof(T) + 15) / 16 * 16));
}

/// Owns an array on the device. Every byte starts as 0xFF, so that a float which nobody wrote is a NaN.
template <class T>
class Buffer {
public:
    Buffer(std::size_t size, const char* name)
        : entries_(static_cast<T*>(allocate(size * sizeof(T), name))), size_(size) {}
    Buffer(std::span<const T> values, const char* name) : Buffer(values.size(), name) {
        copy_in(entries_, values.data(), size_ * sizeof(T));
    }
    ~Buffer() { release(entries_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    T* data() const { return entries_; }
    std::size_t size() const { return size_; }
    void copy_to(std::span<T> values) const { copy_out(values.data(), entries_, values.size() * sizeof(T)); }

private:
    T* entries_;
    std::size_t size_;
};

}  // namespace gpu
