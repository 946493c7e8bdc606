#include "options.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace linattn::testing {

void refuse_options(const std::string& problem) {
    std::fprintf(stderr,
                 "%s\nusage: --manifest FILE --exercise NAME --results FOLDER [--mistake NAME] [--gpu] | "
                 "--alone --exercise NAME [--mistake NAME] | --list | "
                 "--names-missing --exercise NAME\n",
                 problem.c_str());
    ::_exit(2);
}

Options parse_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string flag = argv[i];
        bool* on = flag == "--list"             ? &options.list
                   : flag == "--names-missing"  ? &options.names_missing
                   : flag == "--gpu"            ? &options.on_gpu
                   : flag == "--alone"          ? &options.alone
                   : flag == "--trace"          ? &options.trace
                   : flag == "--counterexample" ? &options.counterexample
                                                : nullptr;
        if (on != nullptr) {
            *on = true;
            continue;
        }
        std::string events, only_case;
        std::string* value = flag == "--manifest"   ? &options.manifest
                             : flag == "--exercise" ? &options.exercise
                             : flag == "--results"  ? &options.results
                             : flag == "--mistake"  ? &options.mistake
                             : flag == "--events"   ? &events
                             : flag == "--case"     ? &only_case
                             : flag == "--edits"    ? &options.edits
                                                    : nullptr;
        if (value == nullptr) refuse_options("unknown option " + flag);
        if (++i == argc) refuse_options(flag + " needs a value");
        *value = argv[i];
        if (value == &events) options.events = std::atoi(argv[i]);
        if (value == &only_case) options.only_case = std::atoi(argv[i]);
    }
    if (!options.list && options.exercise.empty()) refuse_options("--exercise is needed");
    return options;
}

}  // namespace linattn::testing
