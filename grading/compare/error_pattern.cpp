#include "error_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

namespace linattn::testing {
namespace {

// Which indices of each leading axis, which tokens and which columns hold a wrong entry.
struct WrongPlaces {
    std::vector<std::vector<bool>> leading;
    std::vector<bool> tokens, columns;
};

std::optional<WrongPlaces> wrong_places(const Tensor& got, const Expected& expected) {
    const Shape shape = shape_of(expected.value);
    if (shape.empty() || shape_of(got) != shape || got.size() == 0) return std::nullopt;
    const bool has_tokens = expected.has_tokens && shape.size() > 1;
    const std::size_t d = shape.back(), n = has_tokens ? shape[shape.size() - 2] : 1;
    WrongPlaces places{{}, std::vector<bool>(n), std::vector<bool>(d)};
    for (std::size_t a = 0; a + (has_tokens ? 2 : 1) < shape.size(); ++a) places.leading.emplace_back(shape[a]);
    for (const std::size_t e : wrong_entries(got, expected)) {
        places.tokens[e / d % n] = places.columns[e % d] = true;
        std::size_t rest = e / (n * d);
        for (std::size_t a = places.leading.size(); a-- > 0; rest /= shape[a])
            places.leading[a][rest % shape[a]] = true;
    }
    return places;
}

std::size_t first(const std::vector<bool>& wrong, bool is_wrong = true) {
    return static_cast<std::size_t>(std::find(wrong.begin(), wrong.end(), is_wrong) - wrong.begin());
}

// One sentence about an axis, or "".
std::string along_axis(const std::vector<bool>& wrong, const std::string& one) {
    const std::size_t count = wrong.size(), begin = first(wrong);
    const auto wrong_ones = static_cast<std::size_t>(std::count(wrong.begin(), wrong.end(), true));
    if (count < 2 || wrong_ones == count || wrong_ones == 0) return "";
    const std::string last = std::to_string(count - 1);
    if (wrong_ones == 1 && wrong.back()) return "only the last " + one + ", " + last + ", is wrong";
    if (wrong_ones + 1 == count && !wrong.back()) return "only the last " + one + ", " + last + ", is right";
    if (wrong_ones + 1 == count && begin == 1) return "only the first " + one + " is right";
    if (wrong_ones == 1) return "only " + one + " " + std::to_string(begin) + " is wrong";
    if (begin == 0) {
        const auto end = static_cast<std::size_t>(std::find(wrong.begin(), wrong.end(), false) - wrong.begin());
        const bool right_to_the_end =
            std::find(wrong.begin() + static_cast<std::ptrdiff_t>(end), wrong.end(), true) == wrong.end();
        if (!right_to_the_end) return "";
        return "wrong before " + one + " " + std::to_string(end) + ", right from there on";
    }
    const std::string from = std::to_string(begin);
    if (wrong_ones == count - begin) return "right before " + one + " " + from + ", wrong from there on";
    for (std::size_t step = 2; begin + 2 * step < count; ++step) {
        std::size_t i = 0;
        while (i < count && wrong[i] == (i >= begin && (i - begin) % step == 0)) ++i;
        if (i == count)
            return "every " +
                   (step == 2   ? "second"
                    : step == 3 ? "third"
                                : std::to_string(step) + "th") +
                   " " + one + " is wrong, from " + from + " on";
    }
    return 2 * wrong_ones > count - begin ? "right before " + one + " " + from + ", mostly wrong from there on" : "";
}

// The right values along one axis through an entry, which is at `at`.
struct Line {
    const double* first;
    std::size_t count, step, at;

    double entry(std::size_t i) const { return i < count ? first[i * step] : std::numeric_limits<double>::quiet_NaN(); }
    double sum_up_to_here() const {
        double total = 0.0;
        for (std::size_t i = 0; i <= at; ++i) total += entry(i);
        return total;
    }
};
enum class Axis { columns, tokens, heads };  // heads: all leading axes together

// Right values in another order, or added up; NaN where nothing is said of an entry.
struct Relation {
    const char* words;
    Axis axis;
    bool adds;  // its rounding grows with the length of the line
    double (*make)(const Line&);
};
const Relation relations[] = {
    {"the tokens are right, but in reverse order", Axis::tokens, false,
     [](const Line& x) { return x.entry(x.count - 1 - x.at); }},
    {"token i has what belongs to token i - 1", Axis::tokens, false, [](const Line& x) { return x.entry(x.at - 1); }},
    {"token i has what belongs to token i + 1", Axis::tokens, false, [](const Line& x) { return x.entry(x.at + 1); }},
    {"each token holds the sum of those up to it", Axis::tokens, true,
     [](const Line& x) { return x.sum_up_to_here(); }},
    {"each entry holds the sum of those up to it in its row", Axis::columns, true,
     [](const Line& x) { return x.sum_up_to_here(); }},
    {"each token has what belongs to the last one", Axis::tokens, false,
     [](const Line& x) { return x.entry(x.count - 1); }},
    {"the entries of each row are right, but in reverse order", Axis::columns, false,
     [](const Line& x) { return x.entry(x.count - 1 - x.at); }},
    {"every leading index has what belongs to the first one", Axis::heads, false,
     [](const Line& x) { return x.entry(0); }},
};

// What the wrong values are of the right ones, or "".
std::string relation(const Tensor& got, const Expected& expected, bool has_tokens) {
    const Shape shape = shape_of(got);
    const std::size_t size = got.size();
    if (shape.empty() || size < 3 || shape_of(expected.tolerance) != shape) return "";
    const std::vector<std::size_t> wrong = wrong_entries(got, expected);
    const double* right = expected.value.data();
    const auto differs = [&](std::size_t e) { return right[e] != right[wrong[0]]; };
    if (wrong.size() < 3 || std::ranges::none_of(wrong, differs)) return "";
    const std::size_t d = shape.back(), n = has_tokens ? shape[shape.size() - 2] : 1;
    const auto allowed = [&](std::size_t e, double value, double larger) {
        return larger * expected.tolerance.data()[e] + 1e-12 * std::fabs(value);
    };
    const auto is_made = [&](std::size_t e, double value, double larger) {
        return std::fabs(got.data()[e] - value) <= allowed(e, value, larger);
    };
    // Whether all wrong values are what `make` says, up to rounding.
    const auto holds = [&](double larger, auto make) {
        return std::ranges::all_of(wrong, [&](std::size_t e) { return is_made(e, make(e), larger); });
    };
    const std::string every = wrong.size() == size ? "every value is " : "every wrong value is ";
    char text[96] = "";
    const std::size_t largest =
        *std::ranges::max_element(wrong, {}, [&](std::size_t e) { return std::fabs(right[e]); });
    const double factor = got.data()[largest] / right[largest], more = got.data()[wrong[0]] - right[wrong[0]],
                 same = got.data()[wrong[0]];
    if (holds(0.0, [&](std::size_t) { return same; })) {
        std::snprintf(text, sizeof text, "%.6g", same);
        return every + text;
    }
    if (std::isfinite(factor) && factor != 0.0 &&
        std::ranges::count_if(wrong, [&](std::size_t e) { return right[e] != 0.0; }) > 2 &&
        holds(2.0 + 2.0 * std::fabs(factor), [&](std::size_t e) { return factor * right[e]; })) {
        if (std::fabs(factor - 1.0) < 1e-6) return "";  // and rounding
        if (std::fabs(factor + 1.0) < 1e-6) return every + "the right one with the other sign";
        std::snprintf(text, sizeof text, "%.6g times the right one", factor);
        return every + text;
    }
    if (std::isfinite(more) && holds(4.0, [&](std::size_t e) { return right[e] + more; })) {
        std::snprintf(text, sizeof text, "the right one plus %.6g", more);
        return every + text;
    }
    // Of these the right values have to be what they say, too, and most wrong ones something that was not right.
    for (const Relation& each : relations) {
        const std::size_t step = each.axis == Axis::columns ? 1 : each.axis == Axis::tokens ? d : n * d;
        const std::size_t count = each.axis == Axis::columns ? d : each.axis == Axis::tokens ? n : size / (n * d);
        if (each.axis == Axis::tokens && n < 3) continue;
        std::size_t told = 0, e = 0;
        for (; e < size; ++e) {
            const std::size_t at = e / step % count;
            const double value = each.make({right + e - at * step, count, step, at});
            if (std::isnan(value)) continue;
            const double larger = each.adds ? static_cast<double>(count) : 2.0;
            if (!is_made(e, value, larger)) break;
            // Rounding alone tells nothing, where the mean of a row is 0 for instance, or its sum 1.
            told += std::fabs(value - right[e]) > 4.0 * allowed(e, value, larger) ? 1 : 0;
        }
        if (e == size && told > 2 && 2 * told > wrong.size()) return each.words;
    }
    return "";
}

}  // namespace

std::string relation_to(const Tensor& got, const Expected& expected, const std::vector<KnownTensor>& others) {
    const std::vector<std::size_t> wrong = wrong_entries(got, expected);
    if (wrong.size() < 3 || shape_of(expected.tolerance) != shape_of(got)) return "";
    struct Made {
        const char* words;
        double (*of)(double right, double other);
    };
    static const Made ways[] = {
        {"", [](double, double x) { return x; }},
        {"the right one plus ", [](double right, double x) { return right + x; }},
        {"the right one minus ", [](double right, double x) { return right - x; }},
        {"the right one times ", [](double right, double x) { return right * x; }},
        {"the right one divided by ", [](double right, double x) { return right / x; }},
    };
    const Shape shape = shape_of(got), of_rows(shape.begin(), shape.end() - 1);
    for (const KnownTensor& known : others) {
        const Tensor& x = *known.value;
        if (shape_of(x) != shape && (of_rows.empty() || shape_of(x) != of_rows)) continue;
        const auto other = [&](std::size_t e) { return x.data()[e / (got.size() / x.size())]; };
        if (std::ranges::all_of(wrong, [&](std::size_t e) { return other(e) == other(wrong[0]); })) continue;
        for (const Made& way : ways)
            if (std::ranges::all_of(wrong, [&](std::size_t e) {
                    const double made = way.of(expected.value.data()[e], other(e)), apart = got.data()[e] - made;
                    return std::fabs(apart) <=
                               4.0 * expected.tolerance.data()[e] + 1e-12 * (std::fabs(made) + std::fabs(other(e))) &&
                           std::fabs(apart) <= 0.01 * std::fabs(got.data()[e] - expected.value.data()[e]);
                }))
                return (wrong.size() == got.size() ? "every value is " : "every wrong value is ") +
                       std::string(way.words) + (shape_of(x) == shape ? "" : "its row's entry of ") + known.words;
    }
    return "";
}

Digits digits_of(const Tensor& got, const Expected& expected) {
    double largest = 0.0, furthest = 0.0, largest_share = 0.0;
    std::size_t too_small = 0, too_large = 0, rounded = 0;
    if (shape_of(got) != shape_of(expected.value)) return Digits::unknown;
    for (std::size_t e = 0; e < got.size(); ++e) {
        const double value = expected.value.data()[e], error = got.data()[e] - value;
        if (std::fabs(value) < std::numeric_limits<float>::min() && std::fabs(error) <= std::fabs(value))
            continue;  // too small for a float
        if (value != static_cast<float>(value)) ++rounded;
        if (is_right(got, expected, e)) continue;
        if (!std::isfinite(error)) {
            if (!(std::fabs(value) > std::numeric_limits<float>::max())) return Digits::fewer;
            continue;  // no float holds it
        }
        ++(error < 0.0 ? too_small : too_large);
        largest = std::max(largest, std::fabs(value));
        furthest = std::max(furthest, std::fabs(error));
        largest_share = std::max(largest_share, std::fabs(error / value));
    }
    const std::size_t wrong = too_small + too_large;
    if (wrong == 0) return Digits::unknown;
    // Of numbers rounded to floats most are wrong, some too small and some too large.
    const bool above_rounding = furthest > 1e-10 * largest || largest_share > 1e-9;
    if (!(furthest < 1e-5 * largest && above_rounding) || 4 * wrong < rounded) return Digits::fewer;
    if (too_small > 0 && too_large > 0) return Digits::seven;
    if (wrong > 2 && largest_share <= 0x1p-24) return Digits::seven;  // of rows whose sums are floats, for instance
    return wrong < 12 ? Digits::unknown : Digits::fewer;
}

std::string error_pattern(const Tensor& got, const Expected& expected) {
    const auto places = wrong_places(got, expected);
    if (!places) return "";
    const bool has_tokens = expected.has_tokens && shape_of(expected.value).size() > 1;
    const auto wrong_tokens = std::count(places->tokens.begin(), places->tokens.end(), true);
    if (wrong_tokens == 0) return "";
    std::vector<std::string> sentences{relation(got, expected, has_tokens)};
    const std::size_t axes = places->leading.size();
    for (std::size_t a = 0; a < axes; ++a) {
        const std::string of_axis = a == 0 ? " of the first axis" : a == 1 ? " of the second axis" : " of a later axis";
        const std::string one = has_tokens ? "leading index" : "row";
        sentences.push_back(along_axis(places->leading[a], axes == 1 ? one : "index" + of_axis));
    }
    sentences.push_back(along_axis(places->tokens, "token"));
    if (expected.has_columns)
        sentences.push_back(along_axis(places->columns, shape_of(expected.value).size() == 1 ? "entry" : "column"));
    std::string text;
    for (const std::string& sentence : sentences)
        if (!sentence.empty()) text += (text.empty() ? "" : "\n") + sentence;
    return text;
}

std::pair<std::size_t, std::size_t> first_right_and_wrong_token(const Tensor& got, const Expected& expected) {
    const auto places = wrong_places(got, expected);
    if (!places) return {0, 0};
    const std::size_t right = first(places->tokens, false);
    return {right < places->tokens.size() ? right : 0, first(places->tokens)};
}

}  // namespace linattn::testing
