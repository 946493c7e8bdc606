// class: threads left running
// A thread outlives the call and writes to the pipe at any time, between requests and into the middle of replies.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include <thread>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    std::thread([] {
        for (const char nothing[8] = {};; ::usleep(50))
            for (int file = 3; file < 64; ++file) (void)!::write(file, nothing, sizeof nothing);
    }).detach();
    ::usleep(2000);
    return maximum(x, 0);
}
}
