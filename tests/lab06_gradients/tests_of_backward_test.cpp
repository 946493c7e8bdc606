// The tests that a student writes for causal_attention_backward, tried on right and on wrong functions.
#include <cmath>

#include "attention_gradients.hpp"
#include "graded_tests.hpp"

namespace linattn::testing::tests_of_backward_test {

using Signature = decltype(linattn::causal_attention_backward);
using Function = std::function<Signature>;

Function definition() { return right_definition<Signature>("causal_attention_backward"); }

AttentionGradients with_reversed_features(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO,
                                          double epsilon) {
    if (shape_of(phi_Q).empty() || shape_of(phi_K).empty()) return definition()(phi_Q, phi_K, V, dO, epsilon);
    const AttentionGradients d = definition()(flip(phi_Q, -1), flip(phi_K, -1), V, dO, epsilon);
    return {flip(d.phi_Q, -1), flip(d.phi_K, -1), d.V};
}

// 42 in place of what is not a number.
AttentionGradients with_a_number_for_every_nan(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V,
                                               const Tensor& dO, double epsilon) {
    AttentionGradients d = definition()(phi_Q, phi_K, V, dO, epsilon);
    for (Tensor* gradient : {&d.phi_Q, &d.phi_K, &d.V})
        for (double& entry : gradient->storage())
            if (!std::isfinite(entry)) entry = 42.0;
    return d;
}

const char* keeps_states = "a state kept for every token";  // of a mistake whose numbers are right

std::vector<Candidate<Signature>> right_functions() {
    return {{"is the definition, pair by pair", definition(), "every function refused"},
            {"adds up in another order, so the last digits differ", with_reversed_features, "results compared with =="},
            {"has a number where D is 0, where its contract leaves the gradient open", with_a_number_for_every_nan,
             "a gradient expected where D is 0"},
            {"keeps a state for every token",
             std::any_cast<Function>(find_mistake("causal_attention_backward", keeps_states)->function)},
            {"throws std::invalid_argument with other words", in_other_words(definition()),
             "words of an exception compared"}};
}

AttentionGradients no_gradients(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor&, double) {
    return {zeros(shape_of(phi_Q)), zeros(shape_of(phi_K)), zeros(shape_of(V))};
}

// Right up to `border` tokens; then the sums begin again.
Function forgetting_at(std::size_t border) {
    return [border](const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO, double epsilon) {
        AttentionGradients d = definition()(phi_Q, phi_K, V, dO, epsilon);
        const std::size_t n = length(V, -2);
        for (std::size_t begin = 0; n > border && begin < n; begin += border) {
            const auto part = [&](const Tensor& x) { return tokens(x, begin, std::min(begin + border, n)); };
            const AttentionGradients of_part = definition()(part(phi_Q), part(phi_K), part(V), part(dO), epsilon);
            set_tokens(d.phi_Q, begin, of_part.phi_Q);
            set_tokens(d.phi_K, begin, of_part.phi_K);
            set_tokens(d.V, begin, of_part.V);
        }
        return d;
    };
}

std::vector<Candidate<Signature>> all_wrong_functions() {
    auto wrong = wrong_functions<Signature>(
        "causal_attention_backward", {},
        {{"arguments that do not belong together are not rejected", where_rejected(definition(), no_gradients)},
         {"an exception where there are no tokens", needing_a_token(definition())},
         {"the sums are lost after 8 tokens", forgetting_at(8)},
         {"the sums are lost after 32 tokens", forgetting_at(32)}},
        {keeps_states});
    add_one_wrong_entry(wrong, definition(),
                        {{"the gradient of φ(Q)", [](AttentionGradients& d) -> Tensor& { return d.phi_Q; }},
                         {"the gradient of φ(K)", [](AttentionGradients& d) -> Tensor& { return d.phi_K; }},
                         {"the gradient of V", [](AttentionGradients& d) -> Tensor& { return d.V; }}});
    return wrong;
}

Objections objections_to(const Function& function) {
    return CALL(test_causal_attention_backward, AttentionBackward("causal_attention_backward", function));
}

TEST_SUITE("test_causal_attention_backward") {
TEST_CASE("tell right functions from wrong ones") {
    accepts_right_functions(objections_to, right_functions());
    refuses_wrong_functions(objections_to, right_functions(), all_wrong_functions());
}
TEST_CASE("remember nothing of an earlier call") { objections_to(definition()).remembers_nothing(); }
}

}  // namespace linattn::testing::tests_of_backward_test
