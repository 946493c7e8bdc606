// What labs whose exercises are kernels share: how one is launched, and the matrices that it keeps in shared memory. For .cu
// files only.
#pragma once

#include <string>

#include "float_arrays.hpp"
#include "gpu/gpu.hpp"

namespace linattn::kernels {

/// A matrix in shared memory. Its rows lie one entry further apart than they are long, so that neighbouring entries of a
/// column are in different banks (lab 05, "A GPU in one page").
struct Tile {
    float* entries;
    int stride;

    __device__ float& operator()(int row, int column) const {
        return entries[gpu::row_major(entries, row, column, stride - 1, stride)];
    }

    __device__ static Tile take(gpu::SharedMemory& shared, int rows, int columns, const char* name) {
        return {shared.take<float>(static_cast<std::size_t>(rows) * (columns + 1), name, columns + 1), columns + 1};
    }
    static std::size_t bytes(int rows, int columns) {
        return gpu::shared_bytes<float>(static_cast<std::size_t>(rows) * (static_cast<std::size_t>(columns) + 1));
    }
};

/// Launches blocks of threads_per_block threads. A kernel that is not written yet is TODO.
template <class Kernel, class... Arguments>
void launch(Kernel kernel, dim3 grid, std::size_t shared_bytes, Arguments... arguments) {
    try {
        gpu::launch(kernel, grid, threads_per_block, shared_bytes, arguments...);
    } catch (const gpu::NotWritten& unwritten) {
        throw_not_implemented(unwritten.what(), unwritten.file());
    }
}

/// "CPU run: not GPU-verified", or "run on: " and the GPU's name.
/// \param most_shared_bytes what the largest block of a suite asks for: some cards have less
inline std::string where_they_run([[maybe_unused]] std::size_t most_shared_bytes) {
#ifdef __CUDACC__
    cudaDeviceProp properties{};
    gpu::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    return std::string("run on: ") + properties.name +
           (most_shared_bytes <= gpu::most_shared_bytes() ? ""
                                                          : "; what its shared memory is too small for was left out");
#else
    return "CPU run: not GPU-verified";
#endif
}

}  // namespace linattn::kernels
