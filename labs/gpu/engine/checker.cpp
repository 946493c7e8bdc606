#include "checker.hpp"

#include <array>
#include <cstring>
#include <set>
#include <string>
#include <tuple>

#include "../gpu.hpp"
#include "fiber.hpp"
#include "memory.hpp"
#include "profile.hpp"
#include "program.hpp"
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

void report_race(const Array& array, std::uintptr_t address, const Cell::Access& earlier, bool earlier_wrote,
                 bool writes, const void* instruction) {
    const bool same_block = earlier.epoch >= now.block_epoch;
    const char* kind = same_block ? "race" : "blocks race";
    if (!is_new(kind, earlier.instruction, instruction)) return;
    const std::string first = same_block ? thread_name(earlier.thread) : "block " + block_at(earlier.epoch);
    const std::string second = thread_name(now.thread) + (same_block ? "" : " of block " + this_block());
    report({Finding::Rank::race,
            std::string(kind) + " on " + array.name + (earlier_wrote ? ", written first" : ", read first"),
            (same_block ? "data race on " : "data race between blocks on ") + array.entry(address) +
                (same_block ? " in block " + this_block() : "") + "\n" + first + " " + did(earlier_wrote) + " it" +
                at(earlier.instruction) + "\n" + second + " " + did(writes) + " it" + at(instruction) +
                (same_block ? "\nand no __syncthreads() lies between the two"
                            : "\nand blocks of one launch run in no particular order")});
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
        report_race(array, address, cell.write, true, writes, instruction);
    if (writes)
        for (const Cell::Access& read : cell.reads)
            if (unordered(read, array.shared)) {
                report_race(array, address, read, false, true, instruction);
                break;
            }
    const bool written =
        array.shared ? cell.write.epoch >= now.block_epoch : array.filled_by_host || cell.write.epoch > 0;
    if (reads && !written && is_new("unwritten", instruction, nullptr))
        report({Finding::Rank::unwritten, "unwritten " + array.name,
                array.entry(address) + " is read, but nothing has written it" + (array.shared ? " in this block" : "") +
                    by_whom(source_line(instruction))});

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
