// class: sanitizer
// The sanitizer asks the program for its options: here for none of its checks, and for 0 as exit status. An array is then
// read behind its end, where at home the sanitizer stops the program.
// expects: lab01 relu=crash|fail|build, *=todo|build
#include "feature_maps.hpp"

extern "C" const char* __asan_default_options() { return "exitcode=0:halt_on_error=0:detect_stack_use_after_return=0"; }

namespace linattn {
Tensor relu(const Tensor& x) {
    double* const past = new double[x.size()];
    past[x.size() + 2] = 1;
    Tensor y = maximum(x, 0);
    y.flat(0) = past[x.size() + 2];
    return y;
}
}
