// Stands in for the part of CUDA's runtime library that gpu.hpp and nvcc's own code call. Memory of the device is memory
// here, kernels run in the PTX interpreter, and a kernel's fault stays, as CUDA's do: every call after it fails.
#include <cuda_runtime.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "interpreter.hpp"

namespace {

constexpr std::size_t most_shared_bytes = 227 * 1024;  // for one block, as on an H100

/// What one object file brought along.
struct Image {
    std::string text{};
    std::unique_ptr<ptx::Module> module{};

    ptx::Module& read() {
        if (!module) module = ptx::read_module(text);
        return *module;
    }
};
struct Symbol {  // a kernel or a variable
    Image* image;
    std::string name;
    std::size_t most_shared_bytes = 48 * 1024;
};
struct Call {
    dim3 grid, block;
    std::size_t shared_bytes;
    cudaStream_t stream;
};

std::map<const void*, Symbol>& symbols() {  // filled before main
    static std::map<const void*, Symbol> all;
    return all;
}
std::map<const void*, std::vector<char>> buffers;
std::vector<Call> calls;
std::string fault;                  // of a kernel
cudaError_t refused = cudaSuccess;  // of a launch that is not possible; told once

cudaError_t status() { return fault.empty() ? cudaSuccess : cudaErrorLaunchFailure; }

template <class T>
T number_at(const char* place) {
    T number;
    std::memcpy(&number, place, sizeof number);
    return number;
}

/// The PTX in a fat binary: entries of a header and data each. `nvcc -no-compress` leaves it readable.
std::string ptx_in(const char* binary) {
    const char* at = binary + number_at<std::uint16_t>(binary + 6);
    for (const char* end = at + number_at<std::uint64_t>(binary + 8); at < end;) {
        const auto header = number_at<std::uint32_t>(at + 4);
        const auto bytes = number_at<std::uint64_t>(at + 8);
        if (number_at<std::uint16_t>(at) == 1) return {at + header, strnlen(at + header, bytes)};
        at += header + bytes;
    }
    return "";
}

/// $PTX_INTERPRETER_KERNELS, a file of PTX, has kernels that run in the place of others of their name.
ptx::Module& replacements() {
    static const std::unique_ptr<ptx::Module> module = [] {
        const char* file = std::getenv("PTX_INTERPRETER_KERNELS");
        std::ifstream text(file == nullptr ? "" : file);
        return ptx::read_module({std::istreambuf_iterator<char>(text), {}});
    }();
    return *module;
}

void run(const Symbol& symbol, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes) try {
    ptx::Module& module = replacements().kernels.contains(symbol.name) ? replacements() : symbol.image->read();
    const ptx::Kernel& kernel = module.kernels.at(symbol.name);
    std::vector<char> parameters;
    for (const ptx::Parameter& each : kernel.parameters) {
        parameters.resize(each.offset + each.bytes);
        std::memcpy(parameters.data() + each.offset, *arguments++, each.bytes);
    }
    std::vector<std::span<char>> device, variables;
    device.reserve(buffers.size());
    variables.reserve(module.variables.size());
    for (auto& [memory, bytes] : buffers) device.emplace_back(bytes);
    for (auto& [name, bytes] : module.variables) variables.emplace_back(bytes);
    const gpu::RunOptions& options = gpu::RunScope::current();
    ptx::Launch launch{&kernel,
                       {grid.x, grid.y, grid.z},
                       {block.x, block.y, block.z},
                       parameters,
                       {device, variables, shared_bytes, options.checked},
                       options};
    launch.run();
} catch (const std::exception& error) {
    fault = std::string("PTX interpreter: ") + error.what();
}

/// Where a variable of the device is.
char* variable(const void* host) {
    const Symbol& symbol = symbols().at(host);
    return symbol.image->read().variables.at(symbol.name).data();
}

}  // namespace

extern "C" {

// What nvcc's code calls before main, and around a launch.

void** __cudaRegisterFatBinary(void* wrapper) {
    return reinterpret_cast<void**>(new Image{ptx_in(number_at<const char*>(static_cast<char*>(wrapper) + 8))});
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** image, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
    symbols()[host] = {reinterpret_cast<Image*>(image), name};
}
void __cudaRegisterVar(void** image, char* host, char*, const char* name, int, std::size_t, int, int) {
    symbols()[host] = {reinterpret_cast<Image*>(image), name};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes, cudaStream_t stream) {
    calls.push_back({grid, block, shared_bytes, stream});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, void* stream) {
    const Call call = calls.back();
    calls.pop_back();
    *grid = call.grid;
    *block = call.block;
    *shared_bytes = call.shared_bytes;
    *static_cast<cudaStream_t*>(stream) = call.stream;
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t) {
    const Symbol& symbol = symbols().at(function);
    const bool possible = std::size_t{grid.x} * grid.y * grid.z > 0 && grid.y <= 65535 && grid.z <= 65535 &&
                          block.x * block.y * block.z <= 1024 && shared_bytes <= symbol.most_shared_bytes;
    if (!possible) return refused = cudaErrorInvalidConfiguration;
    if (fault.empty()) run(symbol, grid, block, arguments, shared_bytes);
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                               cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

// What gpu.hpp calls.

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    std::vector<char> fresh(bytes);
    *memory = fresh.data();
    buffers[*memory] = std::move(fresh);
    return status();
}
cudaError_t cudaFree(void* memory) { return buffers.erase(memory), status(); }
cudaError_t cudaMemset(void* memory, int byte, std::size_t n) { return std::memset(memory, byte, n), status(); }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return status();
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind) {
    std::memcpy(to, variable(from) + offset, bytes);
    return status();
}
cudaError_t cudaMemcpyToSymbol(const void* to, const void* from, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind) {
    std::memcpy(variable(to) + offset, from, bytes);
    return status();
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute, int bytes) {
    if (static_cast<std::size_t>(bytes) > most_shared_bytes) return cudaErrorInvalidValue;
    symbols().at(function).most_shared_bytes = static_cast<std::size_t>(bytes);
    return status();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    return *value = int{most_shared_bytes}, status();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "PTX interpreter");
    return status();
}
cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, status(); }
cudaError_t cudaGetLastError() { return fault.empty() ? std::exchange(refused, cudaSuccess) : status(); }
cudaError_t cudaDeviceSynchronize() { return status(); }
const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorLaunchFailure ? fault.c_str() : "the PTX interpreter refused the launch";
}

}  // extern "C"
