#include "findings.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compiler_remarks.hpp"
#include "source_line.hpp"

namespace linattn::testing {
namespace {

// Call stacks and uninitialised variables, as lines of the student's files.
class Places {
public:
    explicit Places(const std::vector<std::string>& sources) : sources_(sources) {}

    std::string of_stack(const std::string& stack) const {
        const std::string line = source_line(stack, sources_);
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
    const std::vector<std::string>& sources_;
    std::optional<std::vector<std::string>> remarks_;  // asked for once, and only when there is reason to
};

Resemblance resemblance(const std::string& payload) {
    const std::size_t end = payload.find('\n');
    return {payload.substr(0, end), end == std::string::npos ? "" : payload.substr(end + 1)};
}

double share_used(const std::string& checked) { return std::strtod(checked.c_str(), nullptr); }

// A mistake that does not explain every failure is a mistake that was not made.
void doubt_resemblances(std::vector<Case>& cases) {
    for (Case& each : cases)
        for (Failure& failure : each.failures) {
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

Findings read_events(const std::vector<std::pair<std::string, std::string>>& events,
                     const std::vector<std::string>& sources) {
    Findings found;
    Places places(sources);
    Failure next;
    std::string stack, unset_local;
    bool unexplained = false;
    const auto current = [&]() -> Case& {
        if (found.cases.empty()) found.cases.emplace_back();  // before the first check
        return found.cases.back();
    };
    for (const auto& [kind, payload] : events) {
        if (kind == "case" && found.caused_elsewhere) break;
        if (kind == "case") found.cases.emplace_back().name = payload;
        if (kind == "call") current().last_call = payload;
        if (kind == "checked" && share_used(payload) >= share_used(current().checked)) current().checked = payload;
        if (kind == "note") current().note = payload;
        if (kind == "todo") found.todo = payload;
        if (kind == "begin with") found.begin_with = payload;
        if (kind == "caused elsewhere") {
            found.caused_elsewhere = true;
            found.cases = {current()};
        }
        if (kind == "mistake") next.resembles.push_back(resemblance(payload));
        if (kind == "closeness") next.closeness = payload;
        if (kind == "chance resemblance") next.by_chance.push_back(payload);
        if (kind == "ruled out") take_back(found.cases, payload);
        if (kind == "resembles nothing") unexplained = true;
        if (kind == "stack") stack = payload;
        if (kind == "unset local") unset_local = payload;
        if (kind == "crash") {
            found.crash = summary_of_report(payload);
            stack = stack_of_report(payload);
        }
        if (kind == "failure") {
            next.what = payload;
            next.places =
                places.of_stack(std::exchange(stack, "")) + places.of_unset_local(std::exchange(unset_local, ""));
            current().failures.push_back(std::exchange(next, {}));
        }
    }
    found.ended_at = places.of_stack(stack);
    if (unexplained) doubt_resemblances(found.cases);
    return found;
}

}  // namespace linattn::testing
