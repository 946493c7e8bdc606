// The words of a verdict.
#pragma once

#include <string>
#include <vector>

#include "manifest_entry.hpp"
#include "supervised_run.hpp"
#include "verdict.hpp"

namespace linattn::testing {

/// As in result files.
const char* name_of(Status status);

std::string title(const ManifestEntry& exercise, Status status);
std::string where_to_read(const ManifestEntry& exercise, const std::string& begin_with);
/// What ended the run before its time, and in which call.
std::string how_it_ended(const ManifestEntry& exercise, SupervisedRun& run);

/// What was printed in each case: its last lines, indented.
std::vector<std::string> output_of_cases(const std::vector<Case>& cases, const std::string& printed);
/// A case that passed. \param output as output_of_cases gives it
std::string in_words(const Case& passed, const std::string& output);
/// \param whole whether the run came to its end \param program what ran, to find lines of the `sources` in it
std::string list_of_failures(const std::vector<Case>& cases, const std::vector<std::string>& output, bool whole,
                             const std::string& program, const std::vector<std::string>& sources);

/// The names that the verdict shows, each once.
std::vector<std::string> mistakes_in(const std::vector<Case>& cases);

}  // namespace linattn::testing
