// class: huge replies
// An exception with a hundred million letters, none of which ends a line.
// expects: lab01 relu=fail|crash, softmax_features=fail|crash, *=todo
#include <stdexcept>
#include <string>

#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) { throw std::runtime_error(std::string(100'000'000, 'x')); }
Tensor softmax_features(const Tensor&) { throw std::invalid_argument(std::string(100'000'000, '\\')); }
}
