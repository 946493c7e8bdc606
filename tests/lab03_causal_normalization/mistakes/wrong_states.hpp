// What the mistakes of step and resume are written with: a state by definition, and a piece of a sequence read from a
// state by the explicit weights of its tokens.
#pragma once

#include "causal_state.hpp"

namespace linattn::testing {

inline CausalState added(const CausalState& a, const CausalState& b) { return {a.S + b.S, a.z + b.z}; }

/// φ(q_i)ᵀS and φ(q_i)·z of every query, and what the tokens j of the piece add to them where allowed(i, j).
struct Reading {
    Tensor numerator, denominator;
    Reading(const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state, const FeatureMap& phi,
            const Allowed& allowed) {
        const Weights weights = weights_by_definition(phi(Q), phi(K), allowed);
        numerator = matmul(phi(Q), state.S) + weighted_sum(weights, V);
        denominator = matmul(phi(Q), expand_dims(state.z, -1)) + sum(weights, -1, keep_dims);
    }
    Tensor divided(double epsilon) const { return numerator / (denominator + epsilon); }
};

/// The sum over all leading axes, given to every leading index: one state for the whole batch.
inline CausalState shared(const CausalState& state) {
    CausalState total = state;
    for (std::size_t axis = 0; axis + 1 < state.z.dimension(); ++axis) {
        total.S = sum(total.S, static_cast<std::ptrdiff_t>(axis), keep_dims);
        total.z = sum(total.z, static_cast<std::ptrdiff_t>(axis), keep_dims);
    }
    return {state.S * 0.0 + total.S, state.z * 0.0 + total.z};
}

}  // namespace linattn::testing
