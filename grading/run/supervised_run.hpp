// One run of the program with the student's code, in a process of its own: what it said, what it printed, how it ended.
// Nothing of the student's is linked into the process that watches.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case_record.hpp"

namespace linattn::testing {

constexpr int secret_length = 32;
constexpr std::size_t most_events = std::size_t{1} << 20;  ///< bytes that a run may send
constexpr std::size_t most_output = std::size_t{1} << 24;  ///< bytes that it may write to a file, and so print

/// How the run ended, beside its events.
struct Ending {
    bool reported = false;  ///< it sent this run's secret when the suite had ended
    std::size_t run = 0, failed = 0;
    bool timed_out = false;  ///< perhaps while it explained what failed
    bool flooded = false;    ///< it sent more than most_events
    bool damaged = false;    ///< it sent something that is no event, or a closing event with another secret
    int signal = 0;
    std::string printed = "";  ///< what it wrote to standard output and error
};

struct SupervisedRun {
    std::vector<Case> cases{};
    std::string last_call{};  ///< of the last case
    std::string stack{};      ///< the calls that were open at the end
    std::string crash{};      ///< what the address sanitizer found
    Ending ending{};
};

/// Runs a program with these arguments and `--events FD`, a socket on which it finds this run's secret and sends its
/// events (exercises_main.cpp). Ends it when the time is over.
/// \throws std::runtime_error when it cannot be started
SupervisedRun run_supervised(const std::string& program, const std::vector<std::string>& arguments,
                             int timeout_seconds);

}  // namespace linattn::testing
