#include "verdict.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "escape.hpp"
#include "verdict_words.hpp"

namespace linattn::testing {
namespace {

bool limited(int resource, rlim_t most = RLIM_INFINITY) {
    rlimit limit{};
    return ::getrlimit(resource, &limit) == 0 && limit.rlim_max < most;
}

rlim_t seconds_used() {
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
}

// What kept the program from its work, where that is the machine and not the student's code; empty otherwise.
std::string forbidden_by_the_machine(const SupervisedRun& run) {
    const std::string& said = run.ending.printed;
    const auto printed = [&](const char* words) { return said.find(words) != std::string::npos; };
    const std::string first_line = shortened(escape(said.substr(0, said.find('\n'))), 200);
    const bool before_any_check = run.cases.empty() && run.last_call.empty();
    if (before_any_check && printed("AddressSanitizer") && !printed("ERROR: AddressSanitizer: "))
        return "AddressSanitizer, which finds accesses outside an array, cannot start on this machine: " +
               (limited(RLIMIT_AS) ? "it limits memory, which has to be unlimited (ulimit -v)" : first_line);
    if (before_any_check && printed("error while loading shared libraries"))
        return "the program cannot start on this machine: " + first_line;
    if (run.ending.signal == SIGXFSZ && limited(RLIMIT_FSIZE, most_output))
        return "it printed, or wrote to a file, more than this machine allows (ulimit -f)";
    if (run.ending.signal == SIGKILL && !run.ending.timed_out && limited(RLIMIT_CPU, seconds_used() + 3))
        return "it was stopped, as this machine limits processor time (ulimit -t)";
    return "";
}

// What ended the run, as a failure of the case that it ended in.
void add_end(SupervisedRun& run, const ManifestEntry& exercise) {
    Failure end;
    end.what = "    " + how_it_ended(exercise, run);
    end.stack = run.stack;
    if (run.cases.empty()) run.cases.emplace_back();
    run.cases.back().failures.push_back(std::move(end));
}

// Whether the run came to its end, and what it sent is what the suite sends.
bool trustworthy(const Ending& ending) { return ending.reported && !ending.flooded && !ending.damaged; }

bool failed(const Case& each) { return !each.failures.empty(); }
bool to_do(const Case& each) { return !each.todo.empty(); }

Status status_of(const std::vector<Case>& cases, const Ending& ending) {
    if (!trustworthy(ending)) return ending.timed_out ? Status::timeout : Status::crash;
    if (ending.run == 0) return Status::not_run;
    if (std::ranges::any_of(cases, failed)) return Status::fail;
    if (std::ranges::any_of(cases, to_do)) return Status::todo;
    return ending.failed == 0 ? Status::pass : Status::fail;
}

// Of the checks that say something, those that hold: one that a null answer passes counts for nothing.
double share_of(const std::vector<Case>& cases) {
    const auto holds =
        std::ranges::count_if(cases, [](const Case& each) { return each.tells && !failed(each) && !to_do(each); });
    const auto fails = std::ranges::count_if(cases, [](const Case& each) { return failed(each) || to_do(each); });
    return holds == 0 ? 0.0 : static_cast<double>(holds) / static_cast<double>(holds + fails);
}

// A first failure that nothing explains. Where its case runs before all others, another call of it fails, or none: then
// the function remembers calls of other cases.
void find_memory_between_cases(std::vector<Case>& cases, const RunCases& run_cases) {
    const auto first = std::ranges::find_if(cases, failed);
    if (first == cases.begin() || first == cases.end()) return;
    Failure& failure = first->failures.front();
    if (failure.differs_when_repeated || !failure.resembles.empty()) return;
    const auto number = static_cast<std::size_t>(first - cases.begin()) + 1;
    const SupervisedRun alone = run_cases(number, number);
    if (!trustworthy(alone.ending) || alone.cases.size() != 1 || to_do(alone.cases.front())) return;
    const std::vector<Failure>& failures = alone.cases.front().failures;
    failure.differs_when_repeated = failures.empty() || failures.front().inputs != failure.inputs;
}

// A run that was ended could not explain what failed before. Without the case that it ended in, it can.
void explain_those_before_the_end(std::vector<Case>& cases, const RunCases& run_cases) {
    if (cases.size() < 2 || std::none_of(cases.begin(), cases.end() - 1, failed)) return;
    SupervisedRun before = run_cases(1, cases.size() - 1);
    if (!trustworthy(before.ending) || before.cases.size() != cases.size() - 1) return;
    for (std::size_t i = 0; i < before.cases.size(); ++i) cases[i].failures = std::move(before.cases[i].failures);
}

}  // namespace

Verdict not_graded(const ManifestEntry& exercise, const std::string& why) {
    Verdict verdict;
    verdict.message = title(exercise, Status::not_run) + "  not graded, by no fault of your code: " + why + "\n";
    verdict.place = "what the machine forbids, as said above";
    return verdict;
}

Verdict verdict_of(const ManifestEntry& exercise, const std::string& program, SupervisedRun run,
                   const RunCases& run_cases) {
    const Ending& ending = run.ending;
    std::vector<Case>& cases = run.cases;
    if (const std::string why = trustworthy(ending) ? "" : forbidden_by_the_machine(run); !why.empty())
        return not_graded(exercise, why);
    if (!trustworthy(ending)) {
        explain_those_before_the_end(cases, run_cases);
        add_end(run, exercise);
    }
    const auto first = std::ranges::find_if(cases, failed);
    if (trustworthy(ending) && first != cases.end() && (ending.signal != 0 || ending.timed_out || !run.crash.empty()))
        first->failures.front().guess += "\n    called once more, to find out why, it " + how_it_ended(exercise, run);
    std::vector<std::string> output = output_of_cases(cases, ending.printed);
    if (!trustworthy(ending)) {  // the case in which the run ended comes before the others
        std::rotate(cases.begin(), cases.end() - 1, cases.end());
        std::rotate(output.begin(), output.end() - 1, output.end());
    }
    const auto elsewhere = std::ranges::find_if(cases, &Case::caused_elsewhere);
    if (elsewhere != cases.end() && trustworthy(ending)) {
        output = {output[static_cast<std::size_t>(elsewhere - cases.begin())]};
        cases = {Case(*elsewhere)};
    }
    const Status status = status_of(cases, ending);
    if (status == Status::fail) find_memory_between_cases(cases, run_cases);
    Verdict verdict{status, title(exercise, status), mistakes_in(cases), trustworthy(ending) ? share_of(cases) : 0.0};
    for (const Case& each : cases) {
        if (!each.begin_with.empty()) verdict.begin_with = each.begin_with;
        if (verdict.mistakes.empty() && std::ranges::any_of(each.failures, &Failure::counterexample))
            verdict.counterexample = true;
    }
    switch (status) {
        case Status::pass:
            for (std::size_t i = 0; i < cases.size(); ++i) verdict.message += in_words(cases[i], output[i]);
            break;
        case Status::todo: {
            const auto last = std::ranges::find_if(cases.rbegin(), cases.rend(), to_do);
            verdict.message += "  " + last->todo + "\n";
            for (const std::string& each : output) verdict.message += each;
            verdict.message += where_to_read(exercise, verdict.begin_with);
            break;
        }
        case Status::not_run:
            verdict.message += "  the suite has no case for this exercise: nothing was graded\n";
            break;
        default:
            verdict.message += list_of_failures(cases, output, ending.reported, program, exercise.sources) +
                               where_to_read(exercise, verdict.begin_with);
    }
    return verdict;
}

void write_result(const std::string& folder, const ManifestEntry& exercise, const Verdict& verdict) {
    nlohmann::ordered_json result = {
        {"lab", exercise.lab},
        {"exercise", exercise.function},
        {"status", name_of(verdict.status)},
        {"points", verdict.status == Status::pass ? exercise.points : 0.0},
        {"max_points", exercise.points},
        {"share", verdict.status == Status::pass ? 1.0 : verdict.share},
        {"mistakes", verdict.mistakes},
        {"message", verdict.message},
    };
    if (!verdict.begin_with.empty()) result["begin_with"] = verdict.begin_with;
    if (!verdict.place.empty()) result["place"] = verdict.place;
    if (verdict.counterexample) result["counterexample"] = true;
    const std::filesystem::path path =
        std::filesystem::path(folder) / (exercise.lab + "." + exercise.function + ".json");
    const std::filesystem::path temporary = path.string() + ".new";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::ofstream file(temporary);
    file << result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
    file.close();
    if (file) std::filesystem::rename(temporary, path, error);
    if (!file || error)
        throw std::runtime_error(path.string() + " cannot be written, so nothing of " + exercise.lab + "." +
                                 exercise.function + " counts: free some space, or make the folder writable");
}

}  // namespace linattn::testing
