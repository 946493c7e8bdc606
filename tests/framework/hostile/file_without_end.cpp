// class: files
// A file grows without end wherever one can be made.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <cstdio>
#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const std::string block(1 << 20, 'x');
    for (const char* name : {"/tmp/linattn_full", "linattn_full", "/dev/shm/linattn_full", "/var/tmp/linattn_full",
                             "/run/linattn_full", "/linattn_full"})
        if (std::FILE* file = std::fopen(name, "w"))
            for (int i = 0; i < 20'000 && std::fwrite(block.data(), block.size(), 1, file) == 1; ++i) {
            }
    return x;
}
}
