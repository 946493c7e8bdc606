// class: daemons
// A grandchild in a session of its own ignores all signals and stays, with the pipe in its hands.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    if (::fork() == 0) {
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
        for (;;) ::sleep(1000);
    }
    ::_exit(0);
}
}
