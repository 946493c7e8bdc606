// class: daemons
// The same before main, and the process itself goes on as if nothing had happened, with a wrong answer.
// expects: lab01 relu=crash|fail|timeout, *=todo|crash|timeout
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

[[gnu::constructor]] static void leave_one_behind() {
    if (::fork() != 0) return;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    for (int file = 0; file < 64; ++file) ::close(file);
    for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
    for (;;) ::sleep(1000);
}

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
