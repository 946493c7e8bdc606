// doctest, told to send events instead of printing.
#pragma once

#include <cstddef>
#include <string>

namespace linattn::testing {

/// Ends a test case whose verdict has been sent already.
struct CaseOver {};

struct RunCount {
    std::size_t run = 0, failed = 0;
};

/// Runs the cases of one exercise: the TEST_SUITE of that name.
RunCount run_suite(const std::string& exercise);

/// From now on a suite ends with its first failed case, and this is called before each.
void stop_at_first_failure(void (*before_each_case)());

/// Then only these cases run, counted from 1; first 0: all of them.
void choose_cases(int first, int last);

/// Prints "suite<TAB>name" for every case linked in.
void list_suites();

/// From now on TRACED cases (trace.hpp) are all that runs, for some seconds of processor time.
void begin_trace();
bool tracing();
/// Prints with which arguments the function is called next.
void trace_call(const std::string& arguments);
/// Prints how the run ended. Without this line it did not come to its end.
void end_trace();

}  // namespace linattn::testing
