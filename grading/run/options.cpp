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
        std::string events, cases;
        std::string* value = flag == "--manifest"   ? &options.manifest
                             : flag == "--exercise" ? &options.exercise
                             : flag == "--results"  ? &options.results
                             : flag == "--mistake"  ? &options.mistake
                             : flag == "--events"   ? &events
                             : flag == "--cases"    ? &cases
                             : flag == "--edits"    ? &options.edits
                                                    : nullptr;
        if (value == nullptr) refuse_options("unknown option " + flag);
        if (++i == argc) refuse_options(flag + " needs a value");
        *value = argv[i];
        if (value == &events) options.events = std::atoi(argv[i]);
        if (value == &cases && std::sscanf(argv[i], "%d-%d", &options.first_case, &options.last_case) != 2)
            refuse_options("--cases needs FIRST-LAST");
    }
    if (!options.list && options.exercise.empty()) refuse_options("--exercise is needed");
    return options;
}

}  // namespace linattn::testing
