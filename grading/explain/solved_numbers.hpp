// Mistakes with a number that the answer itself tells: "0.7 in place of ε", "blocks of 5".
#pragma once

#include <vector>

#include "recorded_calls.hpp"

namespace linattn::testing {

/// For each of the exercise's NumberMistakes that may have made this result: itself, with each way of writing its number.
std::vector<std::vector<Mistake>> with_solved_numbers(const ComparedCall& call);

}  // namespace linattn::testing
