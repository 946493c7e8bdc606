// What the events of a run say, case by case.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "channel.hpp"

namespace linattn::testing {

struct Resemblance {
    std::string mistake, explanation;
};

struct Failure {
    std::string what;                    ///< some lines
    bool differs_when_repeated = false;  ///< its call gave another result when it was made again
    std::vector<Resemblance> resembles;  ///< mistakes that would explain it
    std::string closeness;               ///< " (matches exactly)"
    std::vector<std::string> by_chance;  ///< mistakes that would explain it, but not what other calls gave
    std::string inputs;                  ///< what its call was made with
    bool seven_digits = false;           ///< as many digits are right as a float has, here and in all other failures
    std::string places;                  ///< lines of the student's file, "\n    at student/…"
};

struct Case {
    std::string name, last_call, note;
    std::string checked;  ///< of its calls, the one that came closest to the tolerance
    std::vector<Failure> failures;
    std::size_t output_begins = 0, output_ends = 0;  ///< its part of what was printed; end 0: up to the next case
};

struct Findings {
    std::vector<Case> cases;
    std::string todo, begin_with;
    bool caused_elsewhere = false;  ///< then there is one case
    std::string crash;              ///< what the address sanitizer found, in words
    std::string ended_at;           ///< the line of an end that nobody expected
    std::string right_sizes;        ///< which sizes it is right for

    /// Names of the mistakes that explain the failures, each once.
    std::vector<std::string> mistakes() const;
};

/// \param program what ran; \param sources the student's files, to tell its lines in call stacks
Findings read_events(const std::vector<Event>& events, const std::string& program,
                     const std::vector<std::string>& sources);

}  // namespace linattn::testing
