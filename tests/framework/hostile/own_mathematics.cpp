// class: libc functions of the submission
// isnan, fabs and friends say that no number is wrong; a comparison that ran here would find no difference.
// expects: lab01 relu=fail, *=todo
#include "feature_maps.hpp"

extern "C" {
double fabs(double) noexcept { return 0; }
double fmax(double, double) noexcept { return 0; }
int __isnan(double) noexcept { return 0; }
double nextafter(double x, double) noexcept { return x; }
}

namespace linattn {
Tensor relu(const Tensor& x) { return x * -1.0; }
}
