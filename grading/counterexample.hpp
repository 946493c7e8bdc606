// The smallest input found for which a function is wrong: shown where no mistake explains its result.
#pragma once

#include <string>
#include <vector>

namespace linattn::testing {

struct ComparedCall;  // diagnosis.hpp
struct Input;         // exercise.hpp

/// Lines with smaller arrays in place of the call's, for which its function is still wrong, and both results. Lengths are
/// reduced first, each in all arrays that have it, then leading axes are left out, then entries become small integers. Empty
/// where nothing smaller was found, or where it does not fit ten lines.
///
/// The search runs in a forked process, for at most 0.2 s of processor time and 400 trials: what the function does there
/// changes nothing here, and when it crashes or does not end, what was found so far counts.
std::string smallest_counterexample(const ComparedCall& call, const std::vector<Input>& inputs);

/// Calls the function with the arguments that such a search finds, where it finds any: a debugger stops there.
void call_counterexample(const ComparedCall& call, const std::vector<Input>& inputs);
/// Whether the first wrong call is made again like this when no channel is open.
inline bool calls_counterexample = false;

}  // namespace linattn::testing
