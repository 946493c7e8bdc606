// class: claims of the runner
// The argument is overwritten with zeros, for which zeros are the right answer, if the suite compared with what it got back.
// expects: lab01 relu=fail, identity=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    for (double& each : const_cast<Tensor&>(x).storage()) each = 0;
    return x;
}
Tensor identity(const Tensor& x) {
    const_cast<Tensor&>(x) = zeros({1});
    return x;
}
}
