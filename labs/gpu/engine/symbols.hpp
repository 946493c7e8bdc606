// What the program's symbols say: the source line of an address, the name of a kernel, its static shared arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpu::engine {

/// "student/lab05_chunkwise_kernel.cu:57", the innermost line outside of headers; empty if it cannot be told.
std::string source_line(const void* address);

/// The innermost line of the running kernel, however deep in libraries it is.
std::string calling_line();

/// "chunkwise_forward": the function that begins at this address.
std::string function_name(const void* address);

/// "smem", of a variable's symbol.
std::string variable_name(const char* symbol);

struct SharedVariable {
    std::string name;
    std::uintptr_t begin;
    std::size_t bytes;
};
/// The `__shared__` arrays that stand in functions: `thread_local` here, so they are found where this host thread has
/// its thread-local part of the program.
std::vector<SharedVariable> static_shared_variables();

/// Whether the address lies in the program or its libraries: constants, tables, globals.
bool in_program(std::uintptr_t address);

}  // namespace gpu::engine
