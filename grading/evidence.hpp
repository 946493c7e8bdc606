// Which mistakes a run's earlier calls rule out: a mistake that is refused where the student's function passed is not
// what the student wrote, however alike the two are in one call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mistake.hpp"

namespace linattn::testing {

/// Whether a mistake fares as the student's function did in one call.
using Agrees = std::function<bool(const Mistake&)>;

void add_evidence(const std::string& exercise, Agrees agrees);

/// Whether the first call of the exercise in this run, made again with this function, fares as it did then. One that
/// remembers nothing of the calls in between does.
bool first_call_agrees(const Mistake& function);

/// Of mistakes that all do what a call did, those that agree with the earlier calls too; if one of them was named
/// before, then it alone. Empty when all are ruled out.
std::vector<const Mistake*> not_ruled_out(const std::vector<const Mistake*>& alike);

}  // namespace linattn::testing
