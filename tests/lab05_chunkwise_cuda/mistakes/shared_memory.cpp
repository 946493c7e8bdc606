// Faults in shared memory that all kernels with tiles can have, by their symptom.
#include "faults.hpp"

namespace linattn::testing {
namespace {

#define TILE_MISTAKE(name, symptom, explanation)                                                                      \
    MISTAKE(chunkwise_forward,                                                                                        \
            (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run), \
            name, "§5.3", explanation) {                                                                              \
        fault({symptom});                                                                                             \
    }                                                                                                                 \
    MISTAKE(chunk_states, (Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name,      \
            "§5.4", explanation) {                                                                                    \
        fault({symptom});                                                                                             \
    }                                                                                                                 \
    MISTAKE(chunk_outputs,                                                                                            \
            (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon,          \
             const gpu::RunOptions& run),                                                                             \
            name, "§5.6", explanation) {                                                                              \
        fault({symptom});                                                                                             \
    }

TILE_MISTAKE("two shared arrays at one address", "two arrays at one address",
             "Each array begins where the one before it ends, and holds one thing: take them from the tiles, or check "
             "every offset.")
TILE_MISTAKE("indices exchanged", "exchanged indices", "The row comes first: S(a, b), A(i, j), phi_K(j, a), V(j, b).")
TILE_MISTAKE("__shared__ array too short", "beyond a fixed length",
             "An array of a fixed length is too short for some d_k, d_v or chunk: the tiles get their lengths from the "
             "arguments.")

MISTAKE(chunkwise_forward,
        (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run),
        "A not cleared before it is added to", "§5.3",
        "+= and atomicAdd add to what is there: store the first product with =, or set A to 0 in every chunk.") {
    fault({"added to unwritten A"});
}
MISTAKE(chunk_outputs,
        (Values Q, Values K, Values V, Values S, Values z, const Sizes& sizes, int chunk, float epsilon,
         const gpu::RunOptions& run),
        "A not cleared before it is added to", "§5.6",
        "+= and atomicAdd add to what is there: store the first product with =, or set A to 0.") {
    fault({"added to unwritten A"});
}
MISTAKE(chunk_states, (Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run),
        "S and z added to before anything is stored", "§5.4",
        "The buffers begin without values: sum in a variable, then store it with =.") {
    fault(any_of({"S", "z"}, "added to unwritten "));
}
MISTAKE(scan_states, (Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run),
        "head forgotten in an offset", "§5.5",
        "Head h begins at h·chunks·d_k·d_v in S, and at h·chunks·d_k in z: without it the threads of all heads sum the "
        "same entries.") {
    std::vector<std::string> symptoms = any_of({"S", "z"}, "blocks race on ");
    for (const char* order : {", same line", ", read then write", ", write then read", ", write then write"})
        for (const std::string& each : any_of({"S", "z"}, "race on ", order)) symptoms.push_back(each);
    fault(symptoms);
}

}  // namespace
}  // namespace linattn::testing
