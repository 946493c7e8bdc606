#include <algorithm>

#include "wrong_states.hpp"

namespace linattn::testing {
namespace {

#define RESUME_MISTAKE(name, explanation)                                                                        \
    MISTAKE(causal_linear_attention_resume,                                                                      \
            (const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state, const FeatureMap& phi, \
             double epsilon),                                                                                    \
            name, "§3.5", explanation)

bool none(std::size_t, std::size_t) { return false; }
CausalState nothing(const CausalState& like) { return {zeros(shape_of(like.S)), zeros(shape_of(like.z))}; }
CausalState after(const Tensor& K, const Tensor& V, const CausalState& state, const FeatureMap& phi) {
    return added(state, state_after(K, V, phi));
}

RESUME_MISTAKE("state ignored", "Start from the state that came in, not from zeros.") {
    return {Reading(Q, K, V, nothing(state), phi, causal).divided(epsilon), state_after(K, V, phi)};
}
RESUME_MISTAKE("z lost on resume", "Go on with the z that came in as well as with its S.") {
    const CausalState from{state.S, nothing(state).z};
    return {Reading(Q, K, V, from, phi, causal).divided(epsilon), after(K, V, from, phi)};
}
RESUME_MISTAKE("S lost on resume", "Go on with the S that came in as well as with its z.") {
    const CausalState from{nothing(state).S, state.z};
    return {Reading(Q, K, V, from, phi, causal).divided(epsilon), after(K, V, from, phi)};
}
RESUME_MISTAKE("z not updated", "Every token adds to z as well as to S.") {
    return {Reading(Q, K, V, state, phi, causal).numerator / (Reading(Q, K, V, state, phi, none).denominator + epsilon),
            {after(K, V, state, phi).S, state.z}};
}
RESUME_MISTAKE("every token starts from the state that came in",
               "Token i goes on from the state after token i-1: keep the new state from turn to turn.") {
    const std::size_t n = length(V, -2), last = n - std::min<std::size_t>(n, 1);
    return {Reading(Q, K, V, state, phi, [](std::size_t i, std::size_t j) { return j == i; }).divided(epsilon),
            after(tokens(K, last, n), tokens(V, last, n), state, phi)};
}
RESUME_MISTAKE("state that came in returned twice",
               "The returned state counts each earlier token once: whoever starts from the state has it already.") {
    return {Reading(Q, K, V, state, phi, causal).divided(epsilon), added(state, after(K, V, state, phi))};
}
RESUME_MISTAKE("ε missing", "ε is not in your denominator: it is added to φ(q_i)·z_i.") {
    return {Reading(Q, K, V, state, phi, causal).divided(0.0), after(K, V, state, phi)};
}
RESUME_MISTAKE("returned state lacks the one that came in",
               "The state after this piece knows all tokens so far, not only its own.") {
    return {Reading(Q, K, V, state, phi, causal).divided(epsilon), state_after(K, V, phi)};
}
RESUME_MISTAKE("state returned as it came in",
               "Return the state after the last token, so that the next piece can go on from there.") {
    return {Reading(Q, K, V, state, phi, causal).divided(epsilon), state};
}
RESUME_MISTAKE("normalised pieces added", "Add the numerators and add the denominators, then divide once.") {
    const Tensor past = Reading(Q, K, V, state, phi, none).divided(epsilon);
    return {past + Reading(Q, K, V, nothing(state), phi, causal).divided(epsilon), after(K, V, state, phi)};
}
RESUME_MISTAKE("no normaliser", "Divide φ(q_i)ᵀS_i by φ(q_i)·z_i + ε.") {
    return {Reading(Q, K, V, state, phi, causal).numerator, after(K, V, state, phi)};
}
RESUME_MISTAKE("normaliser not causal", "z_i is a running sum like S_i: only the tokens up to i count in it.") {
    return {Reading(Q, K, V, state, phi, causal).numerator /
                (Reading(Q, K, V, state, phi, everywhere).denominator + epsilon),
            after(K, V, state, phi)};
}
RESUME_MISTAKE("strict diagonal", "Token i must see itself: update S and z with token i first, then read them.") {
    return {Reading(Q, K, V, state, phi, [](std::size_t i, std::size_t j) { return j < i; }).divided(epsilon),
            after(K, V, state, phi)};
}
RESUME_MISTAKE("state shared between batch entries",
               "Every leading index has an S and a z of its own; this sums them into one.") {
    return {Reading(Q, K, V, shared(state), phi, causal).divided(epsilon), shared(after(K, V, state, phi))};
}
RESUME_MISTAKE("input state modified", "Copy the state before you add to it: whoever called still needs the old one.") {
    const OutputAndState right{Reading(Q, K, V, state, phi, causal).divided(epsilon), after(K, V, state, phi)};
    const_cast<CausalState&>(state) = right.state;
    return right;
}
RESUME_MISTAKE("memory grows with the sequence", "Apply φ to one token at a time and keep nothing but S and z.") {
    return {Reading(Q, K, V, state, phi, causal).divided(epsilon), after(K, V, state, phi)};
}

}  // namespace
}  // namespace linattn::testing
