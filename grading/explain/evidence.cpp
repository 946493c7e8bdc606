#include "evidence.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "memory_watch.hpp"
#include "probes.hpp"

namespace linattn::testing {
namespace {

bool same_shapes(const Parts& a, const Parts& b) {
    return std::ranges::equal(a, b, [](const Part& left, const Part& right) {
        const auto *x = std::get_if<Tensor>(&left.value), *y = std::get_if<Tensor>(&right.value);
        return x != nullptr && y != nullptr && shape_of(*x) == shape_of(*y);
    });
}

bool holds_words(const Parts& parts) {
    return std::ranges::any_of(
        parts, [](const Part& part) { return std::holds_alternative<std::vector<std::string>>(part.value); });
}

bool may_be_alike(const Parts& a, const Parts& b, const std::vector<Expected>& expected = {}) {
    return everywhere(a, b, expected) || where_finite(a, b, expected);
}

// How far the two outcomes are apart when they are the same.
std::optional<double> distance_of(const Outcome& a, const Outcome& b, const std::vector<Expected>& expected,
                                  Compare* compare) {
    if (a.changed_argument != b.changed_argument || a.error.empty() != b.error.empty()) return std::nullopt;
    if (a.error.empty()) return compare(a.parts, b.parts, expected);
    const bool same = a.symptoms.empty() ? a.invalid_argument == b.invalid_argument
                                         : std::ranges::count(b.symptoms, a.symptoms.front()) > 0;
    return same ? std::optional(0.0) : std::nullopt;
}

bool same_but_for_rounding(const Parts& a, const Parts& b) {
    for (std::size_t p = 0; p < a.size() && same_shapes(a, b); ++p) {
        const auto &x = std::get<Tensor>(a[p].value), &y = std::get<Tensor>(b[p].value);
        for (std::size_t e = 0; e < x.size(); ++e)
            if (!(std::fabs(x.data()[e] - y.data()[e]) <= 0x1p-50 * std::fabs(y.data()[e]))) return false;
    }
    return same_shapes(a, b);
}

// A mistake that goes wrong in shape or with an exception says nothing about values, so that rules out nothing.
bool agrees_with_values(const Subject& function, const ComparedCall& call) {
    const Outcome made = call.run(function);
    return call.check(made).has_value() &&
           (!made.error.empty() || !call.outcome.error.empty() ||
            (!holds_words(made.parts) && !same_shapes(made.parts, call.outcome.parts)) ||
            may_be_alike(call.outcome.parts, made.parts, *call.expected));
}

// Found once for each mistake.
template <class Find>
bool known(std::map<const Mistake*, bool>& all, const Mistake& mistake, Find find) {
    const auto at = all.find(&mistake);
    return at != all.end() ? at->second : (all[&mistake] = find());
}

}  // namespace

bool compares_values(const ComparedCall& call) { return !call.expected->empty() || holds_words(call.outcome.parts); }

bool has_right_shapes(const ComparedCall& call) {
    for (std::size_t p = 0; p < call.expected->size(); ++p)
        if (comparable(call.outcome.parts[p], (*call.expected)[p]) == nullptr) return false;
    return true;
}

bool agrees_with(const Subject& function, const RecordedCall& recorded) {
    const ComparedCall& call = recorded.call;
    if (recorded.came == Came::wrong) {
        const MemoryReuse reuse;
        return agrees_with_values(function, call);
    }
    // What is compared with another result of the answer's own may be exact, and a mistake rounds in another order.
    const Outcome made = call.run(function);
    return !call.check(made) || (made.error.empty() && same_but_for_rounding(made.parts, call.outcome.parts));
}

bool alike(const Outcome& a, const Outcome& b) { return distance_of(a, b, {}, &everywhere).has_value(); }

std::optional<double> everywhere(const Parts& a, const Parts& b, const std::vector<Expected>& expected) {
    return distance_if_alike(a, b, expected);
}
std::optional<double> where_finite(const Parts& a, const Parts& b, const std::vector<Expected>& expected) {
    return distance_if_alike_where_finite(a, b, expected);
}

std::optional<double> distance_of(const Mistake& mistake, const ComparedCall& call, Compare* compare) {
    const MemoryReuse reuse;
    const Outcome made = call.run(mistake.function);
    return call.check(made) ? distance_of(call.outcome, made, *call.expected, compare) : std::nullopt;
}

std::string choice_of(const std::string& words) {
    const std::size_t colons = words.find("::");
    if (colons == std::string::npos) return "";
    const auto is_name = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    std::size_t begin = colons, end = colons;
    while (begin > 0 && is_name(words[begin - 1])) --begin;
    while (end < words.size() && is_name(words[end])) ++end;
    return words.substr(begin, end - begin);
}

Evidence::Evidence(std::vector<const RecordedCall*> calls) : calls_(std::move(calls)) {
    std::erase_if(calls_, [](const RecordedCall* each) { return each->call.is_long; });
    for (const RecordedCall* each : calls_)
        if (each->came == Came::wrong && compares_values(each->call)) wrong_.push_back(each);
    std::ranges::stable_sort(wrong_, {}, [](const RecordedCall* each) { return size_of(each->call.outcome.parts); });
    const auto by_values =
        std::ranges::find_if(wrong_, [](const RecordedCall* each) { return each->call.outcome.error.empty(); });
    if (by_values == wrong_.end()) return;
    const ComparedCall& call = (*by_values)->call;
    for (const Run& run : probes_of(call.exercise))
        if (Outcome outcome = run(call.subject); outcome.error.empty()) probed_.push_back({run, std::move(outcome)});
}

bool Evidence::agrees_with_wrong(const Mistake& mistake) {
    return known(agree_with_wrong_, mistake, [&] {
        return std::ranges::all_of(wrong_, [&](const RecordedCall* each) { return agrees(mistake, *each); });
    });
}

bool Evidence::agrees_with_all(const Mistake& mistake) {
    return known(agree_with_all_, mistake, [&] {
        const auto with_right = [&](const RecordedCall* each) {
            return each->came != Came::right || agrees(mistake, *each);
        };
        const auto with_probed = [&](const Probed& each) { return agrees(mistake, each); };
        return agrees_with_wrong(mistake) && std::ranges::all_of(calls_, with_right) &&
               std::ranges::all_of(probed_, with_probed);
    });
}

bool Evidence::rejects_as_well(const Mistake& mistake) const {
    return std::ranges::none_of(calls_, [&](const RecordedCall* each) {
        return each->came == Came::rejected && each->call.check(each->call.run(mistake.function)).has_value();
    });
}

// Calls with another choice say nothing of a mistake that was made with one.
bool Evidence::agrees(const Mistake& mistake, const RecordedCall& call) {
    return (!mistake.choice.empty() && choice_of(call.call.words) != mistake.choice) ||
           agrees_with(mistake.function, call);
}

bool Evidence::agrees(const Mistake& mistake, const Probed& probed) {
    if (!mistake.choice.empty()) return true;
    const MemoryReuse reuse;
    const Outcome made = probed.run(mistake.function);
    return !made.error.empty() || !same_shapes(made.parts, probed.outcome.parts) ||
           may_be_alike(probed.outcome.parts, made.parts);
}

}  // namespace linattn::testing
