// class: sanitizer
// When the sanitizer reports an error, a callback of the submission ends the process with success.
// expects: lab01 relu=crash, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

extern "C" void __asan_set_error_report_callback(void (*callback)(const char*));
static void leave(const char*) { ::_exit(0); }

namespace linattn {
Tensor relu(const Tensor& x) {
    __asan_set_error_report_callback(leave);
    volatile double* const past = new double[x.size()];
    past[x.size() + 2] = 1;
    ::_exit(0);
}
}
