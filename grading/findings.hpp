// What the cases have shown so far, in the process with the student's code. What a later case says against an earlier one is
// put right here, and the earlier one is sent again.
#pragma once

#include <functional>
#include <string>

#include "case_record.hpp"

namespace linattn::testing {

void begin_case(const std::string& name);
/// The case that runs, to be filled in.
Case& current_case();
/// Sends it, and those before it of which something else is known now.
void end_case();

/// A call speaks against this mistake: no failure looks like it any more, but perhaps like another one `instead`.
void withdraw(const std::string& mistake, const std::string& instead = "");
/// It did the same only by chance: it is not told any more.
void forget(const std::string& mistake);
/// What all calls together show of a wrong answer without a name: by what sizes right and wrong ones differ.
void tell_sizes(const std::string& fact);

/// The call of this case that counts has ended: what the program prints from now on comes of calls made to learn more.
void end_output();

/// Figures worth seeing even when all is well: they stand behind the case's name in the message of a PASS.
void note(const std::string& figures);

}  // namespace linattn::testing
