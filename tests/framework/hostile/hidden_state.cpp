// class: state smuggled between calls
// A step that keeps the sums in a variable and returns the state that came in: right only for one sequence.
// expects: lab03 causal_linear_attention_step=fail, *=todo
#include "normalized_attention.hpp"

namespace linattn {
OutputAndState causal_linear_attention_step(const Tensor& q, const Tensor& k, const Tensor& v, const CausalState& state,
                                            const FeatureMap& phi, double epsilon) {
    static CausalState sums;
    require_step_shapes(q, k, v);
    const Tensor phi_q = phi(q), phi_k = phi(k);
    const Tensor S = expand_dims(phi_k, -1) * expand_dims(v, -2);
    if (shape_of(sums.S) != shape_of(S)) sums = state;
    sums.S = sums.S + S;
    sums.z = sums.z + phi_k;
    const Tensor numerator = sum(expand_dims(phi_q, -1) * sums.S, -2);
    return {numerator / (sum(phi_q * sums.z, -1, keep_dims) + epsilon), state};
}
}
