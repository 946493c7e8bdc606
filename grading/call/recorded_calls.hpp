// What the suite called and what came, in the order of the calls. Nothing is concluded from it before the suite has ended
// (explain.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "outcome.hpp"

namespace linattn::testing {

/// An array that a call was made with. It lives as long as the Run.
struct Input {
    std::string name;
    const Tensor* value = nullptr;  ///< null for arguments of another type
};

/// A call of an exercise, and what it was compared with.
struct ComparedCall {
    std::string exercise;
    Subject subject;  ///< the function under test
    Run run;
    Outcome outcome{};
    Check check{};
    Expectations expected = no_values;  ///< empty where a property was checked and not values
    std::string words{};                ///< its arguments: "Q (2, 3), chunk 16, Mask::causal"
    std::vector<Input> inputs{};
    std::function<std::string(std::size_t entry)> place{};  ///< where an entry lies, in words
    std::string throw_site{};                               ///< the call stack of the exception
    bool is_long = false;                                   ///< no mistake is tried on it (LongCalls)
};

enum class Came {
    right,         ///< what was expected
    rejected,      ///< the std::invalid_argument that was expected
    wrong,         ///< it does not pass its check
    broken_claim,  ///< a property does not hold, or it threw
};

struct RecordedCall {
    ComparedCall call;
    Came came;
    std::size_t test_case = 0, failure = 0;  ///< of a call that went wrong: which failure of which case it is
    const Mistake* means = nullptr;          ///< the mistake that a broken claim can only mean
    bool stored_something = false;           ///< a number of its result is not 0
};

constexpr std::size_t most_numbers = 600;  ///< of a result that is compared with many mistakes
std::size_t size_of(const Parts& parts);

/// Of a large right result the numbers are not kept.
void record(RecordedCall call);
std::vector<RecordedCall>& recorded_calls();

/// Told of every call whose result was found right or wrong, where set: a test of the suites themselves tries how much may
/// be wrong with it unnoticed, and of two small changes of a function, the better one is known by what it gets right.
inline void (*on_compared)(const ComparedCall& call, bool right) = nullptr;

}  // namespace linattn::testing
