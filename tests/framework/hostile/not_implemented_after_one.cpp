// class: exceptions
// The first case is right, and then the exercise says that it, or another one, is not written yet.
// expects: lab01 relu=todo|fail, identity=todo|fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    static int calls = 0;
    if (++calls > 1) throw NotImplemented("relu");
    return maximum(x, 0);
}
Tensor identity(const Tensor& x) {
    static int calls = 0;
    if (++calls > 1) throw NotImplemented("softmax_features");
    return x;
}
}
