// gpu.hpp under nvcc: a thin layer over the CUDA runtime. Include gpu.hpp, not this.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace gpu {

inline void check(cudaError_t status, const char* call) {
    if (status != cudaSuccess) throw DeviceError(std::string(call) + ": " + cudaGetErrorString(status));
}

inline bool available() {
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

/// What one block may ask for.
inline std::size_t most_shared_bytes() {
    int bytes = 0;
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "cudaDeviceGetAttribute");
    return static_cast<std::size_t>(bytes);
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

// A kernel cannot throw: not_implemented() writes down where it was called, and launch() looks there afterwards. nvcc
// gives each source file a variable of its own, so each adds a look at its own to the list, before main begins.
struct Place {
    char function[64], file[256];
};
static __device__ Place unwritten;  // no function: nothing unwritten was called

inline std::vector<void (*)()>& looks_for_unwritten() {
    static std::vector<void (*)()> looks;
    return looks;
}

static const bool unwritten_is_looked_for = [] {
    looks_for_unwritten().push_back([] {
        Place place{};
        check(cudaMemcpyFromSymbol(&place, unwritten, sizeof place), "cudaMemcpyFromSymbol");
        if (place.function[0] == '\0') return;
        const Place nowhere{};
        check(cudaMemcpyToSymbol(unwritten, &nowhere, sizeof nowhere), "cudaMemcpyToSymbol");
        throw NotWritten(place.function, place.file);
    });
    return true;
}();

template <std::size_t Size>
__device__ void write_down(char (&place)[Size], const char* text) {
    std::size_t i = 0;
    for (; i + 1 < Size && text[i] != '\0'; ++i) place[i] = text[i];
    place[i] = '\0';
}

__device__ inline float not_implemented(const char* function, const char* file = __builtin_FILE()) {
    write_down(unwritten.function, function);
    write_down(unwritten.file, file);
    return 0.0f;
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
    for (const auto look : looks_for_unwritten()) look();
}

__device__ inline int row_major(const void*, int row, int column, int, int stride) { return row * stride + column; }

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
