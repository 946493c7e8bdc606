// What the accesses of a kernel would cost a GPU, line by line, for the first warp of the first block that runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory.hpp"

namespace gpu::engine {

void profile_access(const Array& array, std::uintptr_t address, std::size_t bytes, bool writes,
                    const void* instruction);

/// Prints a table to stdout and forgets it. Shared memory: passes for one request, 1 without bank conflicts. Device
/// memory: 32-byte sectors moved for one request, beside the fewest that hold the bytes asked for.
void print_profile();

}  // namespace gpu::engine
