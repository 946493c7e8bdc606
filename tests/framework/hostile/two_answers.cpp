// class: forged frames
// The process doubles in the call and both copies answer: the second answer is to stand for the next call.
// expects: lab01 relu=fail|crash|timeout, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    ::fork();
    return x;
}
}
