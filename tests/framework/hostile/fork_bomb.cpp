// class: processes
// Every process starts more of them, a hundred thousand times.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (int i = 0; i < 100'000; ++i) ::fork();
    return x;
}
}
