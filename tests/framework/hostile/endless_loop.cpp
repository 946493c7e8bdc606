// class: time
// The call computes for ever, in two threads.
// expects: lab01 relu=timeout|crash, *=todo
#include <thread>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    const auto turn = [] {
        for (volatile unsigned n = 0;;) n = n + 1;
    };
    std::thread(turn).detach();
    turn();
    return {};
}
}
