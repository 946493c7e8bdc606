// The tests that a student writes for linear_attention_parallel, tried on right and on wrong functions.
#include <cmath>

#include "graded_tests.hpp"
#include "linear_attention.hpp"
#include "oracle.hpp"
#include "suite.hpp"

namespace linattn::testing::tests_of_attention_test {

using Signature = Tensor(const Tensor&, const Tensor&, const Tensor&, const FeatureMap&);
using Function = std::function<Signature>;

Function definition() { return right_definition<Signature>("linear_attention_parallel"); }

Tensor with_reversed_features(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    return definition()(Q, K, V, {"", [&](const Tensor& x) { return flip(phi(x), -1); }});
}

Tensor token_by_token(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    require_attention_shapes(Q, K, V);
    const std::size_t c = length(phi(zeros({length(Q, -1)})), -1);
    const auto mapped = [&](const Tensor& x) {
        Shape shape = shape_of(x);
        shape.back() = c;
        Tensor features = zeros(shape);
        for (std::size_t i = 0; i < length(x, -2); ++i) set_token(features, i, phi(token(x, i)));
        return features;
    };
    return definition()(mapped(Q), mapped(K), V, oracle_feature_map("identity"));
}

// A NaN spoils the outputs of its chunk of 4 tokens that come before it, too.
Tensor in_chunks(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    Tensor output = definition()(Q, K, V, phi);
    const std::size_t n = length(V, -2), d_v = length(V, -1);
    for (std::size_t row = output.size() / std::max<std::size_t>(d_v, 1); row-- > 1;) {
        const double* entries = output.data() + row * d_v;
        const bool spoilt = std::any_of(entries, entries + d_v, [](double x) { return std::isnan(x); });
        if (spoilt && row % n % 4 != 0) std::fill_n(output.data() + (row - 1) * d_v, d_v, std::nan(""));
    }
    return output;
}

std::vector<Candidate<Signature>> right_functions() {
    return {{"is the definition, pair by pair", definition(), "every function refused"},
            {"adds up in another order, so the last digits differ", with_reversed_features, "results compared with =="},
            {"applies φ to one token at a time", token_by_token, "φ expected on whole tensors"},
            {"works in chunks, so a NaN may also spoil earlier outputs of its head", in_chunks,
             "numbers expected before a NaN"},
            {"throws std::invalid_argument with other words", in_other_words(definition()),
             "words of an exception compared"}};
}

Tensor zeros_of_V(const Tensor&, const Tensor&, const Tensor& V, const FeatureMap&) { return zeros(shape_of(V)); }

// Right up to `border` tokens; the tokens before it are missing from the outputs behind it.
Function forgetting_at(std::size_t border) {
    return [border](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
        Tensor output = definition()(Q, K, V, phi);
        const std::size_t n = length(V, -2);
        if (n > border)
            set_tokens(output, border,
                       definition()(tokens(Q, border, n), tokens(K, border, n), tokens(V, border, n), phi));
        return output;
    };
}

std::vector<Candidate<Signature>> all_wrong_functions() {
    auto wrong = wrong_functions<Signature>(
        "linear_attention_parallel", {"total instead of the running sum"},  // which is not causal
        {{"shapes that do not belong together are not rejected", where_rejected(definition(), zeros_of_V)},
         {"an exception where there are no tokens", needing_a_token(definition())},
         {"the state is lost after 8 tokens", forgetting_at(8)},
         {"the state is lost after 32 tokens", forgetting_at(32)}},
        // Tests with features of one number are good tests, too, and do not see these; one scale among the others is enough.
        {"queries scaled by 1/√d_k before φ", "queries and keys scaled by d_k^(-1/4) before φ"});
    add_one_wrong_entry(wrong, definition(), {{"the output", [](Tensor& x) -> Tensor& { return x; }}});
    return wrong;
}

Objections objections_to(const Function& function) {
    return CALL(test_linear_attention_parallel, CausalAttention("linear_attention_parallel", function));
}

TEST_SUITE("test_linear_attention_parallel") {
TEST_CASE("tell right functions from wrong ones") {
    accepts_right_functions(objections_to, right_functions());
    refuses_wrong_functions(objections_to, right_functions(), all_wrong_functions());
}
TEST_CASE("remember nothing of an earlier call") { objections_to(definition()).remembers_nothing(); }
}

}  // namespace linattn::testing::tests_of_attention_test
