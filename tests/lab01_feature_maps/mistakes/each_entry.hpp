// What the mistakes of the element-wise maps are written with.
#pragma once

#include <cmath>

#include "feature_maps.hpp"
#include "suite.hpp"

namespace linattn::testing {

template <class Function>
Tensor each_entry(const Tensor& x, Function f) {
    Tensor y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = f(y.data()[i]);
    return y;
}

}  // namespace linattn::testing
