// The backward passes of attention and of a whole block.
#include "cost_claims.hpp"
#include "expected_gradients.hpp"

namespace linattn::testing::blocks_test {

// (…) , n, d, heads: all lengths different where they can be.
struct Case {
    Shape leading;
    std::size_t n, d, heads;
};
const Case cases[] = {{{}, 3, 4, 2},  {{2}, 5, 4, 1}, {{}, 4, 6, 3},  {{2, 2}, 2, 4, 2},
                      {{3}, 1, 2, 2}, {{}, 17, 2, 1}, {{2}, 0, 4, 2}, {{0}, 3, 4, 2}};

Shape shape_of_case(const Case& each) { return join(each.leading, {each.n, each.d}); }

// What n tokens cost a call, without what the functions of earlier labs do.
template <class Run>
void costs_no_more_than_in_proportion_to_n(const Run& run) {
    const std::size_t few = 4, many = 16;
    const std::size_t steps_of_few = run(few).cost().steps;
    const auto call = run(many);
    call.satisfies(call.cost().steps < 6 * steps_of_few,
                   "4 times as many tokens took " + std::to_string(call.cost().steps) + " steps in place of " +
                       std::to_string(steps_of_few) +
                       ": more than 6 times as many, so the work is not proportional to n");
}

TEST_SUITE("attention_backward") {
TEST_CASE("rejects shapes that do not belong together") {
    const Attention w = random_attention(4, 1);
    const std::size_t heads = 2;
    CALL(attention_backward, zeros({3, 6}), w, heads, zeros({3, 6})).rejects({"w.", "6", "4"});
    CALL(attention_backward, zeros({3, 4}), w, heads, zeros({4, 4})).rejects({"dY", "(3, 4)", "(4, 4)"});
    CALL(attention_backward, zeros({3, 4}), w, 3, zeros({3, 4})).rejects({"heads", "3", "4"});
    CALL(attention_backward, zeros({3, 4}), w, 0, zeros({3, 4})).rejects({"heads", "0"});
}
TEST_CASE("equals the slopes of the definition") {
    std::uint64_t stream = 1;
    for (const Case& each : cases) {
        const Tensor X = random_tensor(shape_of_case(each), ++stream),
                     dY = random_tensor(shape_of_case(each), ++stream);
        const Attention w = random_attention(each.d, ++stream);
        const Call<Backward<Attention>> call = CALL(attention_backward, X, w, each.heads, dY);
        const std::vector<Expected> expected = expected_attention_gradients(X, w, each.heads, dY);
        blame_what_it_builds_on(call, expected);
        call.equals(expected);
    }
}
TEST_CASE("a token's dX never depends on what the loss makes of earlier tokens") {
    const Tensor X = random_tensor({5, 4}, 1);
    const Attention w = random_attention(4, 2);
    const std::size_t heads = 2;
    Tensor dY = zeros({5, 4});
    for (std::size_t c = 0; c < 4; ++c) dY(1, c) = 1.0;
    const auto call = CALL(attention_backward, X, w, heads, dY);
    const Tensor& dX = call.result().dX;
    call.satisfies(shape_of(dX) == shape_of(X) && total(abs(tokens(dX, 2, 5))) == 0.0,
                   "only token 1 has a gradient dY, but a later token's dX is not 0: the output of token 1 sees tokens "
                   "0 and 1 only");
}
TEST_CASE("its work grows no faster than n") {
    costs_no_more_than_in_proportion_to_n([](std::size_t n) {
        const Tensor X = random_tensor({n, 4}, 1), dY = random_tensor({n, 4}, 2);
        const Attention w = random_attention(4, 3);
        const std::size_t heads = 2;
        return CALL(attention_backward, X, w, heads, dY);
    });
}
TEST_CASE("remembers nothing") {
    const Tensor X = random_tensor({3, 4}, 1), dY = random_tensor({3, 4}, 2);
    const Attention w = random_attention(4, 3);
    const std::size_t heads = 2;
    CALL(attention_backward, X, w, heads, dY).remembers_nothing();
}
}

TEST_SUITE("block_backward") {
TEST_CASE("rejects shapes that do not belong together") {
    const Block w = random_block(4, 6, 1);
    const std::size_t heads = 2;
    CALL(block_backward, zeros({3, 6}), w, heads, zeros({3, 6})).rejects({"w.", "6", "4"});
    CALL(block_backward, zeros({3, 4}), w, heads, zeros({4, 4})).rejects({"dY", "(3, 4)", "(4, 4)"});
    CALL(block_backward, zeros({3, 4}), w, 3, zeros({3, 4})).rejects({"heads", "3", "4"});
}
TEST_CASE("equals the slopes of the definition") {
    std::uint64_t stream = 1;
    for (const Case& each : cases) {
        const Tensor X = random_tensor(shape_of_case(each), ++stream),
                     dY = random_tensor(shape_of_case(each), ++stream);
        const Block w = random_block(each.d, each.d + 3, ++stream);
        const Call<Backward<Block>> call = CALL(block_backward, X, w, each.heads, dY);
        const std::vector<Expected> expected = expected_block_gradients(X, w, each.heads, dY);
        blame_what_it_builds_on(call, expected);
        call.equals(expected);
    }
}
TEST_CASE("hands dY on unchanged where the layers add nothing") {
    Block w = random_block(4, 6, 1);
    w.attention.O = {zeros({4, 4}), zeros({4})};
    w.feed_forward.down = {zeros({6, 4}), zeros({4})};
    const Tensor X = random_tensor({3, 4}, 2), dY = random_tensor({3, 4}, 3);
    const std::size_t heads = 2;
    const auto call = CALL(block_backward, X, w, heads, dY);
    call.satisfies(shape_of(call.result().dX) == shape_of(dY) && total(abs(call.result().dX - dY)) == 0.0,
                   "attention and feed-forward add 0, so that dX must be dY, but dX differs");
}
TEST_CASE("its work grows no faster than n") {
    costs_no_more_than_in_proportion_to_n([](std::size_t n) {
        const Tensor X = random_tensor({n, 4}, 1), dY = random_tensor({n, 4}, 2);
        const Block w = random_block(4, 8, 3);
        const std::size_t heads = 2;
        return CALL(block_backward, X, w, heads, dY);
    });
}
TEST_CASE("its cost grows in proportion to the batch") {
    const Block w = random_block(2, 1, 3);
    costs_no_more_than_in_proportion(
        [&w](std::size_t batch) {
            return CALL(block_backward, random_tensor({batch, 1, 2}, 1), w, 1, random_tensor({batch, 1, 2}, 2));
        },
        "sequences");
}
TEST_CASE("remembers nothing") {
    const Tensor X = random_tensor({3, 4}, 1), dY = random_tensor({3, 4}, 2);
    const Block w = random_block(4, 6, 3);
    const std::size_t heads = 2;
    CALL(block_backward, X, w, heads, dY).remembers_nothing();
}
}
}  // namespace linattn::testing::blocks_test
