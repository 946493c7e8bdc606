// What a suite says about the growth of an exercise's cost.
#pragma once

#include <cstddef>
#include <functional>

#include "call.hpp"

namespace linattn::testing {

/// The processor time of the latest call, seen from outside the process that made it. Only the judge has it: there, steps
/// are what the process with the student's code says.
inline double (*seconds_of_latest_call)() = nullptr;

/// Told of the processor time of a call for which a suite asks for O(n), where set: the judge compares it with the answer
/// key's.
inline void (*on_seconds)(double seconds) = nullptr;

/// Four times the tokens cost about four times the steps, and for the judge, many more of them about four times the time.
/// `run` makes the call with so many of them.
/// \param of_what what there are more of: "tokens", "heads"
/// \param few how many in the first call
/// \param mistake name of the mistake that a violation means, if there is one
void costs_no_more_than_in_proportion(const std::function<Trial(std::size_t count)>& run,
                                      const char* of_what = "tokens", std::size_t few = 32,
                                      const char* mistake = nullptr);

}  // namespace linattn::testing
