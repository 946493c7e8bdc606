// What the accesses of a kernel would cost a GPU, line by line, for the first block that runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../launch_counts.hpp"
#include "memory.hpp"

namespace gpu::engine {

void profile_access(const Array& array, std::uintptr_t address, std::size_t bytes, bool writes,
                    const void* instruction);

/// What has been counted, and forgets it.
std::vector<AccessCost> take_profile();

}  // namespace gpu::engine
