// class: floods
// The call prints without end. What is kept of it is bounded.
// expects: lab01 relu=timeout|crash|fail, *=todo
#include <cstdio>
#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) {
    const std::string line(1 << 16, 'x');
    for (;;) std::puts(line.c_str());
}
}
