// class: pragmas
// main becomes a weak symbol, and the exercise's name stands for it: whichever the linker meets first.
// expects: lab01 *=build|todo|crash
#include <unistd.h>

#include "feature_maps.hpp"

extern "C" void leave() { ::_exit(0); }
#pragma weak main = leave
