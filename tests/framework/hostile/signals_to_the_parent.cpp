// class: signals
// Signals that a supervisor may use itself go to the parent and to the group, again and again, during the call.
// expects: lab01 relu=crash|fail, *=todo
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (const int number : {SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGSTOP}) {
        std::signal(number, SIG_IGN);
        ::kill(::getppid(), number);
        ::kill(1, number);
        if (number != SIGSTOP) ::kill(0, number);
    }
    return x;
}
}
