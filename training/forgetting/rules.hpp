// The four memories of lab 09 on a tape, computed by your functions of that lab, forwards and backwards.
#pragma once

#include <string>

#include "forgetting.hpp"
#include "recall.hpp"

namespace linattn {

/// S ← a S + k vᵀ, or with `corrects` the gated delta rule. Without `decays` a is 1.
struct Rule {
    bool decays, corrects;
    bool own_gradient = true;  ///< of the gated delta rule: yours, 9.12; otherwise the one given here
};

/// By the names that ./course train knows: sum, decay, delta, both.
Rule rule_of(const std::string& name, bool own_gradient);

/// What the memory returns to each query, on the tape. Queries and keys \shape{(…, n, d_k)} are used as they come, values
/// are \shape{(…, n, d_v)}; gate and step \shape{(…, n)} are any numbers: a token's decay is sigmoid(gate), what it
/// writes is multiplied by β = sigmoid(step).
Tape::Value remember(Tape& tape, const Rule& rule, Tape::Value q, Tape::Value k, Tape::Value v, Tape::Value gate,
                     Tape::Value step);

/// For the recall task: queries and keys are divided by √width, so that a key has length 1 as the delta rule needs it.
RecallMemory recall_by(const Rule& rule);

/// log(sigmoid(x)), which is -inf for -inf and 0 for +inf.
Tensor log_sigmoid(const Tensor& x);

}  // namespace linattn
