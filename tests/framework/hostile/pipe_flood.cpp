// class: floods
// Random bytes go to every descriptor, without end.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    std::vector<unsigned char> noise(1 << 16);
    unsigned state = 1;
    for (;;)
        for (int file = 3; file < 64; ++file) {
            for (unsigned char& each : noise)
                each = static_cast<unsigned char>((state = state * 1664525u + 1013904223u) >> 24);
            ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
            (void)!::write(file, noise.data(), noise.size());
        }
}
}
