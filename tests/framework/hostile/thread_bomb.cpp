// class: processes
// Threads are started until the system refuses, and then slept in.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include <thread>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    try {
        for (;;) std::thread([] { ::pause(); }).detach();
    } catch (const std::exception&) {
    }
    return x;
}
}
