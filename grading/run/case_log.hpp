// The cases of the suite as they go by, in the process with the student's code, and their sending to the one that judges.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "case_record.hpp"

namespace linattn::testing {

void begin_case(const std::string& name);
/// The case that runs, to be filled in.
Case& current_case();
std::size_t number_of_current_case();
/// Sends it as it is.
void end_case();

std::vector<Case>& all_cases();
/// The suite has ended: what the program prints from now on comes of calls made to explain what was wrong.
void end_output();
/// Sends those that failed once more, with what explains them.
void send_explained();

/// Figures worth seeing even when all is well: they stand behind the case's name in the message of a PASS.
void note(const std::string& figures);

}  // namespace linattn::testing
