// Faults that all kernels with tiles can have, by their symptom. To be included where KERNEL_MISTAKE(name, explanation,
// symptoms_of) registers each for the kernels of a lab; symptoms_of takes an ArraysOfKernel.
#include "faults.hpp"

#define SYMPTOMS(...) ([](const ArraysOfKernel& kernel) -> Symptoms { return __VA_ARGS__; })

// Faults in time: barriers --------------------------------------------------------------------------------------------

KERNEL_MISTAKE("no barrier after the chunk is loaded",
               "Other threads read what a thread has loaded: __syncthreads() before it is read.",
               SYMPTOMS(any_of(kernel.loaded, Fault::race_write_then_read)))
KERNEL_MISTAKE("several threads compute the same entry",
               "Thread t takes the entries t, t + blockDim.x, …, so that each has one thread. No barrier helps "
               "against this.",
               SYMPTOMS(any_of(joined(kernel.shared(), kernel.written), Fault::race_on_one_line)))
KERNEL_MISTAKE("rounds of a loop without a barrier between them",
               "A round reads what other threads store in the round before: __syncthreads() at the end of each round.",
               SYMPTOMS(any_of(joined(kernel.shared(), kernel.written), Fault::race_between_rounds)))
KERNEL_MISTAKE("divergent barrier",
               "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.",
               SYMPTOMS({{Fault::different_barriers}}))
KERNEL_MISTAKE("early return before a barrier",
               "A thread without work still has to come to every barrier: skip the work, not the barrier.",
               SYMPTOMS({{Fault::returned_before_a_barrier}}))

// Faults in space: memory ---------------------------------------------------------------------------------------------

KERNEL_MISTAKE("read past the end",
               "An index is outside the array. Most often the cause is the last chunk, which has min(chunk, n - "
               "start) rows; otherwise the length of a row, or the place where the head begins.",
               SYMPTOMS(any_of(kernel.read, Fault::read_outside)))
KERNEL_MISTAKE("write past the end",
               "An index is outside the array. Most often the cause is the last chunk, which has min(chunk, n - "
               "start) rows; otherwise the length of a row, d_v, or the place where the head begins.",
               SYMPTOMS(any_of(kernel.written, Fault::written_outside)))
KERNEL_MISTAKE("tile overrun",
               "kernels.hpp says how many rows and columns a tile has: check the limits of the loops that fill it and "
               "read it.",
               SYMPTOMS(joined(joined(any_of(kernel.shared(), Fault::written_outside),
                                      any_of(kernel.shared(), Fault::no_such_entry)),
                               any_of(kernel.only_shared(), Fault::read_outside))))
KERNEL_MISTAKE("shared memory read before it is written",
               "Shared memory begins with arbitrary contents. Either too little is stored (rows past the end of the "
               "sequence, or more entries than threads without a loop), or a loop that reads goes too far.",
               SYMPTOMS(any_of(kernel.tiles(), Fault::unwritten)))
KERNEL_MISTAKE(
    "an if in place of the loop over a tile's entries",
    "A tile may have more entries than the block has threads: a loop from threadIdx.x on in steps of blockDim.x.",
    SYMPTOMS(any_of(kernel.shared(), Fault::one_entry_for_each_thread)))
KERNEL_MISTAKE("shared memory requested too small",
               "The tiles of kernels.hpp are all that the launch asks for: take no further arrays.",
               SYMPTOMS({{Fault::shared_memory_too_small}}))
KERNEL_MISTAKE("misaligned float4",
               "A float4 begins at a multiple of 16 bytes: rows do so only if their length is a multiple of 4.",
               SYMPTOMS(any_of(joined(kernel.read, kernel.written), Fault::misaligned)))
KERNEL_MISTAKE("host pointer passed to the kernel",
               "A kernel can use device buffers and shared memory, but no memory of the host: no new, no std::vector, "
               "no variable outside the kernel.",
               SYMPTOMS({{Fault::host_memory}}))
KERNEL_MISTAKE("result added to before anything is stored",
               "The buffers begin without values: sum in a variable, then store it with =.",
               SYMPTOMS(any_of(kernel.written, Fault::added_to_unwritten)))
KERNEL_MISTAKE(
    "two shared arrays at one address",
    "Each array begins where the one before it ends, and holds one thing: take them from the tiles, or check "
    "every offset.",
    SYMPTOMS({{Fault::two_arrays_at_one_address}, {Fault::race_read_then_replaced}}))
KERNEL_MISTAKE("indices exchanged", "The row comes first: S(a, b), A(i, j), and in tiles of tokens the token.",
               SYMPTOMS({{Fault::exchanged_indices}}))
KERNEL_MISTAKE("__shared__ array too short",
               "An array of a fixed length is too short for some d_k, d_v or chunk: the tiles get their lengths from "
               "the arguments.",
               SYMPTOMS({{Fault::beyond_a_fixed_length}}))

#undef SYMPTOMS
