// From a call stack (call_stack.hpp) to a line of the student's file.
#pragma once

#include <string>
#include <vector>

namespace linattn::testing {

/// "student/lab02_parallel_vs_recurrent.cpp:41": the innermost call of that program that lies in one of the sources; empty
/// if none does or if addr2line (binutils) is not installed.
std::string source_line(const std::string& call_stack, const std::string& program,
                        const std::vector<std::string>& sources);

}  // namespace linattn::testing
