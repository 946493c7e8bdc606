#include "delta_arrays.hpp"

#include <algorithm>
#include <cmath>

namespace linattn::testing {

DeltaArrays::DeltaArrays(const DeltaInputs& in)
    : sizes{1, static_cast<int>(length(in.V, -2)), static_cast<int>(length(in.K, -1)),
            static_cast<int>(length(in.V, -1))},
      Q(rounded(in.Q)),
      K(rounded(in.K)),
      V(rounded(in.V)),
      beta(rounded(in.beta)),
      log_decay(rounded(in.log_decay)) {
    const Shape shape = shape_of(in.V);
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) sizes.heads *= static_cast<int>(shape[axis]);
}

DeltaInputs DeltaArrays::in_double(const DeltaInputs& in) const {
    DeltaInputs same = in;
    same.Q = tensor_of(Q, shape_of(in.Q));
    same.K = tensor_of(K, shape_of(in.K));
    same.V = tensor_of(V, shape_of(in.V));
    same.beta = tensor_of(beta, shape_of(in.beta));
    same.log_decay = tensor_of(log_decay, shape_of(in.log_decay));
    return same;
}

std::vector<Expected> expected_in_float(const DeltaInputs& in) {
    const DeltaArrays arrays(in);
    const DeltaInputs same = arrays.in_double(in);
    const Expected right = expected_delta({same.Q, same.K, same.V, same.beta, &same.log_decay}).front();
    const std::size_t n = length(in.V, -2), m = n + length(in.K, -1) + 8;
    const double independent = std::min(1.0, 7.0 / std::sqrt(static_cast<double>(m)));
    const Shape shape{static_cast<std::size_t>(arrays.sizes.heads), n, length(in.V, -1)};
    return {{reshape(right.value, shape), reshape(right.tolerance, shape) * (independent * 0x1p29) + 1e-37,
             "4 min(m, 7 sqrt(m)) 2^-24 times the sum of the sizes of all writes, as far as they reach, m = n + d_k + "
             "8 = " +
                 std::to_string(m)}};
}

}  // namespace linattn::testing
