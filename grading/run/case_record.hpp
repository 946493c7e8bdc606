// What is known of a test case of the suite. The process with the student's code sends it as one line when the case begins,
// when it ends, and once more when its failure has been explained; the one that judges reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linattn::testing {

struct Resemblance {
    std::string mistake, explanation;
    std::string topic{};  ///< what it is about
};

/// Whether wrong values are right to about as many digits as a float has, as rounded ones are, or to fewer.
enum class Digits { unknown, seven, fewer };
/// Whether a wrong value comes from a local variable that was given none.
enum class UnsetLocal { no, perhaps, surely };

struct Failure {
    std::string what{};                    ///< some lines
    bool differs_when_repeated = false;    ///< its call gave another result when it was made again
    std::vector<Resemblance> resembles{};  ///< mistakes that would explain it
    std::string closeness{};               ///< "matches exactly": how well their values match
    std::vector<Resemblance> partly{};     ///< mistakes that would explain it, but not what other calls gave
    std::string guess{};              ///< lines that lead somewhere: shown only when no mistake of the run has a name
    bool counterexample = false;      ///< … among them a smaller input
    Digits digits = Digits::unknown;  ///< to which they are right
    std::string inputs{};             ///< what its call was made with
    std::string stack{};              ///< the call stack (call_stack.hpp) that it comes from
    UnsetLocal unset_local = UnsetLocal::no;
};

struct Case {
    std::string name{}, note{};
    std::string checked{};  ///< of its calls, the one that came closest to the tolerance
    std::vector<Failure> failures{};
    std::string todo{};             ///< what is not written yet
    std::string begin_with{};       ///< the exercise to write or fix first
    bool tells = false;             ///< a call of it was right where no null answer is (null_answers.hpp)
    bool caused_elsewhere = false;  ///< by that exercise, or by an error of CUDA, which stays: nothing else counts
    std::size_t output_begins = 0, output_ends = 0;  ///< its part of what was printed; end 0: up to the next case
};

struct NumberedCase {
    std::size_t number = 0;
    Case known{};
};

std::string to_line(const NumberedCase& numbered);
/// Nothing when to_line did not write this line. Control characters become visible (escape.hpp).
std::optional<NumberedCase> read_case(std::string_view line);

}  // namespace linattn::testing
