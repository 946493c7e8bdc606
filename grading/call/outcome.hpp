// What came of a call: its result or what it threw, and what it cost.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "cost.hpp"
#include "gpu/error.hpp"
#include "mistake.hpp"

namespace linattn::testing {

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

/// Runs `function` and turns an exception into an Outcome.
Outcome outcome_of(const std::function<Parts()>& function);

/// Whether two outcomes are the same to the last bit.
bool same(const Outcome& a, const Outcome& b);

/// Counts what the program does from construction to destruction: around the call itself and nothing else.
class Meter {
public:
    Meter();
    ~Meter();
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
};
/// What the last meter counted.
const Cost& metered();

/// Makes the call again, and gives the call stack of the allocation with this number; empty if it did not happen.
std::string stack_of_allocation(std::uint32_t number, const Run& run, const Subject& subject);

/// The first error of CUDA, after which it refuses every call; empty if there was none.
const std::string& device_error();

}  // namespace linattn::testing
