// Tests that check nothing, and tests that ask for more than the contract does.
#include <cmath>
#include <stdexcept>

#include "graded_tests.hpp"
#include "linear_attention.hpp"
#include "oracle.hpp"
#include "suite.hpp"

namespace linattn::testing::test_linear_attention_parallel_mistakes {

#define TESTS_MISTAKE(name, explanation) \
    MISTAKE(test_linear_attention_parallel, (const CausalAttention& attention), name, "§2.8", explanation)

using Words = std::vector<std::string>;

TESTS_MISTAKE("nothing checked", "Compare results: return a sentence where one is not what it should be.") {
    attention(ones({3, 2}), ones({3, 2}), ones({3, 4}), oracle_feature_map("identity"));
    return {};
}
TESTS_MISTAKE(
    "every function refused",
    "An empty vector says that a function is right. Results that are compared with ==, or with a tolerance below "
    "rounding, have this effect, too: not even two right functions have the same last digits.") {
    return {"it is wrong"};
}
TESTS_MISTAKE("results compared with ==",
              "A sum in another order has other last digits: allow for a difference of about 1e-12.") {
    const Tensor x = random_tensor({7, 6}, 920);
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const auto definition = right_definition<Tensor(const Tensor&, const Tensor&, const Tensor&, const FeatureMap&)>(
        "linear_attention_parallel");
    return all_equal(attention(x, x, x, phi), definition(x, x, x, phi)) ? Words{} : Words{"not equal"};
}
TESTS_MISTAKE("φ expected on whole tensors",
              "A feature map must take a single token, too: count the axes from the end, -1 for the features.") {
    const Tensor x = ones({3, 2});
    bool whole = true;
    attention(x, x, x, {"phi", [&](const Tensor& rows) {
                            whole = whole && shape_of(rows) == shape_of(x);
                            return rows;
                        }});
    return whole ? Words{} : Words{"phi gets other shapes"};
}
TESTS_MISTAKE("numbers expected before a NaN",
              "The contract says what a NaN spoils, and that it may spoil earlier outputs of its head.") {
    Tensor V = ones({3, 1});
    V(2, 0) = not_a_number;
    const Tensor output = attention(ones({3, 2}), ones({3, 2}), V, oracle_feature_map("identity"));
    return std::isnan(output(0, 0)) ? Words{"token 0 is NaN"} : Words{};
}
TESTS_MISTAKE("words of an exception compared", "The contract names the type of the exception and not its words.") {
    try {
        attention(ones({3, 2}), ones({4, 2}), ones({3, 1}), oracle_feature_map("identity"));
    } catch (const std::invalid_argument& e) {
        return std::string(e.what()).find("K") == std::string::npos ? Words{e.what()} : Words{};
    }
    return {};
}

}  // namespace linattn::testing::test_linear_attention_parallel_mistakes
