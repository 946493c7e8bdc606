// class: exits
// std::terminate is told to return to a running program by an endless wait, and an exception leaves a noexcept function.
// expects: lab01 relu=crash, *=todo
#include <unistd.h>

#include <exception>

#include "feature_maps.hpp"

static void refuse() noexcept { throw 7; }

namespace linattn {
Tensor relu(const Tensor&) {
    std::set_terminate([] { ::_exit(0); });
    refuse();
    return {};
}
}
