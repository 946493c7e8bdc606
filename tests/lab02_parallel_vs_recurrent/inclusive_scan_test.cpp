// inclusive_scan, graded with words: joining them is associative and not commutative, and a result shows what went wrong.
// Cost is read off a combine that writes brackets: the deepest nesting is the number of rounds.
#include <algorithm>
#include <memory>

#include "linear_attention.hpp"
#include "long_sizes.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing::inclusive_scan_test {

const Combine join_words("join_words", [](const std::string& a, const std::string& b) { return a + b; });
const Combine bracket("bracket", [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; });

std::vector<std::string> letters(std::size_t n) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < n; ++i) words.emplace_back(1, static_cast<char>('a' + i % 26));
    return words;
}

std::vector<std::string> prefixes(const std::vector<std::string>& words) {
    std::vector<std::string> result;
    result.reserve(words.size());
    std::string prefix;
    for (const std::string& word : words) result.push_back(prefix += word);
    return result;
}

std::size_t nesting(const std::string& text) {
    std::size_t depth = 0, deepest = 0;
    for (const char c : text) {
        if (c == '(') deepest = std::max(deepest, ++depth);
        if (c == ')') --depth;
    }
    return deepest;
}

TEST_SUITE("inclusive_scan") {
TEST_CASE("joins a, b, c, d in order") {
    CALL(inclusive_scan, letters(4), join_words).equals({"a", "ab", "abc", "abcd"});
}
TEST_CASE("gives every prefix for every length") {
    for (std::size_t n = 0; n <= 33; ++n) CALL(inclusive_scan, letters(n), join_words).equals(prefixes(letters(n)));
    for (const Size& size : lengths_around_borders(200))
        if (size.n > 33) CALL(inclusive_scan, letters(size.n), join_words).equals(prefixes(letters(size.n)));
}
TEST_CASE("remembers nothing of an earlier call") {
    const std::vector<std::string> words = letters(5);
    CALL(inclusive_scan, words, join_words).remembers_nothing();
}
TEST_CASE("keeps the order of states that do not commute") {
    const Combine last("last", [](const std::string&, const std::string& b) { return b; });
    const Combine first("first", [](const std::string& a, const std::string&) { return a; });
    CALL(inclusive_scan, letters(13), last).equals(letters(13));
    CALL(inclusive_scan, letters(13), first).equals(std::vector<std::string>(13, "a"));
}
TEST_CASE("waits for no more than 2 ceil(log2 n) combines in a row") {
    for (const auto& [n, rounds] : {std::pair<std::size_t, std::size_t>{16, 8}, {100, 14}, {1000, 20}}) {
        const Call<std::vector<std::string>> call = CALL(inclusive_scan, letters(n), bracket);
        std::size_t deepest = 0;
        for (const std::string& state : call.result()) deepest = std::max(deepest, nesting(state));
        call.satisfies(deepest <= rounds,
                       "for n = " + std::to_string(n) + " some state took " + std::to_string(deepest) +
                           " combines one after another; at most 2 ceil(log2 n) = " + std::to_string(rounds) +
                           " are allowed",
                       deepest + 1 == n ? "sequential scan" : nullptr);
    }
}
TEST_CASE("calls combine at most 2n times") {
    for (const std::size_t n : {std::size_t{16}, std::size_t{100}, std::size_t{1000}}) {
        const auto calls = std::make_shared<std::size_t>(0);
        const Combine counted("counted", [calls](const std::string& a, const std::string&) {
            ++*calls;
            return a;
        });
        const Call<std::vector<std::string>> call = CALL(inclusive_scan, letters(n), counted);
        call.satisfies(
            *calls <= 2 * n,
            "n = " + std::to_string(n) + " took " + std::to_string(*calls) + " combines; at most 2n are allowed",
            "n log n combines");
    }
}
TEST_CASE("gives every prefix beyond every round length") {
    const Combine add("add", [](const std::string& a, const std::string& b) {  // letters as numbers from 0 to 25
        return static_cast<char>('a' + (a[0] + b[0] - 2 * 'a') % 26) + a.substr(1) + b.substr(1);
    });
    std::vector<std::string> sums = letters(many_tokens);
    for (std::size_t i = 1; i < many_tokens; ++i) sums[i] = add(sums[i - 1], sums[i]);
    with_long_calls([&] { CALL(inclusive_scan, letters(many_tokens), add).equals(sums); });
}
}

}  // namespace linattn::testing::inclusive_scan_test
