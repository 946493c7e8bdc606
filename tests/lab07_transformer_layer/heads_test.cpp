// Heads as an axis: split_heads and merge_heads move numbers and compute nothing.
#include "definition.hpp"
#include "sizes.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::heads_test {

struct HeadsAndWidth {
    Shape leading;
    std::size_t n, heads, e;
};
// All lengths unequal, and around the borders of blocks.
std::vector<HeadsAndWidth> sizes() {
    std::vector<HeadsAndWidth> all{{{}, 5, 2, 3},       {{2}, 5, 3, 4},   {{2, 3}, 4, 2, 5},   {{}, 1, 3, 2},
                                   {{2}, 7, 1, 4},      {{2}, 7, 4, 1},   {{2}, 0, 2, 3},      {{0}, 3, 2, 4},
                                   {{}, 3, 131, 2},     {{}, 2, 128, 3},  {{}, 3, 2, 130},     {{}, 2, 3, 128},
                                   {{130, 2}, 3, 2, 4}, {{128}, 3, 2, 5}, {{2, 2}, 129, 3, 2}, {{}, 128, 2, 3}};
    for (const Size& size : all_sizes()) all.push_back({size.leading, size.n, size.d_k + 1, size.d_v});
    return all;
}

TEST_SUITE("split_heads") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    CALL(split_heads, X, heads).equals(exactly(worked_example::split));
}
TEST_CASE("rejects a width that the heads do not divide") {
    for (const std::size_t heads : {std::size_t{3}, std::size_t{8}, std::size_t{0}})
        CALL(split_heads, zeros({5, 4}), heads).rejects({"heads", "4", std::to_string(heads)});
    CALL(split_heads, zeros({4}), std::size_t{2}).rejects({"X", "(…, n, d)", "(4,)"});
}
TEST_CASE("each head gets its columns, for every leading shape and length") {
    std::uint64_t stream = 0;
    for (const auto& [leading, n, heads, e] : sizes()) {
        const Tensor X = random_tensor(join(leading, {n, heads * e}), ++stream);
        CALL(split_heads, X, heads).equals(expected_split_heads(X, heads));
    }
}
TEST_CASE("one head is all of the token") {
    const Tensor X = random_tensor({2, 5, 6}, 60);
    CALL(split_heads, X, std::size_t{1}).equals(exactly(reshape(X, {2, 1, 5, 6})));
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(split_heads, random_tensor({2, 5, 6}, 61), std::size_t{3}).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n") {
    const std::size_t of_few = CALL(split_heads, random_tensor({64, 12}, 62), std::size_t{3}).cost().steps;
    const auto call = CALL(split_heads, random_tensor({256, 12}, 63), std::size_t{3});
    call.satisfies(
        call.cost().steps <= 8 * of_few + 1000,
        "n = 64 took " + std::to_string(of_few) + " steps and n = 256 took " + std::to_string(call.cost().steps));
}
}

TEST_SUITE("merge_heads") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    CALL(merge_heads, worked_example::split).equals(exactly(X));
}
TEST_CASE("rejects what has no axis of heads") {
    CALL(merge_heads, zeros({5, 4})).rejects({"X", "(…, h, n, e)", "(5, 4)"});
}
TEST_CASE("the heads of a token stand side by side, for every leading shape and length") {
    std::uint64_t stream = 100;
    for (const auto& [leading, n, heads, e] : sizes()) {
        const Tensor X = random_tensor(join(leading, {heads, n, e}), ++stream);
        CALL(merge_heads, X).equals(expected_merge_heads(X));
    }
}
TEST_CASE("undoes what splitting does") {
    for (const std::size_t heads : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{6}}) {
        const Tensor X = random_tensor({2, 5, 6}, 160 + heads);
        CALL(merge_heads, expected_split_heads(X, heads).value).equals(exactly(X));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(merge_heads, random_tensor({2, 3, 5, 6}, 170)).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n") {
    const std::size_t of_few = CALL(merge_heads, random_tensor({3, 64, 4}, 171)).cost().steps;
    const auto call = CALL(merge_heads, random_tensor({3, 256, 4}, 172));
    call.satisfies(
        call.cost().steps <= 8 * of_few + 1000,
        "n = 64 took " + std::to_string(of_few) + " steps and n = 256 took " + std::to_string(call.cost().steps));
}
}

}  // namespace linattn::testing::heads_test
