// class: state smuggled between calls
// The first calls are right, and what comes later is not: a suite that trusts its first cases would be content.
// expects: lab01 relu=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    static int calls = 0;
    return ++calls > 2 ? x : maximum(x, 0);
}
}
