#include "access_notes.hpp"

#include <algorithm>
#include <cstring>

#include "faults.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

struct LostWrite {
    const void *earlier, *later;
    std::uintptr_t address;
    std::string entry;
    bool settled = false;
};
std::vector<LostWrite> lost;

// The instruction that has used it in this block, or null.
const void* user(const Cell& cell) {
    const Cell::Access& access = cell.write.epoch >= running.block_epoch ? cell.write : cell.reads[0];
    return access.epoch >= running.block_epoch ? access.instruction : nullptr;
}

}  // namespace

bool holds_a_number(std::uintptr_t address) {
    if (address % 4 != 0) return false;
    std::uint32_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void*>(address), sizeof bits);
    return (bits & 0x7FFFFFFFu) != 0 && bits != 0xFFFFFFFFu;
}

void begin_mixed_arrays() { lost.clear(); }

void note_lost_write(const Array& array, std::uintptr_t address, const void* earlier, const void* later) {
    constexpr std::ptrdiff_t most_of_a_pair = 4;
    if (lost.size() >= 32 || !holds_a_number(address)) return;
    const auto of_this_pair = [&](const LostWrite& each) { return each.earlier == earlier && each.later == later; };
    if (std::ranges::count_if(lost, of_this_pair) >= most_of_a_pair) return;
    lost.push_back({earlier, later, address, array.entry(address)});
}

// What was overwritten with 0 was cleared: that is no loss.
void settle_lost_writes() {
    std::erase_if(lost, [](LostWrite& each) { return !each.settled && !holds_a_number(each.address); });
    for (LostWrite& each : lost) each.settled = true;
}

void report_overlap() {
    const auto& all = arrays();
    const auto declared = std::ranges::find_if(all, [](const auto& array) { return array->declared; });
    if (declared == all.end() || (*declared)->cells.empty()) return;
    const Array& own = **declared;
    for (const auto& taken : all) {
        if (!taken->taken) continue;
        for (std::size_t i = 0; i < taken->cells.size(); ++i) {
            const std::size_t byte = taken->offset + i * taken->cell_bytes;
            const std::size_t other = byte / own.cell_bytes;
            const void* by_taken = user(taken->cells[i]);
            const void* by_own = other < own.cells.size() ? user(own.cells[other]) : nullptr;
            if (by_taken == nullptr || by_own == nullptr) continue;
            report(Rank::stopped, {Fault::two_arrays_at_one_address},
                   "two shared arrays lie at one address: " + own.entry(own.begin + byte) + " is " +
                       taken->entry(taken->begin + i * taken->cell_bytes) + "\n" + own.name + " is used at " +
                       source_line(by_own) + ", " + taken->name + " at " + source_line(by_taken) +
                       "\nan extern __shared__ array begins where the arrays of SharedMemory begin: use one or the "
                       "other");
            return;
        }
    }
}

std::vector<std::string> remarks_on_lost_writes() {
    std::vector<std::string> remarks;
    for (const LostWrite& each : lost) {
        const std::string earlier = source_line(each.earlier), later = source_line(each.later);
        if (earlier == later || later.empty()) continue;
        const std::string remark = later + " overwrites what " + earlier + " has stored, ";
        const bool told = std::ranges::any_of(remarks, [&](const auto& text) { return text.starts_with(remark); });
        if (!told) remarks.push_back(remark + each.entry + ", before it was read: do two arrays overlap there?");
    }
    return remarks;
}

}  // namespace gpu::engine
