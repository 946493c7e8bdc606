#include "comparison.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "memory_watch.hpp"

namespace linattn::testing {

std::string number(double x) {
    if (std::isnan(x)) return "NaN";
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
}

std::string place(const Shape& shape, std::size_t flat, bool has_tokens) {
    std::vector<std::size_t> index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        index[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    if (shape.empty()) return "";
    std::string text = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis > 0) text += ", ";
        if (has_tokens && axis + 2 == shape.size()) text += "token ";
        text += std::to_string(index[axis]);
    }
    return text + "]";
}

namespace {

// Enough digits to tell two numbers apart.
std::pair<std::string, std::string> numbers(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return {number(a), number(b)};
    for (int digits = 6; digits < 17; ++digits) {
        char left[32], right[32];
        std::snprintf(left, sizeof left, "%.*g", digits, a);
        std::snprintf(right, sizeof right, "%.*g", digits, b);
        if (std::string(left) != right || digits == 16) return {left, right};
    }
    return {number(a), number(b)};
}

// Two wrong shapes that have one cause each, where the values are what that cause gives.
std::string why_that_shape(const Tensor& y, const Shape& expected) {
    const Shape got = shape_of(y);
    if (got.empty() && (y.data()[0] == 0.0 || unwritten_origin(y.data()[0])))
        return "\nif it was made by `Tensor y;`: that is a single number; start from zeros(shape)";
    if (got == Shape{expected.size()} && std::equal(expected.begin(), expected.end(), y.data()))
        return "\nif it was made by Tensor y({…}): the braces hold values, not a shape; zeros({…}) takes a shape";
    return "";
}

bool within(double a, double b, double tolerance) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (std::isinf(a) || std::isinf(b)) return a == b;
    if (!std::isfinite(tolerance)) throw std::logic_error("a fault of the suite: its tolerance would allow any value");
    return std::fabs(a - b) <= tolerance;
}

// What of the expected letters is missing, and what is there too often.
std::string letters_apart(const std::string& got, const std::string& expected) {
    std::string missing, extra;
    for (int c = 0; c < 128; ++c) {
        const char letter = static_cast<char>(c);
        const auto here = std::ranges::count(got, letter), wanted = std::ranges::count(expected, letter);
        if (here < wanted) missing += letter;
        if (here > wanted) extra += letter;
    }
    if (missing.empty() && extra.empty()) return "; the same states in another order";
    return (missing.empty() ? "" : "; missing: " + missing) + (extra.empty() ? "" : "; too often: " + extra);
}

}  // namespace

Expected exactly(const Tensor& value, bool has_tokens) { return {value, zeros(shape_of(value)), "exact", has_tokens}; }

Expected to_rounding(const Tensor& value, double units, const std::string& why, bool has_tokens) {
    Tensor tolerance = abs(value) * (units * 0x1p-53) + std::numeric_limits<double>::denorm_min();
    return {value, tolerance, number(units) + "·2^-53 of the value, one for each rounding: " + why, has_tokens};
}

Parts parts_of(const std::vector<std::uint16_t>& patterns) {
    Tensor numbers = zeros({patterns.size()});
    for (std::size_t i = 0; i < patterns.size(); ++i)
        numbers.data()[i] = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(patterns[i]) << 16));
    return parts_of(numbers);
}

bool all_equal(const Tensor& a, const Tensor& b) {
    return shape_of(a) == shape_of(b) && std::equal(a.data(), a.data() + a.size(), b.data());
}

bool is_right(const Tensor& got, const Expected& expected, std::size_t at) {
    return within(got.data()[at], expected.value.data()[at], expected.tolerance.data()[at]);
}

std::vector<std::size_t> wrong_entries(const Tensor& got, const Expected& expected) {
    std::vector<std::size_t> wrong;
    for (std::size_t e = 0; e < got.size(); ++e)
        if (!is_right(got, expected, e)) wrong.push_back(e);
    return wrong;
}

const Tensor* comparable(const Part& got, const Expected& expected) {
    const auto* tensor = std::get_if<Tensor>(&got.value);
    return tensor != nullptr && shape_of(*tensor) == shape_of(expected.value) ? tensor : nullptr;
}

Expected to_rounding_of_terms(const Tensor& value, const Tensor& terms, double units, const std::string& why,
                              bool has_tokens) {
    const Tensor tolerance =
        terms * (units * 0x1p-53) + full(shape_of(value), std::numeric_limits<double>::denorm_min());
    return {value, tolerance, number(units) + "·2^-53 of the sum of the terms' sizes, since they may cancel: " + why,
            has_tokens};
}

std::optional<std::string> inconsistent_storage(const Tensor& got) {
    std::size_t entries = 1;
    for (const std::size_t length : shape_of(got)) entries *= length;
    if (got.size() == entries) return std::nullopt;
    return "has shape " + to_string(shape_of(got)) + " but holds " + std::to_string(got.size()) + " of its " +
           std::to_string(entries) + " numbers: its storage was moved or resized; return a Tensor made by zeros(shape)";
}

namespace {

// " at [token 1, 2]", or nothing for a single number.
std::string at(const Shape& shape, std::size_t entry, bool has_tokens) {
    const std::string text = place(shape, entry, has_tokens);
    return text.empty() ? "" : " at " + text;
}

std::string in_words(double wanted, double came) {
    const auto [wanted_text, came_text] = numbers(wanted, came);
    return "expected " + wanted_text + ", got " +
           (unwritten_origin(came) ? "a value that was never written" : came_text);
}

// Of wrong entries the one that is furthest from what it should be; one that is no number is furthest of all.
std::size_t furthest_of(const std::vector<std::size_t>& wrong, const Tensor& got, const Expected& expected) {
    return *std::ranges::max_element(wrong, {}, [&](std::size_t e) {
        const double apart = std::fabs(got.data()[e] - expected.value.data()[e]);
        return std::isnan(apart) ? std::pair(true, 0.0) : std::pair(false, apart);
    });
}

}  // namespace

std::optional<std::string> difference(const Tensor& got, const Expected& expected) {
    if (auto inconsistent = inconsistent_storage(got)) return inconsistent;
    const Shape shape = shape_of(expected.value);
    if (shape_of(got) != shape)
        return "has shape " + to_string(shape_of(got)) + ", expected shape " + to_string(shape) +
               why_that_shape(got, shape);
    const std::vector<std::size_t> wrong = wrong_entries(got, expected);
    if (wrong.empty()) return std::nullopt;
    const std::size_t first = wrong.front(), furthest = furthest_of(wrong, got, expected);
    const double came = got.data()[first], wanted = expected.value.data()[first];
    std::string text = "first differs" + at(shape, first, expected.has_tokens) + ": " + in_words(wanted, came) + "; " +
                       std::to_string(wrong.size()) + " of " + std::to_string(got.size()) + " values differ";
    if (2.0 * std::fabs(came - wanted) < std::fabs(got.data()[furthest] - expected.value.data()[furthest]))
        text += "\nthe largest difference is" + at(shape, furthest, expected.has_tokens) + ": " +
                in_words(expected.value.data()[furthest], got.data()[furthest]);
    const std::string all_wanted = to_string(expected.value), all_came = to_string(got);
    if (got.size() > 1 && got.size() <= 9 && all_wanted != all_came)
        text += "\nexpected " + all_wanted + ", got " + all_came;
    // Of interest only where it may be rounding that decides, at every entry.
    if (std::fabs(got.data()[furthest] - expected.value.data()[furthest]) <=
        1e-6 * std::fabs(expected.value.data()[furthest]))
        text += "\nallowed there: " + number(expected.tolerance.data()[first]) + " (" + expected.derivation + ")";
    return text;
}

std::optional<std::string> difference(const std::vector<std::string>& got, const std::vector<std::string>& expected) {
    if (got.size() != expected.size())
        return "has " + std::to_string(got.size()) + " entries, expected " + std::to_string(expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        if (got[i] != expected[i])
            return "first differs at entry " + std::to_string(i) + ": expected " + expected[i] + ", got " + got[i] +
                   letters_apart(got[i], expected[i]);
    return std::nullopt;
}

bool any_number(const Parts& parts, bool (*kind)(double)) {
    return std::ranges::any_of(parts, [&](const Part& part) {
        const auto* tensor = std::get_if<Tensor>(&part.value);
        return tensor != nullptr && std::any_of(tensor->data(), tensor->data() + tensor->size(), kind);
    });
}

double share_of_tolerance(const Tensor& got, const Expected& expected) {
    double largest = 0.0;
    for (std::size_t i = 0; i < got.size(); ++i) {
        const double error = std::fabs(got.data()[i] - expected.value.data()[i]);
        if (error > 0.0) largest = std::max(largest, error / expected.tolerance.data()[i]);
    }
    return largest;
}

std::optional<double> distance_if_alike(const Parts& a, const Parts& b, const std::vector<Expected>& expected) {
    if (a.size() != b.size()) return std::nullopt;
    double distance = 0.0;
    std::size_t compared = 0;
    for (std::size_t p = 0; p < a.size(); ++p) {
        if (a[p].value.index() != b[p].value.index()) return std::nullopt;
        if (const auto* words = std::get_if<std::vector<std::string>>(&a[p].value)) {
            if (*words != std::get<std::vector<std::string>>(b[p].value)) return std::nullopt;
            compared += words->size();
            continue;
        }
        const Tensor &left = std::get<Tensor>(a[p].value), &right = std::get<Tensor>(b[p].value);
        if (shape_of(left) != shape_of(right)) return std::nullopt;
        compared += left.size();
        const bool with_tolerance = p < expected.size() && shape_of(expected[p].tolerance) == shape_of(left);
        double largest = 0.0;
        for (std::size_t i = 0; i < left.size(); ++i)
            if (std::isfinite(left.data()[i])) largest = std::max(largest, std::fabs(left.data()[i]));
        for (std::size_t i = 0; i < left.size(); ++i) {
            double tolerance = (a[p].float32 ? 1e-5 : 1e-11) * largest;
            if (with_tolerance) tolerance = std::max(tolerance, expected[p].tolerance.data()[i]);
            if (!within(left.data()[i], right.data()[i], tolerance)) return std::nullopt;
            if (std::isfinite(left.data()[i]) && left.data()[i] != right.data()[i])
                distance =
                    std::max(distance, std::fabs(left.data()[i] - right.data()[i]) / (largest > 0.0 ? largest : 1.0));
        }
    }
    if (compared == 0) return std::nullopt;  // two empty results resemble each other by chance
    return distance;
}

std::optional<double> distance_if_alike_where_finite(Parts a, Parts b, const std::vector<Expected>& expected) {
    if (a.size() != b.size()) return std::nullopt;
    bool infinite_in_a = false, infinite_in_b = false, comparable = false;
    for (std::size_t p = 0; p < a.size(); ++p) {
        auto *left = std::get_if<Tensor>(&a[p].value), *right = std::get_if<Tensor>(&b[p].value);
        if (left == nullptr || right == nullptr || shape_of(*left) != shape_of(*right)) return std::nullopt;
        for (std::size_t i = 0; i < left->size(); ++i) {
            double &x = left->data()[i], &y = right->data()[i];
            infinite_in_a = infinite_in_a || !std::isfinite(x);
            infinite_in_b = infinite_in_b || !std::isfinite(y);
            comparable = comparable || (std::isfinite(x) && std::isfinite(y));
            if (!std::isfinite(x) || !std::isfinite(y)) x = y = 0.0;
        }
    }
    if (!infinite_in_a || !infinite_in_b || !comparable) return std::nullopt;
    return distance_if_alike(a, b, expected);
}

}  // namespace linattn::testing
