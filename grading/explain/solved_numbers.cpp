#include "solved_numbers.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <optional>
#include <string>

#include "error_pattern.hpp"

namespace linattn::testing {
namespace {

constexpr double pi = 3.14159265358979323846;

// The entry that is furthest from what it should be.
std::optional<std::pair<std::size_t, std::size_t>> most_wrong_entry(const ComparedCall& call) {
    std::optional<std::pair<std::size_t, std::size_t>> found;
    double furthest = 0.0;
    for (std::size_t p = 0; p < call.expected->size(); ++p) {
        const Tensor* got = comparable(call.outcome.parts[p], (*call.expected)[p]);
        if (got == nullptr) return std::nullopt;
        for (std::size_t e = 0; e < got->size(); ++e) {
            const double apart = std::fabs(got->data()[e] - (*call.expected)[p].value.data()[e]);
            if (std::isfinite(apart) && apart > furthest) {
                furthest = apart;
                found = {p, e};
            }
        }
    }
    return found;
}

// Where f changes its sign between low and high: on a grid whose steps grow with the number, then by halving.
std::optional<double> root(const std::function<double(double)>& f, double low, double high) {
    const int steps = 48;
    double before = low, value_before = f(low);
    for (int step = 1; step <= steps; ++step) {
        const double here = low * std::pow(high / low, static_cast<double>(step) / steps), value = f(here);
        if (value == 0.0) return here;
        if (std::isfinite(value) && std::isfinite(value_before) && value * value_before < 0.0) {
            double left = before, right = here;
            for (int halving = 0; halving < 80 && left < right; ++halving) {
                const double middle = left + (right - left) / 2.0, at_middle = f(middle);
                if (middle == left || middle == right) break;
                (at_middle * value_before > 0.0 ? left : right) = middle;
            }
            return left + (right - left) / 2.0;
        }
        before = here;
        value_before = value;
    }
    return std::nullopt;
}

struct Written {
    double value;
    std::string text;
};
Written written(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", x);
    return {x, text};
}

// A number as a person would have written it: a constant of the chapters, or the shortest decimal that gives the same result.
std::vector<Written> as_written(double x) {
    static const std::vector<Written> constants{{std::sqrt(2.0), "√2"},
                                                {std::sqrt(0.5), "1/√2"},
                                                {pi, "π"},
                                                {1.0 / pi, "1/π"},
                                                {std::sqrt(pi), "√π"},
                                                {std::sqrt(2.0 * pi), "√(2π)"},
                                                {1.0 / 3.0, "1/3"},
                                                {2.0 / 3.0, "2/3"},
                                                {std::log(2.0), "log 2"},
                                                {1.0 / std::log(2.0), "1/log 2"},
                                                {std::exp(1.0), "e"},
                                                {std::exp(-1.0), "1/e"},
                                                {std::sqrt(3.0), "√3"},
                                                {std::sqrt(1.0 / 3.0), "1/√3"}};
    std::vector<Written> candidates;
    for (const Written& constant : constants)
        if (std::fabs(x - constant.value) < 1e-5 * constant.value)
            candidates.push_back(constant);  // x may be of floats
    for (int digits = 1; digits <= 12; ++digits) {
        char text[32];
        std::snprintf(text, sizeof text, "%.*g", digits, x);
        candidates.push_back(written(std::strtod(text, nullptr)));
    }
    candidates.push_back(written(x));
    return candidates;
}

Mistake with_number(const NumberMistake& number, const Written& chosen) {
    static std::deque<std::string> names;  // a Mistake holds pointers
    std::string& name = names.emplace_back(number.name);
    name.replace(name.find("%s"), 2, chosen.text);
    return {number.exercise, name.c_str(), "", number.explanation, number.with(chosen.value)};
}

// The lengths of blocks that the answer may have been computed in: an error begins with a block, or behind its first token.
std::vector<Written> lengths_of_blocks(const Tensor& got, const Expected& expected) {
    std::vector<Written> lengths;
    const auto [right, wrong] = first_right_and_wrong_token(got, expected);
    for (const std::size_t block : {wrong, right + 1, wrong / 2})
        if (block >= 2) lengths.push_back(written(static_cast<double>(block)));
    if (wrong <= 1)
        for (const double usual : {8.0, 16.0, 32.0, 64.0, 4.0, 2.0, 128.0, 3.0, 5.0, 6.0, 7.0})
            lengths.push_back(written(usual));
    return lengths;
}

}  // namespace

std::vector<std::vector<Mistake>> with_solved_numbers(const ComparedCall& call) {
    std::vector<std::vector<Mistake>> found;
    const auto entry = most_wrong_entry(call);
    if (!entry) return found;
    const std::size_t part = entry->first, index = entry->second;
    const auto& got = std::get<Tensor>(call.outcome.parts[part].value);
    for (const NumberMistake& number : number_mistakes()) {
        if (number.exercise != call.exercise) continue;
        std::vector<Written> candidates;
        if (number.low == number.high) {
            candidates = lengths_of_blocks(got, (*call.expected)[part]);
        } else if (const auto value = root(
                       [&](double x) {
                           const Outcome made = call.run(number.with(x));
                           if (!made.error.empty()) return std::numeric_limits<double>::quiet_NaN();
                           return std::get<Tensor>(made.parts[part].value).data()[index] - got.data()[index];
                       },
                       number.low, number.high)) {
            candidates = as_written(*value);
        }
        found.emplace_back();
        for (const Written& each : candidates) found.back().push_back(with_number(number, each));
    }
    return found;
}

}  // namespace linattn::testing
