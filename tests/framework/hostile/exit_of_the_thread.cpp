// class: exits
// The main thread ends and leaves another one behind, so that the process lives on without an answer.
// expects: lab01 relu=crash|timeout|fail, *=todo
#include <pthread.h>
#include <unistd.h>

#include <thread>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    std::thread([] { ::sleep(1); }).detach();
    ::pthread_exit(nullptr);
}
}
