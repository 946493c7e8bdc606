// class: #line
// The compiler is told that this is the answer key, so that messages and the source of NotImplemented name it.
// expects: lab01 relu=todo, identity=fail, *=todo
#line 1 "reference/lab01_feature_maps.cpp"
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor&) { throw NotImplemented("relu", "/grading/exercise.cpp"); }
Tensor identity(const Tensor& x) { return x * 2; }
}
