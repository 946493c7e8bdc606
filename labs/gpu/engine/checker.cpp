#include "checker.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../launch_counts.hpp"
#include "access_notes.hpp"
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

uint3 block_at(std::uint32_t epoch) {
    const auto after = std::ranges::upper_bound(blocks, epoch, {}, &Block::epoch);
    return after == blocks.begin() ? uint3{} : std::prev(after)->index;
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
struct Guess {
    const void* instruction = nullptr;
    Array* array = nullptr;
};
Guess& guess_of(const void* instruction) {
    static std::array<Guess, 512> guesses;
    static unsigned version = 0;
    if (version != arrays_version()) {
        guesses.fill({});
        version = arrays_version();
    }
    return guesses[reinterpret_cast<std::uintptr_t>(instruction) / 4 % guesses.size()];
}

Array* array_of(std::uintptr_t address, const void* instruction) {
    Guess& guess = guess_of(instruction);
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

    /// How many instructions of a line have touched this array last.
    std::size_t accesses(const Array& array, const std::string& line) const {
        std::set<const void*> found;
        for (const Steps& steps : of_thread_) {
            if (steps.epoch != running.epoch) continue;
            for (const void* instruction : steps.instructions) {
                const Guess& guess = guess_of(instruction);
                if (guess.instruction == instruction && guess.array == &array && source_line(instruction) == line)
                    found.insert(instruction);
            }
        }
        return found.size();
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
    const Array* array;
    std::uintptr_t address;
    std::string entry;
    unsigned earlier_thread, thread;
    bool earlier_wrote, writes;
    const void *earlier_instruction, *instruction;
    const void* written_before;  // what the write of the two overwrote: the instruction that had stored it, if another
    const void* own_read;        // with which the thread that wrote had read what was there; null: with none
    bool lost;                   // both write, and a number was lost that nobody had read
};
std::vector<Race> races;

enum class Order { write_then_read, read_then_write, write_then_write, same_line, between_rounds };

bool on_one_line(const Race& race) {
    const std::string line = source_line(race.instruction);
    return race.earlier_instruction == race.instruction ||
           (!line.empty() && source_line(race.earlier_instruction) == line);
}

// Whether the line of a race reads other entries of the array than the one that it stores: then the rounds of a loop depend on each
// other. `sum += x` has one instruction that reads and one that stores.
bool rounds_depend_on_each_other(const Race& race) {
    const std::string line = source_line(race.instruction);
    const bool both_store = std::ranges::any_of(races, [&](const Race& other) {
        return other.array == race.array && other.earlier_wrote && other.writes && on_one_line(other) &&
               source_line(other.instruction) == line;
    });
    return !both_store || program_order.accesses(*race.array, line) > 2;
}

Order order_of(const Race& race) {
    if (on_one_line(race)) return rounds_depend_on_each_other(race) ? Order::between_rounds : Order::same_line;
    const std::string earlier_line = source_line(race.earlier_instruction), line = source_line(race.instruction);
    if (race.earlier_wrote && race.writes) return Order::write_then_write;
    const auto meant = program_order.before(race.earlier_instruction, race.instruction);
    const auto number = [](const std::string& place) { return std::atoi(place.c_str() + place.rfind(':') + 1); };
    const bool earlier_is_first = meant.value_or(number(earlier_line) < number(line));
    return earlier_is_first == race.earlier_wrote ? Order::write_then_read : Order::read_then_write;
}

// How many entries around this one were all touched since the last barrier.
template <class Touched>
std::size_t run_around(const Array& array, std::uintptr_t address, Touched touched) {
    const std::size_t at = array.cell_at(address - array.begin);
    std::size_t first = at, end = at;
    while (first > 0 && touched(array.cells[first - 1])) --first;
    while (end < array.cells.size() && touched(array.cells[end])) ++end;
    return end - first;
}

// Whether one of two lines that race stores what is another line's to store. `surely`: a barrier would not help.
enum class Mixed { no, perhaps, surely };
Mixed mixes_arrays(const Race& race, Order order) {
    if (!race.array->shared || !holds_a_number(race.address)) return Mixed::no;
    if (order == Order::write_then_write) return race.lost ? Mixed::surely : Mixed::no;
    if (order != Order::read_then_write || race.written_before == nullptr) return Mixed::no;
    const std::string before = source_line(race.written_before),
                      reading = source_line(race.earlier_wrote ? race.instruction : race.earlier_instruction);
    if (before == source_line(race.earlier_instruction) || before == source_line(race.instruction)) return Mixed::no;
    // Who updates an entry reads it for that, and not only where all others read it, too.
    if (race.own_read != nullptr && source_line(race.own_read) != reading) return Mixed::no;
    // An array that is changed in place is read and written as a whole.
    const auto is_read = [](const Cell& cell) { return cell.reads[0].epoch == running.epoch; };
    const auto is_written = [](const Cell& cell) { return cell.write.epoch == running.epoch; };
    const bool in_place =
        run_around(*race.array, race.address, is_read) == run_around(*race.array, race.address, is_written);
    return in_place ? Mixed::perhaps : Mixed::surely;
}

std::string who_raced(const Race& race) {
    return thread_name(race.earlier_thread) + " " + did(race.earlier_wrote) + " it" + at(race.earlier_instruction) +
           "\n" + thread_name(race.thread) + " " + did(race.writes) + " it" + at(race.instruction) + "\n";
}

void report_race(const Race& race) {
    static constexpr struct {
        Fault fault;
        const char* advice;
    } orders[] = {{Fault::race_write_then_read, "one is missing after the write"},
                  {Fault::race_read_then_write, "one is missing after the read, before the write"},
                  {Fault::race_write_then_write, "one is missing, unless one thread should make both writes"},
                  {Fault::race_on_one_line, "several threads have the same entry"},
                  {Fault::race_between_rounds, "one is missing between two rounds of the loop"}};
    const std::string what = race.entry + " in block " + this_block() + "\n" + who_raced(race);
    for (const void* instruction : {race.instruction, race.earlier_instruction})
        if (const auto wrong = wrong_index(*race.array, race.address, instruction); wrong && wrong->exchanged)
            return report(Rank::race, {Fault::exchanged_indices},
                          "two threads have the same entry, " + what + "and " + wrong->text);
    const Order meant = order_of(race);
    const Mixed mixed = mixes_arrays(race, meant);
    const std::string before = "and what was there came from " + source_line(race.written_before);
    if (mixed == Mixed::surely)
        return report(Rank::race, {Fault::two_arrays_at_one_address},
                      "two values are kept at one address, " + what +
                          (meant == Order::write_then_write ? "and the earlier one was never read" : before) +
                          ": do two arrays overlap, or is one used for two things?");
    if (mixed == Mixed::perhaps)
        return report(Rank::race, {Fault::race_read_then_replaced},
                      "data race on " + what + before +
                          ": do the lines mean two arrays, and these overlap? If not, a __syncthreads() is missing "
                          "after the read, before the write");
    const auto& order = orders[static_cast<std::size_t>(meant)];
    report(Rank::race, {order.fault, race.array->name},
           "data race on " + what + "and no __syncthreads() lies between the two: " + order.advice +
               (race.array->declared && meant < Order::same_line
                    ? "\n(or the two lines mean different arrays, and these overlap)"
                    : ""));
}

// The entry that an access of so many bytes names: a char, a short, or else a float.
std::string entry_of(const Array& array, std::size_t at_byte, std::size_t bytes) {
    return array.entry(array.begin + at_byte, bytes < 3 ? bytes : 4);
}

// With which instruction the running thread has read this entry last, since the last barrier.
const void* own_read(const Cell& cell) {
    for (const Cell::Access& read : cell.reads)
        if (read.epoch == running.epoch && read.thread == running.thread) return read.instruction;
    return nullptr;
}

// The instruction whose number is replaced by the one that writes now; null if that one stores here regularly.
const void* replaced(const Cell& cell, const void* instruction) {
    const bool of_another = cell.write.epoch >= running.block_epoch && cell.write.instruction != instruction;
    return of_another && cell.written_before != instruction ? cell.write.instruction : nullptr;
}

// Which index two blocks that race do not use: "blockIdx.y". Then the same thread of both comes to an entry.
std::string left_out(uint3 a, uint3 b, unsigned thread_of_a) {
    const int different = (a.x != b.x) + (a.y != b.y) + (a.z != b.z);
    if (different != 1 || thread_of_a != running.thread) return "";
    const char axis = a.x != b.x ? 'x' : a.y != b.y ? 'y' : 'z';
    return std::string("; the two differ in blockIdx.") + axis + " alone: does the index leave it out?";
}

void note_race(const Array& array, std::size_t at_byte, std::size_t bytes, const Cell& cell,
               const Cell::Access& earlier, bool earlier_wrote, bool writes, const void* instruction) {
    const bool same_block = earlier.epoch >= running.block_epoch;
    if (!is_new(same_block ? "race" : "blocks race", earlier.instruction, instruction)) return;
    const std::string entry = entry_of(array, at_byte, bytes);
    if (same_block) {
        const std::uintptr_t address = array.begin + at_byte;
        races.push_back({&array, address, entry, earlier.thread, running.thread, earlier_wrote, writes,
                         earlier.instruction, instruction, writes ? replaced(cell, instruction) : cell.written_before,
                         writes ? own_read(cell) : cell.writer_read,
                         earlier_wrote && writes && !cell.write.was_read && holds_a_number(address)});
        return;
    }
    report(Rank::race, {Fault::race_between_blocks, array.name},
           "data race between blocks on " + entry + "\nblock " + text_of(block_at(earlier.epoch)) + " " +
               did(earlier_wrote) + " it" + at(earlier.instruction) + "\n" + thread_name(running.thread) +
               " of block " + this_block() + " " + did(writes) + " it" + at(instruction) +
               "\nand blocks of one launch run in no particular order" +
               left_out(block_at(earlier.epoch), blockIdx, earlier.thread));
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
    const std::uint32_t since = array.shared ? running.block_epoch : 1;
    if (array.filled_by_host || array.cells[array.cell_at(at_byte)].write.epoch >= since) return true;
    const std::size_t first = array.cell_at(at_byte / 4 * 4);
    const std::size_t last = std::min(first + array.cell_at(4), array.cells.size());
    for (std::size_t i = first; i < last; ++i)
        if (array.cells[i].write.epoch >= since) return true;
    return false;
}

// A read of unwritten memory: where `+=` would write next.
struct {
    std::uintptr_t address = 0;
    unsigned thread = 0;
    const void* instruction = nullptr;
    std::string array;
} added_to;

const char* const adds = "\nit adds to what is there: set it to 0 first";

void look_whether_added_to(std::uintptr_t address, const void* instruction) {
    if (address != added_to.address || running.thread != added_to.thread) return;
    if (source_line(instruction) == source_line(added_to.instruction))
        amend({Fault::unwritten, added_to.array}, Fault::added_to_unwritten, adds);
    added_to.address = 0;
}

// "A(3, 1)", if this is A(1, 3) and that one has been written.
std::string written_the_other_way_round(const Array& array, std::size_t at_byte) {
    if (array.row_bytes == 0) return "";
    const std::size_t row = at_byte / array.row_bytes, column = at_byte % array.row_bytes / 4,
                      other = column * array.row_bytes + row * 4, rows = (array.end - array.begin) / array.row_bytes;
    const bool square = rows == array.row_bytes / 4 || rows + 1 == array.row_bytes / 4;
    if (!square || row == column || other + 4 > array.end - array.begin || !is_written(array, other)) return "";
    return array.entry(array.begin + other);
}

// Whether exactly the first entries of a shared array have been written, one for each thread of the block: an `if` where a
// loop over the entries should stand.
bool one_entry_for_each_thread(const Array& array, std::size_t unread) {
    const std::size_t threads = static_cast<std::size_t>(blockDim.x) * blockDim.y * blockDim.z;
    std::size_t written = 0, last = 0;
    for (std::size_t at = 0; at + 4 <= array.end - array.begin; at += 4)
        if (is_written(array, at)) {
            ++written;
            last = at;
        }
    return array.shared && written == threads && last < unread;
}

void report_unwritten(const Array& array, std::size_t at_byte, std::size_t bytes, Access access,
                      const void* instruction) {
    const std::uintptr_t address = array.begin + at_byte;
    const std::string what = entry_of(array, at_byte, bytes) + " is read, but nothing has written it" +
                             (array.shared ? " in this block yet" : "") + by_whom(source_line(instruction));
    const auto wrong = wrong_index(array, address, instruction);
    const std::string other = wrong ? "" : written_the_other_way_round(array, at_byte);
    if (access == Access::atomic) return report(Rank::unwritten, {Fault::added_to_unwritten, array.name}, what + adds);
    if (!wrong && one_entry_for_each_thread(array, at_byte))
        return report(Rank::unwritten, {Fault::one_entry_for_each_thread, array.name},
                      what +
                          "\nas many of its entries are written as the block has threads, and no more: is a loop over "
                          "the entries an if?");
    report(Rank::unwritten,
           !wrong             ? Symptom{Fault::unwritten, array.name}
           : wrong->exchanged ? Symptom{Fault::exchanged_indices}
                              : Symptom{Fault::no_such_entry, array.name},
           what + (wrong            ? "\n" + wrong->text
                   : !other.empty() ? "\n" + other +
                                          " has been written: are the two indices exchanged, or does a loop "
                                          "go past the diagonal?"
                                    : ""));
    if (!wrong) added_to = {address, running.thread, instruction, array.name};
}

// One field after the other: a copy of a whole Access reads in one piece what was just written in several, and waits for it.
void note(Cell::Access& access, const void* instruction, bool atomic) {
    access.instruction = instruction;
    access.epoch = running.epoch;
    access.warp_epoch = running.warp_epochs[running.thread / 32];
    access.thread = static_cast<std::uint16_t>(running.thread);
    access.atomic = atomic;
    access.was_read = false;
}

void check_cell(Array& array, std::size_t at_byte, std::size_t bytes, Access access, const void* instruction) {
    Cell& cell = array.cells[array.cell_at(at_byte)];
    const bool writes = access != Access::read, reads = access != Access::write, atomic = access == Access::atomic;
    if (!(atomic && cell.write.atomic) && unordered(cell.write, array.shared))
        note_race(array, at_byte, bytes, cell, cell.write, true, writes, instruction);
    if (writes)
        for (const Cell::Access& read : cell.reads)
            if (unordered(read, array.shared)) {
                note_race(array, at_byte, bytes, cell, read, false, true, instruction);
                break;
            }
    if (reads && !is_written(array, at_byte) && is_new("unwritten", instruction, nullptr))
        report_unwritten(array, at_byte, bytes, access, instruction);
    if (writes && added_to.address != 0) look_whether_added_to(array.begin + at_byte, instruction);

    if (reads) cell.write.was_read = true;
    if (writes) {
        const bool of_another =
            cell.write.epoch >= running.block_epoch && cell.write.instruction != instruction && array.shared;
        if (of_another && !cell.write.was_read)
            note_lost_write(array, array.begin + at_byte, cell.write.instruction, instruction);
        if (of_another || cell.write.epoch < running.block_epoch) cell.written_before = replaced(cell, instruction);
        cell.writer_read = atomic ? instruction : own_read(cell);
        note(cell.write, instruction, atomic);
    } else {
        const bool first = cell.reads[0].epoch != running.epoch || cell.reads[0].thread == running.thread;
        note(cell.reads[first ? 0 : 1], instruction, atomic);
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
    if ((address & (bytes - 1)) == 0) return;  // a power of two
    stop({Fault::misaligned, array.name}, "an access to " + std::to_string(bytes) + " bytes at " +
                                              array.entry(address) + ", which is not a multiple of " +
                                              std::to_string(bytes) + " bytes" + by_whom(source_line(instruction)));
}

void check(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    const bool writes = access != Access::read;
    if (running.index_noted) take_noted_index(address, instruction);
    Array* array = array_of(address, instruction);
    if (array == nullptr || address + bytes > array->end) {
        if (array == nullptr && in_program(address)) return;  // a constant, a table, threadIdx
        const Guess& guess = guess_of(instruction);
        const Array* likely = guess.instruction == instruction && guess.array->shared ? guess.array : array;
        const Array* near = nullptr;
        const std::string where = describe_outside(array == nullptr ? address : array->end, near, likely);
        std::string line = near == nullptr ? calling_line() : "";  // std::vector's own code may have been called
        if (line.empty()) line = source_line(instruction);
        const bool past_shared = array == nullptr && near != nullptr && near->shared && address >= near->end;
        const Array* beyond = past_shared ? near : nullptr;
        const auto wrong = beyond == nullptr ? std::nullopt : wrong_index(*beyond, address, instruction);
        stop(wrong && wrong->exchanged                 ? Symptom{Fault::exchanged_indices}
             : beyond != nullptr && beyond->has_length ? Symptom{Fault::beyond_a_fixed_length}
                                                       : outside(near == nullptr ? "" : near->name, writes),
             did(writes) + (" " + std::to_string(bytes)) + " bytes: " + where + (wrong ? "\n" + wrong->text : "") +
                 by_whom(line));
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

// What a launch can say when it is asked afterwards -------------------------------------------------------------------

struct FloatAtomic {
    const void* instruction;
    std::string entry;
};
std::vector<FloatAtomic> float_atomics;

std::string float_atomic() {
    return float_atomics.empty() ? "" : float_atomics.front().entry + at(float_atomics.front().instruction);
}

std::vector<std::string> remarks() {
    std::vector<std::string> all = remarks_on_indices();
    for (std::string& each : remarks_on_lost_writes()) all.push_back(std::move(each));
    return all;
}

std::string writer_of(const std::string& buffer, std::size_t entry) {
    if (has_stopped()) return "";
    for (const auto& array : released_arrays()) {
        const bool asked_for = buffer.empty() ? !array->filled_by_host : array->name == buffer;
        if (!asked_for || array->cell_bytes != 4 || entry >= array->cells.size()) continue;
        const Cell::Access& write = array->cells[entry].write;
        if (write.epoch < running.launch_epoch) return "";
        return thread_name(write.thread) + " of block " + text_of(block_at(write.epoch)) + at(write.instruction);
    }
    return "";
}

}  // namespace

void begin_checks() {
    reported.clear();
    races.clear();
    blocks.clear();
    float_atomics.clear();
    added_to.address = 0;
    begin_indices();
    begin_mixed_arrays();
    if (RunScope::current().checked || RunScope::current().profile) {
        launch_counts.writer_of = writer_of;
        launch_counts.remarks = remarks;
        launch_counts.float_atomic = float_atomic;
    }
}

void begin_block() { blocks.push_back({running.epoch, blockIdx}); }

void at_barrier() {
    settle_lost_writes();
    for (const Race& race : races) report_race(race);
    races.clear();
}

void end_block() { report_overlap(); }

void end_checks() {
    if (RunScope::current().profile) launch_counts.profile = take_profile();
}

void on_access(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned) {
    if (address - running.stack_begin < Fiber::stack_bytes ||
        address - running.arguments_begin < running.arguments_bytes)
        return;
    running.checking = false;  // the engine's own accesses are not the kernel's
    check(address, bytes, access, instruction, aligned);
    running.checking = true;
}

void note_atomic(void* address, std::size_t bytes, bool adds_floats, void* return_address) {
    if (!running.checking) return;
    on_access(reinterpret_cast<std::uintptr_t>(address), bytes, Access::atomic, return_address, true);
    const auto known = std::ranges::find(float_atomics, return_address, &FloatAtomic::instruction);
    if (!adds_floats || known != float_atomics.end()) return;
    if (const Array* array = find_array(reinterpret_cast<std::uintptr_t>(address)))
        float_atomics.push_back({return_address, array->entry(reinterpret_cast<std::uintptr_t>(address))});
}

}  // namespace gpu::engine
