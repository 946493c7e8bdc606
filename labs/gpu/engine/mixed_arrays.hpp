// Two arrays of shared memory at one address: offsets into an `extern __shared__` array that overlap, one array that is
// used as two, or SharedMemory beside an array of the kernel's own. What one line stores there, another overwrites before
// anybody has read it.
#pragma once

#include <string>
#include <vector>

#include "memory.hpp"

namespace gpu::engine {

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
