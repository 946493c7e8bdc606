// AttentionGradients as the suite and the mistakes see them: in parts.
#pragma once

#include "gradients.hpp"
#include "suite.hpp"

namespace linattn {

inline testing::Parts parts_of(const AttentionGradients& d) {
    return {{"dφ(Q)", d.phi_Q}, {"dφ(K)", d.phi_K}, {"dV", d.V}};
}

}  // namespace linattn
