// class: hollow results
// Strides that make every entry the first, or that lead far away from the numbers.
// expects: lab01 relu=fail|crash, identity=fail|crash, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) {
    Tensor y = maximum(x, 0) * 2;
    for (auto& each : const_cast<Tensor::strides_type&>(y.strides())) each = 0;
    return y;
}
Tensor identity(const Tensor& x) {
    Tensor y = x * 2;
    for (auto& each : const_cast<Tensor::strides_type&>(y.strides())) each = 1 << 28;
    return y;
}
}
