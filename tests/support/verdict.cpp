#include "verdict.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>

#include "compiler_remarks.hpp"
#include "source_line.hpp"

namespace linattn::testing {
namespace {

// For people and for programs, in the order of Status. Constant: the supervisor runs before any constructor.
constexpr struct {
    const char *word, *name;
} names[] = {{"PASS", "pass"},   {"FAIL", "fail"},       {"TODO", "todo"},
             {"CRASH", "crash"}, {"TIMEOUT", "timeout"}, {"NOT RUN", "not_run"}};

// One test case as its events told it.
struct Case {
    std::string name, last_call, checked, note;
    std::vector<std::string> lines;  // what is wrong; empty when nothing is
};

std::string title(const Exercise& exercise, Status status) {
    std::string text = exercise.lab + " · " + exercise.function;
    text.resize(std::max<std::size_t>(text.size() + 2, 72), ' ');
    return text + names[static_cast<std::size_t>(status)].word + "\n";
}

std::string where_to_read(Exercise exercise, const std::string& begin_with) {
    if (const auto section = exercise.sections.find(begin_with); section != exercise.sections.end())
        exercise.function = begin_with, exercise.section = section->second;
    return "  read: labs/" + exercise.folder + "/README.md §" + exercise.section + "\n  again: ./course check " +
           exercise.lab + "." + exercise.function + "    (in the build folder: ctest -R " + exercise.lab + "." +
           exercise.function + "$)\n";
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

// "looks like: x" is too much said when another case fails in a way that x does not explain.
void doubt_resemblance(std::string& text) {
    const std::string claim = "    looks like: ";
    if (const std::size_t at = text.find(claim); at != std::string::npos)
        text.replace(at, claim.size(), "    here, but not in every case, it does the same as: ");
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

// A mistake is explained once, however many cases it shows in: explanations are the lines indented deepest.
std::string without_repetition(const std::string& text, std::set<std::string>& explained) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (!line.starts_with("      ") || explained.insert(line).second) result += (result.empty() ? "" : "\n") + line;
    return result;
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
    Verdict verdict;
    std::vector<Case> cases;
    std::string todo, stack, crash, unset;
    bool resembles_nothing = false;  // some wrong value is none of the mistakes'
    bool caused_elsewhere = false;   // the current case, the last that matters, says where
    const auto current = [&]() -> Case& {
        if (cases.empty()) cases.emplace_back();
        return cases.back();
    };
    const auto at_line = [&] {
        const std::string line = source_line(stack, exercise.sources);
        stack.clear();
        return line.empty() ? "" : "\n    at " + line;
    };
    std::optional<std::vector<std::string>> remarks;  // asked for once, and only when there is reason to
    const auto unset_local = [&]() -> std::string {
        if (unset.empty()) return "";
        if (!remarks) remarks = unset_locals(exercise.sources);
        if (remarks->empty() && unset != "surely") return "";
        std::string text = "\n    looks like a local variable that was read before it was given a value";
        for (const std::string& remark : *remarks) text += "\n    at " + remark;
        unset.clear();
        return text;
    };
    for (const auto& [kind, payload] : events) {
        if (kind == "case" && caused_elsewhere) break;
        if (kind == "case") cases.push_back({payload, "", "", "", {}});
        if (kind == "call") current().last_call = payload;
        if (kind == "checked" &&
            std::strtod(payload.c_str(), nullptr) >= std::strtod(current().checked.c_str(), nullptr))
            current().checked = payload;  // the closest call of the case
        if (kind == "note") current().note = payload;
        if (kind == "todo") todo = payload;
        if (kind == "begin with") verdict.begin_with = payload;
        if (kind == "caused elsewhere") {
            caused_elsewhere = true;
            cases.erase(cases.begin(), cases.end() - 1);
            verdict.mistakes.clear();
        }
        if (kind == "mistake" &&
            std::find(verdict.mistakes.begin(), verdict.mistakes.end(), payload) == verdict.mistakes.end())
            verdict.mistakes.push_back(payload);
        if (kind == "resembles nothing") resembles_nothing = true;
        if (kind == "stack") stack = payload;
        if (kind == "crash") {
            crash = summary_of_report(payload);
            stack = stack_of_report(payload);
        }
        if (kind == "unset local") unset = payload;
        if (kind == "failure") current().lines.push_back(payload + at_line() + unset_local());
    }

    bool any_wrong = false;
    for (const Case& each : cases) any_wrong = any_wrong || !each.lines.empty();
    if (ending.timed_out)
        verdict.status = Status::timeout;
    else if (!ending.reported)
        verdict.status = Status::crash;
    else if (ending.run == 0)
        verdict.status = Status::not_run;
    else if (any_wrong)
        verdict.status = Status::fail;
    else if (!todo.empty())
        verdict.status = Status::todo;
    else
        verdict.status = ending.failed == 0 ? Status::pass : Status::fail;

    if (!ending.reported) {
        Case& last = current();
        last.lines.push_back("    " +
                             (crash.empty() ? how_it_ended(exercise, ending, last)
                                            : crash + (last.last_call.empty() ? "" : ", in " + last.last_call)) +
                             at_line());
    }

    verdict.message = title(exercise, verdict.status) + output_of_student(ending.printed);
    switch (verdict.status) {
        case Status::pass:
            for (const Case& each : cases)
                verdict.message += "  ok  " + each.name + (each.checked.empty() ? "" : "  (" + each.checked + ")") +
                                   "\n" + (each.note.empty() ? "" : "        " + each.note + "\n");
            break;
        case Status::todo: verdict.message += "  " + todo + "\n" + where_to_read(exercise, verdict.begin_with); break;
        case Status::not_run:
            verdict.message += "  the suite has no case for this exercise: nothing was graded\n";
            break;
        default: {
            if (resembles_nothing) verdict.mistakes.clear();  // what resembles one elsewhere does so by chance
            const std::size_t most = 3;
            std::size_t wrong = 0;
            std::set<std::string> explained;
            if (!ending.reported)
                std::rotate(cases.begin(), cases.end() - 1, cases.end());  // what ended the run comes first
            for (const Case& each : cases) {
                if (each.lines.empty() || ++wrong > most) continue;
                verdict.message += "  " + (each.name.empty() ? "before the first check" : each.name) + "\n";
                for (std::string line : each.lines) {
                    if (resembles_nothing) doubt_resemblance(line);
                    verdict.message += without_repetition(line, explained) + "\n";
                }
            }
            if (wrong == 0) verdict.message += "  a case failed without saying why\n";
            if (!caused_elsewhere)
                verdict.message += "  " + std::to_string(wrong) + " of " + std::to_string(cases.size()) +
                                   " checks failed" +
                                   (wrong > most ? "; the first " + std::to_string(most) + " are shown" : "") +
                                   (ending.reported ? "" : "; what comes after was not run") + "\n";
            verdict.message += where_to_read(exercise, verdict.begin_with);
        }
    }
    return verdict;
}

void write_result(const std::string& folder, const Exercise& exercise, const Verdict& verdict) {
    nlohmann::ordered_json result = {
        {"lab", exercise.lab},
        {"exercise", exercise.function},
        {"status", names[static_cast<std::size_t>(verdict.status)].name},
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
