// class: exits
// The call ends its own process by signals that cannot be caught, or that are handled here.
// expects: lab01 relu=crash, identity=crash, elu_plus_one=crash, *=todo
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    std::raise(SIGKILL);
    ::_exit(0);
}
Tensor identity(const Tensor&) {
    std::signal(SIGSEGV, [](int) { ::_exit(0); });
    *static_cast<volatile int*>(nullptr) = 7;
    ::_exit(0);
}
Tensor elu_plus_one(const Tensor&) {
    std::signal(SIGABRT, [](int) { ::_exit(0); });
    std::abort();
}
}
