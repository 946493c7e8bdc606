// Faults of chunkwise_forward and of the third pass, by their symptom; wrong numbers are slips (slips.cpp).
#include "faults.hpp"

namespace linattn::testing {
namespace {

#define FORWARD_MISTAKE(name, explanation)                                                                            \
    MISTAKE(chunkwise_forward,                                                                                        \
            (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run), \
            name, "§5.3", explanation)
#define OUTPUTS_MISTAKE(name, explanation)                                                                   \
    MISTAKE(chunk_outputs,                                                                                   \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                    \
            name, "§5.6", explanation)

// Faults in time: barriers --------------------------------------------------------------------------------------------

FORWARD_MISTAKE("no barrier after the chunk is loaded",
                "Other threads read what a thread has loaded: __syncthreads() before A is computed.") {
    fault(any_of({"phi_Q", "phi_K", "V"}, "race on ", ", write then read"));
}
FORWARD_MISTAKE("no barrier after A",
                "Many threads compute a row of A: __syncthreads() before it is summed or multiplied.") {
    fault({"race on A, write then read"});
}
FORWARD_MISTAKE("no barrier after the normalisers",
                "One thread computes each normaliser and others read it: __syncthreads() between the two.") {
    fault({"race on normalizer, write then read"});
}
FORWARD_MISTAKE(
    "no barrier between reading and updating the state",
    "S and z must stay as they are until all threads have their outputs: __syncthreads() before the update.") {
    fault(any_of({"S", "z"}, "race on ", ", read then write"));
}
FORWARD_MISTAKE("no barrier before the next chunk is loaded",
                "Another thread may still be reading this chunk: __syncthreads() at the end of the loop.") {
    fault(any_of({"phi_K", "V", "phi_Q", "A", "normalizer"}, "race on ", ", read then write"));
}
FORWARD_MISTAKE(
    "several threads compute the same entry",
    "Thread t takes the entries t, t + blockDim.x, …, so that each has one thread. No barrier helps against this.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "S", "z", "normalizer"}, "race on ", ", same line"));
}
FORWARD_MISTAKE("divergent barrier",
                "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.") {
    fault({"different barriers"});
}
FORWARD_MISTAKE("early return before a barrier",
                "A thread without work still has to come to every barrier: skip the work, not the barrier.") {
    fault({"returned before a barrier"});
}

// Faults in space: memory ---------------------------------------------------------------------------------------------

FORWARD_MISTAKE(
    "read past the end",
    "An index is outside the array. Most often the cause is the last chunk, which has min(chunk, n - start) rows; "
    "otherwise the length of a row, or the place where the head begins.") {
    fault(any_of({"Q", "K", "V"}, "read outside "));
}
FORWARD_MISTAKE(
    "write past the end",
    "An index is outside the array. Most often the cause is the last chunk, which has min(chunk, n - start) rows; "
    "otherwise the length of a row, d_v, or the place where the head begins.") {
    fault({"wrote outside O"});
}
FORWARD_MISTAKE("tile overrun",
                "kernels.hpp says how many rows and columns a tile has: check the limits of the loop that fills it.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "S", "z", "normalizer"}, "wrote outside "));
}
FORWARD_MISTAKE("state not zeroed", "Shared memory holds what the block before left in it: set S and z to 0 first.") {
    fault({"unwritten S", "unwritten z", "added to unwritten S", "added to unwritten z"});
}
FORWARD_MISTAKE("shared memory requested too small",
                "ForwardTiles is all that the launch asks for: take no further arrays.") {
    fault({"shared memory too small"});
}
FORWARD_MISTAKE("misaligned float4",
                "A float4 begins at a multiple of 16 bytes: rows do so only if their length is a multiple of 4.") {
    fault(any_of({"Q", "K", "V", "O"}, "misaligned "));
}
FORWARD_MISTAKE(
    "host pointer passed to the kernel",
    "A kernel can use device buffers and shared memory, but no memory of the host: no new, no std::vector, no "
    "variable outside the kernel.") {
    fault({"host memory"});
}
FORWARD_MISTAKE("one block writes another's rows",
                "Each head has its own rows: move the pointers to blockIdx.x's head.") {
    fault({"blocks race on O"});
}

// The third pass ------------------------------------------------------------------------------------------------------

OUTPUTS_MISTAKE(
    "write past the end",
    "An index is outside the array. Most often the cause is the last chunk, which has min(chunk, n - start) rows; "
    "otherwise the length of a row, d_v, or the place where the head begins.") {
    fault({"wrote outside O"});
}
OUTPUTS_MISTAKE("no barrier after the chunk is loaded",
                "Other threads read what a thread has loaded: __syncthreads() before A is computed.") {
    fault(any_of({"phi_Q", "phi_K", "V"}, "race on ", ", write then read"));
}
OUTPUTS_MISTAKE("no barrier after A",
                "Many threads compute a row of A: __syncthreads() before it is summed or multiplied.") {
    fault({"race on A, write then read"});
}
OUTPUTS_MISTAKE("no barrier after the normalisers",
                "One thread computes each normaliser and others read it: __syncthreads() between the two.") {
    fault({"race on normalizer, write then read"});
}
OUTPUTS_MISTAKE("divergent barrier",
                "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.") {
    fault({"different barriers"});
}
OUTPUTS_MISTAKE("early return before a barrier",
                "A thread without work still has to come to every barrier: skip the work, not the barrier.") {
    fault({"returned before a barrier"});
}
OUTPUTS_MISTAKE(
    "several threads compute the same entry",
    "Thread t takes the entries t, t + blockDim.x, …, so that each has one thread. No barrier helps against this.") {
    fault(any_of({"phi_Q", "phi_K", "V", "A", "normalizer"}, "race on ", ", same line"));
}
OUTPUTS_MISTAKE("one block writes another's rows",
                "Each chunk of each head has its own rows: chunk blockIdx.x, head blockIdx.y.") {
    fault({"blocks race on O"});
}

}  // namespace
}  // namespace linattn::testing
