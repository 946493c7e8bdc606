// class: exits
// The call leaves with success, by the system call itself.
// expects: lab01 relu=crash, identity=crash, elu_plus_one=crash, *=todo
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    ::syscall(SYS_exit_group, 0);
    for (;;) ::pause();
}
Tensor identity(const Tensor&) { std::quick_exit(0); }
Tensor elu_plus_one(const Tensor&) { std::_Exit(0); }
}
