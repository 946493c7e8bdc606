// class: memory
// Memory is taken and written until there is none.
// expects: lab01 relu=crash|fail|timeout, *=todo
#include <vector>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    std::vector<std::vector<char>> all;
    for (;;) all.emplace_back(std::size_t{64} << 20, '\1');
    return x;
}
}
