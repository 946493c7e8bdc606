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

#include "../gpu.hpp"
#include "../launch_counts.hpp"
#include "executable.hpp"
#include "fiber.hpp"
#include "memory.hpp"
#include "profile.hpp"
#include "scheduler.hpp"

namespace gpu::engine {
namespace {

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
        const std::uint64_t stamp = (std::uint64_t{now.epoch} << 16) + now.thread;
        Seen& seen = recent_[reinterpret_cast<std::uintptr_t>(instruction) / 4 % recent_.size()];
        if (seen.instruction == instruction && seen.stamp == stamp) return;
        seen = {instruction, stamp};
        Steps& steps = of_thread_[now.thread];
        if (std::exchange(steps.epoch, now.epoch) != now.epoch) steps.instructions.clear();
        if (std::ranges::find(steps.instructions, instruction) == steps.instructions.end())
            steps.instructions.push_back(instruction);
    }

    /// Whether a thread came to the first before the second; nothing if none came to both.
    std::optional<bool> before(const void* first, const void* second) const {
        for (const Steps& steps : of_thread_) {
            const auto begin = steps.instructions.begin(), end = steps.instructions.end();
            const auto one = std::find(begin, end, first), other = std::find(begin, end, second);
            if (steps.epoch == now.epoch && one != end && other != end) return one < other;
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

void note_race(const Array& array, std::uintptr_t address, const Cell::Access& earlier, bool earlier_wrote, bool writes,
               const void* instruction) {
    const bool same_block = earlier.epoch >= now.block_epoch;
    if (!is_new(same_block ? "race" : "blocks race", earlier.instruction, instruction)) return;
    if (same_block) {
        races.push_back({array.name, array.entry(address), earlier.thread, now.thread, earlier_wrote, writes,
                         earlier.instruction, instruction});
        return;
    }
    report({Finding::Rank::race, "blocks race on " + array.name,
            "data race between blocks on " + array.entry(address) + "\nblock " + block_at(earlier.epoch) + " " +
                did(earlier_wrote) + " it" + at(earlier.instruction) + "\n" + thread_name(now.thread) + " of block " +
                this_block() + " " + did(writes) + " it" + at(instruction) +
                "\nand blocks of one launch run in no particular order"});
}

// Whether nothing orders the earlier access before this one.
bool unordered(const Cell::Access& earlier, bool shared) {
    if (earlier.epoch < now.launch_epoch) return false;
    if (earlier.epoch < now.block_epoch) return !shared;
    if (earlier.epoch != now.epoch || earlier.thread == now.thread) return false;
    const unsigned warp = now.thread / 32;
    return earlier.thread / 32 != warp || earlier.warp_epoch == now.warp_epochs[warp];
}

void check_cell(Array& array, Cell& cell, std::uintptr_t address, Access access, const void* instruction) {
    const bool writes = access != Access::read, reads = access != Access::write, atomic = access == Access::atomic;
    if (!(atomic && cell.write.atomic) && unordered(cell.write, array.shared))
        note_race(array, address, cell.write, true, writes, instruction);
    if (writes)
        for (const Cell::Access& read : cell.reads)
            if (unordered(read, array.shared)) {
                note_race(array, address, read, false, true, instruction);
                break;
            }
    const bool written =
        array.shared ? cell.write.epoch >= now.block_epoch : array.filled_by_host || cell.write.epoch > 0;
    if (reads && !written && is_new("unwritten", instruction, nullptr))
        report({Finding::Rank::unwritten, "unwritten " + array.name,
                array.entry(address) + " is read, but nothing has written it" +
                    (array.shared ? " in this block yet" : "") + by_whom(source_line(instruction))});

    const Cell::Access here{instruction, now.epoch, now.warp_epochs[now.thread / 32],
                            static_cast<std::uint16_t>(now.thread), atomic};
    if (writes) {
        cell.write = here;
    } else {
        Cell::Access& slot =
            cell.reads[0].epoch != now.epoch || cell.reads[0].thread == now.thread ? cell.reads[0] : cell.reads[1];
        slot = here;
    }
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
        stop(outside(name, did(writes)),
             did(writes) + (" " + std::to_string(bytes)) + " bytes: " + where + by_whom(source_line(instruction)));
    }
    if (aligned) require_alignment(*array, address, bytes, instruction);
    if (RunScope::current().profile) profile_access(*array, address, bytes, writes, instruction);
    program_order.note(instruction);
    if (now.thread < launch_counts.accesses.size()) ++launch_counts.accesses[now.thread];
    if (array->cells.empty()) array->cells.resize((array->end - array->begin + 3) / 4);
    if (bytes % 4 != 0 || address % 4 != 0) {  // smaller types: only remember that something was written
        if (writes) array->cells[(address - array->begin) / 4].write.epoch = now.epoch;
        return;
    }
    for (std::size_t at_byte = 0; at_byte < bytes; at_byte += 4)
        check_cell(*array, array->cells[(address - array->begin + at_byte) / 4], address + at_byte, access,
                   instruction);
}

}  // namespace

void begin_checks() { reported.clear(); }

void at_barrier() {
    for (const Race& race : races) report_race(race);
    races.clear();
}

void end_checks() {
    if (RunScope::current().profile) print_profile();
}

void on_access(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    if (address - now.stack_begin < Fiber::stack_bytes || address - now.arguments_begin < now.arguments_bytes) return;
    now.checking = false;  // the engine's own accesses are nobody's business
    check(address, bytes, access, instruction, aligned);
    now.checking = true;
}

void note_atomic(void* address, std::size_t bytes, void* return_address) {
    if (now.checking) on_access(reinterpret_cast<std::uintptr_t>(address), bytes, Access::atomic, return_address, true);
}

}  // namespace gpu::engine

// What the compiler calls ---------------------------------------------------------------------------------------------

using gpu::engine::Access;

namespace {
inline void announce(const void* address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    if (gpu::engine::now.checking)
        gpu::engine::on_access(reinterpret_cast<std::uintptr_t>(address), bytes, access, instruction, aligned);
}
}  // namespace

#define HERE __builtin_return_address(0)
#define ACCESSES(bytes)                                                                                         \
    void __tsan_read##bytes(void* address) { announce(address, bytes, Access::read, HERE, true); }              \
    void __tsan_write##bytes(void* address) { announce(address, bytes, Access::write, HERE, true); }            \
    void __tsan_unaligned_read##bytes(void* address) { announce(address, bytes, Access::read, HERE, false); }   \
    void __tsan_unaligned_write##bytes(void* address) { announce(address, bytes, Access::write, HERE, false); } \
    void __tsan_read_write##bytes(void* address) {                                                              \
        announce(address, bytes, Access::read, HERE, true);                                                     \
        announce(address, bytes, Access::write, HERE, true);                                                    \
    }
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* address, std::size_t bytes) { announce(address, bytes, Access::read, HERE, false); }
void __tsan_write_range(void* address, std::size_t bytes) { announce(address, bytes, Access::write, HERE, false); }
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
    announce(from, bytes, Access::read, HERE, false);
    announce(to, bytes, Access::write, HERE, false);
    return std::memcpy(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
    announce(to, bytes, Access::write, HERE, false);
    return std::memset(to, value, bytes);
}
unsigned char __tsan_atomic8_load(const volatile unsigned char* guard, int) { return *guard; }  // of a static local
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#ifndef __clang__  // whose address sanitizer has these itself: cmake/kernels.cmake
// -fsanitize=alignment,bounds bring file and line along.
struct UndefinedSite {
    const char* file;
    std::uint32_t line, column;
};
struct UndefinedAlignment {
    UndefinedSite site;
    const void* type;
    unsigned char log_alignment, kind;
};
struct UndefinedIndex {
    UndefinedSite site;
    const void *array, *index;
};
void __ubsan_handle_type_mismatch_v1(UndefinedAlignment* what, std::uintptr_t address) {
    using namespace gpu::engine;
    if (!now.in_kernel) return;
    now.checking = false;
    const Array* array = find_array(address);
    const std::size_t alignment = std::size_t{1} << what->log_alignment;
    const std::string line = short_path(what->site.file) + ":" + std::to_string(what->site.line);
    if (address == 0) stop("null pointer", "used a null pointer" + by_whom(line));
    stop("misaligned " + (array == nullptr ? "" : array->name),
         "an access that needs a multiple of " + std::to_string(alignment) + " bytes, at " +
             (array == nullptr ? "an address that is none" : array->entry(address) + ", which is none") +
             by_whom(line));
}
void __ubsan_handle_out_of_bounds(UndefinedIndex* what, std::uintptr_t index) {
    using namespace gpu::engine;
    if (!now.in_kernel) return;
    now.checking = false;
    stop("index out of bounds", "index " + std::to_string(static_cast<long long>(index)) + " is outside of its array" +
                                    by_whom(short_path(what->site.file) + ":" + std::to_string(what->site.line)));
}
#endif
}
