#include "diagnosis.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "error_pattern.hpp"
#include "memory_watch.hpp"

namespace linattn::testing {
namespace {

// Whether a mistake agrees with one call: right where the answer was right, the same wrong result where it was wrong.
using Agrees = std::function<bool(const Mistake&)>;

// A call, as evidence.
struct Evidence {
    Agrees agrees;
    std::string choice{};  // see ComparedCall
};

struct SizesOfCall {
    std::map<std::string, std::size_t> sizes;
    bool right;
};

struct EvidenceOfExercise {
    std::vector<Evidence> calls;     // of the suite so far
    std::vector<std::size_t> wrong;  // which of them were wrong
    std::vector<SizesOfCall> sizes;
    std::vector<ComparedCall> rejected;
    std::map<const Mistake*, std::size_t> agreed;  // with how many of them a mistake is known to agree
    std::set<const Mistake*> named, hedged, retracted, ruled_out;
    std::map<std::pair<const Mistake*, std::string>, const Mistake*> with_choice;
    std::map<const Mistake*, std::size_t> explained;  // how many wrong values of a call
    bool probed = false, hopeless = false, stored_something = false;
};
std::map<std::string, EvidenceOfExercise> evidence;  // by exercise
std::deque<Mistake> made_up;                         // mistakes that are not in a table; pointers stay valid

std::map<std::string, std::function<std::vector<Run>()>>& makers_of_probes() {
    static std::map<std::string, std::function<std::vector<Run>()>> all;
    return all;
}

constexpr std::size_t most_numbers = 600;  // of a result that is compared with many mistakes
constexpr double pi = 3.14159265358979323846;
constexpr std::size_t most_alike = 12;  // more that do the same say nothing
constexpr std::size_t few_values = 3;   // may be alike by chance

std::size_t size_of(const Parts& parts) {
    std::size_t size = 0;
    for (const Part& part : parts)
        if (const auto* tensor = std::get_if<Tensor>(&part.value)) size += tensor->size();
    return size;
}

bool is_not_zero(double x) { return x != 0.0; }
bool is_not_finite(double x) { return !std::isfinite(x); }

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

// How results are compared: with each NaN in its place, or only where both are finite.
using Compare = std::optional<double>(const Parts& a, const Parts& b, const std::vector<Expected>& expected);
std::optional<double> where_finite(const Parts& a, const Parts& b, const std::vector<Expected>& expected) {
    return distance_if_alike_where_finite(a, b, expected);
}

bool may_be_alike(const Parts& a, const Parts& b, const std::vector<Expected>& expected = {}) {
    return distance_if_alike(a, b, expected) || where_finite(a, b, expected);
}

// How far the two outcomes are apart when they are the same: the same exception, or results equal up to rounding.
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

const char* kept(const std::string& text) {
    static std::deque<std::string> texts;
    return texts.emplace_back(text).c_str();
}

// Calls with another choice say nothing of a mistake that was made with one.
bool agrees_with_all(const Mistake& mistake) {
    EvidenceOfExercise& known = evidence[mistake.exercise];
    if (known.ruled_out.contains(&mistake)) return false;
    std::size_t& agreed = known.agreed[&mistake];
    const auto agrees = [&](const Evidence& call) {
        return (!mistake.choice.empty() && call.choice != mistake.choice) || call.agrees(mistake);
    };
    while (agreed < known.calls.size() && agrees(known.calls[agreed])) ++agreed;
    if (agreed == known.calls.size()) return true;
    known.ruled_out.insert(&mistake);
    return false;
}

// A mistake that calls with another choice have ruled out, as one that was made with this choice alone: in one branch of two.
const Mistake* with_choice(const Mistake& mistake, const std::string& choice) {
    if (choice.empty() || !mistake.choice.empty()) return nullptr;
    const Mistake*& one = evidence[mistake.exercise].with_choice[{&mistake, choice}];
    if (one == nullptr) {
        made_up.push_back(mistake);
        made_up.back().name = kept(mistake.name + (", with " + choice));
        made_up.back().choice = choice;
        one = &made_up.back();
    }
    return agrees_with_all(*one) ? one : nullptr;
}

// A mistake that goes wrong in shape or with an exception says nothing about values, so that rules out nothing.
void add_wrong_call(const ComparedCall& call) {
    EvidenceOfExercise& known = evidence[call.exercise];
    known.wrong.push_back(known.calls.size());
    known.stored_something = known.stored_something || any_number(call.outcome.parts, is_not_zero);
    if (call.outcome.error.empty()) known.sizes.push_back({call.sizes, false});
    const auto agrees = [call](const Mistake& mistake) {
        const MemoryReuse reuse;
        const Outcome made = call.run(mistake.function);
        if (!call.check(made)) return false;
        return !made.error.empty() || !call.outcome.error.empty() ||
               (!holds_words(made.parts) && !same_shapes(made.parts, call.outcome.parts)) ||
               may_be_alike(call.outcome.parts, made.parts, *call.expected);
    };
    known.calls.push_back({agrees, call.choice});
}

// The probe calls, made once an answer is wrong.
void probe(const ComparedCall& call) {
    EvidenceOfExercise& known = evidence[call.exercise];
    const auto maker = makers_of_probes().find(call.exercise);
    if (std::exchange(known.probed, true) || maker == makers_of_probes().end()) return;
    for (const Run& run : maker->second()) {
        const Outcome outcome = run(call.subject);
        if (!outcome.error.empty()) continue;
        known.calls.push_back({[run, outcome](const Mistake& mistake) {
            const MemoryReuse reuse;
            const Outcome made = run(mistake.function);
            return !made.error.empty() || !same_shapes(made.parts, outcome.parts) ||
                   may_be_alike(outcome.parts, made.parts);
        }});
    }
}

// Whether a wrong answer made this outcome's result.
bool is_alike(const Outcome& made, const ComparedCall& call, double& distance, Compare* compare = &distance_if_alike) {
    const auto apart = call.check(made) ? distance_of(call.outcome, made, *call.expected, compare) : std::nullopt;
    if (apart) distance = std::max(distance, *apart);
    return apart.has_value();
}
bool is_alike(const Mistake& mistake, const ComparedCall& call, double& distance,
              Compare* compare = &distance_if_alike) {
    const MemoryReuse reuse;
    return is_alike(call.run(mistake.function), call, distance, compare);
}

// With `agreeing_only` those that other calls have ruled out are not run again: a call may be large.
std::vector<const Mistake*> singles_alike(const ComparedCall& call, double& distance, bool agreeing_only,
                                          Compare* compare = &distance_if_alike) {
    std::vector<const Mistake*> found;
    for (const Mistake& mistake : mistakes())
        if (mistake.exercise == call.exercise && (!agreeing_only || agrees_with_all(mistake)) &&
            is_alike(mistake, call, distance, compare))
            found.push_back(&mistake);
    return found;
}

// Whether the call tells one mistake from another: an empty part, as for n = 0, is the same for many of them, and so is NaN.
bool tells_apart(const ComparedCall& call) {
    bool any = false;
    for (std::size_t p = 0; p < call.expected->size(); ++p) {
        const Tensor* got = comparable(call.outcome.parts[p], (*call.expected)[p]);
        if (got == nullptr || got->size() == 0) return false;
        for (std::size_t e = 0; e < got->size() && !any; ++e)
            any = std::isfinite(got->data()[e]) && !is_right(*got, (*call.expected)[p], e);
    }
    return any;
}

// How many values of it are wrong; all of them where the shape is.
std::size_t wrong_values(const ComparedCall& call) {
    std::size_t wrong = 0;
    for (std::size_t p = 0; p < call.expected->size(); ++p) {
        const Tensor* got = comparable(call.outcome.parts[p], (*call.expected)[p]);
        if (got == nullptr) return most_numbers;
        wrong += wrong_entries(*got, (*call.expected)[p]).size();
    }
    return call.expected->empty() ? most_numbers : wrong;
}

// Those that explain this call and all wrong ones before it, but that right ones have ruled out. Of a large call only
// those that explained one before.
std::vector<const Mistake*> singles_in_part(const ComparedCall& call, bool is_small, double& distance) {
    EvidenceOfExercise& known = evidence[call.exercise];
    std::vector<const Mistake*> found;
    for (const Mistake& mistake : mistakes())
        if (mistake.exercise == call.exercise && (is_small || known.hedged.contains(&mistake)) &&
            !agrees_with_all(mistake) && is_alike(mistake, call, distance) &&
            std::ranges::all_of(known.wrong, [&](std::size_t wrong) { return known.calls[wrong].agrees(mistake); }))
            found.push_back(&mistake);
    known.hedged = {found.begin(), found.end()};
    return found;
}

// For a result that is not finite throughout.
std::vector<const Mistake*> singles_alike_where_finite(const ComparedCall& call, double& distance) {
    return singles_alike(call, distance, true, &where_finite);
}

// Numbers that explained an earlier call.
std::vector<const Mistake*> named_alike(const ComparedCall& call, double& distance) {
    const MemoryReuse reuse;
    std::vector<const Mistake*> found;
    for (const Mistake* mistake : evidence[call.exercise].named) {
        const Outcome made = call.run(mistake->function);
        if (is_alike(made, call, distance) || is_alike(made, call, distance, &where_finite)) found.push_back(mistake);
    }
    return found;
}

std::vector<const Mistake*> agreeing(const std::vector<const Mistake*>& candidates) {
    std::vector<const Mistake*> left;
    std::ranges::copy_if(candidates, std::back_inserter(left),
                         [](const Mistake* each) { return agrees_with_all(*each); });
    return left;
}

// Numbers that are solved for -----------------------------------------------------------------------------------------

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

const Mistake* with_number(const NumberMistake& number, const ComparedCall& call, const Written& chosen,
                           double& distance) {
    std::string name = number.name;
    name.replace(name.find("%s"), 2, chosen.text);
    const Mistake candidate{number.exercise, kept(name), "", number.explanation, number.with(chosen.value)};
    return is_alike(candidate, call, distance) ? &made_up.emplace_back(candidate) : nullptr;
}

std::vector<const Mistake*> numbers_alike(const ComparedCall& call, double& distance) {
    std::vector<const Mistake*> found;
    const auto entry = most_wrong_entry(call);
    if (!entry) return found;
    const std::size_t part = entry->first, index = entry->second;
    const double got = std::get<Tensor>(call.outcome.parts[part].value).data()[index];
    for (const NumberMistake& number : number_mistakes()) {
        if (number.exercise != call.exercise) continue;
        std::vector<Written> candidates;
        if (number.low == number.high) {
            const auto& tensor = std::get<Tensor>(call.outcome.parts[part].value);
            const auto [right, wrong] = first_right_and_wrong_token(tensor, (*call.expected)[part]);
            for (const std::size_t block : {wrong, right + 1, wrong / 2})
                if (block >= 2) candidates.push_back(written(static_cast<double>(block)));
            if (wrong <= 1)  // a block may be wrong from its first token on, or from its second
                for (const double usual : {8.0, 16.0, 32.0, 64.0, 4.0, 2.0, 128.0, 3.0, 5.0, 6.0, 7.0})
                    candidates.push_back(written(usual));
        } else if (const auto value = root(
                       [&](double x) {
                           const Outcome made = call.run(number.with(x));
                           if (!made.error.empty()) return std::numeric_limits<double>::quiet_NaN();
                           return std::get<Tensor>(made.parts[part].value).data()[index] - got;
                       },
                       number.low, number.high)) {
            candidates = as_written(*value);
        }
        for (const Written& candidate : candidates)
            if (const Mistake* mistake = with_number(number, call, candidate, distance);
                mistake != nullptr && agrees_with_all(*mistake)) {
                found.push_back(mistake);
                break;
            }
    }
    return found;
}

Digits digits_of(const ComparedCall& call) {
    Digits digits = Digits::unknown;
    for (std::size_t p = 0; p < call.expected->size(); ++p)
        if (const auto* tensor = std::get_if<Tensor>(&call.outcome.parts[p].value))
            digits = std::max(digits, digits_of(*tensor, (*call.expected)[p]));
    return digits;
}

struct PartsByWhat {
    std::vector<std::string> names;
    std::vector<bool> wrong;
};

// Which parts are wrong. Where "dw.up.W" and "dw.up.b", all that "dw.up" has, are both wrong or both right, "dw.up" is told.
PartsByWhat parts_by_what(const ComparedCall& call) {
    PartsByWhat all, parts;
    for (std::size_t p = 0; p < call.expected->size(); ++p)
        if (const auto* tensor = std::get_if<Tensor>(&call.outcome.parts[p].value)) {
            all.names.push_back(call.outcome.parts[p].name);
            all.wrong.push_back(difference(*tensor, (*call.expected)[p]).has_value());
        }
    for (std::size_t p = 0; p < all.names.size(); ++p) {
        const std::string owner = all.names[p].substr(0, all.names[p].rfind('.'));
        bool whole = owner != all.names[p];
        for (std::size_t other = 0; other < all.names.size(); ++other)
            if (all.names[other].starts_with(owner + ".")) whole = whole && all.wrong[other] == all.wrong[p];
        const std::string& name = whole ? owner : all.names[p];
        if (!parts.names.empty() && parts.names.back() == name) continue;
        parts.names.push_back(name);
        parts.wrong.push_back(all.wrong[p]);
    }
    return parts;
}

// "wrong: dw.Q; right: dX, dw.K", or, of a long chain, where it broke: the parts lie in the order of the forward pass.
std::string which_parts(const PartsByWhat& parts) {
    const std::size_t most = 5;
    const auto first = std::ranges::find(parts.wrong, true), right = std::find(first, parts.wrong.end(), false);
    const auto name = [&](auto at) { return parts.names[static_cast<std::size_t>(at - parts.wrong.begin())]; };
    if (parts.names.size() > most && right != parts.wrong.end() && right - first > 1 &&
        std::find(right, parts.wrong.end(), true) == parts.wrong.end())
        return "all from " + name(first) + " to " + name(right - 1) + " are wrong, and right from " + name(right) +
               " on: look between " + name(right) + " and " + name(right - 1);
    std::string of_wrong, of_right;
    for (std::size_t p = 0; p < parts.names.size(); ++p) {
        std::string& names = parts.wrong[p] ? of_wrong : of_right;
        names += (names.empty() ? "" : ", ") + parts.names[p];
    }
    return "wrong: " + of_wrong + "; right: " + of_right;
}

std::string pattern_of(const ComparedCall& call) {
    std::optional<std::string> of_shown;  // the part whose numbers are shown; a wrong shape is shown in their place
    for (std::size_t p = 0; p < call.expected->size(); ++p) {
        const Tensor* tensor = comparable(call.outcome.parts[p], (*call.expected)[p]);
        if (tensor == nullptr) {
            of_shown = "";
            break;
        }
        if (!of_shown && difference(*tensor, (*call.expected)[p]))
            of_shown = error_pattern(*tensor, (*call.expected)[p]);
    }
    const std::string pattern = of_shown.value_or("");
    const PartsByWhat parts = parts_by_what(call);
    if (std::ranges::count(parts.wrong, true) == 0 || std::ranges::count(parts.wrong, false) == 0) return pattern;
    return which_parts(parts) + (pattern.empty() ? "" : "\n" + pattern);
}

}  // namespace

Probes::Probes(const char* exercise, std::function<std::vector<Run>()> make) {
    makers_of_probes()[exercise] = std::move(make);
}

Explanation explain(const ComparedCall& call) {
    Explanation found;
    EvidenceOfExercise& known = evidence[call.exercise];
    const bool by_values = !call.expected->empty() || holds_words(call.outcome.parts),
               compared = by_values && call.outcome.error.empty();
    if (compared) probe(call);
    std::vector<const Mistake*> same = singles_alike(call, found.distance, compared);
    // What all of them share, a shape that is not refused for instance, is not what any of them is about.
    const auto listed =
        std::ranges::count_if(mistakes(), [&](const Mistake& each) { return each.exercise == call.exercise; });
    if (listed > 2 && std::ssize(same) == listed) return found;
    // A faulty kernel may run well elsewhere, with other lengths or in another order; its mistake ends every call.
    found.mistakes = call.outcome.symptoms.empty() ? agreeing(same) : same;
    if (!by_values && call.outcome.error.empty())
        std::erase_if(found.mistakes, [&](const Mistake* each) {
            return std::ranges::any_of(known.rejected, [&](const ComparedCall& rejected) {
                return rejected.check(rejected.run(each->function)).has_value();
            });
        });
    if (!by_values) return found;
    const bool small = size_of(call.outcome.parts) <= most_numbers;
    const auto search = [&](auto* alike) {
        if (!found.mistakes.empty() || !call.outcome.error.empty() || known.hopeless) return;
        found.distance = 0.0;
        found.mistakes = agreeing(alike(call, found.distance));
    };
    search(&named_alike);
    if (any_number(call.outcome.parts, is_not_finite)) search(&singles_alike_where_finite);
    if (small) {
        search(&numbers_alike);
        // What explained none of the calls so far would be ruled out by this one.
        known.hopeless = found.mistakes.empty() && call.outcome.error.empty();
    }
    if (found.mistakes.empty() && compared && tells_apart(call)) {
        found.distance = 0.0;
        found.partial_matches = singles_in_part(call, small, found.distance);
        for (const Mistake* each : found.partial_matches)
            if (const Mistake* one = with_choice(*each, call.choice)) found.mistakes.push_back(one);
        if (!found.mistakes.empty()) found.partial_matches.clear();
    }
    if (found.mistakes.size() > most_alike) found.mistakes.clear();
    if (found.mistakes.empty() && call.outcome.error.empty()) {
        found.digits = digits_of(call);
        found.pattern = pattern_of(call);
    }
    known.named.insert(found.mistakes.begin(), found.mistakes.end());
    for (const Mistake* each : found.mistakes) {
        std::size_t& most = known.explained[each];
        most = std::max(most, wrong_values(call));
    }
    add_wrong_call(call);
    return found;
}

bool explains_claim(const Mistake& mistake) {
    if (!agrees_with_all(mistake)) return false;
    evidence[mistake.exercise].named.insert(&mistake);
    return true;
}

bool stored_something(const std::string& exercise) { return evidence[exercise].stored_something; }

void keep_as_evidence(const ComparedCall& call) {
    evidence[call.exercise].stored_something |= any_number(call.outcome.parts, is_not_zero);
    evidence[call.exercise].sizes.push_back({call.sizes, true});
    // What is compared with another result of the answer's own may be exact, and a mistake rounds in another order.
    const Parts small = size_of(call.outcome.parts) <= most_numbers ? call.outcome.parts : Parts{};
    const auto agrees = [run = call.run, check = call.check, small](const Mistake& mistake) {
        const Outcome made = run(mistake.function);
        return !check(made) || (made.error.empty() && same_but_for_rounding(made.parts, small));
    };
    evidence[call.exercise].calls.push_back({agrees, call.choice});
}

void keep_rejection(const ComparedCall& call) { evidence[call.exercise].rejected.push_back(call); }

bool first_call_agrees(const Mistake& function) {
    const std::vector<Evidence>& calls = evidence[function.exercise].calls;
    return calls.empty() || calls.front().agrees(function);
}

std::vector<Retracted> retract(const std::string& exercise) {
    std::vector<Retracted> retracted;
    EvidenceOfExercise& known = evidence[exercise];
    std::set<std::string> choices;  // of the wrong calls
    for (const std::size_t wrong : known.wrong) choices.insert(known.calls[wrong].choice);
    std::erase_if(known.named, [&](const Mistake* each) {
        if (agrees_with_all(*each)) return false;
        retracted.push_back({each, choices.size() == 1 ? with_choice(*each, *choices.begin()) : nullptr});
        known.retracted.insert(each);
        return true;
    });
    return retracted;
}

std::vector<const Mistake*> coincidences(const std::string& exercise) {
    EvidenceOfExercise& known = evidence[exercise];
    std::vector<const Mistake*> found;
    std::erase_if(known.retracted, [&](const Mistake* each) {
        if (known.explained[each] > few_values ||
            std::ranges::all_of(known.wrong, [&](std::size_t wrong) { return known.calls[wrong].agrees(*each); }))
            return false;
        found.push_back(each);
        return true;
    });
    return found;
}

std::string fact_about_sizes(const std::string& exercise) {
    if (evidence[exercise].wrong.empty()) return "";
    std::map<std::string, std::pair<std::set<std::size_t>, std::set<std::size_t>>> by_name;  // of right and wrong calls
    for (const SizesOfCall& call : evidence[exercise].sizes)
        for (const auto& [name, size] : call.sizes)
            (call.right ? by_name[name].first : by_name[name].second).insert(size);
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

std::vector<std::string> names_missing(const std::string& exercise) {
    std::vector<std::string> names;
    const auto maker = makers_of_probes().find(exercise);
    const NotOffered left = not_offered(exercise);
    if (maker == makers_of_probes().end() || !left.right.has_value()) return names;
    const std::vector<Run> runs = maker->second();
    const auto outcomes = [&](const Subject& subject) {
        std::vector<Outcome> all;
        all.reserve(runs.size());
        for (const Run& run : runs) all.push_back(run(subject));
        return all;
    };
    const auto alike = [](const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
        return std::ranges::equal(a, b, [](const Outcome& x, const Outcome& y) {
            return distance_of(x, y, {}, &distance_if_alike).has_value();
        });
    };
    std::vector<std::vector<Outcome>> known{outcomes(left.right)};
    for (const Mistake& mistake : mistakes())
        if (mistake.exercise == exercise) known.push_back(outcomes(mistake.function));
    for (const Mistake& each : left.mistakes) {
        const std::vector<Outcome> made = outcomes(each.function);
        if (std::ranges::all_of(made, [](const Outcome& outcome) { return outcome.error.empty(); }) &&
            std::ranges::none_of(known, [&](const std::vector<Outcome>& other) { return alike(made, other); }))
            names.emplace_back(each.name);
    }
    return names;
}

}  // namespace linattn::testing
