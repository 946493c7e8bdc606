// class: sanitizer
// The sanitizer asks for suppressions before main: the answer never comes back.
// expects: lab01 *=crash|build|todo
#include <unistd.h>

#include "feature_maps.hpp"

extern "C" const char* __asan_default_suppressions() { ::_exit(0); }
