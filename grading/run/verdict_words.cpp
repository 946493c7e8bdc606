#include "verdict_words.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include "crash_report.hpp"
#include "escape.hpp"
#include "student_lines.hpp"

namespace linattn::testing {
namespace {

constexpr std::size_t most_names = 3;                                         // more say nothing
const std::string time_counted = " s (waiting for a processor not counted)";  // deadline.hpp

// For people and for programs, in the order of Status.
constexpr struct {
    const char *word, *name;
} statuses[] = {{"PASS", "pass"},   {"FAIL", "fail"},       {"TODO", "todo"},
                {"CRASH", "crash"}, {"TIMEOUT", "timeout"}, {"NOT RUN", "not_run"}};

// What ended the program by a fault of its code, in words; empty when nothing did.
std::string crash_in_words(SupervisedRun& run) {
    const std::string printed = escape(take_runtime_output(run.ending.printed));
    if (!printed.empty()) return printed;
    return run.crash.empty() ? signal_in_words(run.ending.signal) : finding_in_words(run.crash);
}

// 1204 as "1 204".
std::string grouped(std::size_t number) {
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
    return text;
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
    std::istringstream rest(escape(std::string_view(printed).substr(from, end - from)));
    for (std::string line; std::getline(rest, line);) text += "      " + shortened(line, 500) + "\n";
    return text;
}

const char* const differs =
    "    two calls with the same arguments gave different results: the function remembers something from an earlier "
    "call\n"
    "    (a static or global variable?), or it uses a value that was never set\n";

// Call stacks and uninitialised variables, as lines of the student's files.
class StudentLines {
public:
    StudentLines(const std::string& program, const std::vector<std::string>& sources)
        : program_(program), sources_(sources) {}

    std::string of_stack(const std::string& stack) const {
        const std::string line = source_line(stack, program_, sources_);
        return line.empty() ? "" : "\n    at " + line;
    }

    std::string of(UnsetLocal unset_local) {
        if (unset_local == UnsetLocal::no) return "";
        if (!remarks_) remarks_ = unset_locals(sources_);
        if (remarks_->empty() && unset_local == UnsetLocal::perhaps) return "";
        std::string text = "\n    looks like a local variable that was read before it was given a value";
        for (const std::string& remark : *remarks_) text += "\n    at " + remark;
        return text;
    }

    std::string of_helpers() const {
        std::string text;
        for (const std::string& name : passed_over(sources_))
            text += "  your " + name + " may not be what runs: this file uses xt::" + name +
                    " as well, which C++ prefers for an argument that is not const;\n  give yours another name\n";
        return text;
    }

private:
    const std::string& program_;
    const std::vector<std::string>& sources_;
    std::optional<std::vector<std::string>> remarks_;  // asked for once, and only when there is reason to
};

// Several mistakes that cannot be told apart, and what they have in common.
std::string alternatives(const std::vector<Resemblance>& mistakes) {
    if (mistakes.size() < 2) return "";
    const std::string& topic = mistakes.front().topic;
    const bool one_topic =
        !topic.empty() && std::ranges::all_of(mistakes, [&](const Resemblance& each) { return each.topic == topic; });
    return "\n      They give the same result here, and only one of them need be yours" +
           (one_topic ? "; each concerns " + topic : "") + ".";
}

// A mistake is explained once, however many failures it explains.
std::string named(const std::vector<Resemblance>& mistakes, const std::string& how, std::set<std::string>& explained) {
    const auto shown = mistakes.begin() + static_cast<std::ptrdiff_t>(std::min(mistakes.size(), most_names));
    std::string text;
    for (auto each = mistakes.begin(); each != shown; ++each) text += (text.empty() ? "" : " or ") + each->mistake;
    if (shown != mistakes.end())
        text += ", or one of " + std::to_string(mistakes.end() - shown) + " others that give the same";
    text += how;
    for (const Resemblance& each : std::span(mistakes.begin(), shown))
        if (explained.insert(each.explanation).second) text += "\n      " + each.explanation;
    return text;
}

std::string in_words(const Failure& failure, StudentLines& lines, std::set<std::string>& explained, bool guess) {
    std::string text = failure.differs_when_repeated ? differs : "";
    text += failure.what + lines.of_stack(failure.stack) + lines.of(failure.unset_local);
    if (guess) text += failure.guess;
    if (failure.digits == Digits::seven)
        text +=
            "\n    all values are right to about 7 digits, which is the precision of float: is something stored in a "
            "float?";
    const std::string closeness = failure.closeness.empty() ? "" : " (" + failure.closeness + ")";
    if (!failure.resembles.empty())
        text += "\n    looks like: " + named(failure.resembles, closeness + alternatives(failure.resembles), explained);
    else if (guess && !failure.partly.empty() && failure.partly.size() <= most_names)
        text += "\n    here, but not in every case, it does the same as: " + named(failure.partly, "", explained);
    if (!failure.inputs.empty()) text += "\n    called with " + failure.inputs;
    return text + "\n";
}

// A claim with a name comes before one without: what leads nowhere is not read first.
std::vector<std::size_t> order_to_show(const std::vector<Case>& cases, bool whole) {
    std::vector<std::size_t> order(cases.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto has_name = [&](std::size_t i) {
        return std::ranges::any_of(cases[i].failures, [](const Failure& failure) {
            return failure.differs_when_repeated || !failure.resembles.empty();
        });
    };
    if (whole) std::stable_partition(order.begin(), order.end(), has_name);  // else what ended the run is first
    return order;
}

}  // namespace

const char* name_of(Status status) { return statuses[static_cast<std::size_t>(status)].name; }

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

std::string how_it_ended(const ManifestEntry& exercise, SupervisedRun& run) {
    const std::string crash = crash_in_words(run);
    const Ending& ending = run.ending;
    const std::string& call = run.last_call;
    const std::string during = call.empty() ? "before any check ran" : "in " + call;
    if (ending.timed_out)
        return "did not end within " + std::to_string(exercise.timeout_seconds) + time_counted + ", " + during +
               "; is there a loop that does not end?";
    if (ending.flooded)
        return "sent more than 1 MiB to the program that judges it, and was stopped: does it write to a file "
               "descriptor that it did not open?";
    if (ending.damaged)
        return "what it reported cannot be read: does it write to a file descriptor that it did not open?";
    if (!crash.empty()) return crash + (call.empty() ? "" : ", in " + call);
    if (ending.signal == SIGXFSZ)
        return (ending.printed.size() >= most_output ? "printed more than 16 MB, and was stopped, "
                                                     : "wrote a file of more than 16 MB, and was stopped, ") +
               during;
    if (ending.signal == SIGKILL) return "was killed, as the system does where memory runs out, " + during;
    if (ending.signal != 0)
        return "was stopped by signal " + std::to_string(ending.signal) + " (" + strsignal(ending.signal) + "), " +
               during;
    return "the program ended " + during +
           (call.empty() ? ": a static constructor ended it, or main was replaced"
                         : ": exit, _exit or quick_exit was called; a function must return or throw");
}

std::vector<std::string> output_of_cases(const std::vector<Case>& cases, const std::string& printed) {
    std::vector<std::string> output;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::size_t next = i + 1 < cases.size() ? cases[i + 1].output_begins : printed.size();
        output.push_back(last_lines(printed, i == 0 ? 0 : cases[i].output_begins,
                                    cases[i].output_ends == 0 ? next : cases[i].output_ends));
    }
    return output;
}

std::string in_words(const Case& passed, const std::string& output) {
    return "  ok  " + passed.name + (passed.checked.empty() ? "" : "  (" + passed.checked + ")") + "\n" +
           (passed.note.empty() ? "" : "        " + passed.note + "\n") + output;
}

std::string list_of_failures(const std::vector<Case>& cases, const std::vector<std::string>& output, bool whole,
                             const std::string& program, const std::vector<std::string>& sources) {
    StudentLines lines(program, sources);
    const std::size_t most = 3;
    std::string text;
    std::size_t wrong = 0;
    std::set<std::string> explained;
    const bool guess = mistakes_in(cases).empty();
    const std::string* elsewhere = nullptr;  // what was printed in the last case that is not shown
    for (const std::size_t i : order_to_show(cases, whole)) {
        const Case& each = cases[i];
        const bool shown = !each.failures.empty() && ++wrong <= most;
        if (!shown && !output[i].empty()) elsewhere = &output[i];
        if (!shown) continue;
        text += "  " + (each.name.empty() ? "before the first check" : each.name) + "\n";
        for (const Failure& failure : each.failures) text += in_words(failure, lines, explained, guess);
        text += output[i];
    }
    if (wrong == 0) text += "  a case failed without saying why\n";
    if (elsewhere != nullptr && text.find("    your output:\n") == std::string::npos)
        text += "  in a check that is not shown here\n" + *elsewhere;
    text += lines.of_helpers();
    if (std::ranges::none_of(cases, &Case::caused_elsewhere))
        text += "  " + std::to_string(wrong) + " of " + std::to_string(cases.size()) + " checks failed" +
                (wrong > most ? "; the first " + std::to_string(most) + " are shown" : "") +
                (whole ? "" : "; the checks after these were not run") + "\n";
    return text;
}

std::vector<std::string> mistakes_in(const std::vector<Case>& cases) {
    std::vector<std::string> names;
    for (const Case& each : cases)
        for (const Failure& failure : each.failures)
            for (const Resemblance& one : failure.resembles)
                if (std::ranges::count(names, one.mistake) == 0) names.push_back(one.mistake);
    return names;
}

}  // namespace linattn::testing
