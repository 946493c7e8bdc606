// From the events of a run to a verdict in words.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linattn::testing {

enum class Status { pass, fail, todo, crash, timeout, not_run };

/// An exercise as its lab's manifest describes it.
struct Exercise {
    std::string lab, folder, function, section;
    std::vector<std::string> sources;
    double points = 0.0;
    int timeout_seconds = 10;
    std::map<std::string, std::string> sections = {};  ///< of all functions of the lab
    bool on_gpu = false;                               ///< its kernels run there, and its ctest test is another
};

/// Reads labs/labNN_*/lab.json.
/// \throws std::runtime_error naming the file and what is wrong with it
Exercise read_exercise(const std::string& manifest, const std::string& function);

/// How the child ended, beside its events.
struct Ending {
    bool reported = false;  ///< it sent the closing event with this run's secret
    std::size_t run = 0, failed = 0;
    bool timed_out = false;
    int signal = 0;
    std::string printed;  ///< what the student's code wrote to standard output and error, its beginning at least
};

struct Verdict {
    Status status = Status::not_run;
    std::string message;                ///< what the student reads
    std::vector<std::string> mistakes;  ///< names of the mistakes that the answer resembles
    std::string begin_with;             ///< the exercise to fix or write first, where this one waits for another
};

Verdict judge(const Exercise& exercise, const std::vector<std::pair<std::string, std::string>>& events,
              const Ending& ending);

/// Writes FOLDER/labNN.function.json, under a temporary name first.
/// \throws std::runtime_error when it cannot
void write_result(const std::string& folder, const Exercise& exercise, const Verdict& verdict);

}  // namespace linattn::testing
