#include "right_sizes.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>

namespace linattn::testing {
namespace {

struct Lengths {
    std::set<std::size_t> right, wrong;
};
std::map<std::string, Lengths>& lengths_of_axes() {
    static std::map<std::string, Lengths> all;
    return all;
}

std::string list(const std::set<std::size_t>& lengths) {
    std::string text;
    std::size_t told = 0;
    for (const std::size_t length : lengths) {
        if (told++ == 8) return text + ", …";
        text += (text.empty() ? "" : ", ") + std::to_string(length);
    }
    return text;
}

bool separates(const Lengths& lengths, const std::function<bool(std::size_t)>& rule) {
    return std::ranges::all_of(lengths.right, rule) && std::ranges::none_of(lengths.wrong, rule);
}

// The strictest rule: what is right for 16, 32 and 64 alone goes in blocks of 16, rather than of 8.
std::string rule_of(const Lengths& lengths) {
    for (const std::size_t block : {64u, 32u, 16u, 8u, 4u})
        if (separates(lengths, [block](std::size_t length) { return length % block == 0; }))
            return "multiples of " + std::to_string(block);
    if (separates(lengths, [](std::size_t length) { return length % 2 == 0; })) return "even lengths";
    if (separates(lengths, [](std::size_t length) { return length % 2 == 1; })) return "odd lengths";
    if (separates(lengths, [](std::size_t length) { return std::has_single_bit(length); })) return "powers of two";
    return "";
}

}  // namespace

void note_sizes(const Expected& expected, bool right) {
    const Shape shape = shape_of(expected.value);
    if (expected.value.size() == 0) return;  // an empty result is right by itself
    const auto note = [right](const char* axis, std::size_t length) {
        Lengths& lengths = lengths_of_axes()[axis];
        (right ? lengths.right : lengths.wrong).insert(length);
    };
    if (expected.has_tokens && shape.size() > 1) note("n is", shape[shape.size() - 2]);
    if (!shape.empty()) note("the last axis has length", shape.back());
}

std::string rule_of_right_sizes() {
    for (const auto& [axis, lengths] : lengths_of_axes()) {
        const auto also_right = [&right = lengths.right](std::size_t length) { return right.contains(length); };
        if (lengths.right.size() < 2 || lengths.wrong.size() < 2 || std::ranges::any_of(lengths.wrong, also_right))
            continue;
        const std::string rule = rule_of(lengths);
        if (!rule.empty())
            return "right where " + axis + " " + list(lengths.right) + ", wrong where it is " + list(lengths.wrong) +
                   ": is it right for " + rule + " only?";
    }
    return "";
}

}  // namespace linattn::testing
