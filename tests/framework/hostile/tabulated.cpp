// class: tabulated answers
// A table of a few thousand points stands for the exponential, with straight lines between them.
// expects: lab01 elu_plus_one=fail, *=todo
#include "feature_maps.hpp"

namespace linattn {
Tensor elu_plus_one(const Tensor& x) {
    Tensor y = x + 1;
    for (double& each : y.storage()) {
        if (each > 1 || std::isnan(each)) continue;
        const double low = std::floor(each * 256) / 256, part = (each - low) * 256;
        each = std::exp(low - 1) * (1 - part) + std::exp(low + 1.0 / 256 - 1) * part;
    }
    return y;
}
}
