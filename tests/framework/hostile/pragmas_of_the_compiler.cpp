// class: pragmas
// Pragmas that change how the rest is compiled: no instrumentation, no sanitizer, other headers, a plugin.
// expects: lab01 relu=fail|crash, *=todo
#pragma GCC optimize("O3", "no-sanitize=address", "plugin=./answers.so", \
                     "include=../../reference/lab01_feature_maps.cpp")
#pragma GCC system_header
#pragma redefine_extname main runner_main
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
