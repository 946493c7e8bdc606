// Stands in for the part of CUDA's runtime library that gpu.hpp and nvcc's own code call. Memory of the device is memory
// here, kernels run in the PTX interpreter, and a kernel's fault stays, as CUDA's do: every call after it fails.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>

#include "interpreter.hpp"

namespace {

struct Symbol {  // a kernel or a variable
    std::string name{};
    size_t most_shared_bytes = 48 * 1024;
};
struct Registered {
    std::vector<std::string> texts{};  // of PTX
    std::map<const void*, Symbol> symbols{};
};

Registered& registered() {  // filled before main
    static Registered all;
    return all;
}
std::tuple<dim3, dim3, size_t> configuration;  // of the launch to come
std::map<void*, std::vector<char>> buffers;
std::string fault;  // the first one

cudaError_t status() { return fault.empty() ? cudaSuccess : cudaErrorLaunchFailure; }

/// The PTX in a fat binary. `nvcc -no-compress` leaves it readable.
std::string ptx_in(const char* binary) {
    const std::string_view all(binary, *reinterpret_cast<const std::uint64_t*>(binary + 8));
    const size_t begin = all.find("\n.version");
    return begin == all.npos ? "" : binary + begin;  // it ends with a 0
}

/// Of the whole program. $PTX_INTERPRETER_KERNELS, a file of PTX, has kernels that run in the place of others of their name.
ptx::Module& module() {
    static ptx::Module all = [] {
        ptx::Module read;
        for (const std::string& text : registered().texts) ptx::read_module(text, read);
        const char* file = std::getenv("PTX_INTERPRETER_KERNELS");
        std::ifstream replacements(file == nullptr ? "" : file);
        ptx::read_module({std::istreambuf_iterator<char>(replacements), {}}, read);
        return read;
    }();
    return all;
}

void run(const Symbol& symbol, dim3 grid, dim3 block, void** arguments, size_t shared_bytes) try {
    if (shared_bytes > symbol.most_shared_bytes) throw std::runtime_error("more shared memory than was asked for");
    const ptx::Kernel& kernel = module().kernels.at(symbol.name);
    const gpu::RunOptions& options = gpu::RunScope::current();
    std::vector<char> shared(shared_bytes);
    ptx::Memory memory;
    memory.add(ptx::shared_begin, shared, options.checked);
    for (size_t n = 0; n < kernel.parameters.size(); ++n)
        memory.add(ptx::address_of_parameter(n), {static_cast<char*>(arguments[n]), kernel.parameters[n]}, false);
    for (auto& [begin, bytes] : buffers) memory.add(reinterpret_cast<ptx::Number>(begin), bytes, options.checked);
    for (auto& [_, bytes] : module().variables)  // where all threads name the function that is not written yet
        memory.add(reinterpret_cast<ptx::Number>(bytes.data()), bytes, false);
    ptx::run(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, memory, options);
} catch (const std::exception& error) {
    fault = std::string("PTX interpreter: ") + error.what();
}

/// Where a variable of the device is.
char* variable(const void* host) { return module().variables.find(registered().symbols.at(host).name)->second.data(); }

}  // namespace

extern "C" {

// What nvcc's code calls before main, and around a launch.

void** __cudaRegisterFatBinary(void* wrapper) {
    registered().texts.push_back(ptx_in(static_cast<const char**>(wrapper)[1]));
    return nullptr;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
    registered().symbols[host] = {name};
}
void __cudaRegisterVar(void**, char* host, char*, const char* name, int, size_t, int, int) {
    registered().symbols[host] = {name};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t) {
    configuration = {grid, block, shared_bytes};
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
    std::tie(*grid, *block, *shared_bytes) = configuration;
    *static_cast<cudaStream_t*>(stream) = nullptr;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t) {
    if (fault.empty()) run(registered().symbols.at(function), grid, block, arguments, shared_bytes);
    return status();
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    return *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function)), cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

// What gpu.hpp calls.

cudaError_t cudaMalloc(void** memory, size_t bytes) {
    std::vector<char> fresh(bytes);
    *memory = fresh.data();
    buffers[*memory] = std::move(fresh);
    return status();
}
cudaError_t cudaFree(void* memory) { return buffers.erase(memory), status(); }
cudaError_t cudaMemset(void* memory, int byte, size_t bytes) { return memset(memory, byte, bytes), status(); }
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    return memcpy(to, from, bytes), status();
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* from, size_t bytes, size_t at, cudaMemcpyKind) {
    return memcpy(to, variable(from) + at, bytes), status();
}
cudaError_t cudaMemcpyToSymbol(const void* to, const void* from, size_t bytes, size_t at, cudaMemcpyKind) {
    return memcpy(variable(to) + at, from, bytes), status();
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute, int bytes) {
    return registered().symbols.at(function).most_shared_bytes = static_cast<size_t>(bytes), status();
}
// As much shared memory for a block as on an H100.
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 227 * 1024, status(); }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    return std::strcpy(properties->name, "PTX interpreter"), status();
}
cudaError_t cudaGetLastError() { return status(); }
cudaError_t cudaDeviceSynchronize() { return status(); }
const char* cudaGetErrorString(cudaError_t) { return fault.c_str(); }

}  // extern "C"
