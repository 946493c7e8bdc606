// Answers that are right up to a border: entries 8, 16, 32, 64 or 128 of an axis of an argument or of the result, or the
// last block of that length, are taken for 0. With LINATTN_BORDERS=FILE every expectation is tried on them, and the file
// tells which were refused; tests/framework/border_matrix.py asks that all are.
#pragma once

#include <functional>
#include <string>

namespace linattn::testing {

struct Outcome;

/// \param outcome of a call that passed   \param again makes it again   \param refused whether the expectation fails
void try_borders(const std::string& exercise, const Outcome& outcome, const std::function<Outcome()>& again,
                 const std::function<bool(const Outcome&)>& refused);

}  // namespace linattn::testing
