// class: forged frames
// The parent sleeps for ever while its child goes on in its place; both share the pipe and the memory of the answer.
// expects: lab01 relu=fail|crash|timeout, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    if (::fork() != 0)
        for (;;) ::pause();
    return x;
}
}
