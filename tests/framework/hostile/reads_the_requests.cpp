// class: descriptors
// The call reads whatever comes on any descriptor, the next requests among it, and answers with what it read.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <fcntl.h>
#include <unistd.h>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    char buffer[4096];
    for (int file = 0; file < 64; ++file) {
        ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) | O_NONBLOCK);
        for (ssize_t got; (got = ::read(file, buffer, sizeof buffer)) > 0;)
            for (int to = 3; to < 64; ++to) (void)!::write(to, buffer, static_cast<std::size_t>(got));
    }
    return x;
}
}
