// The memory behind `extern __shared__` arrays: all of them begin at the same place, as in CUDA. Kernels give them names
// of their own, in namespaces of their own. cmake/kernels.cmake lists those names and compiles this file with the list,
// once for every set of kernels; a program without such a list takes it from the library, without names.
#include "memory.hpp"

extern "C" {
alignas(128) constinit thread_local unsigned char gpu_dynamic_memory[gpu::engine::dynamic_capacity] = {};

#define GPU_DYNAMIC_ARRAY(symbol)                                           \
    extern thread_local unsigned char symbol[gpu::engine::dynamic_capacity] \
        __attribute__((alias("gpu_dynamic_memory")));
#if __has_include("dynamic_arrays.inc")
#include "dynamic_arrays.inc"
#endif
#undef GPU_DYNAMIC_ARRAY

#define GPU_DYNAMIC_ARRAY(symbol) #symbol,
const char* const gpu_dynamic_arrays[] = {
#if __has_include("dynamic_arrays.inc")
#include "dynamic_arrays.inc"
#endif
    nullptr};
}
