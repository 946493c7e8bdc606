// The tests that a student writes for causal_linear_attention_resume, tried on right and on wrong functions.
#include "causal_state.hpp"
#include "graded_tests.hpp"

namespace linattn::testing::tests_of_resume_test {

using Signature = decltype(linattn::causal_linear_attention_resume);
using Function = std::function<Signature>;

Function definition() { return right_definition<Signature>("causal_linear_attention_resume"); }

OutputAndState one_token_at_a_time(const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state,
                                   const FeatureMap& phi, double epsilon) {
    const FeatureMap of_each(phi.name(), [&](const Tensor& x) {
        if (shape_of(x).size() < 2 || x.size() == 0) return phi(x);
        Tensor features = phi(token(x, 0));
        features = expand_dims(features, -2);
        for (std::size_t i = 1; i < length(x, -2); ++i)
            features = concatenate(features, expand_dims(phi(token(x, i)), -2), -2);
        return features;
    });
    return definition()(Q, K, V, state, of_each, epsilon);
}

OutputAndState with_reversed_features(const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state,
                                      const FeatureMap& phi, double epsilon) {
    const auto reversed = [](const CausalState& x) { return CausalState{flip(x.S, -2), flip(x.z, -1)}; };
    const FeatureMap reversed_phi(phi.name(), [&](const Tensor& x) { return flip(phi(x), -1); });
    require_attention_shapes(Q, K, V);  // before a state of the wrong rank is flipped
    if (shape_of(state.S).size() < 2 || shape_of(state.z).empty()) return definition()(Q, K, V, state, phi, epsilon);
    const OutputAndState result = definition()(Q, K, V, reversed(state), reversed_phi, epsilon);
    return {result.output, reversed(result.state)};
}

// In units in which features are 0.7 as large, and so are S and z: each call rounds when it changes the units.
OutputAndState in_other_units(const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state,
                              const FeatureMap& phi, double epsilon) {
    const double unit = 0.7;
    const FeatureMap in_units(phi.name(), [&](const Tensor& x) { return phi(x) * unit; });
    const OutputAndState result =
        definition()(Q, K, V, {state.S * unit, state.z * unit}, in_units, epsilon * unit * unit);
    return {result.output, {result.state.S / unit, result.state.z / unit}};
}

std::vector<Candidate<Signature>> right_functions() {
    return {{"is the definition, pair by pair", one_token_at_a_time, "every function refused"},
            {"applies φ to several tokens at once", definition(), "φ expected on one token at a time"},
            {"adds up in another order, so the last digits differ", with_reversed_features, "results compared with =="},
            {"computes in other units, so pieces differ from the whole in the last digits", in_other_units,
             "pieces compared with =="},
            {"throws std::invalid_argument with other words", in_other_words(definition()),
             "words of an exception compared"}};
}

OutputAndState nothing_added(const Tensor&, const Tensor&, const Tensor& V, const CausalState& state, const FeatureMap&,
                             double) {
    return {zeros(shape_of(V)), state};
}

// Right up to `border` tokens; then the state is lost.
Function forgetting_at(std::size_t border) {
    return [border](const Tensor& Q, const Tensor& K, const Tensor& V, const CausalState& state, const FeatureMap& phi,
                    double epsilon) {
        OutputAndState result = definition()(Q, K, V, state, phi, epsilon);
        const std::size_t n = length(V, -2);
        if (n <= border) return result;
        const OutputAndState rest = definition()(tokens(Q, border, n), tokens(K, border, n), tokens(V, border, n),
                                                 {zeros(shape_of(state.S)), zeros(shape_of(state.z))}, phi, epsilon);
        set_tokens(result.output, border, rest.output);
        return OutputAndState{result.output, rest.state};
    };
}

std::vector<Candidate<Signature>> all_wrong_functions() {
    auto wrong = wrong_functions<Signature>(
        "causal_linear_attention_resume", {"state ignored", "S lost on resume", "z lost on resume"},
        {{"shapes that do not belong together are not rejected", where_rejected(definition(), nothing_added)},
         {"an exception where there are no tokens", needing_a_token(definition())},
         {"the state is lost after 8 tokens", forgetting_at(8)},
         {"the state is lost after 32 tokens", forgetting_at(32)}});
    add_one_wrong_entry(wrong, definition(),
                        {{"the output", [](OutputAndState& x) -> Tensor& { return x.output; }},
                         {"S", [](OutputAndState& x) -> Tensor& { return x.state.S; }},
                         {"z", [](OutputAndState& x) -> Tensor& { return x.state.z; }}});
    return wrong;
}

Objections objections_to(const Function& function) {
    return CALL(test_causal_linear_attention_resume, ResumableAttention("causal_linear_attention_resume", function));
}

TEST_SUITE("test_causal_linear_attention_resume") {
TEST_CASE("tell right functions from wrong ones") {
    accepts_right_functions(objections_to, right_functions());
    refuses_wrong_functions(objections_to, right_functions(), all_wrong_functions());
}
TEST_CASE("remember nothing of an earlier call") { objections_to(definition()).remembers_nothing(); }
}

}  // namespace linattn::testing::tests_of_resume_test
