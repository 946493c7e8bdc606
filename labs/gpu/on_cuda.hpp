// gpu.hpp under nvcc: a thin layer over the CUDA runtime. Include gpu.hpp, not this.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace gpu {

inline void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) throw Error(std::string(call) + ": " + cudaGetErrorString(status));
}

inline bool available() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

inline void* allocate(std::size_t bytes, const char*) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "cudaMalloc");
    check(cudaMemset(memory, 0xFF, bytes), "cudaMemset");
    return memory;
}
inline void release(void* memory) noexcept { cudaFree(memory); }
inline void copy_in(void* device, const void* host, std::size_t bytes) {
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}
inline void copy_out(void* host, const void* device, std::size_t bytes) {
    check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy from the device");
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes, Arguments&&... arguments) {
    if (shared_bytes > 48 * 1024)  // more than this has to be asked for
        check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shared_bytes)),
              "shared memory for one block");
    kernel<<<grid, block, shared_bytes>>>(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
    check(cudaGetLastError(), "launch");
    check(cudaDeviceSynchronize(), "kernel");
}

/// Ends the kernel. A GPU cannot say more than "unspecified launch failure": the CPU run says which function it is.
__device__ inline float not_implemented(const char* function) {
    printf("%s is not written yet: replace YOUR CODE HERE\n", function);
    __trap();
    return 0.0f;
}

class SharedMemory {
public:
    __device__ SharedMemory() {
        extern __shared__ __align__(128) unsigned char gpu_dynamic_shared_memory[];
        next_ = gpu_dynamic_shared_memory;
    }
    template <class T>
    __device__ T* take(std::size_t count, const char*, std::size_t = 0) {
        T* array = reinterpret_cast<T*>(next_);
        next_ += (count * sizeof(T) + 15) / 16 * 16;
        return array;
    }

private:
    unsigned char* next_;
};

}  // namespace gpu
