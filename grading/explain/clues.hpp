// What can be said of a wrong answer besides a name: where it is wrong, what it has to do with other arrays, and what its numbers
// lead one to suspect.
#pragma once

#include "case_record.hpp"
#include "recorded_calls.hpp"

namespace linattn::testing {

/// Adds the lines of this call to its failure. \param named whether a mistake explains the call
/// \param zeros_only whether no call of the exercise gave another number
void add_clues(Failure& failure, const ComparedCall& call, bool named, bool zeros_only);

}  // namespace linattn::testing
