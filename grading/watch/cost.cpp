#include "cost.hpp"

#include <array>
#include <optional>

#include "contract.hpp"
#include "memory_watch.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

std::optional<MemoryWatch> watch;
std::size_t work_before = 0, blocks_before = 0;
std::array<const char*, 16> checking;

// Without allocating: memory is watched meanwhile.
void note_check(const char* caller) {
    for (const char*& name : checking) {
        if (name == nullptr) name = caller;
        if (name == caller) return;
    }
}

}  // namespace

std::size_t blocks_run = 0;

void begin_metering(std::uint32_t trace) {
    work_before = work_done;
    largest_work = 0;
    blocks_before = blocks_run;
    checking.fill(nullptr);
    on_check = note_check;
    watch.emplace(trace);
}

Cost end_metering() {
    watch.reset();
    on_check = nullptr;
    const std::size_t blocks = blocks_run - blocks_before, work = work_done - work_before;
    Cost cost{blocks + work, blocks, work, largest_work, peak_bytes(), {}};
    for (const char* name : checking)
        if (name != nullptr) cost.checking.emplace(name);
    return cost;
}

}  // namespace linattn::testing
