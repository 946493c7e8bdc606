// What the checker notes of a kernel's accesses: what they would cost a GPU, the indices, and arrays that overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "../launch_counts.hpp"
#include "memory.hpp"

namespace gpu::engine {

// access_costs.cpp: what the accesses of a kernel would cost a GPU, line by line, for the first block that runs.

void profile_access(const Array& array, std::uintptr_t address, std::size_t bytes, bool writes,
                    const void* instruction);

/// What has been counted, and forgets it.
std::vector<AccessCost> take_profile();

// array_indices.cpp: rows and columns. A kernel that takes the entry (row, column) of a two-dimensional array in shared
// memory computes an address, and a wrong index may well give the address of another entry. What the indices were tells
// more than that.

/// An index pair that is no entry of its array.
struct WrongIndex {
    std::string text;        ///< "S(3, 17) is no entry: a row of S ends with column 16"
    bool exchanged = false;  ///< (17, 3) would be one, and no limit of a loop explains it
};

void begin_indices();
/// The access of the running thread that follows a noted index.
void take_noted_index(std::uintptr_t address, const void* instruction);
/// What is wrong with the indices that this instruction uses, the ones of this address in the first place.
std::optional<WrongIndex> wrong_index(const Array& array, std::uintptr_t address, const void* instruction);
/// A sentence for each instruction whose columns leave their rows.
std::vector<std::string> remarks_on_indices();

// mixed_arrays.cpp: two arrays of shared memory at one address: offsets into an `extern __shared__` array that overlap, one
// array that is used as two, or SharedMemory beside an array of the kernel's own. What one line stores there, another
// overwrites before anybody has read it.

void begin_mixed_arrays();
/// Called when a write hits what another instruction wrote and nobody has read.
void note_lost_write(const Array& array, std::uintptr_t address, const void* earlier, const void* later);
/// All threads have come to the barrier: what has been stored shows now.
void settle_lost_writes();
/// Reports a block that used dynamic shared memory in both ways, at one address.
void report_overlap();
/// A sentence for each pair of lines of which one overwrites what the other has stored.
std::vector<std::string> remarks_on_lost_writes();

/// Whether a number stands here that a kernel has stored: neither 0, with which arrays begin, nor the poison.
bool holds_a_number(std::uintptr_t address);

}  // namespace gpu::engine
