// What a kernel's lines cost in one block, counted by the CPU run: main of the programs behind `./course profile labNN`.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "float_arrays.hpp"
#include "gpu/error.hpp"
#include "gpu/launch_counts.hpp"

namespace linattn {

struct ProfiledKernel {
    std::string name;
    std::function<void()> run;
};

/// A row for each line and array, the most expensive first.
inline void print_costs(const gpu::LaunchCounts& counts) {
    std::printf("  launch      %zu threads a block, %zu bytes of dynamic shared memory, %zu barriers\n", counts.threads,
                counts.shared_bytes, counts.barriers / counts.blocks);
    std::puts("   requests      cost    fewest  ratio   two chunks: passes of shared, sectors of device memory");
    std::vector<gpu::AccessCost> costs = counts.profile;
    std::ranges::sort(costs, std::greater(), [](const gpu::AccessCost& each) {
        return std::tuple(each.shared, each.cost, each.fewest, each.line, each.array, each.writes);
    });
    for (const gpu::AccessCost& each : costs) {
        const double fewest = static_cast<double>(std::max<std::size_t>(1, each.fewest));
        std::printf("  %9zu %9zu %9zu %5.2fx   %s %-5s %-11s %s\n", each.requests, each.cost, each.fewest,
                    static_cast<double>(each.cost) / fewest, each.shared ? "shared" : "device",
                    each.writes ? "write" : "read", each.array.c_str(), each.line.c_str());
    }
}

/// argv: lab d chunk [kernel]. kernels(sizes, chunk, options) lists what runs on one head of two chunks.
template <class Kernels>
int profile(int argc, char** argv, const Kernels& kernels) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: %s lab d chunk [kernel]\n", argv[0]);
        return 2;
    }
    const int d = std::atoi(argv[2]), chunk = std::atoi(argv[3]);
    bool found = false;
    for (const ProfiledKernel& kernel : kernels(Sizes{1, 2 * chunk, d, d}, chunk, gpu::RunOptions{.profile = true})) {
        if (argc > 4 && kernel.name != argv[4]) continue;
        found = true;
        std::printf("\n%s\n", kernel.name.c_str());
        try {
            kernel.run();
            print_costs(gpu::launch_counts);
        } catch (const std::exception& error) {
            const std::string words = error.what();
            std::printf("  %s; run ./course check %s.%s\n", words.substr(0, words.find('\n')).c_str(), argv[1],
                        kernel.name.c_str());
        }
    }
    return found ? 0 : 3;
}

}  // namespace linattn
