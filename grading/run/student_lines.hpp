// Lines of the student's file: where a call stack leads, and what the compiler knows beyond what it says in a quick build.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace linattn::testing {

/// "student/lab02_parallel_vs_recurrent.cpp:41, called from line 63": the innermost and the outermost call of a stack
/// (call_stack.hpp) in that program that lie in one of the sources; empty if none does or if addr2line (binutils) is not installed.
std::string source_line(const std::string& call_stack, const std::string& program,
                        const std::vector<std::string>& sources);

/// Local variables that may be read before they are given a value, by the places where these sources declare them:
/// "student/lab02_….cpp:41, where 's' is declared". Compiles the sources again (two seconds), so ask only when there is
/// reason to. Empty when the compiler sees none, or when the build folder holds no compile_commands.json.
std::vector<std::string> unset_locals(const std::vector<std::string>& sources);

/// The names of functions that these sources define, where they use xtensor's function of that name as well: of
/// tril(const Tensor&) and xt::tril, C++ prefers the latter for tril(matmul(Q, K)). Empty without nm (binutils).
std::set<std::string> passed_over(const std::vector<std::string>& sources);

}  // namespace linattn::testing
