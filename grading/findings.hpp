// What the events of a run (channel.hpp) say, case by case.
//
// event               payload
// case                a test case begins; its name
// call                a call of the student's function begins, in words
// checked             a call was right; the share of the tolerance that it used, and where the tolerance comes from
// note                figures for the student
// todo                what is not written yet
// begin with          the exercise to write or fix first
// caused elsewhere    this case fails by another exercise's fault: nothing else counts
// mistake             the next failure looks like this one; its name, and in the next line how to fix it
// closeness           how well it matches
// chance resemblance  a mistake that does what the next failure shows, but not everything else; its name
// resembles nothing   this failure, so that no mistake explains all of them
// stack               calls that were open at the next failure, or at the end
// unset local         the next failure may come from a local variable without a value: "surely" or "perhaps"
// failure             what is wrong
// crash               the address sanitizer's report
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace linattn::testing {

struct Resemblance {
    std::string mistake, explanation;
};

struct Failure {
    std::string what;                    ///< some lines
    std::vector<Resemblance> resembles;  ///< mistakes that would explain it
    std::string closeness;               ///< " (matches exactly)"
    std::vector<std::string> by_chance;  ///< mistakes that would explain it, but not what other calls gave
    std::string places;                  ///< lines of the student's file, "\n    at student/…"
};

struct Case {
    std::string name, last_call, note;
    std::string checked;  ///< of its calls, the one that came closest to the tolerance
    std::vector<Failure> failures;
};

struct Findings {
    std::vector<Case> cases;
    std::string todo, begin_with;
    bool caused_elsewhere = false;  ///< then there is one case
    std::string crash,
        ended_at;  ///< what the address sanitizer found, in words; the line of an end that nobody expected

    /// Names of the mistakes that explain the failures, each once.
    std::vector<std::string> mistakes() const;
};

/// \param sources the student's files, to tell its lines in call stacks
Findings read_events(const std::vector<std::pair<std::string, std::string>>& events,
                     const std::vector<std::string>& sources);

}  // namespace linattn::testing
