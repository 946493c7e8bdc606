// class: macros
// Words of the language and of the course are redefined ahead of the header.
// expects: lab01 relu=fail|build, *=todo|build
#define private public
#define NotImplemented(name) std::runtime_error(name)
#define noexcept
#undef XTENSOR_ENABLE_ASSERT
#undef _GLIBCXX_ASSERTIONS
#include "feature_maps.hpp"
#undef NotImplemented

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
