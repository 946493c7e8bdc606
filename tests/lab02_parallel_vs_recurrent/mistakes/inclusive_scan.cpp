#include <bit>

#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn::testing::inclusive_scan_mistakes {

#define SCAN_MISTAKE(name, explanation) \
    MISTAKE(inclusive_scan, (const std::vector<std::string>& states, const Combine& combine), name, "§2.7", explanation)

SCAN_MISTAKE("exclusive scan", "Entry i includes state i itself.") {
    std::vector<std::string> result(states.size());
    for (std::size_t i = 1; i < states.size(); ++i)
        result[i] = i == 1 ? states[0] : combine(result[i - 1], states[i - 1]);
    return result;
}
// The pairs are scanned, and what lies between them comes from the pair before; of an odd number the last is forgotten.
std::vector<std::string> by_pairs(const std::vector<std::string>& states, const Combine& combine) {
    const std::size_t half = states.size() / 2;
    if (half == 0) return states;
    std::vector<std::string> pairs(half), result = states;
    for (std::size_t p = 0; p < half; ++p) pairs[p] = combine(states[2 * p], states[2 * p + 1]);
    pairs = by_pairs(pairs, combine);
    for (std::size_t p = 0; p < half; ++p) result[2 * p + 1] = pairs[p];
    for (std::size_t p = 1; p < half; ++p) result[2 * p] = combine(pairs[p - 1], states[2 * p]);
    return result;
}
SCAN_MISTAKE("last one of an odd number not combined",
             "Where n is odd the last state has no partner, but a prefix: that of the last pair.") {
    return by_pairs(states, combine);
}
// Every prefix right but the last: round after round the last one of an odd number is joined to itself, so that the entry ends
// with what has been made of it.
std::vector<std::string> with_last_paired_with_itself(const std::vector<std::string>& states, const Combine& combine) {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i) result[i] = combine(result[i - 1], states[i]);
    if (states.empty()) return result;
    std::string end = states.back();
    std::size_t begin = states.size() - 1;  // of what is in it
    for (std::size_t width = 1, left = states.size(); left > 1; width *= 2, left = (left + 1) / 2) {
        if (left % 2 == 1) {
            end = combine(end, end);
            continue;
        }
        for (const std::size_t first = begin - width; begin > first; --begin) end = combine(states[begin - 1], end);
    }
    result.back() = end;
    return result;
}
SCAN_MISTAKE("last one of an odd number paired with itself",
             "Where n is odd the last state has no partner: it is joined to the prefix of the last pair, once.") {
    return with_last_paired_with_itself(states, combine);
}
SCAN_MISTAKE("last one of an odd number left out of its entry",
             "Where n is odd the last entry joins the prefix of the last pair and the last state.") {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i)
        result[i] = i % 2 == 0 && i + 1 == states.size() ? result[i - 1] : combine(result[i - 1], states[i]);
    return result;
}
// The halves, each by itself, and then the total of the left one joined to what it should be joined to in the right one.
std::vector<std::string> by_halves(const std::vector<std::string>& states, const Combine& combine, bool to_first) {
    if (states.size() <= 1) return states;
    const auto middle = states.begin() + static_cast<std::ptrdiff_t>((states.size() + 1) / 2);
    std::vector<std::string> left = by_halves({states.begin(), middle}, combine, to_first),
                             right = by_halves({middle, states.end()}, combine, to_first);
    std::string& entry = to_first ? right.front() : right.back();
    entry = combine(left.back(), entry);
    left.insert(left.end(), right.begin(), right.end());
    return left;
}
SCAN_MISTAKE("total of the left half joined to the first entry of the right half alone",
             "What comes before counts for every entry of the right half, not for its first one alone.") {
    return by_halves(states, combine, true);
}
SCAN_MISTAKE("total of the left half joined to the last entry of the right half alone",
             "What comes before counts for every entry of the right half, not for its last one alone.") {
    return by_halves(states, combine, false);
}
SCAN_MISTAKE("nothing combined", "Entry i joins all states up to i: combine(result of entry i - 1, state i).") {
    return states;
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
// The two sweeps, each from its first stride on, and what of them is wrong.
struct Sweeps {
    std::size_t first_stride = 1, last_stride = 1;  // of the way up, and of the way down
    bool up = true, down = true, down_from_small_to_large = false;
    std::size_t down_begins = 3;               // so many strides from the front, less one
    std::size_t end = 0;                       // so many entries before the last
    bool up_ends_early = false;                // by one level
    bool up_next = false, down_next = false;   // the entry before it in place of the one a stride before
    std::size_t up_moved = 0, down_moved = 0;  // so many entries later
    std::size_t up_step = 2, down_step = 2;    // so many strides from one to the next
    std::size_t down_from_share_of_n = 0;      // the way down begins with the stride n / this, or after the last one up
    bool down_from_quarter_of_power = false;   // … with a quarter of the largest power of two up to n
};
std::vector<std::string> swept(const std::vector<std::string>& states, const Combine& combine, const Sweeps& s) {
    std::vector<std::string> result = states;
    const std::size_t n = states.size() - std::min(states.size(), s.end);
    const auto sweep = [&](std::size_t stride, std::size_t first, std::size_t step, bool next) {
        for (std::size_t i = first; i < n; i += step * stride)
            result[i] = combine(result[i - (next ? 1 : stride)], result[i]);
    };
    std::size_t stride = s.first_stride;
    for (; (s.up_ends_early ? 2 * stride : stride) < n; stride *= 2)
        if (s.up) sweep(stride, 2 * stride - 1 + s.up_moved, s.up_step, s.up_next);
    for (std::size_t small = 1; s.down_from_small_to_large && small < stride; small *= 2)
        sweep(small, 3 * small - 1, 2, false);
    stride /= 2;
    if (s.down_from_share_of_n != 0) stride = n / s.down_from_share_of_n;
    if (s.down_from_quarter_of_power) stride = std::bit_floor(n) / 4;
    for (; s.down && stride >= s.last_stride && stride > 0; stride /= 2)
        sweep(stride, s.down_begins * stride - 1 + s.down_moved, s.down_step, s.down_next);
    return result;
}
#define SWEEP_MISTAKE(name, explanation, ...) \
    SCAN_MISTAKE(name, explanation) {         \
        Sweeps s;                             \
        __VA_ARGS__;                          \
        return swept(states, combine, s);     \
    }
SWEEP_MISTAKE("way down left out", "After the way up only entries 1, 3, 7, … are finished: fill in what lies between.",
              s.down = false)
SWEEP_MISTAKE("way up left out", "Up the tree first: the way down combines what the way up has made.", s.up = false)
SWEEP_MISTAKE("last level of the way down left out", "The way down ends with a stride of 1: while stride > 0.",
              s.last_stride = 2)
SWEEP_MISTAKE("first level of the way up left out", "The way up begins with a stride of 1.", s.first_stride = 2)
SWEEP_MISTAKE("way down begins where the way up does",
              "Entry 2·stride - 1 is finished: the way down begins with entry 3·stride - 1.", s.down_begins = 2)
SWEEP_MISTAKE("way down from small strides to large ones", "The way down halves the stride: large strides first.",
              s.down = false, s.down_from_small_to_large = true)
SWEEP_MISTAKE("way down takes the entry before, not the one a stride before",
              "What lies before a block ends a stride before its last entry: combine(x[i - stride], x[i]).",
              s.down_next = true)
SWEEP_MISTAKE("way up takes the entry before, not the one a stride before",
              "Two blocks are joined, and the left one ends a stride before: combine(x[i - stride], x[i]).",
              s.up_next = true)
SWEEP_MISTAKE("both ways take the entry before, not the one a stride before",
              "A block ends a stride before the next one: combine(x[i - stride], x[i]).",
              s.up_next = s.down_next = true)
SWEEP_MISTAKE("way up ends one level early",
              "Where n is a power of two, the last round joins two halves with a stride of n/2: while stride < n.",
              s.up_ends_early = true)
SWEEP_MISTAKE("way up begins one entry late", "Entries are counted from 0: the way up begins with entry 2·stride - 1.",
              s.up_moved = 1)
SWEEP_MISTAKE("way down begins one entry late",
              "Entries are counted from 0: the way down begins with entry 3·stride - 1.", s.down_moved = 1)
SWEEP_MISTAKE("both ways begin one entry late",
              "Entries are counted from 0: the ways begin with entries 2·stride - 1 and 3·stride - 1.",
              s.up_moved = s.down_moved = 1)
SWEEP_MISTAKE("way up takes every stride, not every second one",
              "From one pair to the next there are two strides: i += 2·stride.", s.up_step = 1)
SWEEP_MISTAKE("way down takes every stride, not every second one",
              "Every second block is finished by then: i += 2·stride.", s.down_step = 1)
SWEEP_MISTAKE("last entry never combined", "The last entry is n - 1: while i < n.", s.end = 1)
SWEEP_MISTAKE("way down begins with a stride of n/2",
              "Where n is no power of two, neither is n/2: the way down takes the strides of the way up, 1, 2, 4, …, "
              "from the last to the first.",
              s.down_from_share_of_n = 2)
SWEEP_MISTAKE("way down begins with a stride of n/4",
              "Where n is no power of two, neither is n/4: the way down takes the strides of the way up, 1, 2, 4, …, "
              "from the last to the first.",
              s.down_from_share_of_n = 4)
SWEEP_MISTAKE("way down begins a level too late where n is no power of two",
              "Between two powers of two there is one level more than for the smaller: begin with the largest stride "
              "for which entry 3·stride - 1 exists.",
              s.down_from_quarter_of_power = true)
SCAN_MISTAKE("one round too few where n is no power of two",
             "⌈log₂ n⌉ rounds bring entry 0 to the last one: log₂ n rounded down is one less.") {
    std::vector<std::string> result = states;
    for (std::size_t back = 1; 2 * back <= states.size(); back *= 2) {
        const std::vector<std::string> before = result;
        for (std::size_t i = back; i < states.size(); ++i) result[i] = combine(before[i - back], before[i]);
    }
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
SCAN_MISTAKE("scan from the end", "Entry i joins the states up to i, not those from i on.") {
    std::vector<std::string> result = states;
    for (std::size_t i = states.size(); i-- > 1;) result[i - 1] = combine(states[i - 1], result[i]);
    return result;
}
SCAN_MISTAKE("all states in every entry", "Entry i joins the states up to i, not all of them.") {
    std::string total;
    for (std::size_t i = 0; i < states.size(); ++i) total = i == 0 ? states[0] : combine(total, states[i]);
    return std::vector<std::string>(states.size(), total);
}
SCAN_MISTAKE("only the state before combined", "Entry i joins all states up to i: take the result of entry i - 1.") {
    std::vector<std::string> result = states;
    for (std::size_t i = 1; i < states.size(); ++i) result[i] = combine(states[i - 1], states[i]);
    return result;
}
SCAN_MISTAKE("first state twice", "Begin with the first state and combine from the second on.") {
    std::vector<std::string> result = states;
    for (std::size_t i = 0; i < states.size(); ++i) result[i] = combine(i == 0 ? states[0] : result[i - 1], states[i]);
    return result;
}
SCAN_MISTAKE("first state combined with an empty one",
             "Combining with an empty string may change a state: entry 0 is state 0 as it is.") {
    std::vector<std::string> result = states;
    for (std::size_t i = 0; i < states.size(); ++i) result[i] = combine(i == 0 ? "" : result[i - 1], states[i]);
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

}  // namespace linattn::testing::inclusive_scan_mistakes
