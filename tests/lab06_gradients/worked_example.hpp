// The numbers of the chapter's worked example: n = 3, c = 2, d_v = 3, ε = 0.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

inline const Tensor phi_Q{{1, 1}, {2, 1}, {1, 0}};
inline const Tensor phi_K{{1, 1}, {1, 3}, {2, 0}};
inline const Tensor V{{1, 0, 2}, {0, 1, 1}, {3, 0, 1}};
inline const Tensor dO{{2, 0, 0}, {0, 8, 0}, {4, 0, 4}};

inline const Tensor d_phi_Q{{0, 0}, {-0.25, 0.5}, {0, -6}};
inline const Tensor d_phi_K{{-1.25, -0.625}, {-1.25, 0.375}, {1, 0}};
inline const Tensor d_V{{3, 3, 1}, {1, 5, 1}, {2, 0, 2}};

}  // namespace linattn::testing::worked_example
