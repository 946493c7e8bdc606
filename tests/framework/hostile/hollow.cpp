// class: hollow results
// A result of the right shape whose storage was emptied, another that was never filled, a third with a forged shape.
// expects: lab01 relu=fail|crash, identity=fail|crash, elu_plus_one=fail|crash, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    Tensor y = maximum(x, 0);
    y.storage().resize(0);
    return y;
}
Tensor identity(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = 0;
    return y;
}
Tensor elu_plus_one(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = std::size_t{1} << 40;
    return y;
}
}
