// From what a run said and how it ended to a verdict in words.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "manifest_entry.hpp"
#include "supervised_run.hpp"

namespace linattn::testing {

enum class Status { pass, fail, todo, crash, timeout, not_run };

struct Verdict {
    Status status = Status::not_run;
    std::string message;                ///< what the student reads
    std::vector<std::string> mistakes;  ///< names of the mistakes that the answer resembles
    double share = 0.0;           ///< of the checks that say something: how many hold, where the run came to its end
    std::string begin_with{};     ///< the exercise to fix or write first, where this one waits for another
    std::string place{};          ///< what to change first, where that is not an exercise
    bool counterexample = false;  ///< a smaller input was found that shows what is wrong
};

/// Of an exercise that the machine keeps from being graded.
Verdict not_graded(const ManifestEntry& exercise, const std::string& why);

/// Runs these cases, counted from 1, in a process of their own.
using RunCases = std::function<SupervisedRun(std::size_t first, std::size_t last)>;

/// \param program what ran, to find lines of the student's file in it
Verdict verdict_of(const ManifestEntry& exercise, const std::string& program, SupervisedRun run,
                   const RunCases& run_cases);

/// Writes FOLDER/labNN.function.json, under a temporary name first.
/// \throws std::runtime_error when it cannot
void write_result(const std::string& folder, const ManifestEntry& exercise, const Verdict& verdict);

}  // namespace linattn::testing
