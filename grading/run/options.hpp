// The command line of labNN_check, which hands it on to labNN_exercises.
//
//     lab02_check --manifest lab.json --exercise NAME --results FOLDER [--mistake NAME] [--gpu]
//     lab02_check --alone --exercise NAME [--mistake NAME]
//     lab02_check --list
//
// and labNN_exercises takes --cases FIRST-LAST besides, --counterexample besides --alone, and --trace --exercise
// NAME [--mistake NAME], and --edits FIRST-LAST --exercise NAME (edits.hpp).
#pragma once

#include <string>

namespace linattn::testing {

struct Options {
    bool list = false;            ///< name the suites and mistakes, run nothing
    bool names_missing = false;   ///< of an exercise: print names_missing() of mistake.hpp, run nothing else
    bool on_gpu = false;          ///< the kernels run there, and the messages say so
    bool alone = false;           ///< one process and no verdict: for debuggers, and sanitizers that follow no fork
    bool counterexample = false;  ///< alone, and a wrong call is made again with the smallest input that is found
    bool trace = false;           ///< alone, and print each step (trace.hpp) of an exercise that has any
    std::string manifest, exercise, results, mistake;
    std::string edits;                  ///< the numbers of the edits to try, as in 1-200
    int first_case = 0, last_case = 0;  ///< those that run, counted from 1; 0: all of them
    int events = -1;                    ///< file descriptor to send events to; labNN_check sets it
};

/// Ends the program with status 2 and a sentence when the command line is wrong.
Options parse_options(int argc, char** argv);

/// The same ending for a wrong name.
[[noreturn]] void refuse_options(const std::string& problem);

}  // namespace linattn::testing
