// AttentionGradients as the suite and the mistakes see them: in parts.
#pragma once

#include "gradients.hpp"
#include "suite.hpp"

namespace linattn {

inline testing::Parts parts_of(const AttentionGradients& d) {
    return {{"phi_Q", d.phi_Q}, {"phi_K", d.phi_K}, {"V", d.V}};
}

}  // namespace linattn
