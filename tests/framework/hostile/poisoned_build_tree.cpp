// class: poisoned build trees
// The submission brings a build folder, build scripts, settings for tools, and results of an earlier grading.
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
// expects: lab01 relu=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
