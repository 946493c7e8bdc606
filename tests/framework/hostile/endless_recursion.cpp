// class: memory
// The stack grows until it ends.
// expects: lab01 relu=crash, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    volatile char frame[4096];
    frame[0] = 1;
    const Tensor y = relu(x);
    frame[1] = frame[0];
    return y;
}
}
