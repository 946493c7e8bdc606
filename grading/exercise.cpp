#include "exercise.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "argument_lengths.hpp"
#include "call_stack.hpp"
#include "channel.hpp"
#include "contract.hpp"
#include "counterexample.hpp"
#include "error_pattern.hpp"
#include "escape.hpp"
#include "findings.hpp"
#include "gpu/error.hpp"
#include "gpu/launch_counts.hpp"
#include "memory_watch.hpp"
#include "null_answers.hpp"
#include "parameter_names.hpp"
#include "random_inputs.hpp"
#include "reporter.hpp"
#include "trace.hpp"

namespace linattn::testing {
namespace {

std::uint32_t trace_next = 0;  // the allocation whose call stack the next metered call should record
Cost metered;
bool searched = false;       // for a counterexample: one is enough
bool smaller_shown = false;  // and found: its lengths say more than those of the calls
std::string device_error;    // the first: what follows is its echo
const char* const after_device_error =
    "\nIt refuses all calls after such an error, so none was repeated and no other check was run.\n"
    "Does the kernel pass on the CPU run, which names the array, the thread and the line?";

std::size_t bytes_of(const Parts& parts) {
    std::size_t bytes = 0;
    for (const Part& part : parts) {
        if (const auto* tensor = std::get_if<Tensor>(&part.value))
            bytes += tensor->size() * (part.float32 ? sizeof(float) : sizeof(double));
    }
    return bytes;
}

std::string indent(const std::string& text) {
    std::string result = "    ";
    for (const char c : text) {
        result += c;
        if (c == '\n') result += "    ";
    }
    return result;
}

// Whether two results are the same to the last bit; values that were never written count as one.
bool same(const Tensor& a, const Tensor& b) {
    return shape_of(a) == shape_of(b) && std::equal(a.data(), a.data() + a.size(), b.data(), [](double x, double y) {
               return x == y || (std::isnan(x) && std::isnan(y));
           });
}

bool same(const Outcome& a, const Outcome& b) {
    return a.error == b.error && a.changed_argument == b.changed_argument &&
           std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(), [](const Part& x, const Part& y) {
               const auto *left = std::get_if<Tensor>(&x.value), *right = std::get_if<Tensor>(&y.value);
               return left != nullptr && right != nullptr ? same(*left, *right) : x.value == y.value;
           });
}

// Without the blanks at its end, and without the place in xtensor's own header where an index is out of range.
std::string message_of(const std::exception& e) {
    std::string words = e.what();
    const std::string prefix = ": check failed\n\t";
    const std::size_t at = words.find(prefix);
    if (at != std::string::npos) words.erase(0, at + prefix.size());
    return shortened(words.substr(0, words.find_last_not_of(" \t\r\n") + 1), 2000);
}

// Of an argument's own text what a student knows: the name of a parameter (Q for in.Q, sizes for worked_example::sizes, q for
// token(in.Q, i)), and nothing of another expression, or of a name that the value repeats.
std::string name_to_show(std::string name, const std::string& value) {
    name.erase(0, name.find_first_not_of(' '));
    if (const std::string of_token = "token("; name.starts_with(of_token)) {
        if (value.empty()) return "";
        name = name_to_show(name.substr(of_token.size(), name.find(',') - of_token.size()), value);
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return name;
    }
    if (name.find_first_of("({\" ") != std::string::npos || std::isdigit(static_cast<unsigned char>(name[0])))
        return "";
    if (name.starts_with(value) && !value.empty()) return "";  // relu_map relu, Mask::causal
    name.erase(0, name.find_last_of(".:") + 1);                // npos + 1 is 0
    const std::size_t bracket = value.find('(');
    const bool tells_itself =
        !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) &&
        (value.find(", ") != std::string::npos || (bracket != std::string::npos && value[bracket - 1] != ' '));
    return tells_itself ? "" : name;  // S (2, 3), z (3,); shuffled(3)
}

// "(2, 3)", and not "(1 head, n = 4)".
bool is_shape(const std::string& value) {
    return value.starts_with('(') && value.find_first_not_of("(0123456789, )") == std::string::npos;
}

// The text of the next argument, which is taken off.
std::string next_argument(std::string_view& rest) {
    int depth = 0;
    std::size_t end = 0;
    while (end < rest.size() && (depth > 0 || rest[end] != ',')) {
        if (rest[end] == '(' || rest[end] == '{') ++depth;
        if (rest[end] == ')' || rest[end] == '}') --depth;
        ++end;
    }
    std::string argument(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
    return argument;
}

// Filled before main.
std::set<std::string>& entry_by_entry() {
    static std::set<std::string> exercises;
    return exercises;
}

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

// Which branch a call takes: "Mask::causal" in its words.
std::string choice_of(const std::string& call) {
    const std::size_t colons = call.find("::");
    if (colons == std::string::npos) return "";
    const auto is_name = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == ':'; };
    std::size_t begin = colons, end = colons;
    while (begin > 0 && is_name(call[begin - 1])) --begin;
    while (end < call.size() && is_name(call[end])) ++end;
    return call.substr(begin, end - begin);
}

using Names = std::vector<const Mistake*>;

std::vector<Resemblance> resemblances(const Names& mistakes) {
    std::vector<Resemblance> found;
    for (const Mistake* each : mistakes)
        found.push_back({each->name,
                         each->explanation + (*each->section == '\0' ? "" : std::string(" (") + each->section + ")"),
                         each->topic});
    return found;
}

std::string closeness_of(const Explanation& found) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "matches to %.0e", found.distance);
    return found.distance == 0.0 ? "matches exactly" : distance;
}

// A message about shapes, and which arguments have the lengths in it.
std::string with_lengths(const std::string& message, const std::vector<Input>& inputs) {
    const std::string lengths = lengths_in(message, inputs);
    return message + (lengths.empty() ? "" : "\n" + lengths);
}

}  // namespace

const Tensor& result_of_shape(const Call<Tensor>& call, const Shape& shape) {
    const Shape came = shape_of(call.result());
    call.satisfies(came == shape, "has shape " + to_string(came) + ", expected shape " + to_string(shape));
    return call.result();
}

Meter::Meter() { begin_metering(trace_next); }
Meter::~Meter() { metered = end_metering(); }

Outcome outcome_of(const std::function<Parts()>& function) {
    Outcome outcome;
    forget_throw_site();
    try {
        outcome.parts = function();
        return outcome;
    } catch (const NotImplemented& e) {
        outcome.missing = e.function();
        outcome.error = e.what();
    } catch (const gpu::DeviceError& e) {
        outcome.error = e.what();
        if (device_error.empty()) device_error = e.what();
    } catch (const gpu::Error& e) {
        outcome.error = e.what();
        outcome.symptoms = e.symptoms();
    } catch (const std::invalid_argument& e) {
        outcome.error = message_of(e);
        outcome.invalid_argument = true;
    } catch (const std::bad_array_new_length&) {
        outcome.error =
            "std::bad_array_new_length: an array of an impossible length; is it an unsigned difference below 0?";
    } catch (const std::bad_alloc&) {
        outcome.error =
            "std::bad_alloc: that much memory is not available; is a length an unsigned difference below 0, "
            "or an index behind the end of a vector?";
    } catch (const std::length_error& e) {
        outcome.error = message_of(e) + ": is a length an unsigned difference below 0?";
    } catch (const std::exception& e) {
        outcome.error = message_of(e);
    } catch (...) {
        outcome.error = "something that is not a std::exception";
    }
    if (outcome.error.empty()) outcome.error = "an exception without a message";
    return outcome;
}

std::size_t fingerprint(const Tensor& x) {
    std::size_t digest = 14695981039346656037u;  // FNV-1a over the bits of the entries
    for (std::size_t i = 0; i < x.size(); ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, x.data() + i, sizeof bits);
        digest = (digest ^ bits) * 1099511628211u;
    }
    return digest;
}

std::string describe(const Tensor& x) { return to_string(shape_of(x)); }

std::string describe(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return text;
}

std::string describe(Mask mask) { return mask == Mask::none ? "Mask::none" : "Mask::causal"; }

std::string describe(Stabilizer stabilizer) {
    return stabilizer == Stabilizer::per_token ? "Stabilizer::per_token" : "Stabilizer::per_sequence";
}

std::string describe(const std::vector<std::string>& words) { return "n = " + std::to_string(words.size()); }

std::string describe(const std::vector<float>& numbers) { return "(" + std::to_string(numbers.size()) + " numbers)"; }

std::string describe(const std::vector<int>& borders) { return to_string(Shape(borders.begin(), borders.end())); }

std::vector<Input> inputs_of(const char* names, const std::vector<const Tensor*>& values,
                             const std::vector<std::string>& parameters) {
    std::vector<Input> inputs;
    inputs.reserve(values.size());
    std::string_view rest(names);
    for (const Tensor* value : values) {
        const std::string name = name_to_show(next_argument(rest), "");
        inputs.push_back({inputs.size() < parameters.size() ? parameters[inputs.size()] : name, value});
    }
    return inputs;
}

const std::vector<std::string>& parameters_of(const char* exercise) {
    static std::map<std::string, std::vector<std::string>> known;
    const auto [at, is_new] = known.try_emplace(exercise);
    if (is_new && !manifest_of_run.empty()) at->second = parameter_names(manifest_of_run, exercise);
    return at->second;
}

EntryByEntry::EntryByEntry(const char* exercise) { entry_by_entry().insert(exercise); }

std::string describe_call(const char* names, const std::vector<std::string>& values,
                          const std::vector<std::string>& parameters) {
    std::string text;
    std::string_view rest(names);
    for (std::size_t at = 0; at < values.size(); ++at) {
        const std::string& value = values[at];
        std::string name = name_to_show(next_argument(rest), value);
        const bool tells_nothing = !value.empty() && (std::isdigit(static_cast<unsigned char>(value[0])) ||
                                                      value[0] == '-' || is_shape(value));
        if (at < parameters.size() && (tells_nothing || !name.empty())) name = parameters[at];
        if (name.empty() && value.empty()) continue;
        text += (text.empty() ? "" : ", ") + name + (name.empty() || value.empty() ? "" : " ") + value;
    }
    return text;
}

namespace {
bool led_elsewhere = false;  // nothing else counts then
}

Trial::Trial(std::string exercise, std::string call, Subject subject, Run run, std::vector<Input> inputs)
    : exercise_(std::move(exercise)),
      call_(std::move(call)),
      seed_(last_seed()),
      subject_(std::move(subject)),
      run_(std::move(run)),
      inputs_(std::move(inputs)) {
    if (const Mistake* mistake = active_mistake(); mistake != nullptr && mistake->exercise == exercise_)
        subject_ = mistake->function;
    if (!device_error.empty() || led_elsewhere) throw CaseOver();
    send_event(EventKind::call, exercise_ + " with " + call_);
    if (tracing()) trace_call(call_);
    outcome_ = run_(subject_);
    if (!device_error.empty()) fail({});
    cost_ = metered;
    cost_.extra_bytes -= std::min(cost_.extra_bytes, bytes_of(outcome_.parts));
    if (outcome_.missing == exercise_) {
        current_case().todo = outcome_.error;
        throw CaseOver();
    }
}

void Trial::require_result() const {
    if (!outcome_.missing.empty()) {
        current_case().todo = exercise_ + " calls " + outcome_.missing + "; " + outcome_.error;
        current_case().begin_with = outcome_.missing;
        throw CaseOver();
    }
    if (!outcome_.symptoms.empty()) fail_if([](const Outcome& outcome) { return std::optional(outcome.error); });
    if (!outcome_.error.empty()) {
        // The mistakes that run next throw, too. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
        const std::string site = last_throw_site();
        fail({.what = "threw an exception: " + with_lengths(outcome_.error, inputs_), .stack = site});
    }
    if (outcome_.changed_argument)
        fail_if([](const Outcome& outcome) -> std::optional<std::string> {
            if (!outcome.changed_argument) return std::nullopt;
            return "an argument was changed: it may only be read";
        });
    for (const Part& part : outcome_.parts)
        if (const auto* tensor = std::get_if<Tensor>(&part.value))
            if (const auto inconsistent = inconsistent_storage(*tensor))
                fail({.what = (part.name.empty() ? "" : part.name + " ") + *inconsistent});
}

namespace {
// Where part p has the shape of another part, and that one its shape.
std::string exchanged_parts(const Parts& parts, const std::vector<Expected>& expected, std::size_t p) {
    const auto shape = [&](std::size_t part) { return shape_of(std::get<Tensor>(parts[part].value)); };
    const Shape own = shape_of(expected[p].value);
    for (std::size_t other = 0; other < parts.size(); ++other)
        if (shape(p) != own && shape(p) == shape_of(expected[other].value) && shape(other) == own)
            return "\n" + parts[other].name + " has the shape that " + parts[p].name +
                   " should have: are the two exchanged?";
    return "";
}

std::optional<std::string> what_differs(const Outcome& outcome, const std::vector<Expected>& expected) {
    if (!outcome.error.empty() || outcome.parts.size() != expected.size()) return "threw " + outcome.error;
    for (const bool by_shape : {true, false})  // a wrong shape comes before wrong values of an earlier part
        for (std::size_t p = 0; p < expected.size(); ++p) {
            const Part& part = outcome.parts[p];
            if (by_shape && comparable(part, expected[p]) != nullptr) continue;
            if (auto text = difference(std::get<Tensor>(part.value), expected[p]))
                return (part.name.empty() ? "" : part.name + " ") + *text + exchanged_parts(outcome.parts, expected, p);
        }
    return std::nullopt;
}
}  // namespace

ComparedCall Trial::compared(const Check& check, const Expectations& expected) const {
    return {exercise_, subject_, run_, outcome_, check, expected, sizes_of(call_, *expected), choice_of(call_)};
}

void Trial::equals(std::vector<Expected> values) const {
    const Expectations kept = shared(std::move(values));
    const std::vector<Expected>& expected = *kept;
    const Check check = [kept](const Outcome& outcome) { return what_differs(outcome, *kept); };
    require_result();
    if (tracing()) return print_step(inputs_, outcome_.parts, expected);
    fail_if(check, kept);
    const ComparedCall right = compared(check, kept);
    keep_as_evidence(right);
    tell_sizes(smaller_shown ? "" : fact_about_sizes(exercise_));
    count_right(right);
    Case& now = current_case();
    for (std::size_t p = 0; p < expected.size(); ++p) {
        char text[64];
        std::snprintf(text, sizeof text, "%.2g of the tolerance used: ",
                      share_of_tolerance(std::get<Tensor>(outcome_.parts[p].value), expected[p]));
        if (std::strtod(text, nullptr) >= std::strtod(now.checked.c_str(), nullptr))
            now.checked = text + expected[p].derivation;
    }
}

void Trial::equals(const std::vector<std::string>& expected) const {
    const Check check = [expected](const Outcome& outcome) -> std::optional<std::string> {
        if (!outcome.error.empty()) return "threw " + outcome.error;
        return difference(std::get<std::vector<std::string>>(outcome.parts.front().value), expected);
    };
    require_result();
    fail_if(check);
    const ComparedCall right = compared(check);
    keep_as_evidence(right);
    count_right(right);
}

void Trial::count_right(const ComparedCall& right) const {
    if (on_right_call) on_right_call(right);
    if (current_case().tells) return;
    std::map<std::string, Tensor> arguments;
    for (const Input& input : inputs_)
        if (input.value != nullptr) arguments.emplace(std::to_string(arguments.size()), *input.value);
    const auto nulls = null_answers(outcome_, arguments);
    current_case().tells =
        std::ranges::all_of(nulls, [&](const auto& null) { return right.check(null.second).has_value(); });
}

void Trial::rejects(const std::vector<std::string>& mentions) const {
    const Check check = [mentions](const Outcome& outcome) -> std::optional<std::string> {
        if (outcome.error.empty()) return "expected std::invalid_argument, but it returned a result";
        if (!outcome.invalid_argument) return "expected std::invalid_argument, but it threw: " + outcome.error;
        for (const std::string& word : mentions)
            if (outcome.error.find(word) == std::string::npos)
                return "the message should mention \"" + word + "\"; it is: " + outcome.error;
        return std::nullopt;
    };
    fail_if(check);
    keep_rejection(compared(check));
}

void Trial::satisfies(bool holds, const std::string& otherwise, const char* mistake) const {
    require_result();
    if (holds) return;
    const Mistake* named = mistake == nullptr ? nullptr : find_mistake(exercise_, mistake);
    fail({.what = otherwise,
          .resembles = resemblances(named == nullptr || !explains_claim(*named) ? Names{} : Names{named})});
}

void Trial::remembers_nothing() const {
    require_result();
    bool has_arrays = false;
    const Outcome other = [&] {
        const ChangeScope scope([&](const std::string& argument, Tensor& values) {
            has_arrays = true;
            all_but_the_first_entry()(argument, values);
        });
        return run_(subject_);
    }();
    if (has_arrays && same(other, outcome_))
        fail({.what =
                  "it returns the same result for other numbers in arguments of the same shapes whose first entries "
                  "are the same: does the function keep something from an earlier call?"});
    if (!same(run_(subject_), outcome_))
        fail({.what = "the function remembers something from an earlier call: the same call gives another result the "
                      "second time"});
}

void Trial::fail_due_to(const std::string& other, const std::string& what) const {
    current_case().begin_with = other;
    current_case().caused_elsewhere = led_elsewhere = true;
    fail({.what = what});
}

bool Trial::gives(const std::vector<Expected>& expected) const {
    require_result();
    return !what_differs(outcome_, expected);
}

void Trial::blames(const std::string& other, const std::function<bool()>& is_right) const {
    const Case before = current_case();
    bool right = false;
    try {
        right = is_right();
    } catch (const CaseOver&) {  // it threw, or is not written, which is no reason
        right = !current_case().todo.empty();
        current_case() = before;
    }
    if (right) return;
    fail_due_to(other, cost_.checking.contains(other)
                           ? "it calls your " + other + ", which is wrong: fix that first"
                           : "your " + other + " is wrong, too: fix that first, since both may share what is wrong");
}

// Fails if the outcome is wrong, with what explains it. `expected`: when values were compared.
void Trial::fail_if(const Check& check, const Expectations& values) const {
    const std::vector<Expected>& expected = *values;
    const std::optional<std::string> what = check(outcome_);
    if (!what) return;
    if (on_wrong_call) on_wrong_call(compared(check, values));
    const bool by_values = outcome_.error.empty();
    if (!channel_is_open()) {  // nobody reads a diagnosis
        if (by_values && !expected.empty() && std::exchange(calls_counterexample, false))
            call_counterexample(compared(check, values), inputs_);
        fail({.what = *what});
    }
    end_output();  // what the diagnosis runs next may print, too
    if (!outcome_.missing.empty()) require_result();
    const std::string origin = unwritten_values();
    if (!origin.empty())
        fail({.what = *what + "\nsome values are from memory that was never written after it was allocated",
              .stack = origin});
    // The diagnosis runs functions that throw, too. NOLINTNEXTLINE(performance-unnecessary-copy-initialization)
    const std::string site = last_throw_site();
    const Explanation found = explain(compared(check, values));
    for (const auto& [name, instead] : retract(exercise_))
        withdraw(name->name, instead == nullptr ? "" : instead->name);
    for (const Mistake* name : coincidences(exercise_)) forget(name->name);

    const bool named = !found.mistakes.empty();
    const bool has_shapes = has_shapes_of(expected);
    Failure failure{.what = by_values && !named && !has_shapes ? with_lengths(*what, inputs_) : *what,
                    .resembles = resemblances(found.mistakes),
                    .digits = found.digits};
    failure.partly = resemblances(found.partial_matches);
    failure.unexplained = !named && by_values && has_shapes;
    if (by_values && named) failure.closeness = closeness_of(found);
    if (!by_values && outcome_.symptoms.empty()) failure.stack = site;
    if (any_number(outcome_.parts, is_unset_local))
        failure.unset_local = UnsetLocal::surely;
    else if (!named && inputs_finite() && any_number(outcome_.parts, may_come_from_unset_local))
        failure.unset_local = UnsetLocal::perhaps;
    if (!named && found.partial_matches.empty() && nothing_stored(expected) && !stored_something(exercise_))
        failure.guess = std::string("\n    every value is 0: was a copy changed") +
                        (outcome_.parts.front().float32 ? "" : " (token(x, i) is a copy; set_token writes)") +
                        ", is a factor a division of integers (1 / 2 is 0), or does a loop never run?";
    else if (!found.pattern.empty())
        failure.what += "\n" + found.pattern;
    if (failure.unexplained) failure.what += relation_to_others(expected);
    if (!named && failure.unset_local == UnsetLocal::no) failure.guess += why_not_a_number(expected);
    if (!named && by_values && !expected.empty() && !std::exchange(searched, true)) {
        const std::string smallest = smallest_counterexample(compared(check, values), inputs_);
        failure.guess += smallest;
        failure.counterexample = smaller_shown = !smallest.empty();
    }
    tell_sizes(smaller_shown ? "" : fact_about_sizes(exercise_));
    failure.what += where_it_comes_from(expected, !named);
    fail(std::move(failure));
}

// Whether values can be compared: a wrong shape says nothing about them, as an exception does not.
bool Trial::has_shapes_of(const std::vector<Expected>& expected) const {
    for (std::size_t p = 0; p < expected.size(); ++p)
        if (comparable(outcome_.parts[p], expected[p]) == nullptr) return false;
    return true;
}

// Zeros and nothing else where most entries are something else, in a Tensor that is no state: a state may be right to be
// zero still.
bool Trial::nothing_stored(const std::vector<Expected>& expected) const {
    if (outcome_.parts.size() != 1 || expected.size() != 1) return false;
    const Tensor* tensor = comparable(outcome_.parts[0], expected[0]);
    if (tensor == nullptr || tensor->size() < 3) return false;  // two are 0 by chance
    const bool zeros = std::all_of(tensor->data(), tensor->data() + tensor->size(), [](double x) { return x == 0.0; });
    return zeros && 2 * wrong_entries(*tensor, expected[0]).size() > tensor->size();
}

bool Trial::inputs_finite() const {
    return std::ranges::all_of(inputs_, [](const Input& input) {
        return input.value == nullptr || std::all_of(input.value->data(), input.value->data() + input.value->size(),
                                                     [](double x) { return std::isfinite(x); });
    });
}

// What the first wrong part, whose shape is right, is made of: of an argument, or of what belongs to another part.
std::string Trial::relation_to_others(const std::vector<Expected>& expected) const {
    for (std::size_t p = 0; p < expected.size(); ++p) {
        const auto& got = std::get<Tensor>(outcome_.parts[p].value);
        if (!difference(got, expected[p])) continue;
        std::vector<KnownTensor> others;
        for (const Input& input : inputs_)
            if (input.value != nullptr && !input.name.empty()) others.push_back({input.name, input.value});
        for (std::size_t other = 0; other < expected.size(); ++other)
            if (other != p) others.push_back({"what belongs to " + outcome_.parts[other].name, &expected[other].value});
        const std::string words = relation_to(got, expected[p], others);
        return words.empty() ? "" : "\n" + words;
    }
    return "";
}

// Whether entries are NaN and should be numbers, and all of these are made of an infinite one.
bool Trial::nan_of_an_infinite_number(const std::vector<Expected>& expected) const {
    if (!entry_by_entry().contains(exercise_) || !has_shapes_of(expected) || outcome_.parts.empty()) return false;
    const auto& got = std::get<Tensor>(outcome_.parts.front().value);
    bool any = false;
    for (std::size_t e = 0; e < got.size(); ++e) {
        if (!std::isnan(got.data()[e]) || std::isnan(expected.front().value.data()[e])) continue;
        any = std::ranges::any_of(inputs_, [&](const Input& input) {
            return input.value != nullptr && shape_of(*input.value) == shape_of(got) &&
                   std::isinf(input.value->data()[e]);
        });
        if (!any) return false;
    }
    return any;
}

// Where the result first is NaN and should be a number, in words.
std::string Trial::why_not_a_number(const std::vector<Expected>& expected) const {
    if (nan_of_an_infinite_number(expected))
        return "\n    NaN where the argument is infinite: of 0·∞, ∞ - ∞ or ∞/∞; where(…) chooses without multiplying";
    for (std::size_t p = 0; has_shapes_of(expected) && inputs_finite() && p < expected.size(); ++p) {
        const auto& got = std::get<Tensor>(outcome_.parts[p].value);
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
            return "\n    NaN where all arguments are finite: of 0/0, ∞/∞, ∞ - ∞, 0·∞, or a root or logarithm of a "
                   "negative number";
    }
    return "";
}

// "at that entry x = -inf, dY = 2", where a function works entry by entry.
std::string Trial::inputs_at(const Shape& shape, std::size_t entry) const {
    std::string text;
    if (!entry_by_entry().contains(exercise_)) return text;
    for (const Input& input : inputs_)
        if (input.value != nullptr && shape_of(*input.value) == shape)
            text += (text.empty() ? "there " : ", ") + (input.name.empty() ? "the argument" : input.name) + " = " +
                    number(input.value->data()[entry]);
    return text;
}

// The first wrong entry: its place in words, which thread of a kernel wrote it, and what else the launch can tell. The
// call is made again, since other launches may have come after it.
std::string Trial::where_it_comes_from(const std::vector<Expected>& expected, bool with_remarks) const {
    for (std::size_t p = 0; outcome_.error.empty() && p < expected.size(); ++p) {
        const Tensor* tensor = comparable(outcome_.parts[p], expected[p]);
        if (tensor == nullptr) return "";
        const std::vector<std::size_t> wrong = wrong_entries(*tensor, expected[p]);
        if (wrong.empty()) continue;
        const std::size_t entry = wrong.front();
        if (const std::string inputs = inputs_at(shape_of(*tensor), entry); !inputs.empty()) return "\n" + inputs;
        gpu::launch_counts = {};
        run_(subject_);
        const gpu::LaunchCounts launch = gpu::launch_counts;
        const std::string place = place_ ? place_(entry) : "",
                          writer = launch.writer_of ? launch.writer_of(outcome_.parts[p].name, entry) : "";
        std::string text =
            place + (place.empty() || writer.empty() ? "" : ", ") + (writer.empty() ? "" : "written by " + writer);
        if (!text.empty()) text = "\nthat entry is " + text;
        if (launch.remarks && with_remarks)
            for (const std::string& remark : launch.remarks()) text += "\n" + remark;
        return text;
    }
    return "";
}

// Where the memory was allocated that the result's unwritten values come from: the call is made again and watched.
std::string Trial::unwritten_values() const {
    for (const Part& part : outcome_.parts) {
        const auto* tensor = std::get_if<Tensor>(&part.value);
        if (tensor == nullptr) continue;
        for (std::size_t i = 0; i < tensor->size(); ++i)
            if (const auto origin = unwritten_origin(tensor->data()[i])) {
                end_output();
                trace_next = *origin;
                run_(subject_);
                trace_next = 0;
                return traced_allocation();
            }
    }
    return "";
}

// Calls again, this call and the first one, so only when the answer was wrong.
bool Trial::differs_when_repeated() const {
    end_output();
    const Mistake mine{exercise_.c_str(), "", "", "", subject_};
    return !same(outcome_, run_(subject_)) || !first_call_agrees(mine);
}

void Trial::fail(Failure failure) const {
    failure.what = indent(failure.what);
    failure.inputs = call_ + (seed_.empty() ? "" : "; inputs from seed " + seed_);
    failure.differs_when_repeated = channel_is_open() && device_error.empty() && differs_when_repeated();
    if (!device_error.empty()) {
        failure = {.what = indent("CUDA refused to go on: " + device_error + after_device_error),
                   .inputs = failure.inputs};
        current_case().caused_elsewhere = true;
    }
    if (failure.differs_when_repeated) {  // then a resemblance means nothing
        failure.resembles.clear();
        failure.partly.clear();
        failure.guess.clear();
    }
    current_case().failures.push_back(std::move(failure));
    throw CaseOver();
}

}  // namespace linattn::testing
