// What the functions of lab 09 return, as the suites and the mistakes see it: in parts.
#pragma once

#include "forgetting.hpp"
#include "suite.hpp"

namespace linattn {

inline testing::Parts parts_of(const GatedGradients& d) {
    return {{"Q", d.Q}, {"K", d.K}, {"V", d.V}, {"log_decay", d.log_decay}};
}
inline testing::Parts parts_of(const GatedDeltaGradients& d) {
    return {{"Q", d.Q}, {"K", d.K}, {"V", d.V}, {"beta", d.beta}, {"log_decay", d.log_decay}};
}
inline testing::Parts parts_of(const GatedDeltaResult& result) { return {{"output", result.output}, {"S", result.S}}; }

}  // namespace linattn
