#include "wrong_states.hpp"

namespace linattn::testing {
namespace {

#define STEP_MISTAKE(name, explanation)                                                                          \
    MISTAKE(causal_linear_attention_step,                                                                        \
            (const Tensor& q, const Tensor& k, const Tensor& v, const CausalState& state, const FeatureMap& phi, \
             double epsilon),                                                                                    \
            name, "§3.4", explanation)

CausalState after(const Tensor& k, const Tensor& v, const CausalState& state, const FeatureMap& phi) {
    return added(state, {expand_dims(phi(k), -1) * expand_dims(v, -2), phi(k)});
}
Tensor numerator(const Tensor& q, const Tensor& S, const FeatureMap& phi) {
    return sum(expand_dims(phi(q), -1) * S, -2);
}
Tensor denominator(const Tensor& q, const Tensor& z, const FeatureMap& phi) { return sum(phi(q) * z, -1, keep_dims); }
Tensor output(const Tensor& q, const CausalState& state, const FeatureMap& phi, double epsilon) {
    return numerator(q, state.S, phi) / (denominator(q, state.z, phi) + epsilon);
}

STEP_MISTAKE("no normaliser", "Divide φ(q)ᵀS by φ(q)·z + ε.") {
    const CausalState next = after(k, v, state, phi);
    return {numerator(q, next.S, phi), next};
}
STEP_MISTAKE("normaliser inverted", "The sum of the weights divides; it does not multiply.") {
    const CausalState next = after(k, v, state, phi);
    return {numerator(q, next.S, phi) * (denominator(q, next.z, phi) + epsilon), next};
}
STEP_MISTAKE("normaliser without the query", "The denominator is φ(q)·z, not the sum of z's entries.") {
    const CausalState next = after(k, v, state, phi);
    return {numerator(q, next.S, phi) / (sum(next.z, -1, keep_dims) + epsilon), next};
}
STEP_MISTAKE("strict diagonal", "A token must see itself: update S and z first, then read them.") {
    return {output(q, state, phi, epsilon), after(k, v, state, phi)};
}
STEP_MISTAKE("z read before it is updated",
             "The denominator counts this token too: read the new z, as you read the new S.") {
    const CausalState next = after(k, v, state, phi);
    return {output(q, {next.S, state.z}, phi, epsilon), next};
}
STEP_MISTAKE("state returned as it came in", "Return the state after this token: the next step goes on from there.") {
    return {output(q, after(k, v, state, phi), phi, epsilon), state};
}
STEP_MISTAKE("S and z exchanged", "A CausalState is {S, z}, in this order.") {
    const CausalState next = after(k, v, state, phi);
    return {output(q, next, phi, epsilon), {next.z, next.S}};
}
STEP_MISTAKE("update missing from the returned z", "The next step needs the new z as well as the new S.") {
    const CausalState next = after(k, v, state, phi);
    return {output(q, next, phi, epsilon), {next.S, state.z}};
}
STEP_MISTAKE("z replaced instead of added to", "z grows by φ(k); it does not become it.") {
    const CausalState next{after(k, v, state, phi).S, phi(k)};
    return {output(q, next, phi, epsilon), next};
}
STEP_MISTAKE("S replaced instead of added to", "S grows by φ(k)vᵀ; it does not become it.") {
    const CausalState next{expand_dims(phi(k), -1) * expand_dims(v, -2), after(k, v, state, phi).z};
    return {output(q, next, phi, epsilon), next};
}
STEP_MISTAKE("ε missing", "ε is not in your denominator: it is added to φ(q)·z.") {
    const CausalState next = after(k, v, state, phi);
    return {output(q, next, phi, 0.0), next};
}
STEP_MISTAKE("ε added after the division", "A division binds before an addition: put the sum and ε in parentheses.") {
    const CausalState next = after(k, v, state, phi);
    return {output(q, next, phi, 0.0) + epsilon, next};
}
STEP_MISTAKE("ε inside the sum", "ε belongs to the denominator, not to z: there it is added again at every token.") {
    const CausalState sums = after(k, v, state, phi), next{sums.S, sums.z + epsilon};
    return {output(q, next, phi, 0.0), next};
}
STEP_MISTAKE("returned state already normalised",
             "The state stays undivided: other queries will read it with other denominators.") {
    const CausalState next = after(k, v, state, phi);
    const Tensor divisor = denominator(q, next.z, phi) + epsilon;
    return {output(q, next, phi, epsilon), {next.S / expand_dims(divisor, -1), next.z / divisor}};
}
STEP_MISTAKE("state shared between batch entries",
             "Every leading index has an S and a z of its own; this sums them into one.") {
    const CausalState next = shared(after(k, v, state, phi));
    return {output(q, next, phi, epsilon), next};
}
STEP_MISTAKE("input state modified", "Copy the state before you add to it: whoever called still needs the old one.") {
    CausalState& given = const_cast<CausalState&>(state);
    given = after(k, v, state, phi);
    return {output(q, given, phi, epsilon), given};
}
STEP_MISTAKE("key and query exchanged", "The key writes to the state, the query reads from it.") {
    const CausalState next = after(q, v, state, phi);
    return {output(k, next, phi, epsilon), next};
}

}  // namespace
}  // namespace linattn::testing
