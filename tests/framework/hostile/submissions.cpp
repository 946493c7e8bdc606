/// headers_beside [relu=fail]: Headers named like the course's, and a precompiled one, beside the file.
// beside: feature_maps.hpp: namespace linattn { struct Tensor {}; }
// beside: attention.hpp: #include "../reference/lab01_feature_maps.cpp"
// beside: cmake_pch.hxx.gch: poisoned
// beside: cmake_pch.hxx: #error poisoned
#include "feature_maps.hpp"
namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
/// poisoned_build_tree [relu=fail]: The submission brings a build folder, build scripts, settings for tools, and
// results of an earlier grading.
// beside: ../CMakeLists.txt: message(FATAL_ERROR poisoned)
// beside: ../CMakePresets.json: {"version": 99}
// beside: ../build/reference/lab01_judge: #!/bin/true
// beside: ../build/judge/lab01_judge: #!/bin/true
// beside: ../result.json: {"status": "graded", "earned": 55, "points": 55}
// beside: ../labs/lab01_feature_maps/lab.json: {"lab": "lab01", "exercises": []}
// beside: ../tests/lab01_feature_maps/elementwise_test.cpp: poisoned
// beside: ../course: #!/bin/true
// beside: lab01_feature_maps.cpp.o: poisoned
// beside: .clang-format: DisableFormat: poisoned
Tensor linattn::relu(const Tensor& x) { return x; }
