// class: floods
// One byte every tenth of a second: a reader with a deadline for each read would never see its time pass.
// expects: lab01 relu=timeout|crash|fail, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    for (;; ::usleep(100'000))
        for (int file = 3; file < 64; ++file) (void)!::write(file, "\x01", 1);
}
}
