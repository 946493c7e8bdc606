#include "clues.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "argument_lengths.hpp"
#include "error_pattern.hpp"
#include "escape.hpp"
#include "evidence.hpp"
#include "gpu/launch_counts.hpp"
#include "memory_watch.hpp"
#include "trial.hpp"

namespace linattn::testing {
namespace {

// Whether a float would hold all numbers of the arguments: else nothing follows from what became of them.
bool fit_floats(const std::vector<Input>& inputs) {
    return std::ranges::all_of(inputs, [](const Input& input) {
        return input.value == nullptr ||
               std::all_of(input.value->data(), input.value->data() + input.value->size(), [](double x) {
                   return !std::isfinite(x) || x == 0.0 || std::isnormal(static_cast<float>(x));
               });
    });
}

Digits digits_of(const ComparedCall& call) {
    Digits digits = Digits::unknown;
    if (!fit_floats(call.inputs)) return digits;
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

// Zeros and nothing else where most entries are something else, in a Tensor that is no state: a state may be right to be
// zero still.
bool nothing_stored(const ComparedCall& call) {
    const std::vector<Expected>& expected = *call.expected;
    if (call.outcome.parts.size() != 1 || expected.size() != 1) return false;
    const Tensor* tensor = comparable(call.outcome.parts[0], expected[0]);
    if (tensor == nullptr || tensor->size() < 3) return false;  // two are 0 by chance
    const bool zeros = std::all_of(tensor->data(), tensor->data() + tensor->size(), [](double x) { return x == 0.0; });
    return zeros && 2 * wrong_entries(*tensor, expected[0]).size() > tensor->size();
}

bool inputs_finite(const ComparedCall& call) {
    return std::ranges::all_of(call.inputs, [](const Input& input) {
        return input.value == nullptr || std::all_of(input.value->data(), input.value->data() + input.value->size(),
                                                     [](double x) { return std::isfinite(x); });
    });
}

// What the first wrong part, whose shape is right, is made of: of an argument, or of what belongs to another part.
std::string relation_to_others(const ComparedCall& call) {
    const std::vector<Expected>& expected = *call.expected;
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const auto& got = std::get<Tensor>(call.outcome.parts[p].value);
        if (!difference(got, expected[p])) continue;
        std::vector<KnownTensor> others;
        for (const Input& input : call.inputs)
            if (input.value != nullptr && !input.name.empty()) others.push_back({input.name, input.value});
        for (std::size_t other = 0; other < expected.size(); ++other)
            if (other != p)
                others.push_back({"what belongs to " + call.outcome.parts[other].name, &expected[other].value});
        const std::string words = relation_to(got, expected[p], others);
        return words.empty() ? "" : "\n" + words;
    }
    return "";
}

// Whether entries are NaN and should be numbers, and all of these are made of an infinite one.
bool nan_of_an_infinite_number(const ComparedCall& call) {
    if (!works_entry_by_entry(call.exercise) || !has_right_shapes(call) || call.outcome.parts.empty()) return false;
    const auto& got = std::get<Tensor>(call.outcome.parts.front().value);
    bool any = false;
    for (std::size_t e = 0; e < got.size(); ++e) {
        if (!std::isnan(got.data()[e]) || std::isnan(call.expected->front().value.data()[e])) continue;
        any = std::ranges::any_of(call.inputs, [&](const Input& input) {
            return input.value != nullptr && shape_of(*input.value) == shape_of(got) &&
                   std::isinf(input.value->data()[e]);
        });
        if (!any) return false;
    }
    return any;
}

// Where the result first is NaN and should be a number, in words.
std::string why_not_a_number(const ComparedCall& call) {
    const std::vector<Expected>& expected = *call.expected;
    if (nan_of_an_infinite_number(call))
        return "\n    NaN where the argument is infinite: 0·∞, ∞ - ∞ or ∞/∞; where(…) chooses without multiplying";
    for (std::size_t p = 0; has_right_shapes(call) && inputs_finite(call) && p < expected.size(); ++p) {
        const auto& got = std::get<Tensor>(call.outcome.parts[p].value);
        const Shape shape = shape_of(got);
        const bool has_tokens = expected[p].has_tokens && shape.size() > 1;
        const std::size_t width = has_tokens ? shape.back() : 1, n = has_tokens ? shape[shape.size() - 2] : 1;
        bool any = false, first_tokens_only = n > 1;
        for (std::size_t e = 0; e < got.size(); ++e) {
            if (std::isnan(expected[p].value.data()[e]) || unwritten_origin(got.data()[e])) return "";
            if (!std::isnan(got.data()[e])) continue;
            any = true;
            first_tokens_only = first_tokens_only && e / width % n == 0;
        }
        if (any && first_tokens_only)
            return "\n    NaN in token 0 only: 0/0, since token 0 does not see itself, or ∞ - ∞, since a maximum is "
                   "still -∞?";
        if (any)
            return "\n    NaN where all arguments are finite: 0/0, ∞/∞, ∞ - ∞, 0·∞, or a root or logarithm of a "
                   "negative number";
    }
    return "";
}

// "at that entry x = -inf, dY = 2", where a function works entry by entry.
std::string inputs_at(const ComparedCall& call, const Shape& shape, std::size_t entry) {
    std::string text;
    if (!works_entry_by_entry(call.exercise)) return text;
    for (const Input& input : call.inputs)
        if (input.value != nullptr && shape_of(*input.value) == shape)
            text += (text.empty() ? "there " : ", ") + (input.name.empty() ? "the argument" : input.name) + " = " +
                    number(input.value->data()[entry]);
    return text;
}

// The first wrong entry: its place in words, which thread of a kernel wrote it, and what else the launch can tell. The
// call is made again, since other launches may have come after it.
std::string where_it_comes_from(const ComparedCall& call, bool with_remarks) {
    const std::vector<Expected>& expected = *call.expected;
    for (std::size_t p = 0; call.outcome.error.empty() && p < expected.size(); ++p) {
        const Tensor* tensor = comparable(call.outcome.parts[p], expected[p]);
        if (tensor == nullptr) return "";
        const std::vector<std::size_t> wrong = wrong_entries(*tensor, expected[p]);
        if (wrong.empty()) continue;
        const std::size_t entry = wrong.front();
        if (const std::string inputs = inputs_at(call, shape_of(*tensor), entry); !inputs.empty()) return "\n" + inputs;
        gpu::launch_counts = {};
        call.run(call.subject);
        const gpu::LaunchCounts launch = gpu::launch_counts;
        const std::string place = call.place ? call.place(entry) : "",
                          writer = launch.writer_of ? launch.writer_of(call.outcome.parts[p].name, entry) : "";
        std::string text =
            place + (place.empty() || writer.empty() ? "" : ", ") + (writer.empty() ? "" : "written by " + writer);
        if (!text.empty()) text = "\nthat entry is " + text;
        if (launch.remarks && with_remarks)
            for (const std::string& remark : launch.remarks()) text += "\n" + remark;
        return text;
    }
    return "";
}

}  // namespace

void add_clues(Failure& failure, const ComparedCall& call, bool named, bool zeros_only) {
    const bool returned = call.outcome.error.empty(), values = returned && compares_values(call),
               shapes = has_right_shapes(call);
    std::string lines;
    if (!named && (!returned || !shapes))
        if (const std::string lengths = lengths_in(returned ? failure.what : call.outcome.error, call.inputs);
            !lengths.empty())
            lines += "\n" + lengths;
    if (any_number(call.outcome.parts, is_unset_local))
        failure.unset_local = UnsetLocal::surely;
    else if (!named && inputs_finite(call) && any_number(call.outcome.parts, may_come_from_unset_local))
        failure.unset_local = UnsetLocal::perhaps;
    if (!named && zeros_only && nothing_stored(call))
        failure.guess += std::string("\n    every value is 0: was a copy changed") +
                         (call.outcome.parts.front().float32 ? "" : " (token(x, i) is a copy; set_token writes)") +
                         ", is a factor a division of integers (1 / 2 is 0), or does a loop never run?";
    else if (!named && values) {
        failure.digits = digits_of(call);
        if (const std::string pattern = pattern_of(call); !pattern.empty()) lines += "\n" + pattern;
    }
    if (!named && returned && shapes) lines += relation_to_others(call);
    if (!named && failure.unset_local == UnsetLocal::no) failure.guess += why_not_a_number(call);
    lines += where_it_comes_from(call, !named);
    if (!lines.empty()) failure.what += "\n" + indented(lines.substr(1));
}

}  // namespace linattn::testing
