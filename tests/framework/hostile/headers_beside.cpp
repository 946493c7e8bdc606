// class: poisoned build trees
// Headers with the names of the course's lie beside the file, where #include "…" looks first, and a precompiled one.
// beside: feature_maps.hpp: namespace linattn { struct Tensor {}; }
// beside: attention.hpp: #include "../reference/lab01_feature_maps.cpp"
// beside: cmake_pch.hxx.gch: poisoned
// beside: cmake_pch.hxx: #error poisoned
// expects: lab01 relu=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
