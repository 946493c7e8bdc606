#include "access_notes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

using Request = std::array<std::uintptr_t, lanes>;  // the address of each lane; 0: it takes no part

// All requests that one instruction made for one warp. Lanes line up by how often each has come since the last barrier.
struct Instruction {
    bool shared = false, writes = false;
    std::size_t bytes = 0;
    std::string array;
    std::uint32_t epoch = 0;
    std::array<std::size_t, lanes> next{};
    std::vector<Request> requests;
};
std::map<std::pair<const void*, unsigned>, Instruction> instructions;  // by warp

struct Cost {
    std::size_t actual = 0, best = 0;
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
        cost.actual += most;
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
    return {touched.size(), fewest};
}

}  // namespace

void profile_access(const Array& array, std::uintptr_t address, std::size_t bytes, bool writes,
                    const void* instruction) {
    constexpr std::size_t most_requests = 20000;
    if (running.block_epoch != running.launch_epoch + 1) return;
    const unsigned lane = running.thread % lanes;
    Instruction& entry = instructions[{instruction, running.thread / lanes}];
    if (entry.epoch != running.epoch) {
        entry.epoch = running.epoch;
        entry.next.fill(entry.requests.size());
    }
    entry.shared = array.shared;
    entry.writes = writes;
    entry.bytes = bytes;
    entry.array = array.name;
    const std::size_t number = entry.next[lane]++;
    if (number >= most_requests) return;
    if (number >= entry.requests.size()) entry.requests.resize(number + 1);
    entry.requests[number][lane] = address;
}

std::vector<AccessCost> take_profile() {
    std::map<std::tuple<std::string, std::string, bool, bool>, AccessCost> lines;
    for (const auto& [key, entry] : instructions) {
        const std::string place = source_line(key.first);
        AccessCost& line = lines[{place, entry.array, entry.shared, entry.writes}];
        line.line = place;
        line.array = entry.array;
        line.shared = entry.shared;
        line.writes = entry.writes;
        line.requests += entry.requests.size();
        for (const Request& request : entry.requests) {
            const Cost cost = entry.shared ? passes(request, entry.bytes) : sectors(request, entry.bytes);
            line.cost += cost.actual;
            line.fewest += cost.best;
        }
    }
    instructions.clear();
    std::vector<AccessCost> all;
    all.reserve(lines.size());
    for (auto& [key, line] : lines) all.push_back(std::move(line));
    return all;
}

}  // namespace gpu::engine
