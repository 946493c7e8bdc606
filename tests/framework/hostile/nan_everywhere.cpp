// class: NaN
// All numbers are NaN, to which no comparison finds a difference.
// expects: lab01 relu=fail, identity=fail, elu_plus_one=fail, *=todo
#include <limits>

#include "feature_maps.hpp"

namespace linattn {
static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
Tensor relu(const Tensor& x) { return full(shape_of(x), nothing); }
Tensor identity(const Tensor& x) { return x * nothing; }
Tensor elu_plus_one(const Tensor& x) { return full(shape_of(x), std::numeric_limits<double>::infinity()); }
}
