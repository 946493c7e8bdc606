#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define SCAN_MISTAKE(name, explanation) \
    MISTAKE(inclusive_scan, (const std::vector<std::string>& states, const Combine& combine), name, "§2.7", explanation)

SCAN_MISTAKE("exclusive scan", "Entry i includes state i itself.") {
    std::vector<std::string> result(states.size());
    for (std::size_t i = 1; i < states.size(); ++i)
        result[i] = i == 1 ? states[0] : combine(result[i - 1], states[i - 1]);
    return result;
}
SCAN_MISTAKE("arguments exchanged", "The earlier state is the first argument: combine(earlier, later).") {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i) result[i] = combine(states[i], result[i - 1]);
    return result;
}
// What the tree makes of entry i: the entries that it joins there on its way up, and what comes before them on the way
// down. Each is done in order, or with its arguments exchanged.
std::string of_tree(const std::vector<std::string>& states, std::size_t i, const Combine& combine, bool up_in_order,
                    bool down_in_order) {
    const std::size_t size = (i + 1) & ~i;  // of its block: the largest power of two that divides i + 1
    std::string block = states[i + 1 - size];
    for (std::size_t j = i + 2 - size; j <= i; ++j)
        block = up_in_order ? combine(block, states[j]) : combine(states[j], block);
    if (size == i + 1) return block;
    const std::string before = of_tree(states, i - size, combine, up_in_order, down_in_order);
    return down_in_order ? combine(before, block) : combine(block, before);
}
SCAN_MISTAKE("arguments exchanged on the way down",
             "What comes before is the first argument on the way down, too: combine(earlier, later).") {
    std::vector<std::string> result = states;
    for (std::size_t i = 0; i < states.size(); ++i) result[i] = of_tree(states, i, combine, true, false);
    return result;
}
SCAN_MISTAKE("arguments exchanged on the way up",
             "The earlier entry is the first argument on the way up, too: combine(earlier, later).") {
    std::vector<std::string> result = states;
    for (std::size_t i = 0; i < states.size(); ++i) result[i] = of_tree(states, i, combine, false, true);
    return result;
}
SCAN_MISTAKE("last state missing when n is not a power of two",
             "Both sweeps must reach the entries beyond the last power of two.") {
    std::size_t power = 1;
    while (2 * power <= states.size()) power *= 2;
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < std::min(power, states.size()); ++i) result[i] = combine(result[i - 1], states[i]);
    return result;
}
SCAN_MISTAKE("sequential scan",
             "Each entry waits for the one before: n - 1 rounds. Combine pairs, then pairs of pairs.") {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i) result[i] = combine(result[i - 1], states[i]);
    return result;
}
SCAN_MISTAKE("entries read that were changed in this round",
             "From the front, entry i - back is already that of the next round: keep a copy, or begin at the end.") {
    std::vector<std::string> result = states;
    for (std::size_t back = 1; back < states.size(); back *= 2)
        for (std::size_t i = back; i < states.size(); ++i) result[i] = combine(result[i - back], result[i]);
    return result;
}
SCAN_MISTAKE("n log n combines",
             "Combining with the entry 1, 2, 4, … back at every position is quick but not work-efficient.") {
    std::vector<std::string> result = states;
    for (std::size_t back = 1; back < states.size(); back *= 2) {
        const std::vector<std::string> before = result;
        for (std::size_t i = back; i < states.size(); ++i) result[i] = combine(before[i - back], before[i]);
    }
    return result;
}

}  // namespace
}  // namespace linattn::testing
