// class: floods
// The same on the other stream, and then an answer that is wrong.
// expects: lab01 relu=fail|crash|timeout, *=todo
#include <cstdio>
#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    const std::string line(1 << 16, '\n');
    for (int i = 0; i < 200; ++i) std::fputs(line.c_str(), stderr);
    return x;
}
}
