// class: before main
// The program's entry calls __libc_start_main, which is defined here: the runner's main never runs.
// expects: lab01 *=crash|build
#include <unistd.h>

#include "feature_maps.hpp"

extern "C" int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*) {
    ::_exit(0);
}
