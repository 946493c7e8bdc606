// An AttentionStep as the two parts that the comparison sees.
#pragma once

#include "linear_attention.hpp"
#include "suite.hpp"

namespace linattn {

inline testing::Parts parts_of(const AttentionStep& step) { return {{"output", step.output}, {"S", step.S}}; }

}  // namespace linattn
