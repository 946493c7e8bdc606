#include "checker.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../launch_counts.hpp"
#include "access_costs.hpp"
#include "faults.hpp"
#include "memory.hpp"
#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

// The blocks of this launch, in the order in which they run.
struct Block {
    std::uint32_t epoch;
    uint3 index;
};
std::vector<Block> blocks;

std::string block_at(std::uint32_t epoch) {
    const auto after = std::ranges::upper_bound(blocks, epoch, {}, &Block::epoch);
    return after == blocks.begin() ? "" : text_of(std::prev(after)->index);
}

// One report for each pair of instructions.
std::set<std::tuple<const char*, const void*, const void*>> reported;

bool is_new(const char* kind, const void* first, const void* second) {
    return reported.size() < 8 && reported.emplace(kind, first, second).second;
}

std::string at(const void* instruction) {
    const std::string line = source_line(instruction);
    return line.empty() ? "" : " at " + line;
}

const char* did(bool write) { return write ? "wrote" : "read"; }

// The array that each instruction touched last: nearly always the one that it touches next.
Array* array_of(std::uintptr_t address, const void* instruction) {
    struct Guess {
        const void* instruction = nullptr;
        Array* array = nullptr;
    };
    static std::array<Guess, 512> guesses;
    static unsigned version = 0;
    if (version != arrays_version()) {
        guesses.fill({});
        version = arrays_version();
    }
    Guess& guess = guesses[reinterpret_cast<std::uintptr_t>(instruction) / 4 % guesses.size()];
    if (guess.instruction != instruction || !guess.array->contains(address)) {
        Array* found = find_array(address);
        if (found == nullptr) return nullptr;
        guess = {instruction, found};
    }
    return guess.array;
}

// The instructions of each thread since the last barrier, in the order in which it came to them first. Who was first to
// touch an entry is chance: it is this order that tells which of two instructions the kernel means to come first.
class ProgramOrder {
public:
    void note(const void* instruction) {
        const std::uint64_t stamp = (std::uint64_t{running.epoch} << 16) + running.thread;
        Seen& seen = recent_[reinterpret_cast<std::uintptr_t>(instruction) / 4 % recent_.size()];
        if (seen.instruction == instruction && seen.stamp == stamp) return;
        seen = {instruction, stamp};
        Steps& steps = of_thread_[running.thread];
        if (std::exchange(steps.epoch, running.epoch) != running.epoch) steps.instructions.clear();
        if (std::ranges::find(steps.instructions, instruction) == steps.instructions.end())
            steps.instructions.push_back(instruction);
    }

    /// Whether a thread came to the first before the second; nothing if none came to both.
    std::optional<bool> before(const void* first, const void* second) const {
        for (const Steps& steps : of_thread_) {
            const auto begin = steps.instructions.begin(), end = steps.instructions.end();
            const auto one = std::find(begin, end, first), other = std::find(begin, end, second);
            if (steps.epoch == running.epoch && one != end && other != end) return one < other;
        }
        return std::nullopt;
    }

private:
    struct Seen {
        const void* instruction = nullptr;
        std::uint64_t stamp = 0;
    };
    struct Steps {
        std::uint32_t epoch = 0;
        std::vector<const void*> instructions;
    };
    std::array<Seen, 512> recent_;
    std::array<Steps, 1024> of_thread_;
} program_order;

// Between two threads of a block. What order the kernel means shows when all of them have come to the next barrier.
struct Race {
    std::string array, entry;
    unsigned earlier_thread, thread;
    bool earlier_wrote, writes;
    const void *earlier_instruction, *instruction;
};
std::vector<Race> races;

enum class Order { write_then_read, read_then_write, write_then_write, same_line };

Order order_of(const Race& race) {
    const std::string earlier_line = source_line(race.earlier_instruction), line = source_line(race.instruction);
    if (race.earlier_instruction == race.instruction || (!line.empty() && earlier_line == line))
        return Order::same_line;
    if (race.earlier_wrote && race.writes) return Order::write_then_write;
    const auto meant = program_order.before(race.earlier_instruction, race.instruction);
    const auto number = [](const std::string& place) { return std::atoi(place.c_str() + place.rfind(':') + 1); };
    const bool earlier_is_first = meant.value_or(number(earlier_line) < number(line));
    return earlier_is_first == race.earlier_wrote ? Order::write_then_read : Order::read_then_write;
}

void report_race(const Race& race) {
    static constexpr struct {
        const char *symptom, *advice;
    } orders[] = {{", write then read", "one is missing after the write"},
                  {", read then write", "one is missing after the read, before the write"},
                  {", write then write", "one is missing, unless one thread should make both writes"},
                  {", same line", "several threads have the same entry"}};
    const auto& order = orders[static_cast<std::size_t>(order_of(race))];
    report({Finding::Rank::race, "race on " + race.array + order.symptom,
            "data race on " + race.entry + " in block " + this_block() + "\n" + thread_name(race.earlier_thread) + " " +
                did(race.earlier_wrote) + " it" + at(race.earlier_instruction) + "\n" + thread_name(race.thread) + " " +
                did(race.writes) + " it" + at(race.instruction) +
                "\nand no __syncthreads() lies between the two: " + order.advice});
}

// The entry that an access of so many bytes names: a char, a short, or else a float.
std::string entry_of(const Array& array, std::size_t at_byte, std::size_t bytes) {
    return array.entry(array.begin + at_byte, bytes < 3 ? bytes : 4);
}

void note_race(const Array& array, std::size_t at_byte, std::size_t bytes, const Cell::Access& earlier,
               bool earlier_wrote, bool writes, const void* instruction) {
    const bool same_block = earlier.epoch >= running.block_epoch;
    if (!is_new(same_block ? "race" : "blocks race", earlier.instruction, instruction)) return;
    const std::string entry = entry_of(array, at_byte, bytes);
    if (same_block) {
        races.push_back({array.name, entry, earlier.thread, running.thread, earlier_wrote, writes, earlier.instruction,
                         instruction});
        return;
    }
    report({Finding::Rank::race, "blocks race on " + array.name,
            "data race between blocks on " + entry + "\nblock " + block_at(earlier.epoch) + " " + did(earlier_wrote) +
                " it" + at(earlier.instruction) + "\n" + thread_name(running.thread) + " of block " + this_block() +
                " " + did(writes) + " it" + at(instruction) + "\nand blocks of one launch run in no particular order"});
}

// Whether nothing orders the earlier access before this one.
bool unordered(const Cell::Access& earlier, bool shared) {
    if (earlier.epoch < running.launch_epoch) return false;
    if (earlier.epoch < running.block_epoch) return !shared;
    if (earlier.epoch != running.epoch || earlier.thread == running.thread) return false;
    const unsigned warp = running.thread / 32;
    return earlier.thread / 32 != warp || earlier.warp_epoch == running.warp_epochs[warp];
}

// Whether anything has written here. Bytes between the members of a struct are copied with it and never written, so one
// written byte of four is enough.
bool is_written(const Array& array, std::size_t at_byte) {
    if (array.filled_by_host) return true;
    const std::size_t cells_of_word = 4 / array.cell_bytes, first = at_byte / 4 * cells_of_word;
    const std::size_t last = std::min(first + cells_of_word, array.cells.size());
    const std::uint32_t since = array.shared ? running.block_epoch : 1;
    for (std::size_t i = first; i < last; ++i)
        if (array.cells[i].write.epoch >= since) return true;
    return false;
}

void check_cell(Array& array, std::size_t at_byte, std::size_t bytes, Access access, const void* instruction) {
    Cell& cell = array.cells[at_byte / array.cell_bytes];
    const bool writes = access != Access::read, reads = access != Access::write, atomic = access == Access::atomic;
    if (!(atomic && cell.write.atomic) && unordered(cell.write, array.shared))
        note_race(array, at_byte, bytes, cell.write, true, writes, instruction);
    if (writes)
        for (const Cell::Access& read : cell.reads)
            if (unordered(read, array.shared)) {
                note_race(array, at_byte, bytes, read, false, true, instruction);
                break;
            }
    if (reads && !is_written(array, at_byte) && is_new("unwritten", instruction, nullptr))
        report({Finding::Rank::unwritten, "unwritten " + array.name,
                entry_of(array, at_byte, bytes) + " is read, but nothing has written it" +
                    (array.shared ? " in this block yet" : "") + by_whom(source_line(instruction))});

    const Cell::Access here{instruction, running.epoch, running.warp_epochs[running.thread / 32],
                            static_cast<std::uint16_t>(running.thread), atomic};
    if (writes) {
        cell.write = here;
    } else {
        Cell::Access& slot = cell.reads[0].epoch != running.epoch || cell.reads[0].thread == running.thread
                                 ? cell.reads[0]
                                 : cell.reads[1];
        slot = here;
    }
}

// From now on a cell for every byte; each knows what the 4 bytes around it have seen.
void watch_bytes(Array& array) {
    std::vector<Cell> cells(array.end - array.begin);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = array.cells[i / 4];
    array.cells = std::move(cells);
    array.cell_bytes = 1;
}

// -fsanitize=thread knows 16 bytes at most by a name of their own, so this is every access that needs alignment.
void require_alignment(const Array& array, std::uintptr_t address, std::size_t bytes, const void* instruction) {
    if (address % bytes == 0) return;
    stop("misaligned " + array.name, "an access to " + std::to_string(bytes) + " bytes at " + array.entry(address) +
                                         ", which is no multiple of " + std::to_string(bytes) + " bytes" +
                                         by_whom(source_line(instruction)));
}

void check(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    const bool writes = access != Access::read;
    Array* array = array_of(address, instruction);
    if (array == nullptr || address + bytes > array->end) {
        if (array == nullptr && in_program(address)) return;  // a constant, a table, threadIdx
        std::string name;
        const std::string where = describe_outside(array == nullptr ? address : array->end, name);
        std::string line = name.empty() ? calling_line() : "";  // std::vector's own code may have been called
        if (line.empty()) line = source_line(instruction);
        stop(outside(name, did(writes)),
             did(writes) + (" " + std::to_string(bytes)) + " bytes: " + where + by_whom(line));
    }
    if (aligned) require_alignment(*array, address, bytes, instruction);
    if (RunScope::current().profile) profile_access(*array, address, bytes, writes, instruction);
    program_order.note(instruction);
    if (running.thread < launch_counts.accesses.size()) ++launch_counts.accesses[running.thread];
    const std::size_t from = address - array->begin;
    if (array->cells.empty()) array->cells.resize((array->end - array->begin + 3) / 4);
    if (array->cell_bytes == 4 && (from % 4 != 0 || bytes % 4 != 0)) watch_bytes(*array);
    for (std::size_t at_byte = from; at_byte < from + bytes; at_byte += array->cell_bytes)
        check_cell(*array, at_byte, bytes, access, instruction);
}

}  // namespace

void begin_checks() {
    reported.clear();
    races.clear();
    blocks.clear();
}

void begin_block() { blocks.push_back({running.epoch, blockIdx}); }

void at_barrier() {
    for (const Race& race : races) report_race(race);
    races.clear();
}

void end_checks() {
    if (RunScope::current().profile) print_profile();
}

void on_access(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    if (address - running.stack_begin < Fiber::stack_bytes ||
        address - running.arguments_begin < running.arguments_bytes)
        return;
    running.checking = false;  // the engine's own accesses are not the kernel's
    check(address, bytes, access, instruction, aligned);
    running.checking = true;
}

void note_atomic(void* address, std::size_t bytes, void* return_address) {
    if (running.checking)
        on_access(reinterpret_cast<std::uintptr_t>(address), bytes, Access::atomic, return_address, true);
}

}  // namespace gpu::engine
