#include "size_facts.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <set>

#include "evidence.hpp"

namespace linattn::testing {
namespace {

// The whole numbers of a call: "chunk 16" in its words, and from the shape of the result its tokens, its width and what lies
// before the axis of the tokens.
std::map<std::string, std::size_t> sizes_of(const std::string& call, const std::vector<Expected>& expected) {
    std::map<std::string, std::size_t> sizes;
    const auto is_name = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
    const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t space = call.find(' '); space != std::string::npos; space = call.find(' ', space + 1)) {
        std::size_t begin = space, end = space + 1, number = 0;
        while (begin > 0 && is_name(call[begin - 1])) --begin;
        for (; end < call.size() && is_digit(call[end]) && end < space + 10; ++end)
            number = 10 * number + static_cast<std::size_t>(call[end] - '0');
        const bool is_whole = end == call.size() || call[end] == ',' || call[end] == ';';
        if (begin < space && end > space + 1 && is_whole && call.compare(begin, space - begin, "seed") != 0 &&
            (begin == 0 || call[begin - 1] == ' '))
            sizes[call.substr(begin, space - begin)] = number;
    }
    if (expected.empty()) return sizes;
    const Shape shape = shape_of(expected.front().value);
    if (!shape.empty()) sizes["width"] = shape.back();
    if (!expected.front().has_tokens || shape.size() < 2) return sizes;
    const std::size_t n = shape[shape.size() - 2],
                      rows = expected.front().value.size() / std::max<std::size_t>(shape.back(), 1);
    sizes["n"] = n;
    if (n > 0) sizes["leading indices"] = rows / n;
    sizes["tokens in all"] = rows;
    return sizes;
}

}  // namespace

std::string fact_about_sizes(const std::vector<const RecordedCall*>& calls) {
    std::map<std::string, std::pair<std::set<std::size_t>, std::set<std::size_t>>> by_name;  // of right and wrong calls
    for (const RecordedCall* each : calls) {
        const bool right = each->came == Came::right;
        if (!right && (each->came != Came::wrong || !compares_values(each->call))) continue;
        for (const auto& [name, size] : sizes_of(each->call.words, *each->call.expected))
            (right ? by_name[name].first : by_name[name].second).insert(size);
    }
    const auto list = [](const std::set<std::size_t>& all) {
        std::string text;
        std::size_t shown = 0;
        for (const std::size_t each : all)
            if (++shown <= 6) text += (text.empty() ? "" : ", ") + std::to_string(each);
        return text + (shown > 6 ? ", …" : "");
    };
    const auto power = [](std::size_t x) { return std::has_single_bit(x); };
    for (auto& [name, sizes] : by_name) {
        auto& [right, wrong] = sizes;
        right.erase(0);  // an empty result is right by chance
        if (right.empty() || wrong.empty() || name == "width") continue;
        const bool by_size = *right.rbegin() < *wrong.begin() || (right.size() > 1 && *wrong.rbegin() < *right.begin());
        const bool by_powers = right.size() > 2 && *right.rbegin() > 2 && std::ranges::all_of(right, power) &&
                               std::ranges::none_of(wrong, power);
        std::string blocks;  // of which only whole ones are right
        for (const std::size_t block : {2U, 3U, 4U, 8U, 16U}) {
            const auto whole = [block](std::size_t x) { return x % block == 0; };
            if (right.size() > 2 && wrong.size() > 1 && std::ranges::all_of(right, whole) &&
                std::ranges::none_of(wrong, whole))
                blocks = ": right with multiples of " + std::to_string(block);
        }
        if (by_size || by_powers || !blocks.empty())
            return "right with " + name + " = " + list(right) + "; wrong with " + name + " = " + list(wrong) + blocks;
    }
    return "";
}

}  // namespace linattn::testing
