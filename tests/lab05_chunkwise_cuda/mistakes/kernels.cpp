// Faults of one kernel or of two, by their symptom; those that all kernels with tiles can have are in tiles.cpp, wrong
// numbers are mutations (mutations.cpp).
#include "arrays.hpp"
#include "faults.hpp"

namespace linattn::testing::kernels_mistakes {

#define PACKED_MISTAKE(name, explanation)                                                                              \
    MISTAKE(packed_chunkwise_forward,                                                                                  \
            (Values Q, Values K, Values V, std::span<const int> borders, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                              \
            name, "§5.9", explanation)
#define FORWARD_MISTAKE(name, explanation, ...)                                                                       \
    PACKED_MISTAKE(name, explanation) { fault(__VA_ARGS__); }                                                         \
    MISTAKE(chunkwise_forward,                                                                                        \
            (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run), \
            name, "§5.3", explanation) {                                                                              \
        fault(__VA_ARGS__);                                                                                           \
    }
#define STATES_MISTAKE(name, explanation)                                                                        \
    MISTAKE(chunk_states, (Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name, \
            "§5.4", explanation)
#define SCAN_MISTAKE(name, explanation)                                                                         \
    MISTAKE(scan_states, (Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name, \
            "§5.5", explanation)
#define OUTPUTS_MISTAKE(name, explanation)                                                                   \
    MISTAKE(chunk_outputs,                                                                                   \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon, \
             const gpu::RunOptions& run),                                                                    \
            name, "§5.6", explanation)

// One block for all chunks --------------------------------------------------------------------------------------------

FORWARD_MISTAKE("no barrier after A",
                "Many threads compute a row of A: __syncthreads() before it is summed or multiplied.",
                {{Fault::race_write_then_read, "A"}})
FORWARD_MISTAKE("no barrier after the normalisers",
                "One thread computes each normaliser and others read it: __syncthreads() between the two.",
                {{Fault::race_write_then_read, "normalizer"}})
FORWARD_MISTAKE(
    "no barrier between reading and updating the state",
    "S and z must stay as they are until all threads have their outputs: __syncthreads() before the update.",
    any_of({"S", "z"}, Fault::race_read_then_write))
FORWARD_MISTAKE("no barrier before the next chunk is loaded",
                "Another thread may still be reading this chunk: __syncthreads() at the end of the loop.",
                any_of({"phi_K", "V", "phi_Q", "A", "normalizer"}, Fault::race_read_then_write))
FORWARD_MISTAKE("state not zeroed", "Shared memory holds what the block before left in it: set S and z to 0 first.",
                {{Fault::unwritten, "S"},
                 {Fault::unwritten, "z"},
                 {Fault::added_to_unwritten, "S"},
                 {Fault::added_to_unwritten, "z"}})
FORWARD_MISTAKE("A not cleared before it is added to",
                "+= and atomicAdd add to what is there: store the first product with =, or set A to 0 in every "
                "chunk.",
                {{Fault::added_to_unwritten, "A"}})
FORWARD_MISTAKE("one block writes another's rows",
                "Each block has rows of its own: move the pointers to its head, and to its sequence where there are "
                "several. A sequence has borders[s + 1] - borders[s] tokens, and its last chunk no more than are left.",
                {{Fault::race_between_blocks, "O"}})
PACKED_MISTAKE(
    "borders read past their end",
    "There are sequences + 1 borders: sequence s = blockIdx.x begins at borders[s] and ends before borders[s "
    "+ 1]. The head is blockIdx.y.") {
    fault({{Fault::read_outside, "borders"}});
}

// Three passes --------------------------------------------------------------------------------------------------------

STATES_MISTAKE("one block writes another's state", "Chunk m of head h is state h·chunks + m.") {
    fault(any_of({"S", "z"}, Fault::race_between_blocks));
}

SCAN_MISTAKE(
    "threads to spare not stopped, or an offset too large",
    "There are more threads than entries: those past the last entry have nothing to do. In S the next chunk is "
    "d_k·d_v entries further on, in z d_k, and a head has `chunks` of them.") {
    fault(any_of({"z", "S"}, Fault::read_outside));
}
SCAN_MISTAKE("head forgotten in an offset",
             "Head h begins at h·chunks·d_k·d_v in S, and at h·chunks·d_k in z: without it the threads of all heads "
             "sum the same entries.") {
    Symptoms symptoms;
    for (const Fault each : {Fault::race_between_blocks, Fault::race_on_one_line, Fault::race_read_then_write,
                             Fault::race_write_then_read, Fault::race_write_then_write})
        symptoms = joined(symptoms, any_of({"S", "z"}, each));
    fault(symptoms);
}

OUTPUTS_MISTAKE("no barrier after A",
                "Many threads compute a row of A: __syncthreads() before it is summed or multiplied.") {
    fault({{Fault::race_write_then_read, "A"}});
}
OUTPUTS_MISTAKE("no barrier after the normalisers",
                "One thread computes each normaliser and others read it: __syncthreads() between the two.") {
    fault({{Fault::race_write_then_read, "normalizer"}});
}
OUTPUTS_MISTAKE("A not cleared before it is added to",
                "+= and atomicAdd add to what is there: store the first product with =, or set A to 0.") {
    fault({{Fault::added_to_unwritten, "A"}});
}
OUTPUTS_MISTAKE("one block writes another's rows",
                "Each chunk of each head has its own rows: chunk blockIdx.x, head blockIdx.y.") {
    fault({{Fault::race_between_blocks, "O"}});
}

}  // namespace linattn::testing::kernels_mistakes
