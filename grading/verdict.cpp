#include "verdict.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "crash_report.hpp"
#include "findings.hpp"
#include "printable.hpp"

namespace linattn::testing {
namespace {

constexpr std::size_t most_by_chance = 3;  // more names say nothing

// For people and for programs, in the order of Status.
constexpr struct {
    const char *word, *name;
} statuses[] = {{"PASS", "pass"},   {"FAIL", "fail"},       {"TODO", "todo"},
                {"CRASH", "crash"}, {"TIMEOUT", "timeout"}, {"NOT RUN", "not_run"}};

std::string title(const ManifestEntry& exercise, Status status) {
    std::string text = exercise.lab + " · " + exercise.function + (exercise.on_gpu ? " on the GPU" : "");
    text.resize(std::max<std::size_t>(text.size() + 2, 72), ' ');
    return text + statuses[static_cast<std::size_t>(status)].word + "\n";
}

std::string where_to_read(const ManifestEntry& exercise, const std::string& begin_with) {
    const auto elsewhere = exercise.sections.find(begin_with);
    const bool here = elsewhere == exercise.sections.end();
    const std::string& section = here ? exercise.section : elsewhere->second;
    const std::string name = exercise.lab + "." + (here ? exercise.function : begin_with);
    return "  read: labs/" + exercise.folder + "/README.md §" + section + "\n  again: " +
           (exercise.on_gpu ? "in the build folder, ctest -R " + name + ".gpu$\n"
                            : "./course check " + name + "    (in the build folder: ctest -R " + name + "$)\n");
}

std::string how_it_ended(const ManifestEntry& exercise, const Ending& ending, const std::string& crash,
                         const Case& last) {
    const std::string during = last.last_call.empty() ? "before any check ran" : "in " + last.last_call;
    if (ending.timed_out)
        return "did not end within " + std::to_string(exercise.timeout_seconds) + " s, " + during +
               "; is there a loop that does not end?";
    if (ending.flooded)
        return "sent more than 1 MiB to the program that judges it, and was stopped: does it write to a file "
               "descriptor "
               "that it did not open?";
    if (ending.damaged)
        return "what it reported cannot be read: does it write to a file descriptor that it did not open?";
    if (!crash.empty()) return crash + (last.last_call.empty() ? "" : ", in " + last.last_call);
    if (ending.signal == SIGXFSZ)
        return (ending.printed.size() >= most_output ? "printed more than 16 MB, and was stopped, "
                                                     : "wrote a file of more than 16 MB, and was stopped, ") +
               during;
    if (ending.signal != 0)
        return "was stopped by signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + "), " +
               during;
    return "the program ended " + during +
           (last.last_call.empty() ? ": a static constructor ended it, or main was replaced"
                                   : ": exit, _exit or quick_exit was called; a function must return or throw");
}

// 1204 as "1 204".
std::string grouped(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
    return text;
}

// Long lines lose their end.
std::string shortened(std::string line) {
    const std::size_t most = 500;
    if (line.size() <= most) return line;
    return printable(line.substr(0, most - 3)) + "…";  // what is left of a character that was cut is not UTF-8
}

// The last lines of what was printed in [begin, end), indented; the last are the ones nearest to the trouble.
std::string last_lines(const std::string& printed, std::size_t begin, std::size_t end) {
    const std::size_t most = 20;
    end = std::min(end, printed.size());
    begin = std::min(begin, end);
    while (end > begin && printed[end - 1] == '\n') --end;
    if (begin == end) return "";
    std::size_t from = end, lines = 0;
    while (from > begin && (printed[from - 1] != '\n' || ++lines < most)) --from;
    const auto before = static_cast<std::size_t>(std::count(printed.begin() + static_cast<std::ptrdiff_t>(begin),
                                                            printed.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
    std::string text = "    your output:\n";
    if (before > 0) text += "      … " + grouped(before) + (before == 1 ? " line" : " lines") + " before these\n";
    std::istringstream rest(printable(std::string_view(printed).substr(from, end - from)));
    for (std::string line; std::getline(rest, line);)
        if (line != "AddressSanitizer:DEADLYSIGNAL")
            text += "      " + shortened(line) + "\n";  // it insists on saying so
    return text == "    your output:\n" ? "" : text;
}

// What was printed in each case: in the order of the cases. What came before the first stands under the first.
std::vector<std::string> output_of_cases(const std::vector<Case>& cases, const std::string& printed) {
    std::vector<std::string> output;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::size_t next = i + 1 < cases.size() ? cases[i + 1].output_begins : printed.size();
        output.push_back(last_lines(printed, i == 0 ? 0 : cases[i].output_begins,
                                    cases[i].output_ends == 0 ? next : cases[i].output_ends));
    }
    return output;
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " or ") + name;
    return text;
}

const char* const differs =
    "    two calls with the same arguments gave different results: the function remembers something from an earlier "
    "call\n"
    "    (a static or global variable?), or it uses a value that was never set\n";

// A mistake is explained once, however many failures it explains.
std::string in_words(const Failure& failure, std::set<std::string>& explained) {
    std::string text = failure.differs_when_repeated ? differs : "";
    text += failure.what + failure.places;
    if (failure.seven_digits)
        text +=
            "\n    all values are right to about 7 digits, which is the precision of float: is something stored in a "
            "float?";
    if (!failure.resembles.empty()) {
        std::vector<std::string> names;
        for (const Resemblance& each : failure.resembles) names.push_back(each.mistake);
        text += "\n    looks like: " + joined(names) + failure.closeness;
        for (const Resemblance& each : failure.resembles)
            if (explained.insert(each.explanation).second) text += "\n      " + each.explanation;
    }
    if (!failure.by_chance.empty() && failure.by_chance.size() <= most_by_chance)
        text += "\n    here, but not in every case, it does the same as: " + joined(failure.by_chance);
    if (!failure.inputs.empty()) text += "\n    called with " + failure.inputs;
    return text + "\n";
}

std::string in_words(const Case& passed, const std::string& output) {
    return "  ok  " + passed.name + (passed.checked.empty() ? "" : "  (" + passed.checked + ")") + "\n" +
           (passed.note.empty() ? "" : "        " + passed.note + "\n") + output;
}

std::string list_of_failures(const Findings& found, const std::vector<std::string>& output, bool whole) {
    const std::size_t most = 3;
    std::string text;
    std::size_t wrong = 0;
    std::set<std::string> explained;
    const std::string* elsewhere = nullptr;  // what was printed in the last case that is not shown
    for (std::size_t i = 0; i < found.cases.size(); ++i) {
        const Case& each = found.cases[i];
        const bool shown = !each.failures.empty() && ++wrong <= most;
        if (!shown && !output[i].empty()) elsewhere = &output[i];
        if (!shown) continue;
        text += "  " + (each.name.empty() ? "before the first check" : each.name) + "\n";
        for (const Failure& failure : each.failures) text += in_words(failure, explained);
        text += output[i];
    }
    if (wrong == 0) text += "  a case failed without saying why\n";
    if (elsewhere != nullptr && text.find("    your output:\n") == std::string::npos)
        text += "  in a check that is not shown here\n" + *elsewhere;
    if (!found.right_sizes.empty()) text += "  " + found.right_sizes + "\n";
    if (!found.caused_elsewhere)
        text += "  " + std::to_string(wrong) + " of " + std::to_string(found.cases.size()) + " checks failed" +
                (wrong > most ? "; the first " + std::to_string(most) + " are shown" : "") +
                (whole ? "" : "; the checks after these were not run") + "\n";
    return text;
}

// What ended the run, as a failure of the case that it ended in; the case that then comes first.
void add_end(Findings& found, const ManifestEntry& exercise, const Ending& ending, const std::string& last_words) {
    if (found.cases.empty()) found.cases.emplace_back();
    Case& last = found.cases.back();
    Failure end;
    end.what = "    " + how_it_ended(exercise, ending, last_words.empty() ? found.crash : last_words, last);
    end.places = found.ended_at;
    last.failures.push_back(std::move(end));
}

// The case in which the run ended comes before the others.
template <class Element>
void last_to_front(std::vector<Element>& elements) {
    std::rotate(elements.begin(), elements.end() - 1, elements.end());
}

// Whether the run came to its end, and what it sent is what the suite sends.
bool trustworthy(const Ending& ending) { return ending.reported && !ending.flooded && !ending.damaged; }

Status status_of(const Findings& found, const Ending& ending) {
    if (ending.timed_out) return Status::timeout;
    if (!trustworthy(ending)) return Status::crash;
    if (ending.run == 0) return Status::not_run;
    if (std::ranges::any_of(found.cases, [](const Case& each) { return !each.failures.empty(); })) return Status::fail;
    if (!found.todo.empty()) return Status::todo;
    return ending.failed == 0 ? Status::pass : Status::fail;
}

// A first failure that nothing explains. Where its case runs before all others, another call of it fails, or none: then
// the function remembers calls of other cases.
void find_memory_between_cases(Findings& found, const std::string& program, const ManifestEntry& exercise,
                               const std::function<SupervisedRun(std::size_t number)>& run_alone) {
    const auto first = std::ranges::find_if(found.cases, [](const Case& each) { return !each.failures.empty(); });
    if (first == found.cases.begin() || first == found.cases.end() || found.caused_elsewhere) return;
    Failure& failure = first->failures.front();
    if (failure.differs_when_repeated || !failure.resembles.empty()) return;
    const SupervisedRun run = run_alone(static_cast<std::size_t>(first - found.cases.begin()) + 1);
    const Findings alone = read_events(run.events, program, exercise.sources);
    if (!trustworthy(run.ending) || alone.cases.size() != 1 || !alone.todo.empty()) return;
    const std::vector<Failure>& failures = alone.cases.front().failures;
    failure.differs_when_repeated = failures.empty() || failures.front().inputs != failure.inputs;
}

}  // namespace

Verdict verdict_of(const ManifestEntry& exercise, const std::string& program, SupervisedRun run,
                   const std::function<SupervisedRun(std::size_t number)>& run_alone) {
    Ending& ending = run.ending;
    const std::string last_words = ending.reported ? "" : printable(take_last_words(ending.printed));
    Findings found = read_events(run.events, program, exercise.sources);
    if (!trustworthy(ending)) add_end(found, exercise, ending, last_words);
    std::vector<std::string> output = output_of_cases(found.cases, ending.printed);
    if (!trustworthy(ending)) {
        last_to_front(found.cases);
        last_to_front(output);
    }
    const Status status = status_of(found, ending);
    if (status == Status::fail) find_memory_between_cases(found, program, exercise, run_alone);
    Verdict verdict{status, "", found.mistakes(), found.begin_with};
    verdict.message = title(exercise, verdict.status);
    switch (verdict.status) {
        case Status::pass:
            for (std::size_t i = 0; i < found.cases.size(); ++i) verdict.message += in_words(found.cases[i], output[i]);
            break;
        case Status::todo:
            verdict.message += "  " + found.todo + "\n";
            for (const std::string& each : output) verdict.message += each;
            verdict.message += where_to_read(exercise, found.begin_with);
            break;
        case Status::not_run:
            verdict.message += "  the suite has no case for this exercise: nothing was graded\n";
            break;
        default:
            verdict.message +=
                list_of_failures(found, output, ending.reported) + where_to_read(exercise, found.begin_with);
    }
    return verdict;
}

void write_result(const std::string& folder, const ManifestEntry& exercise, const Verdict& verdict) {
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
    const std::filesystem::path path =
        std::filesystem::path(folder) / (exercise.lab + "." + exercise.function + ".json");
    const std::filesystem::path temporary = path.string() + ".new";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::ofstream file(temporary);
    file << result.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    file.close();
    if (file) std::filesystem::rename(temporary, path, error);
    if (!file || error)
        throw std::runtime_error(path.string() + " cannot be written, so nothing of " + exercise.lab + "." +
                                 exercise.function + " counts: free some space, or make the folder writable");
}

}  // namespace linattn::testing
