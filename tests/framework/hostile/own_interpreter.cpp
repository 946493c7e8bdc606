// class: sections
// The program names another interpreter: the kernel would start that file in place of the dynamic linker.
// expects: lab01 *=todo|crash|build
#include "feature_maps.hpp"

[[gnu::section(".interp"), gnu::used]] static const char interpreter[] = "/proc/self/exe";
