// Where in the student's program something happened, as addresses that the supervisor can turn into a line.
#pragma once

#include <string>

namespace linattn::testing {

/// The calls that lead here, innermost first, as offsets into the program: "0x12f3 0x1a20 …". Frames of shared
/// libraries are left out; the student's code is never in one.
std::string call_stack();

/// The call_stack() of the last C++ exception thrown while a student's function ran.
const std::string& last_throw_site();
void forget_throw_site();

}  // namespace linattn::testing
