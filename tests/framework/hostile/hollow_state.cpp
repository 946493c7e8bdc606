// class: hollow results
// Results in parts of which one is empty, has another rank, or has lost its numbers.
// expects: lab03 causal_linear_attention_step=fail|crash, causal_linear_attention_resume=fail|crash, *=todo
#include "normalized_attention.hpp"

namespace linattn {
OutputAndState causal_linear_attention_step(const Tensor&, const Tensor&, const Tensor& v, const CausalState& state,
                                            const FeatureMap&, double) {
    OutputAndState result{v, state};
    result.state.S.storage().resize(0);
    result.state.z = Tensor{};
    return result;
}
OutputAndState causal_linear_attention_resume(const Tensor&, const Tensor&, const Tensor& V, const CausalState&,
                                              const FeatureMap&, double) {
    return {V, {}};
}
}
