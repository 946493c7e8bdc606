#include "verdict.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "findings.hpp"

namespace linattn::testing {
namespace {

// For people and for programs, in the order of Status. Constant: the supervisor runs before any constructor.
constexpr struct {
    const char *word, *name;
} statuses[] = {{"PASS", "pass"},   {"FAIL", "fail"},       {"TODO", "todo"},
                {"CRASH", "crash"}, {"TIMEOUT", "timeout"}, {"NOT RUN", "not_run"}};

std::string title(const Exercise& exercise, Status status) {
    std::string text = exercise.lab + " · " + exercise.function + (exercise.on_gpu ? " on the GPU" : "");
    text.resize(std::max<std::size_t>(text.size() + 2, 72), ' ');
    return text + statuses[static_cast<std::size_t>(status)].word + "\n";
}

std::string where_to_read(const Exercise& exercise, const std::string& begin_with) {
    const auto elsewhere = exercise.sections.find(begin_with);
    const bool here = elsewhere == exercise.sections.end();
    const std::string& section = here ? exercise.section : elsewhere->second;
    const std::string name = exercise.lab + "." + (here ? exercise.function : begin_with);
    return "  read: labs/" + exercise.folder + "/README.md §" + section + "\n  again: " +
           (exercise.on_gpu ? "in the build folder, ctest -R " + name + ".gpu$\n"
                            : "./course check " + name + "    (in the build folder: ctest -R " + name + "$)\n");
}

std::string how_it_ended(const Exercise& exercise, const Ending& ending, const Case& last) {
    const std::string during = last.last_call.empty() ? "before any check ran" : "in " + last.last_call;
    if (ending.timed_out) return "did not end within " + std::to_string(exercise.timeout_seconds) + " s, " + during;
    if (ending.signal != 0)
        return "was stopped by signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + "), " +
               during;
    return "the program ended " + during +
           (last.last_call.empty() ? ": a static constructor ended it, or main was replaced"
                                   : ": exit, _exit or quick_exit was called; a function must return or throw");
}

std::string output_of_student(const std::string& printed) {
    const int most = 20;
    std::string text;
    std::istringstream lines(printed);
    int count = 0;
    for (std::string line; std::getline(lines, line) && count <= most;) {
        if (line == "AddressSanitizer:DEADLYSIGNAL") continue;  // it insists on saying so
        text += count++ < most ? "    " + line + "\n" : "    …\n";
    }
    return text.empty() ? "" : "  your output:\n" + text;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
    return text;
}

// A mistake is explained once, however many failures it explains.
std::string in_words(const Failure& failure, std::set<std::string>& explained) {
    std::string text = failure.what;
    if (!failure.resembles.empty()) {
        std::vector<std::string> names;
        for (const Resemblance& each : failure.resembles) names.push_back(each.mistake);
        text += "\n    looks like: " + joined(names) + failure.closeness;
        for (const Resemblance& each : failure.resembles)
            if (explained.insert(each.explanation).second) text += "\n      " + each.explanation;
    }
    if (!failure.by_chance.empty())
        text += "\n    here, but not in every case, it does the same as: " + joined(failure.by_chance);
    return text + failure.places + "\n";
}

std::string in_words(const Case& passed) {
    return "  ok  " + passed.name + (passed.checked.empty() ? "" : "  (" + passed.checked + ")") + "\n" +
           (passed.note.empty() ? "" : "        " + passed.note + "\n");
}

std::string list_of_failures(const Findings& found, bool whole) {
    const std::size_t most = 3;
    std::string text;
    std::size_t wrong = 0;
    std::set<std::string> explained;
    for (const Case& each : found.cases) {
        if (each.failures.empty() || ++wrong > most) continue;
        text += "  " + (each.name.empty() ? "before the first check" : each.name) + "\n";
        for (const Failure& failure : each.failures) text += in_words(failure, explained);
    }
    if (wrong == 0) text += "  a case failed without saying why\n";
    if (!found.caused_elsewhere)
        text += "  " + std::to_string(wrong) + " of " + std::to_string(found.cases.size()) + " checks failed" +
                (wrong > most ? "; the first " + std::to_string(most) + " are shown" : "") +
                (whole ? "" : "; what comes after was not run") + "\n";
    return text;
}

// What ended the run, as a failure of the case that it ended in; that case then comes first.
void add_end(Findings& found, const Exercise& exercise, const Ending& ending) {
    if (found.cases.empty()) found.cases.emplace_back();
    Case& last = found.cases.back();
    Failure end;
    end.what = "    " + (found.crash.empty() ? how_it_ended(exercise, ending, last)
                                             : found.crash + (last.last_call.empty() ? "" : ", in " + last.last_call));
    end.places = found.ended_at;
    last.failures.push_back(std::move(end));
    std::rotate(found.cases.begin(), found.cases.end() - 1, found.cases.end());
}

Status status_of(const Findings& found, const Ending& ending) {
    if (ending.timed_out) return Status::timeout;
    if (!ending.reported) return Status::crash;
    if (ending.run == 0) return Status::not_run;
    if (std::ranges::any_of(found.cases, [](const Case& each) { return !each.failures.empty(); })) return Status::fail;
    if (!found.todo.empty()) return Status::todo;
    return ending.failed == 0 ? Status::pass : Status::fail;
}

}  // namespace

Exercise read_exercise(const std::string& manifest, const std::string& function) try {
    std::ifstream file(manifest);
    if (!file) throw std::runtime_error("cannot be read");
    const auto lab = nlohmann::json::parse(file);
    std::map<std::string, std::string> sections;
    for (const auto& entry : lab.at("exercises")) sections[entry.at("function")] = entry.at("section");
    for (const auto& entry : lab.at("exercises")) {
        if (entry.at("function") != function) continue;
        Exercise exercise;
        exercise.sections = std::move(sections);
        exercise.lab = lab.at("lab");
        exercise.folder = std::filesystem::path(manifest).parent_path().filename().string();
        exercise.function = function;
        exercise.section = entry.at("section");
        exercise.sources = lab.at("sources").get<std::vector<std::string>>();
        exercise.points = entry.at("points");
        exercise.timeout_seconds = lab.value("timeout_seconds", 10);
        return exercise;
    }
    throw std::runtime_error("lists no exercise '" + function + "'");
} catch (const std::exception& e) {
    throw std::runtime_error(manifest + ": " + e.what());
}

Verdict judge(const Exercise& exercise, const std::vector<std::pair<std::string, std::string>>& events,
              const Ending& ending) {
    Findings found = read_events(events, exercise.sources);
    if (!ending.reported) add_end(found, exercise, ending);
    Verdict verdict{status_of(found, ending), "", found.mistakes(), found.begin_with};
    verdict.message = title(exercise, verdict.status) + output_of_student(ending.printed);
    switch (verdict.status) {
        case Status::pass:
            for (const Case& each : found.cases) verdict.message += in_words(each);
            break;
        case Status::todo:
            verdict.message += "  " + found.todo + "\n" + where_to_read(exercise, found.begin_with);
            break;
        case Status::not_run:
            verdict.message += "  the suite has no case for this exercise: nothing was graded\n";
            break;
        default:
            verdict.message += list_of_failures(found, ending.reported) + where_to_read(exercise, found.begin_with);
    }
    return verdict;
}

void write_result(const std::string& folder, const Exercise& exercise, const Verdict& verdict) {
    nlohmann::ordered_json result = {
        {"lab", exercise.lab},
        {"exercise", exercise.function},
        {"status", statuses[static_cast<std::size_t>(verdict.status)].name},
        {"points", verdict.status == Status::pass ? exercise.points : 0.0},
        {"max_points", exercise.points},
        {"mistakes", verdict.mistakes},
        {"message", verdict.message},
    };
    if (!verdict.begin_with.empty()) result["begin_with"] = verdict.begin_with;
    std::filesystem::create_directories(folder);
    const std::filesystem::path path =
        std::filesystem::path(folder) / (exercise.lab + "." + exercise.function + ".json");
    const std::filesystem::path temporary = path.string() + ".new";
    {
        std::ofstream file(temporary);
        file << result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
        file.close();
        if (!file) throw std::runtime_error(temporary.string() + ": cannot be written");
    }
    std::filesystem::rename(temporary, path);
}

}  // namespace linattn::testing
