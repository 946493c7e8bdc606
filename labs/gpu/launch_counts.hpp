// What the latest launch of the CPU run did, counted: the same on every machine. A checked one can say more, when asked.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gpu {

/// What one line of a kernel costs a GPU by its accesses to one array: passes for shared memory (32 banks), sectors of 32
/// bytes for device memory.
struct AccessCost {
    std::string line, array;
    bool shared = false, writes = false;
    std::size_t requests = 0;  ///< of warps
    std::size_t cost = 0, fewest = 0;
};

struct LaunchCounts {
    std::size_t blocks = 0, threads = 0, shared_bytes = 0;  ///< the launch's: threads and dynamic memory of each block
    std::size_t barriers = 0;           ///< how often a block passed __syncthreads(), over all blocks
    std::vector<std::size_t> accesses;  ///< to device and shared memory, by the thread's number; none if not checked

    std::vector<AccessCost> profile;  ///< of the first block that ran, with RunOptions::profile

    // Of a checked launch, else empty.
    /// Who wrote this entry of a buffer last: "thread (5,0,0) of block (1,0,0) at student/x.cu:57". "" names the one
    /// buffer that the host has not filled.
    std::function<std::string(const std::string& buffer, std::size_t entry)> writer_of;
    /// What a kernel may do, and seldom means: a sentence each. Worth reading when its results are wrong.
    std::function<std::vector<std::string>()> remarks;
    /// "S(0, 3) at student/x.cu:57": where it adds floats by atomicAdd, in the order in which threads come; "" if nowhere.
    std::function<std::string()> float_atomic;
};
inline LaunchCounts launch_counts;

}  // namespace gpu
