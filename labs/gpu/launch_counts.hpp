// What the latest launch of the CPU run did, counted: the same on every machine.
#pragma once

#include <cstddef>
#include <vector>

namespace gpu {

struct LaunchCounts {
    std::size_t barriers = 0;           ///< how often a block passed __syncthreads(), over all blocks
    std::vector<std::size_t> accesses;  ///< to device and shared memory, by the thread's number; none if not checked
};
inline LaunchCounts launch_counts;

}  // namespace gpu
