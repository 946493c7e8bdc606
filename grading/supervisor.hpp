// One exercise, one verdict. The program forks before any of the student's code has run, static constructors included;
// the parent never runs any of it, listens to the child's events (channel.hpp), and alone decides, prints and writes.
//
//     lab02_check --manifest lab.json --exercise NAME --results FOLDER [--mistake NAME]
//     lab02_check --list
#pragma once

namespace linattn::testing {

/// The child's work: runs the exercise's suite. Called from main, after the student's static constructors.
int run_exercise(int argc, char** argv);

/// Called by the address sanitizer with its report, in the child.
void report_sanitizer_error(const char* report);

}  // namespace linattn::testing
