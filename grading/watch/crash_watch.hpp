// What ends the program that holds the student's code, told by that program as it ends.
#pragma once

#include <string_view>

namespace linattn::testing {

/// Told what it is (crash_report.hpp; empty: the signal says it) and which calls are open (call_stack.hpp).
using OnCrash = void (*)(std::string_view what, std::string_view stack);

/// Watches what the address sanitizer finds, and the signals of a crash.
/// \param by_hand somebody looks on: the address sanitizer prints its report, and handles the signals itself
void watch_for_crashes(OnCrash on_crash, bool by_hand);

}  // namespace linattn::testing
