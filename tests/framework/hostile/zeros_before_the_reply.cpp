// class: forged frames
// Each descriptor gets a run of zeros before the reply: frames without content, or the beginning of a long one.
// expects: lab01 relu=fail|crash, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const char zeros[24] = {};
    for (int file = 3; file < 256; ++file) (void)!::write(file, zeros, sizeof zeros);
    return maximum(x, 0);
}
}
