// class: malformed replies
// A result with ten thousand axes, each of length one.
// expects: lab01 relu=fail|crash, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return reshape(maximum(x, 0), join(Shape(10'000, 1), shape_of(x))); }
}
