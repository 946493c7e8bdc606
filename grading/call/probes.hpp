// Calls that no suite makes: inputs on which mistakes differ that agree on an easy example.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "outcome.hpp"

namespace linattn::testing {

/// What is called when an answer of this exercise has been found wrong.
struct Probes {
    Probes(const char* exercise, std::function<std::vector<Run>()> make);
};
/// None where the exercise has none.
std::vector<Run> probes_of(const std::string& exercise);

}  // namespace linattn::testing
