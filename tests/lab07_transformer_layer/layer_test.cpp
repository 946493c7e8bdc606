// multi_head_attention and transformer_block: whole sequences.

#include "builds_on.hpp"
#include "cost_claims.hpp"
#include "definition.hpp"
#include "long_sizes.hpp"
#include "sizes.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::layer_test {

struct LayerSize {
    Shape leading;
    std::size_t n, d, heads, f;
};
std::vector<LayerSize> small_sizes() {
    return {{{}, 5, 6, 2, 4},  {{2}, 5, 6, 3, 4}, {{2, 3}, 4, 4, 2, 5}, {{}, 3, 5, 1, 2},    {{}, 3, 5, 5, 7},
            {{2}, 1, 6, 2, 3}, {{3}, 0, 4, 2, 3}, {{0}, 3, 4, 2, 3},    {{2, 0}, 3, 4, 2, 3}};
}
// Around the borders of blocks: many tokens in narrow layers, then wide layers with few tokens.
std::vector<LayerSize> sizes_of_layers(std::size_t longest = 913) {
    std::vector<LayerSize> all;
    for (const Size& size : lengths_around_borders(longest))
        all.push_back({size.leading, size.n, 2 * size.d_k, size.n % 2 == 0 ? std::size_t{2} : size.d_k, size.d_v});
    for (const LayerSize& size : {LayerSize{{}, 2, 128, 4, 131},
                                  {{}, 3, 130, 65, 128},
                                  {{}, 2, 131, 1, 2},
                                  {{}, 2, 129, 129, 3},
                                  {{130}, 2, 4, 2, 3},
                                  {{128}, 2, 6, 3, 2},
                                  {{130, 2}, 3, 2, 1, 3},
                                  {{128, 1}, 2, 3, 3, 2}})
        all.push_back(size);
    return all;
}

// Far beyond them: fewer tokens than elsewhere, since the definition takes O(n²).
void at_long_layers(void (*claim)(const LayerSize& size, std::uint64_t stream)) {
    with_long_calls([&] {
        for (const LayerSize& size :
             {LayerSize{{300}, 2, 2, 1, 2}, {{}, 2, 300, 2, 2}, {{}, 2, 2, 1, 300}, {{}, 1100, 2, 1, 1}})
            claim(size, 9000);
    });
}

void attention_equals_definition(const LayerSize& size, std::uint64_t stream) {
    const Tensor X = random_tensor(join(size.leading, {size.n, size.d}), stream);
    const Attention w = random_attention(size.d, stream + 5000);
    const std::size_t heads = size.heads;
    CALL(multi_head_attention, X, w, heads).equals(expected_multi_head_attention(X, w, heads));
}
void block_equals_definition(const LayerSize& size, std::uint64_t stream) {
    const Tensor X = random_tensor(join(size.leading, {size.n, size.d}), stream);
    const Block w = random_block(size.d, size.f, stream + 5000);
    const std::size_t heads = size.heads;
    CALL(transformer_block, X, w, heads).equals(expected_transformer_block(X, w, heads));
}

// What both promise, as functions of X alone.
using Layer = std::function<Call<Tensor>(const Tensor& X)>;

void never_depends_on_a_later_token(const Layer& layer) {
    const Tensor X = random_tensor({2, 7, 6}, 200);
    const Tensor before = result_of_shape(layer(X), {2, 7, 6});
    for (std::size_t changed = 1; changed < 7; ++changed) {
        Tensor other = X;
        for (std::size_t i = changed; i < 7; ++i) set_token(other, i, random_tensor({2, 6}, 201 + i));
        const Call<Tensor> call = layer(other);
        for (std::size_t i = 0; i < changed; ++i)
            call.satisfies(same_bits(token(result_of_shape(call, {2, 7, 6}), i), token(before, i)),
                           "tokens " + std::to_string(changed) + " and later were changed, and the output of token " +
                               std::to_string(i) + " changed with them: it must be the same to the last bit");
    }
}
void treats_every_batch_entry_by_itself(const Layer& layer) {
    const Tensor X = random_tensor({3, 5, 6}, 220);
    const Tensor all = result_of_shape(layer(X), {3, 5, 6});
    for (std::size_t b = 0; b < 3; ++b) {
        const auto part = [&](const Tensor& x) { return reshape(slice(x, 0, b, b + 1), {5, 6}); };
        const Call<Tensor> call = layer(part(X));
        call.satisfies(
            distance_if_alike(parts_of(call.result()), parts_of(part(all))).has_value(),
            "batch entry " + std::to_string(b) + " alone gives another output than together with two others");
    }
}
void costs_no_more_than_in_proportion_to_n(const Layer& layer) {
    costs_no_more_than_in_proportion(
        [&](std::size_t n) {
            return layer(random_tensor({n, 6}, 166 + n));
        },
        "tokens", 64);
}
void keeps_a_nan_to_its_batch_entry(const Layer& layer) {
    Tensor X = random_tensor({2, 5, 6}, 240);
    const Tensor before = result_of_shape(layer(X), {2, 5, 6});
    X(0, 3, 1) = not_a_number;
    const Call<Tensor> call = layer(X);
    const Tensor now = result_of_shape(call, {2, 5, 6});
    for (std::size_t i = 3; i < 5; ++i)
        for (std::size_t a = 0; a < 6; ++a)
            call.satisfies(std::isnan(now(0, i, a)),
                           "an entry of token 3 is NaN: its output and all later ones of its sequence must be NaN");
    call.satisfies(same_bits(slice(now, 0, 1, 2), slice(before, 0, 1, 2)),
                   "an entry of batch entry 0 is NaN: the outputs of batch entry 1 must stay as they were");
}

const std::size_t three_heads = 3;
Call<Tensor> attend(const Tensor& X) {
    const std::size_t heads = three_heads;
    return CALL(multi_head_attention, X, random_attention(6, 300), heads);
}
Call<Tensor> go_through(const Tensor& X) {
    const std::size_t heads = three_heads;
    return CALL(transformer_block, X, random_block(6, 4, 320), heads);
}

TEST_SUITE("multi_head_attention") {
TEST_CASE("does with its heads what it should") {
    const std::size_t heads = three_heads;
    const Tensor X = random_tensor({2, 5, 6}, 310);
    const Attention w = random_attention(6, 300);
    const Call<Tensor> call = attend(X);
    if (!call.gives({expected_multi_head_attention(X, w, heads)})) blame_what_it_builds_on(call, BuildsOn::heads);
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const Tensor averages = numerators / (sums + attention_epsilon);
    Tensor output = zeros({3, 4});  // the heads exchanged, and the bias of the output
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t a = 0; a < 4; ++a) output(i, a) = averages(1 - a / 2, i, a % 2) + w.O.b(a);
    CALL(multi_head_attention, X, w, heads)
        .equals(to_rounding_of_terms(output, full({3, 4}, 3.0), 32, "integers, divided once, and sums of four"));
}
TEST_CASE("rejects what does not belong together") {
    const Attention w = random_attention(4, 1);
    const std::size_t heads = 2;
    CALL(multi_head_attention, zeros({3, 4}), w, std::size_t{3}).rejects({"heads", "4", "3"});
    CALL(multi_head_attention, zeros({3, 4}), w, std::size_t{0}).rejects({"heads", "4", "0"});
    CALL(multi_head_attention, zeros({4}), w, heads).rejects({"X", "(…, n, d)", "(4,)"});
    CALL(multi_head_attention, zeros({3, 6}), w, heads).rejects({"w.Q.W", "(6, 6)", "(4, 4)"});
    Attention narrow = w;
    narrow.V.b = zeros({1});
    CALL(multi_head_attention, zeros({3, 4}), narrow, heads).rejects({"w.V.b", "(4,)", "(1,)"});
    narrow = w;
    narrow.O.W = zeros({4, 5});
    CALL(multi_head_attention, zeros({3, 4}), narrow, heads).rejects({"w.O.W", "(4, 4)", "(4, 5)"});
}
TEST_CASE("equals the definition for every leading shape, with one head, several, and heads of width 1") {
    std::uint64_t stream = 0;
    for (const LayerSize& size : small_sizes()) attention_equals_definition(size, stream += 10);
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 400;
    for (const LayerSize& size : sizes_of_layers()) attention_equals_definition(size, stream += 10);
    at_long_layers(attention_equals_definition);
}
TEST_CASE("ε is added once to each denominator, which may be as small as ε") {
    const Tensor X = random_tensor({2, 5, 6}, 330);
    Attention w = random_attention(6, 331);
    w.Q.b = w.Q.b - 8.0;  // features near e⁻⁸, so that sums of weights are near 1e-6
    w.K.b = w.K.b - 8.0;
    const std::size_t heads = 2;
    CALL(multi_head_attention, X, w, heads).equals(expected_multi_head_attention(X, w, heads));
}
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(attend); }
TEST_CASE("treats every batch entry by itself") { treats_every_batch_entry_by_itself(attend); }
TEST_CASE("keeps a NaN to its batch entry") { keeps_a_nan_to_its_batch_entry(attend); }
TEST_CASE("the order of the heads is a matter of the weights alone") {
    const Tensor X = random_tensor({5, 6}, 340);
    const Attention w = random_attention(6, 341);
    Attention exchanged = w;  // columns of Q, K, V and rows of O: head 1 in front of head 0
    for (std::size_t a = 0; a < 6; ++a) {
        const std::size_t from = (a + 3) % 6;
        for (auto part : {&Attention::Q, &Attention::K, &Attention::V}) {
            (exchanged.*part).b(a) = (w.*part).b(from);
            for (std::size_t row = 0; row < 6; ++row) (exchanged.*part).W(row, a) = (w.*part).W(row, from);
        }
        for (std::size_t column = 0; column < 6; ++column) exchanged.O.W(a, column) = w.O.W(from, column);
    }
    const std::size_t heads = 2;
    CALL(multi_head_attention, X, exchanged, heads).equals(expected_multi_head_attention(X, w, heads));
}
TEST_CASE("remembers nothing of an earlier call") { attend(random_tensor({2, 5, 6}, 350)).remembers_nothing(); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(attend); }
}

TEST_SUITE("transformer_block") {
TEST_CASE("does with its parts what it should") {
    const std::size_t heads = three_heads;
    const Tensor X = random_tensor({2, 5, 6}, 410);
    const Block w = random_block(6, 4, 320);
    const Call<Tensor> call = go_through(X);
    if (!call.gives({expected_transformer_block(X, w, heads)})) blame_what_it_builds_on(call, BuildsOn::layers);
}
TEST_CASE("rejects what does not belong together") {
    const Block w = random_block(4, 3, 1);
    const std::size_t heads = 2;
    CALL(transformer_block, zeros({3, 4}), w, std::size_t{3}).rejects({"heads", "4", "3"});
    CALL(transformer_block, zeros({4}), w, heads).rejects({"X", "(…, n, d)", "(4,)"});
    CALL(transformer_block, zeros({3, 6}), w, heads).rejects({"before_attention", "(6,)", "(4,)"});
    Block other = w;
    other.feed_forward.down.W = zeros({4, 3});
    CALL(transformer_block, zeros({3, 4}), other, heads).rejects({"down.W", "(3, 4)", "(4, 3)"});
    other = w;
    other.feed_forward.up.b = zeros({1});
    CALL(transformer_block, zeros({3, 4}), other, heads).rejects({"up.b", "(3,)", "(1,)"});
    other = w;
    other.before_feed_forward.bias = zeros({5});
    CALL(transformer_block, zeros({3, 4}), other, heads).rejects({"before_feed_forward.bias", "(4,)", "(5,)"});
}
TEST_CASE("equals the definition for every leading shape") {
    std::uint64_t stream = 0;
    for (const LayerSize& size : small_sizes()) block_equals_definition(size, stream += 20);
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 600;
    // Longer sequences are for attention to get right.
    for (const LayerSize& size : sizes_of_layers(200)) block_equals_definition(size, stream += 20);
    at_long_layers(block_equals_definition);
}
TEST_CASE("with all projections 0, a token comes out as it went in") {
    const std::size_t heads = three_heads;
    Block w = random_block(6, 4, 420);
    for (Affine* each : {&w.attention.O, &w.feed_forward.down}) *each = {each->W * 0.0, each->b * 0.0};
    const Tensor X = random_tensor({5, 6}, 421);
    CALL(transformer_block, X, w, heads).equals(exactly(X));
}
TEST_CASE("large inputs go through as they are: only what is added to them is normed") {
    const std::size_t heads = three_heads;
    const Tensor X = random_tensor({2, 4, 6}, 430) * 1e4;
    const Block w = random_block(6, 4, 431);
    CALL(transformer_block, X, w, heads).equals(expected_transformer_block(X, w, heads));
}
TEST_CASE("tokens and denominators so small that each ε shows") {
    const std::size_t heads = three_heads;
    const Tensor X = random_tensor({2, 4, 6}, 435) * 3e-3;  // a variance near norm_epsilon
    Block w = random_block(6, 4, 436);
    w.attention.Q.b = w.attention.Q.b - 8.0;
    w.attention.K.b = w.attention.K.b - 8.0;
    CALL(transformer_block, X, w, heads).equals(expected_transformer_block(X, w, heads));
}
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(go_through); }
TEST_CASE("treats every batch entry by itself") { treats_every_batch_entry_by_itself(go_through); }
TEST_CASE("keeps a NaN to its batch entry") { keeps_a_nan_to_its_batch_entry(go_through); }
TEST_CASE("remembers nothing of an earlier call") { go_through(random_tensor({2, 5, 6}, 440)).remembers_nothing(); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(go_through); }
}

}  // namespace linattn::testing::layer_test
