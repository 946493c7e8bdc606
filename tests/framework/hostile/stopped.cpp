// class: exits
// The process stops itself, which is neither an end nor an answer.
// expects: lab01 relu=timeout|crash, *=todo
#include <csignal>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    std::raise(SIGSTOP);
    return x;
}
}
