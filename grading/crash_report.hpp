// What ended a program, from what the address sanitizer and the C++ runtime wrote about it.
#pragma once

#include <string>

namespace linattn::testing {

/// The call stack in a report of the address sanitizer: offsets into the program.
std::string stack_of_report(const std::string& report, const std::string& program);

/// What such a report is about, in a few words.
std::string summary_of_report(const std::string& report);

/// What the C++ runtime printed as it called abort, in our words: which exception nothing could catch, which index a
/// container refused. Takes it out of what was printed; empty when there is none.
std::string take_last_words(std::string& printed);

}  // namespace linattn::testing
