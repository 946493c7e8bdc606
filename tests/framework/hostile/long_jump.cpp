// class: exits
// The call jumps to a place that a constructor marked, whose frame is long gone.
// expects: lab01 relu=crash|timeout|fail, *=todo
#include <csetjmp>

#include "feature_maps.hpp"

static std::jmp_buf place;
[[gnu::constructor]] static void mark() { (void)setjmp(place); }

namespace linattn {
Tensor relu(const Tensor&) { std::longjmp(place, 1); }
}
