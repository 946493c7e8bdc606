// What the running program's own file says: the source line of an address, the name of a kernel, its static shared
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpu::engine {

/// "student/lab05_chunkwise_kernel.cu:57", the innermost line outside of headers; empty if it cannot be told.
std::string source_line(const void* address);

/// "reference/x.cu" out of a path.
std::string short_path(const std::string& path);

/// "chunkwise_forward": the function that begins at this address.
std::string function_name(const void* address);

struct SharedVariable {
    std::string name;
    std::uintptr_t begin;
    std::size_t bytes;
};
/// The `__shared__` arrays that stand in functions: `thread_local` here, so the thread-local part of the program.
std::vector<SharedVariable> static_shared_variables();

/// Whether the address lies in the program or its libraries: constants, tables, globals.
bool in_program(std::uintptr_t address);

}  // namespace gpu::engine
