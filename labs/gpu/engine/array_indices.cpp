#include "access_notes.hpp"

#include <algorithm>
#include <set>

#include "scheduler.hpp"
#include "symbols.hpp"

namespace gpu::engine {
namespace {

struct Noted {
    std::uintptr_t entries = 0;
    int row = 0, column = 0, columns = 0, stride = 0;
} noted;

// The noted indices of an instruction: the first, and the largest.
struct Columns {
    const void* instruction;
    Noted first;
    int largest_row, largest_column;
    std::string array;
};
std::vector<Columns> columns_seen;
std::set<const void*> known_as_exchanged;  // in this program: what one launch has shown holds in the others

const char* question(bool exchanged) { return exchanged ? ": are the two indices exchanged?" : ""; }

WrongIndex beyond_the_row(const Columns& all, const Array* array) {
    const Noted& at = all.first;
    const std::size_t rows = array == nullptr ? 0 : (array->end - array->begin) / array->row_bytes;
    // One column too many may be a loop's limit.
    const bool fits =
        all.largest_row < at.columns && (rows == 0 || static_cast<std::size_t>(all.largest_column) < rows);
    const bool exchanged = known_as_exchanged.contains(all.instruction) || (fits && all.largest_column > at.columns);
    if (exchanged) known_as_exchanged.insert(all.instruction);
    return {all.array + "(" + std::to_string(at.row) + ", " + std::to_string(at.column) + ") is no entry: a row of " +
                all.array + " ends with column " + std::to_string(at.columns - 1) + question(exchanged),
            exchanged};
}

// The largest column of a row that exists which the instruction has used in this block.
std::size_t largest_column(const Array& array, const void* instruction) {
    std::size_t largest = 0;
    const auto mine = [&](const Cell::Access& access) {
        return access.instruction == instruction && access.epoch >= running.block_epoch;
    };
    for (std::size_t i = 0; i < array.cells.size(); ++i) {
        const Cell& cell = array.cells[i];
        if (mine(cell.write) || mine(cell.reads[0]) || mine(cell.reads[1]))
            largest = std::max(largest, i * array.cell_bytes % array.row_bytes / 4);
    }
    return largest;
}

}  // namespace

void note_index(const void* entries, int row, int column, int columns, int stride) {
    if (!running.checking) return;
    noted = {reinterpret_cast<std::uintptr_t>(entries), row, column, columns, stride};
    running.index_noted = true;
}

void begin_indices() { columns_seen.clear(); }

void take_noted_index(std::uintptr_t address, const void* instruction) {
    running.index_noted = false;
    const auto entry = static_cast<std::uintptr_t>((std::int64_t{noted.row} * noted.stride + noted.column) * 4);
    if (noted.row < 0 || noted.column < 0 || address != noted.entries + entry) return;
    const auto known = std::ranges::find(columns_seen, instruction, &Columns::instruction);
    if (known != columns_seen.end()) {
        known->largest_row = std::max(known->largest_row, noted.row);
        known->largest_column = std::max(known->largest_column, noted.column);
    } else if (const Array* array = find_array(noted.entries); array != nullptr && columns_seen.size() < 8) {
        columns_seen.push_back({instruction, noted, noted.row, noted.column, array->name});
    }
}

std::optional<WrongIndex> wrong_index(const Array& array, std::uintptr_t address, const void* instruction) {
    if (array.row_bytes == 0) return std::nullopt;
    const auto known = std::ranges::find(columns_seen, instruction, &Columns::instruction);
    if (known != columns_seen.end() && known->first.entries == array.begin) return beyond_the_row(*known, &array);
    const std::size_t rows = (array.end - array.begin) / array.row_bytes,
                      row = (address - array.begin) / array.row_bytes,
                      column = (address - array.begin) % array.row_bytes / 4;
    if (address < array.end || row < rows) return std::nullopt;
    // A loop that goes too far has used all columns by then.
    const bool fits = column < rows && row < array.row_bytes / 4;
    const bool exchanged =
        fits && (known_as_exchanged.contains(instruction) || largest_column(array, instruction) < rows);
    if (exchanged) known_as_exchanged.insert(instruction);
    return WrongIndex{array.entry(address) + " is no entry: " + array.name + " ends with row " +
                          std::to_string(rows - 1) + question(exchanged),
                      exchanged};
}

std::vector<std::string> remarks_on_indices() {
    std::vector<std::string> remarks;
    for (const Columns& each : columns_seen) {
        const std::string line = source_line(each.instruction);
        remarks.push_back((line.empty() ? "" : line + " uses an index that does not exist: ") +
                          beyond_the_row(each, nullptr).text);
    }
    return remarks;
}

}  // namespace gpu::engine
