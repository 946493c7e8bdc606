#include "access_costs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

constexpr unsigned lanes = 32;
using Request = std::array<std::uintptr_t, lanes>;  // the address of each lane; 0: it takes no part

// All requests that one instruction made. Lanes line up by how often each has come since the last barrier.
struct Instruction {
    bool shared = false, writes = false;
    std::size_t bytes = 0;
    std::string array;
    std::uint32_t epoch = 0;
    std::array<std::size_t, lanes> next{};
    std::vector<Request> requests;
};
std::map<const void*, Instruction> instructions;

struct Cost {
    double actual = 0, best = 0;
};

// A bank holds every 32nd word of 4 bytes and gives one word per pass. Wide accesses go in groups of lanes: 128 bytes
// each.
Cost passes(const Request& request, std::size_t bytes) {
    Cost cost;
    const auto group = static_cast<unsigned>(std::max<std::size_t>(1, lanes * 4 / std::max<std::size_t>(4, bytes)));
    for (unsigned first = 0; first < lanes; first += group) {
        std::array<std::set<std::uintptr_t>, 32> words;
        std::size_t most = 0;
        for (unsigned lane = first; lane < std::min(lanes, first + group); ++lane)
            for (std::size_t at = 0; request[lane] != 0 && at < bytes; at += 4) {
                const std::uintptr_t word = (request[lane] + at) / 4;
                words[word % 32].insert(word);
                most = std::max(most, words[word % 32].size());
            }
        cost.actual += static_cast<double>(most);
        cost.best += most > 0;
    }
    return cost;
}

Cost sectors(const Request& request, std::size_t bytes) {
    std::set<std::uintptr_t> addresses, touched;
    for (const std::uintptr_t address : request) {
        if (address == 0) continue;
        addresses.insert(address);
        for (std::uintptr_t sector = address / 32; sector <= (address + bytes - 1) / 32; ++sector)
            touched.insert(sector);
    }
    const std::size_t fewest = (addresses.size() * bytes + 31) / 32;
    return {static_cast<double>(touched.size()), static_cast<double>(fewest)};
}

}  // namespace

void profile_access(const Array& array, std::uintptr_t address, std::size_t bytes, bool writes,
                    const void* instruction) {
    constexpr std::size_t most_requests = 20000;
    if (running.thread >= lanes || running.block_epoch != running.launch_epoch + 1) return;
    Instruction& entry = instructions[instruction];
    if (entry.epoch != running.epoch) {
        entry.epoch = running.epoch;
        entry.next.fill(entry.requests.size());
    }
    entry.shared = array.shared;
    entry.writes = writes;
    entry.bytes = bytes;
    entry.array = array.name;
    const std::size_t number = entry.next[running.thread]++;
    if (number >= most_requests) return;
    if (number >= entry.requests.size()) entry.requests.resize(number + 1);
    entry.requests[number][running.thread] = address;
}

void print_profile() {
    struct Line {
        std::size_t requests = 0;
        Cost cost;
    };
    std::map<std::pair<std::string, std::string>, Line> lines;  // (place, what) → several instructions of one line
    for (const auto& [address, entry] : instructions) {
        Line& line = lines[{source_line(address), std::string(entry.shared ? "shared " : "device ") +
                                                      (entry.writes ? "write " : "read  ") + entry.array}];
        line.requests += entry.requests.size();
        for (const Request& request : entry.requests) {
            const Cost cost = entry.shared ? passes(request, entry.bytes) : sectors(request, entry.bytes);
            line.cost.actual += cost.actual;
            line.cost.best += cost.best;
        }
    }
    std::printf("warp 0 of the first block: shared memory in passes (32 banks), device memory in sectors (32 bytes)\n");
    std::printf("%9s %9s %9s %6s  %-30s %s\n", "requests", "cost", "best", "ratio", "what", "where");
    for (const auto& [key, line] : lines)
        std::printf("%9zu %9.0f %9.0f %5.2fx  %-30s %s\n", line.requests, line.cost.actual, line.cost.best,
                    line.cost.actual / std::max(1.0, line.cost.best), key.second.c_str(), key.first.c_str());
    instructions.clear();
}

}  // namespace gpu::engine
