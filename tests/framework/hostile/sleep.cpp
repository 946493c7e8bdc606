// class: time
// The call sleeps, which costs no processor time, and ignores every signal that could wake it.
// expects: lab01 relu=timeout, *=todo
#include <unistd.h>

#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
    for (;;) ::sleep(1000);
}
}
