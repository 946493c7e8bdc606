#include "findings.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "compiler_remarks.hpp"
#include "crash_report.hpp"
#include "source_line.hpp"

namespace linattn::testing {
namespace {

// Call stacks and uninitialised variables, as lines of the student's files.
class StudentLines {
public:
    StudentLines(const std::string& program, const std::vector<std::string>& sources)
        : program_(program), sources_(sources) {}

    std::string of_stack(const std::string& stack) const {
        const std::string line = source_line(stack, program_, sources_);
        return line.empty() ? "" : "\n    at " + line;
    }

    std::string of_unset_local(const std::string& certainty) {
        if (certainty.empty()) return "";
        if (!remarks_) remarks_ = unset_locals(sources_);
        if (remarks_->empty() && certainty != "surely") return "";
        std::string text = "\n    looks like a local variable that was read before it was given a value";
        for (const std::string& remark : *remarks_) text += "\n    at " + remark;
        return text;
    }

private:
    const std::string& program_;
    const std::vector<std::string>& sources_;
    std::optional<std::vector<std::string>> remarks_;  // asked for once, and only when there is reason to
};

Resemblance resemblance(const std::string& payload) {
    const std::size_t end = payload.find('\n');
    return {payload.substr(0, end), end == std::string::npos ? "" : payload.substr(end + 1)};
}

std::size_t offset(const std::string& payload) { return std::strtoull(payload.c_str(), nullptr, 10); }

double share_used(const std::string& checked) { return std::strtod(checked.c_str(), nullptr); }

// A mistake whose values do not explain every failure is a mistake that was not made. One that shows by what a kernel or
// the cost did has no values to compare.
void doubt_resemblances(std::vector<Case>& cases) {
    for (Case& each : cases)
        for (Failure& failure : each.failures) {
            if (failure.closeness.empty()) continue;
            for (const Resemblance& one : failure.resembles) failure.by_chance.push_back(one.mistake);
            failure.resembles.clear();
        }
}

// A name that a later call speaks against.
void take_back(std::vector<Case>& cases, const std::string& mistake) {
    for (Case& each : cases)
        for (Failure& failure : each.failures)
            if (std::erase_if(failure.resembles, [&](const Resemblance& one) { return one.mistake == mistake; }) > 0 &&
                failure.resembles.empty())
                failure.by_chance.push_back(mistake);
}

}  // namespace

std::vector<std::string> Findings::mistakes() const {
    std::vector<std::string> names;
    for (const Case& each : cases)
        for (const Failure& failure : each.failures)
            for (const Resemblance& one : failure.resembles)
                if (std::ranges::count(names, one.mistake) == 0) names.push_back(one.mistake);
    return names;
}

Findings read_events(const std::vector<Event>& events, const std::string& program,
                     const std::vector<std::string>& sources) {
    Findings found;
    StudentLines lines(program, sources);
    Failure next;
    std::string stack, unset_local;
    bool unexplained = false, fewer_digits = false;
    const auto current = [&]() -> Case& {
        if (found.cases.empty()) found.cases.emplace_back();  // before the first check
        return found.cases.back();
    };
    for (const auto& [kind, payload] : events) {
        if (kind == EventKind::case_begins && found.caused_elsewhere) break;
        switch (kind) {
            case EventKind::case_begins: found.cases.emplace_back().name = payload; break;
            case EventKind::call_begins: current().last_call = payload; break;
            case EventKind::checked:
                if (share_used(payload) >= share_used(current().checked)) current().checked = payload;
                break;
            case EventKind::note: current().note = payload; break;
            case EventKind::todo: found.todo = payload; break;
            case EventKind::begin_with: found.begin_with = payload; break;
            case EventKind::caused_elsewhere:
                found.caused_elsewhere = true;
                found.cases = {Case(current())};
                break;
            case EventKind::mistake: next.resembles.push_back(resemblance(payload)); break;
            case EventKind::closeness: next.closeness = payload; break;
            case EventKind::chance_resemblance: next.by_chance.push_back(payload); break;
            case EventKind::ruled_out: take_back(found.cases, payload); break;
            case EventKind::resembles_nothing:
                unexplained = true;
                next.seven_digits = payload == "right to seven digits";
                fewer_digits = fewer_digits || payload == "wrong in the first digits";
                break;
            case EventKind::differs_when_repeated: next.differs_when_repeated = true; break;
            case EventKind::stack: stack = payload; break;
            case EventKind::unset_local: unset_local = payload; break;
            case EventKind::inputs: next.inputs = payload; break;
            case EventKind::failure:
                next.what = payload;
                if (next.differs_when_repeated) {  // then a resemblance means nothing
                    next.resembles.clear();
                    next.by_chance.clear();
                }
                next.places =
                    lines.of_stack(std::exchange(stack, "")) + lines.of_unset_local(std::exchange(unset_local, ""));
                current().failures.push_back(std::exchange(next, {}));
                break;
            case EventKind::crash:
                found.crash = summary_of_report(payload);
                stack = stack_of_report(payload, program);
                break;
            case EventKind::right_sizes: found.right_sizes = payload; break;
            case EventKind::output_begins: current().output_begins = offset(payload); break;
            case EventKind::output_ends:
                if (current().output_ends == 0) current().output_ends = offset(payload);
                break;
            case EventKind::done: break;  // supervised_run.hpp has dealt with it
        }
    }
    found.ended_at = lines.of_stack(stack);
    if (unexplained) doubt_resemblances(found.cases);
    for (Case& each : found.cases)
        for (Failure& failure : each.failures) failure.seven_digits = failure.seven_digits && !fewer_digits;
    return found;
}

}  // namespace linattn::testing
