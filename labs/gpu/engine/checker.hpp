// The checked run. Files with kernels are compiled with -fsanitize=thread,alignment,bounds, so that the compiler
// announces every access to memory by calling __tsan_read4 and the like, but they are linked without the sanitizers:
// compiler_calls.cpp supplies those functions. Between two accesses of different threads to the same place, one of them a
// write, there has to be a barrier (or a __syncwarp(), within a warp); between two blocks of one launch nothing can
// lie.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpu::engine {

void begin_checks();
/// The next block begins.
void begin_block();
/// All threads of the block have come to the same barrier, or to their ends.
void at_barrier();
/// The block has come to its end, or has stopped.
void end_block();
void end_checks();

enum class Access { read, write, atomic };

/// One access of the running thread.
/// \param aligned whether the compiler relied on the address being a multiple of `bytes`
void on_access(std::uintptr_t address, std::size_t bytes, Access access, const void* instruction, bool aligned);

}  // namespace gpu::engine
