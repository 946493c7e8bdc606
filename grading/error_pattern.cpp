#include "error_pattern.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

namespace linattn::testing {
namespace {

// Which heads, tokens and columns hold a wrong entry.
struct WrongPlaces {
    std::vector<bool> heads, tokens, columns;
};

std::optional<WrongPlaces> wrong_places(const Tensor& got, const Expected& expected) {
    const Shape shape = shape_of(expected.value);
    if (!expected.has_tokens || shape.size() < 2 || shape_of(got) != shape || got.size() == 0) return std::nullopt;
    const std::size_t d = shape.back(), n = shape[shape.size() - 2];
    WrongPlaces places{std::vector<bool>(got.size() / (n * d)), std::vector<bool>(n), std::vector<bool>(d)};
    for (std::size_t e = 0; e < got.size(); ++e)
        if (!is_right(got, expected, e))
            places.heads[e / (n * d)] = places.tokens[e / d % n] = places.columns[e % d] = true;
    return places;
}

std::size_t first(const std::vector<bool>& wrong) {
    return static_cast<std::size_t>(std::find(wrong.begin(), wrong.end(), true) - wrong.begin());
}

// One sentence about an axis, or "".
std::string along_axis(const std::vector<bool>& wrong, const std::string& one, const std::string& all) {
    const std::size_t count = wrong.size(), begin = first(wrong);
    const auto wrong_ones = static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), true));
    if (count < 2 || wrong_ones == count) return "";
    const std::string last = std::to_string(count - 1);
    if (wrong_ones == 1 && wrong.back())
        return "only the last " + one + ", " + last + ", is wrong" +
               (count % 2 == 1 ? ": is an odd number of " + all + " forgotten?" : "");
    if (wrong_ones + 1 == count && !wrong.back()) return "only the last " + one + ", " + last + ", is right";
    if (wrong_ones + 1 == count && begin == 1) return "only the first " + one + " is right";
    if (wrong_ones == 1) return "only " + one + " " + std::to_string(begin) + " is wrong";
    if (begin == 0) return "";
    std::string text = "right before " + one + " " + std::to_string(begin) + ", wrong from there on";
    if (begin >= 4 && std::has_single_bit(begin)) text += ": does it go in blocks of " + std::to_string(begin) + "?";
    return text;
}

}  // namespace

std::string error_pattern(const Tensor& got, const Expected& expected) {
    const auto places = wrong_places(got, expected);
    if (!places) return "";
    for (const std::string& sentence :
         {along_axis(places->heads, "leading index", "leading indices"), along_axis(places->tokens, "token", "tokens"),
          along_axis(places->columns, "column", "columns")})
        if (!sentence.empty()) return sentence;
    return "";
}

std::size_t first_wrong_token(const Tensor& got, const Expected& expected) {
    const auto places = wrong_places(got, expected);
    return places ? first(places->tokens) : length(expected.value, -2);
}

}  // namespace linattn::testing
