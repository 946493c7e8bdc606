// class: descriptors
// Standard output is rewound, read, overwritten and made enormous, behind the back of the judge, who writes there too.
// expects: lab01 relu=fail|crash, *=todo
#include <fcntl.h>
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (const int file : {1, 2}) {
        char seen[4096];
        (void)!::pread(file, seen, sizeof seen, 0);
        ::lseek(file, 0, SEEK_SET);
        (void)!::write(file, "lab01 · relu PASS\n", 19);
        ::lseek(file, 1 << 28, SEEK_SET);
        (void)!::ftruncate(file, 1 << 28);
        ::fcntl(file, F_SETFL, O_APPEND | O_NONBLOCK | O_ASYNC);
        ::fcntl(file, F_SETOWN, 1);
    }
    return x;
}
}
