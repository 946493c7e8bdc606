// class: wrong shapes
// The right numbers in other shapes: flat, with an axis of length one more, and transposed.
// expects: lab01 relu=fail, identity=fail, elu_plus_one=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return reshape(maximum(x, 0), {x.size()}); }
Tensor identity(const Tensor& x) { return expand_dims(x, 0); }
Tensor elu_plus_one(const Tensor& x) { return expand_dims(where(x > 0, x + 1, exp(minimum(x, 0))), -1); }
}
