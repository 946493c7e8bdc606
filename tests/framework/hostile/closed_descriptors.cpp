// class: descriptors
// All descriptors are closed, then the call answers.
// expects: lab01 relu=crash|fail, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (int file = 0; file < 1024; ++file) ::close(file);
    return maximum(x, 0);
}
}
