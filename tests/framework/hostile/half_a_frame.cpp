// class: forged frames
// The pipe is filled with half a frame and then closed: the reader must not wait for the rest.
// expects: lab01 relu=crash|fail, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const unsigned char begun[6] = {0, 1, 0, 0, 0, 0};
    for (int file = 3; file < 256; ++file) {
        (void)!::write(file, begun, sizeof begun);
        ::close(file);
    }
    return maximum(x, 0);
}
}
