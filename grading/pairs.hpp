// Two mutations at once: what a wrong answer may do that no single mistake does. Tried only when somebody asks, since there are thousands.
#pragma once

#include <string>

namespace linattn::testing {

/// Runs the suite, then prints each pair of mutations that gives what the answer gave in all of its calls with few numbers: a line with
/// both names and both explanations, separated by tabs. Returns the exit status.
int print_pairs(const std::string& exercise);

}  // namespace linattn::testing
