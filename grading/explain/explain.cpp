#include "explain.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include "case_log.hpp"
#include "clues.hpp"
#include "counterexample.hpp"
#include "evidence.hpp"
#include "memory_watch.hpp"
#include "naming.hpp"
#include "recorded_calls.hpp"
#include "size_facts.hpp"

namespace linattn::testing {
namespace {

using Calls = std::vector<const RecordedCall*>;

// Whether the function gives something else by now, or fares in another way in its first call.
bool differs_when_repeated(const RecordedCall& failed, const Calls& calls) {
    const ComparedCall& call = failed.call;
    if (!same(call.outcome, call.run(call.subject))) return true;
    const auto first = std::ranges::find_if(calls, [](const RecordedCall* each) {
        return each->came == Came::right || (each->came == Came::wrong && compares_values(each->call));
    });
    return first != calls.end() && !agrees_with(call.subject, **first);
}

// Where the memory was allocated that the result's unwritten values come from; empty when there are none.
std::string origin_of_unwritten(const ComparedCall& call) {
    for (const Part& part : call.outcome.parts) {
        const auto* tensor = std::get_if<Tensor>(&part.value);
        for (std::size_t i = 0; tensor != nullptr && i < tensor->size(); ++i)
            if (const auto origin = unwritten_origin(tensor->data()[i]))
                return stack_of_allocation(*origin, call.run, call.subject);
    }
    return "";
}

std::vector<Resemblance> resemblances(const std::vector<const Mistake*>& mistakes) {
    std::vector<Resemblance> found;
    for (const Mistake* each : mistakes)
        found.push_back({each->name,
                         each->explanation + (*each->section == '\0' ? "" : std::string(" (") + each->section + ")"),
                         each->topic});
    return found;
}

std::string closeness_of(const Naming& found) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "matches to %.0e", found.distance);
    return found.distance == 0.0 ? "matches exactly" : distance;
}

// The calls of one exercise, and those of them that went wrong in a way that can be explained.
struct CallsOfExercise {
    Calls all, failed;
    std::vector<Naming> namings;  // of those that failed
};

class Explanation {
public:
    Explanation(std::vector<Case>& cases, std::vector<RecordedCall>& calls) : cases_(cases) {
        for (const RecordedCall& each : calls) exercises_[each.call.exercise].all.push_back(&each);
        for (RecordedCall& each : calls)
            if (each.came == Came::wrong || each.came == Came::broken_claim) repeat(each);
    }

    void fill_in() {
        for (auto& [name, exercise] : exercises_) {
            exercise.namings = name_calls(exercise.failed, exercise.all);
            any_name_ = any_name_ || std::ranges::any_of(exercise.namings, has_name);
        }
        for (const auto& [name, exercise] : exercises_) fill_in(exercise);
    }

private:
    static bool has_name(const Naming& naming) { return !naming.names.empty(); }

    Failure& failure_of(const RecordedCall& call) { return cases_[call.test_case].failures[call.failure]; }

    // What has nothing to do with a formula: what a function remembers, and memory that it never wrote.
    void repeat(RecordedCall& failed) {
        Failure& failure = failure_of(failed);
        CallsOfExercise& exercise = exercises_[failed.call.exercise];
        failure.differs_when_repeated = differs_when_repeated(failed, exercise.all);
        if (failed.came == Came::wrong)
            if (const std::string origin = origin_of_unwritten(failed.call); !origin.empty()) {
                failure.what += "\n    some values are from memory that was never written after it was allocated";
                failure.stack = origin;
                failed.came = Came::broken_claim;  // such numbers say nothing of a mistake
                return;
            }
        if (!failure.differs_when_repeated) exercise.failed.push_back(&failed);
    }

    void fill_in(const CallsOfExercise& exercise) {
        const bool zeros_only = std::ranges::none_of(exercise.all, &RecordedCall::stored_something);
        std::string smallest;
        Digits digits = Digits::unknown;
        for (std::size_t i = 0; i < exercise.failed.size(); ++i) {
            const RecordedCall& recorded = *exercise.failed[i];
            const Naming& naming = exercise.namings[i];
            Failure& failure = failure_of(recorded);
            failure.resembles = resemblances(naming.names);
            failure.partly = resemblances(naming.in_part);
            const bool threw = !recorded.call.outcome.error.empty();
            if (has_name(naming) && recorded.came == Came::wrong && !threw) failure.closeness = closeness_of(naming);
            if (recorded.came == Came::wrong || threw)
                add_clues(failure, recorded.call, has_name(naming), zeros_only && naming.in_part.empty());
            digits = std::max(digits, failure.digits);
            // A smaller input leads on only where no name does, and one is enough.
            if (any_name_ || recorded.came != Came::wrong || recorded.call.expected->empty() || searched_) continue;
            searched_ = true;
            smallest = smallest_counterexample(recorded.call);
            failure.guess += smallest;
            failure.counterexample = !smallest.empty();
        }
        const std::string sizes = smallest.empty() ? fact_about_sizes(exercise.all) : "";
        for (std::size_t i = 0; i < exercise.failed.size(); ++i) {
            Failure& failure = failure_of(*exercise.failed[i]);
            if (digits == Digits::fewer) failure.digits = digits;
            if (!has_name(exercise.namings[i]) && exercise.namings[i].by_values && !sizes.empty())
                failure.guess += "\n    " + sizes;
        }
    }

    std::vector<Case>& cases_;
    std::map<std::string, CallsOfExercise> exercises_;
    bool any_name_ = false, searched_ = false;
};

}  // namespace

void explain_failures() {
    end_output();
    // What another exercise causes is all that is said then.
    if (std::ranges::none_of(all_cases(), &Case::caused_elsewhere))
        Explanation(all_cases(), recorded_calls()).fill_in();
    send_explained();
}

}  // namespace linattn::testing
