// class: state smuggled between calls
// An optimiser that remembers its moments by itself and ignores those that it is given.
// expects: lab08 adam_step=fail, *=todo
#include <cmath>

#include "training.hpp"

namespace linattn {
Update adam_step(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    static Tensor m = zeros({1}), v = zeros({1});
    if (shape_of(m) != shape_of(g)) m = v = g * 0.0;
    m = m * 0.9 + g * 0.1;
    v = v * 0.999 + g * g * 0.001;
    return {w - m / (sqrt(v) + 1e-8) * rate, state};
}
}
