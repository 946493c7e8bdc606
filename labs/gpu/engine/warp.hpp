// What the lanes of a warp do together.
#pragma once

#include <cstdint>

#include "scheduler.hpp"

namespace gpu::engine {

/// How many lanes of this warp the block has: 16 in the second warp of 48 threads.
unsigned lanes_of_warp(unsigned warp);

/// Waits until all 32 lanes of the warp have come to the same. \return what each of them brought
const std::uint64_t* meet_for_matrix(std::uint64_t value, Site site);

/// A thread of the kernel has returned: lanes that waited for it need not wait any longer.
void leave_warp(const Thread& thread);

}  // namespace gpu::engine
