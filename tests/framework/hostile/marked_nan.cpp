// class: NaN
// NaNs with the bits that the course uses to mark memory without a value.
// expects: lab01 relu=fail, *=todo
#include <bit>
#include <cstdint>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return full(shape_of(x), std::bit_cast<double>(std::uint64_t{0x7FF8'5EED'0000'0001})); }
}
