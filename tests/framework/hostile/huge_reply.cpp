// class: huge replies
// Half a gigabyte of numbers comes back for every call.
// expects: lab01 relu=fail|crash|timeout, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) { return zeros({std::size_t{1} << 26}); }
}
