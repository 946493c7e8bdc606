// Why an answer is wrong. The mistakes of the exercise are run on the same arguments, and those that make the same of them
// explain the answer, unless another call speaks against them: earlier and later calls of the suite, right and wrong, and
// probe calls made for the diagnosis alone. Where no mistake explains the answer, a mutation with a number that is solved for may.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comparison.hpp"
#include "error_pattern.hpp"
#include "gpu/error.hpp"
#include "mistake.hpp"

namespace linattn::testing {

/// What came of running a function: its result in parts, or the exception it threw.
struct Outcome {
    Parts parts;
    std::string error;                   ///< what() of the exception; empty when there was none
    bool invalid_argument = false;       ///< the exception was a std::invalid_argument
    std::vector<gpu::Symptom> symptoms;  ///< of a kernel that broke a rule of the CUDA model: see gpu::Error::symptoms
    bool changed_argument = false;       ///< a Tensor that came in as const is not what it was
    std::string missing;                 ///< the function a NotImplemented named; empty when there was none
};

/// One call, to be made with any function of the exercise's type.
using Run = std::function<Outcome(const Subject&)>;
/// What is wrong with an outcome, in words, or nothing.
using Check = std::function<std::optional<std::string>(const Outcome&)>;

/// What each part of a result must be. A call is kept in several places, so these share it.
using Expectations = std::shared_ptr<const std::vector<Expected>>;
inline Expectations shared(std::vector<Expected> values) {
    return std::make_shared<const std::vector<Expected>>(std::move(values));
}
inline const Expectations no_values = shared({});

/// Calls that the diagnosis may make on its own: inputs on which mutations differ that agree on an easy example.
struct Probes {
    Probes(const char* exercise, std::function<std::vector<Run>()> make);
};

/// A call of an exercise whose outcome was compared.
struct ComparedCall {
    std::string exercise;
    Subject subject;  ///< the function under test
    Run run;
    Outcome outcome;
    Check check;
    Expectations expected;                       ///< empty where a property was checked and not values
    std::map<std::string, std::size_t> sizes{};  ///< its whole numbers: n, width, heads, chunk
    std::string choice{};                        ///< of a branch: "Mask::causal"; "" where no argument makes one
};

/// What may explain a wrong outcome. Pointers stay valid to the end of the program.
struct Explanation {
    std::vector<const Mistake*> mistakes;         ///< each explains this call and all the others
    std::vector<const Mistake*> partial_matches;  ///< they explain this call, but not all the others
    double distance = 0.0;                        ///< of the results, where values were compared
    std::string pattern;              ///< where the wrong values lie, in words; only when nothing explains them
    Digits digits = Digits::unknown;  ///< to which the values are right; likewise
};

/// Explains a wrong outcome, and keeps it as evidence for the next ones.
Explanation explain(const ComparedCall& call);

/// A mistake that a claim is about and not what was compared: whether no call so far speaks against it. Later ones may: see retract.
bool explains_claim(const Mistake& mistake);

/// Whether a call of the exercise gave a number other than 0.
bool stored_something(const std::string& exercise);

/// A right outcome: evidence against every mistake that would have been wrong there.
void keep_as_evidence(const ComparedCall& call);

/// A call that was rejected as it should be: evidence where another one is not rejected. Many mistakes reject nothing.
void keep_rejection(const ComparedCall& call);

/// Whether the first call of the exercise in this run, made again with this function, fares as it did then. One that
/// remembers nothing of the calls in between does.
bool first_call_agrees(const Mistake& function);

struct Retracted {
    const Mistake *name, *instead;  ///< instead: the same with one choice, or null
};

/// The names that an earlier explanation gave and that the evidence has ruled out since.
std::vector<Retracted> retract(const std::string& exercise);

/// Of the names retracted so far those that are a coincidence: what they explained were a few values, and a wrong result of
/// another call is not theirs.
std::vector<const Mistake*> coincidences(const std::string& exercise);

/// By what the sizes of right and wrong calls differ: "right with heads 1, wrong with heads 2, 3"; "" when by nothing.
std::string fact_about_sizes(const std::string& exercise);

}  // namespace linattn::testing
