// Tests that check nothing, and tests that ask for more than the contract does.
#include <stdexcept>

#include "causal_state.hpp"
#include "graded_tests.hpp"
#include "random_inputs.hpp"

namespace linattn::testing::test_causal_linear_attention_resume_mistakes {

#define TESTS_MISTAKE(name, explanation) \
    MISTAKE(test_causal_linear_attention_resume, (const ResumableAttention& resume), name, "§3.8", explanation)

using Words = std::vector<std::string>;

const FeatureMap& phi() {
    static const FeatureMap map = oracle_feature_map("elu_plus_one");
    return map;
}
CausalState nothing_seen() { return {zeros({6, 6}), zeros({6})}; }

TESTS_MISTAKE("nothing checked", "Compare results: return a sentence where one is not what it should be.") {
    resume(ones({3, 6}), ones({3, 6}), ones({3, 6}), nothing_seen(), phi(), 0.5);
    return {};
}
TESTS_MISTAKE(
    "every function refused",
    "An empty vector says that a function is right. Results that are compared with ==, or with a tolerance below "
    "rounding, have this effect, too: not even two right functions have the same last digits.") {
    return {"it is wrong"};
}
TESTS_MISTAKE(
    "pieces compared with ==",
    "A sum in another order has other last digits, and pieces may add in another order than the whole: allow for "
    "a difference of about 1e-12.") {
    const Tensor x = random_tensor({8, 6}, 930);
    const OutputAndState whole = resume(x, x, x, nothing_seen(), phi(), 0.5);
    const Tensor first = tokens(x, 0, 4), second = tokens(x, 4, 8);
    const CausalState middle = resume(first, first, first, nothing_seen(), phi(), 0.5).state;
    const OutputAndState pieces = resume(second, second, second, middle, phi(), 0.5);
    return all_equal(pieces.state.S, whole.state.S) ? Words{} : Words{"not equal"};
}
TESTS_MISTAKE("results compared with ==",
              "A sum in another order has other last digits: allow for a difference of about 1e-12.") {
    const Tensor x = random_tensor({8, 6}, 931);
    const auto definition =
        right_definition<decltype(linattn::causal_linear_attention_resume)>("causal_linear_attention_resume");
    return all_equal(resume(x, x, x, nothing_seen(), phi(), 0.5).output,
                     definition(x, x, x, nothing_seen(), phi(), 0.5).output)
               ? Words{}
               : Words{"not equal"};
}
TESTS_MISTAKE(
    "φ expected on one token at a time",
    "A feature map must take several tokens at once, too: count the axes from the end, -1 for the features.") {
    const Tensor x = ones({3, 6});
    bool single = true;
    resume(x, x, x, nothing_seen(),
           {"phi",
            [&](const Tensor& rows) {
                single = single && shape_of(rows).size() == 1;
                return rows;
            }},
           0.5);
    return single ? Words{} : Words{"phi gets other shapes"};
}
TESTS_MISTAKE("words of an exception compared", "The contract names the type of the exception and not its words.") {
    try {
        resume(ones({3, 6}), ones({4, 6}), ones({3, 6}), nothing_seen(), phi(), 0.5);
    } catch (const std::invalid_argument& e) {
        return std::string(e.what()).find("K") == std::string::npos ? Words{e.what()} : Words{};
    }
    return {};
}

}  // namespace linattn::testing::test_causal_linear_attention_resume_mistakes
