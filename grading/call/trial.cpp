#include "trial.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "call.hpp"
#include "call_stack.hpp"
#include "changed_arguments.hpp"
#include "channel.hpp"
#include "escape.hpp"
#include "null_answers.hpp"
#include "random_inputs.hpp"
#include "reporter.hpp"
#include "trace.hpp"

namespace linattn::testing {
namespace {

bool led_elsewhere = false;  // nothing else counts then
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

// Filled before main.
std::set<std::string>& entry_by_entry() {
    static std::set<std::string> exercises;
    return exercises;
}

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

EntryByEntry::EntryByEntry(const char* exercise) { entry_by_entry().insert(exercise); }
bool works_entry_by_entry(const std::string& exercise) { return entry_by_entry().contains(exercise); }

const Tensor& result_of_shape(const Call<Tensor>& call, const Shape& shape) {
    const Shape came = shape_of(call.result());
    call.satisfies(came == shape, "has shape " + to_string(came) + ", expected shape " + to_string(shape));
    return call.result();
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
    if (!device_error().empty() || led_elsewhere) throw CaseOver();
    send_event(EventKind::call, exercise_ + " with " + call_);
    if (tracing()) trace_call(call_);
    outcome_ = run_(subject_);
    if (!outcome_.error.empty()) throw_site_ = last_throw_site();
    if (!device_error().empty()) break_claim("CUDA stopped: " + device_error() + after_device_error);
    cost_ = metered();
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
    if (!outcome_.error.empty()) break_claim("threw an exception: " + outcome_.error);
    if (outcome_.changed_argument)
        fail_if([](const Outcome& outcome) -> std::optional<std::string> {
            if (!outcome.changed_argument) return std::nullopt;
            return "an argument was changed: it may only be read";
        });
    for (const Part& part : outcome_.parts)
        if (const auto* tensor = std::get_if<Tensor>(&part.value))
            if (const auto inconsistent = inconsistent_storage(*tensor))
                break_claim((part.name.empty() ? "" : part.name + " ") + *inconsistent);
}

ComparedCall Trial::compared(const Check& check, const Expectations& expected) const {
    return {exercise_, subject_, run_, outcome_, check, expected, call_, inputs_, place_, throw_site_, LongCalls::any};
}

void Trial::equals(std::vector<Expected> values) const {
    const Expectations kept = shared(std::move(values));
    const std::vector<Expected>& expected = *kept;
    const Check check = [kept](const Outcome& outcome) { return what_differs(outcome, *kept); };
    require_result();
    if (tracing()) return print_step(inputs_, outcome_.parts, expected);
    fail_if(check, kept);
    count_right(compared(check, kept));
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
    count_right(compared(check));
}

void Trial::count_right(const ComparedCall& right) const {
    if (on_compared != nullptr) on_compared(right, true);
    record({right, Came::right});
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
    record({compared(check), Came::rejected});
}

void Trial::satisfies(bool holds, const std::string& otherwise, const char* mistake) const {
    require_result();
    if (!holds) break_claim(otherwise, mistake == nullptr ? nullptr : find_mistake(exercise_, mistake));
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
        break_claim(
            "it returns the same result for other numbers in arguments of the same shapes whose first entries "
            "are the same: does the function keep something from an earlier call?");
    if (!same(run_(subject_), outcome_))
        break_claim(
            "the function remembers something from an earlier call: the same call gives another result the "
            "second time");
}

bool Trial::gives(const std::vector<Expected>& expected) const {
    require_result();
    return !what_differs(outcome_, expected);
}

void Trial::blames(const std::string& other, const std::function<bool()>& is_right) const {
    const Case before = current_case();
    const std::size_t calls_before = recorded_calls().size();
    bool right = false;
    try {
        right = is_right();
    } catch (const CaseOver&) {  // it threw, or is not written, which is no reason
        right = !current_case().todo.empty();
        current_case() = before;
        recorded_calls().erase(recorded_calls().begin() + static_cast<std::ptrdiff_t>(calls_before),
                               recorded_calls().end());
    }
    if (right) return;
    current_case().begin_with = other;
    current_case().caused_elsewhere = led_elsewhere = true;
    break_claim(cost_.checking.contains(other)
                    ? "it calls your " + other + ", which is wrong: fix that first"
                    : "your " + other + " is wrong, too: fix that first, since both may share what is wrong");
}

// Fails if the outcome is wrong. `values`: when values were compared.
void Trial::fail_if(const Check& check, const Expectations& values) const {
    const std::optional<std::string> what = check(outcome_);
    if (!what) return;
    if (on_compared != nullptr) on_compared(compared(check, values), false);
    if (!outcome_.missing.empty()) require_result();
    fail({.what = *what, .stack = outcome_.symptoms.empty() ? throw_site_ : ""},
         {compared(check, values), Came::wrong});
}

void Trial::break_claim(const std::string& what, const Mistake* means) const {
    if (!device_error().empty()) current_case().caused_elsewhere = true;
    fail({.what = what, .stack = throw_site_}, {.call = compared({}), .came = Came::broken_claim, .means = means});
}

void Trial::fail(Failure failure, RecordedCall recorded) const {
    failure.what = indented(failure.what);
    failure.inputs = call_ + (seed_.empty() ? "" : "; inputs from seed " + seed_);
    recorded.test_case = number_of_current_case();
    recorded.failure = current_case().failures.size();
    record(std::move(recorded));
    current_case().failures.push_back(std::move(failure));
    throw CaseOver();
}

}  // namespace linattn::testing
