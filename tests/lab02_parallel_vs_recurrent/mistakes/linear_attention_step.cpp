#include "attention_step.hpp"

namespace linattn::testing {
namespace {

#define STEP_MISTAKE(name, explanation)                                                                                \
    MISTAKE(linear_attention_step,                                                                                     \
            (const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& S, const FeatureMap& phi), name, "§2.6", \
            explanation)

// Entry by entry: a_x M_xy summed over x, and a_x b_y.
Tensor read(const Tensor& a, const Tensor& M) { return sum(expand_dims(a, -1) * M, -2); }
Tensor write(const Tensor& a, const Tensor& b) { return expand_dims(a, -1) * expand_dims(b, -2); }

STEP_MISTAKE("state read before it is updated", "A token must see itself: read the new state.") {
    return {read(phi(q), S), S + write(phi(k), v)};
}
STEP_MISTAKE("update missing from the returned state",
             "Return the state after the token; the next step starts from it.") {
    return {read(phi(q), S + write(phi(k), v)), S};
}
STEP_MISTAKE("input state modified", "Copy S before you add to it: whoever called still needs the old state.") {
    Tensor& state = const_cast<Tensor&>(S);
    state += write(phi(k), v);
    return {read(phi(q), state), state};
}
STEP_MISTAKE("key and query exchanged", "The key writes to the state, the query reads from it.") {
    const Tensor updated = S + write(phi(q), v);
    return {read(phi(k), updated), updated};
}
STEP_MISTAKE("state replaced instead of added to", "S grows by φ(k)vᵀ; it does not become it.") {
    return {read(phi(q), write(phi(k), v)), write(phi(k), v)};
}

}  // namespace
}  // namespace linattn::testing
