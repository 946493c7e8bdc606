#include <cmath>

#include "faults.hpp"

namespace linattn::testing {
namespace {

#define MAP_MISTAKE(name, explanation) \
    MISTAKE(feature_map_fused, (Values x, const gpu::RunOptions& run), name, "§5.2", explanation)
#define STATES_MISTAKE(name, explanation)                                                                        \
    MISTAKE(chunk_states, (Values K, Values V, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name, \
            "§5.4", explanation)
#define SCAN_MISTAKE(name, explanation)                                                                         \
    MISTAKE(scan_states, (Values S, Values z, const Sizes& sizes, int chunk, const gpu::RunOptions& run), name, \
            "§5.5", explanation)

Array each(Values x, float (*f)(float)) {
    Array y{{x.size()}, {}};
    for (const float entry : x) y.values.push_back(f(entry));
    return y;
}

MAP_MISTAKE("elu without the one", "elu(x) + 1 is x + 1 above 0 and e^x below.") {
    return each(x, [](float v) { return v > 0.0f ? v : std::expm1(v); });
}
MAP_MISTAKE("branches exchanged", "x + 1 is for x > 0; e^x for the others.") {
    return each(x, [](float v) { return v > 0.0f ? std::exp(v) : v + 1.0f; });
}
MAP_MISTAKE("one added to both branches", "e^x - 1 + 1 is e^x: below 0 nothing is added.") {
    return each(x, [](float v) { return v > 0.0f ? v + 1.0f : std::exp(v) + 1.0f; });
}
MAP_MISTAKE("both branches computed and mixed", "0 · e^1000 is not 0: choose a branch, do not multiply by 0 and 1.") {
    return each(x, [](float v) {
        const float above = v > 0.0f ? 1.0f : 0.0f;
        return above * (v + 1.0f) + (1.0f - above) * std::exp(v);
    });
}

STATES_MISTAKE("no barrier after the chunk is loaded",
               "Other threads read what a thread has loaded: __syncthreads() before the sums.") {
    fault({"race on phi_K, write then read", "race on V, write then read"});
}
STATES_MISTAKE("several threads compute the same entry",
               "Thread t takes the entries t, t + blockDim.x, …: each has one owner.") {
    fault(any_of({"phi_K", "V"}, "race on ", ", same line"));
}
STATES_MISTAKE("divergent barrier",
               "A barrier is for all threads of the block: no __syncthreads() in a branch that some do not take.") {
    fault({"different barriers"});
}
STATES_MISTAKE("early return before a barrier",
               "A thread without work still has to come to every barrier: skip the work, not the barrier.") {
    fault({"returned before a barrier"});
}
STATES_MISTAKE("one block writes another's state", "Chunk m of head h is state h·chunks + m.") {
    fault(any_of({"S", "z"}, "blocks race on ", ""));
}

SCAN_MISTAKE(
    "threads to spare not stopped",
    "There are more threads than entries: those past the last entry have nothing to do. If they are stopped, an "
    "index is too large: a head has `chunks` states.") {
    fault(any_of({"z", "S"}, "read outside "));
}

}  // namespace
}  // namespace linattn::testing
