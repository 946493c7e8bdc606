// Tests that check nothing, and tests that ask for more than the contract does.
#include <cmath>
#include <stdexcept>

#include "attention_gradients.hpp"
#include "graded_tests.hpp"
#include "random_inputs.hpp"

namespace linattn::testing::test_causal_attention_backward_mistakes {

#define TESTS_MISTAKE(name, explanation) \
    MISTAKE(test_causal_attention_backward, (const AttentionBackward& backward), name, "§6.8", explanation)

using Words = std::vector<std::string>;

TESTS_MISTAKE("nothing checked", "Compare results: return a sentence where one is not what it should be.") {
    backward(ones({3, 2}), ones({3, 2}), ones({3, 4}), ones({3, 4}), 0.5);
    return {};
}
TESTS_MISTAKE(
    "every function refused",
    "An empty vector says that a function is right. Results that are compared with ==, or with a tolerance below "
    "rounding, have this effect, too: not even two right functions have the same last digits.") {
    return {"it is wrong"};
}
TESTS_MISTAKE(
    "results compared with ==",
    "A sum in another order has other last digits: allow for a difference of about 1e-12, and of about 1e-7 where "
    "you compare with differences.") {
    const Tensor x = random_tensor({7, 6}, 940, 0.5, 2.0);
    const auto definition = right_definition<decltype(linattn::causal_attention_backward)>("causal_attention_backward");
    return all_equal(backward(x, x, x, x, 0.5).phi_K, definition(x, x, x, x, 0.5).phi_K) ? Words{} : Words{"not equal"};
}
TESTS_MISTAKE("a gradient expected where D is 0",
              "Where D is 0 there is no gradient, and the contract leaves it open.") {
    const Tensor first{{1.0, 0.0}, {1.0, 1.0}}, second{{0.0, 1.0}, {1.0, 1.0}};  // D of token 0 is 0
    return std::isnan(backward(first, second, ones({2, 1}), ones({2, 1}), 0.0).phi_Q(0, 0)) ? Words{}
                                                                                            : Words{"is a number"};
}
TESTS_MISTAKE("words of an exception compared", "The contract names the type of the exception and not its words.") {
    try {
        backward(ones({3, 2}), ones({4, 2}), ones({3, 1}), ones({3, 1}), 0.5);
    } catch (const std::invalid_argument& e) {
        return std::string(e.what()).find("phi_K") == std::string::npos ? Words{e.what()} : Words{};
    }
    return {};
}

}  // namespace linattn::testing::test_causal_attention_backward_mistakes
