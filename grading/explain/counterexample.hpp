// The smallest input found for which a function is wrong: shown where no mistake explains its result.
#pragma once

#include <string>

namespace linattn::testing {

struct ComparedCall;  // recorded_calls.hpp

/// Lines with smaller arrays in place of the call's, for which its function is still wrong, and both results. Lengths are
/// reduced first, each in all arrays that have it, then leading axes are left out, then entries become small integers. Empty
/// where nothing smaller was found, or where it does not fit ten lines.
///
/// The search runs in a forked process, for at most 0.2 s of processor time and 400 trials: what the function does there
/// changes nothing here, and when it crashes or does not end, what was found so far counts.
std::string smallest_counterexample(const ComparedCall& call);

/// After the first call with wrong values, its function is called with the arguments that such a search finds, where it finds
/// any: a debugger stops there.
void call_counterexample();

}  // namespace linattn::testing
