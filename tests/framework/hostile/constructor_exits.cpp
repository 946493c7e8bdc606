// class: before main
// A constructor ends the process with success before the runner's main begins.
// expects: lab01 *=crash
#include <unistd.h>

#include "feature_maps.hpp"

[[gnu::constructor(101)]] static void leave() { ::_exit(0); }
