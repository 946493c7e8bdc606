// What a kernel does in one block, counted by the CPU run and printed as JSON: `./course profile` reads it.
#pragma once

#include <cstdio>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "float_arrays.hpp"
#include "gpu/error.hpp"
#include "gpu/launch_counts.hpp"

namespace linattn {

/// Runs a kernel on one head of two chunks, and again on one of three: what the third adds, each further one adds, too.
/// Prints one line.
inline void profile(const std::string& kernel, int d_k, int d_v, int chunk,
                    const std::function<void(const Sizes&, const gpu::RunOptions&)>& run) {
    nlohmann::json runs = nlohmann::json::array();
    std::string error;
    for (int chunks = 2; chunks <= 3 && error.empty(); ++chunks) {
        try {
            run({1, chunks * chunk, d_k, d_v}, {.profile = true});
        } catch (const std::exception& e) {
            error = e.what();
            break;
        }
        const gpu::LaunchCounts& counts = gpu::launch_counts;
        nlohmann::json accesses = nlohmann::json::array();
        for (const gpu::AccessCost& cost : counts.profile)
            accesses.push_back({{"line", cost.line},
                                {"array", cost.array},
                                {"shared", cost.shared},
                                {"writes", cost.writes},
                                {"requests", cost.requests},
                                {"cost", cost.cost},
                                {"fewest", cost.fewest}});
        runs.push_back({{"chunks", chunks},
                        {"threads", counts.threads},
                        {"shared_bytes", counts.shared_bytes},
                        {"barriers", counts.barriers / counts.blocks},
                        {"accesses", accesses}});
    }
    const nlohmann::json line = {{"kernel", kernel}, {"chunk", chunk}, {"runs", runs}, {"error", error}};
    std::puts(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace linattn
