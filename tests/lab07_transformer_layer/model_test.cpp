// logits and generate: a whole model, over a sequence and beyond its end.
#include "builds_on.hpp"
#include "definition.hpp"
#include "long_sizes.hpp"
#include "sizes.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::model_test {

void logits_equal_definition(const Tensor& ids, const Model& w) {
    CALL(logits, ids, w).equals(expected_logits(ids, w));
}

// Ids that reach every symbol, the last one included.
Tensor ids_through_all(const Shape& shape, std::size_t symbols) {
    Tensor ids = zeros(shape);
    for (std::size_t i = 0; i < ids.size(); ++i) ids.data()[i] = static_cast<double>((symbols - 1 + 3 * i) % symbols);
    return ids;
}

TEST_SUITE("logits") {
TEST_CASE("does with its blocks what it should") {
    const Model w = random_model({.blocks = 1}, 10);
    const Tensor ids = random_ids({2, 5}, 7, 11);
    const Call<Tensor> call = CALL(logits, ids, w);
    if (!call.gives({expected_logits(ids, w)})) blame_what_it_builds_on(call, BuildsOn::block);
}
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    // Row 1 of the embedding is (0, 1, 0): mean 1/3, variance 2/9. The head moves its entries on by one symbol.
    const double r = std::sqrt(2.0 / 9.0 + norm_epsilon), low = -1.0 / 3.0 / r, high = 2.0 / 3.0 / r;
    const Model& w = in_a_circle;
    CALL(logits, Tensor{1, 2}, w)
        .equals(to_rounding_of_terms(Tensor{{low, low, high}, {high, low, low}}, ones({2, 3}) * 2.0, 32,
                                     "one norm of three entries"));
}
TEST_CASE("rejects what the model cannot take") {
    const Model w = random_model({}, 20);
    for (const double id : {7.0, -1.0, 2.5, std::nan("")}) CALL(logits, Tensor{0, id, 1}, w).rejects({"ids", "7"});
    CALL(logits, zeros({13}), w).rejects({"ids", "12", "13"});
    CALL(logits, Tensor(zeros({})), w).rejects({"ids", "(…, n)"});
    Model other = w;
    other.heads = 4;
    CALL(logits, zeros({3}), other).rejects({"heads", "6", "4"});
    other = w;
    other.head.W = zeros({6, 8});
    CALL(logits, zeros({3}), other).rejects({"w.head.W", "(6, 7)", "(6, 8)"});
    other = w;
    other.positions = zeros({12, 5});
    CALL(logits, zeros({3}), other).rejects({"w.positions", "(12, 6)", "(12, 5)"});
    other = w;
    other.blocks[1].attention.K.b = zeros({5});
    CALL(logits, zeros({3}), other).rejects({"blocks[1].attention.K.b", "(6,)", "(5,)"});
}
TEST_CASE("equals the definition for 0 to 3 blocks and every leading shape") {
    std::uint64_t stream = 0;
    for (const std::size_t blocks : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{0}})
        for (const Shape& shape : {Shape{5}, Shape{2, 5}, Shape{3, 4}, Shape{2, 3, 4}, Shape{1}, Shape{12}, Shape{0},
                                   Shape{2, 0}, Shape{0, 3}}) {
            stream += 100;
            logits_equal_definition(random_ids(shape, 7, stream),
                                    random_model({.blocks = blocks, .heads = blocks == 2 ? 3u : 2u}, stream + 1));
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 5000;
    for (const auto& [shape, size] : std::vector<std::pair<Shape, ModelSize>>{
             {{131}, {.symbols = 9, .longest = 131, .blocks = 1, .d = 2, .f = 3, .heads = 1}},
             {{128}, {.symbols = 9, .longest = 128, .blocks = 1, .d = 2, .f = 3, .heads = 2}},
             {{64}, {.symbols = 17, .longest = 65, .blocks = 2, .d = 4, .f = 3, .heads = 2}},
             {{133}, {.symbols = 133, .longest = 133, .blocks = 1, .d = 2, .f = 1, .heads = 1}},
             {{128}, {.symbols = 128, .longest = 130, .blocks = 1, .d = 3, .f = 2, .heads = 3}},
             {{2}, {.symbols = 5, .longest = 3, .blocks = 1, .d = 128, .f = 131, .heads = 4}},
             {{2}, {.symbols = 5, .longest = 3, .blocks = 1, .d = 130, .f = 128, .heads = 2}},
             {{130, 2}, {.symbols = 5, .longest = 3, .blocks = 1, .d = 2, .f = 2, .heads = 1}},
             {{128, 2}, {.symbols = 5, .longest = 2, .blocks = 1, .d = 2, .f = 2, .heads = 1}},
             {{130, 2, 3}, {.symbols = 5, .longest = 3, .blocks = 1, .d = 2, .f = 2, .heads = 1}},
             {{128, 1, 2}, {.symbols = 5, .longest = 3, .blocks = 1, .d = 2, .f = 2, .heads = 1}}})
        logits_equal_definition(ids_through_all(shape, size.symbols), random_model(size, stream += 100));
    with_long_calls([&] {
        for (const auto& [shape, size] : std::vector<std::pair<Shape, ModelSize>>{
                 {{1100}, {.symbols = 3, .longest = 1100, .blocks = 1, .d = 2, .f = 1, .heads = 1}},
                 {{300, 1}, {.symbols = 300, .longest = 2, .blocks = 1, .d = 2, .f = 300, .heads = 1}},
                 {{2}, {.symbols = 2, .longest = 2, .blocks = 1, .d = 300, .f = 2, .heads = 2}}})
            logits_equal_definition(ids_through_all(shape, size.symbols), random_model(size, stream += 100));
    });
}
TEST_CASE("an output never depends on a later token") {
    const Model w = random_model({}, 60);
    const Tensor ids{0, 1, 2, 3, 4, 5};
    const Tensor before = result_of_shape(CALL(logits, ids, w), {6, 7});
    for (std::size_t changed = 1; changed < 6; ++changed) {
        Tensor other = ids;
        for (std::size_t i = changed; i < 6; ++i) other(i) = 6.0 - ids(i);
        const Call<Tensor> call = CALL(logits, other, w);
        for (std::size_t i = 0; i < changed; ++i)
            call.satisfies(same_bits(token(result_of_shape(call, {6, 7}), i), token(before, i)),
                           "ids " + std::to_string(changed) + " and later were changed, and the logits of token " +
                               std::to_string(i) + " changed with them: they must be the same to the last bit");
    }
}
TEST_CASE("the same symbol at another place gives other logits") {
    const Model w = random_model({.blocks = 1}, 70);
    const Call<Tensor> call = CALL(logits, Tensor{3, 3, 3}, w);
    const Tensor result = result_of_shape(call, {3, 7});
    call.satisfies(!same_bits(token(result, 0), token(result, 1)),
                   "the same id at three positions gives the same logits: are "
                   "the positions added?");
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(logits, random_ids({2, 5}, 7, 80), random_model({}, 81)).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n") {
    const Model w = random_model({.longest = 256}, 90);
    const std::size_t of_few = CALL(logits, random_ids({64}, 7, 91), w).cost().steps;
    const Call<Tensor> call = CALL(logits, random_ids({256}, 7, 92), w);
    call.satisfies(call.cost().steps < 8 * of_few, "n = 64 took " + std::to_string(of_few) +
                                                       " steps and n = 256 took " + std::to_string(call.cost().steps) +
                                                       ": 4 times the tokens may cost about 4 times the steps");
}
}

// The symbols that recomputing gives, where rounding cannot decide which logit is the largest.
Expected expected_symbols(const Tensor& prompt, std::size_t count, const Model& w) {
    double margin = 0.0;
    const Tensor symbols = generated_by_recomputing(prompt, count, w, margin);
    REQUIRE(margin > 0.0);
    return exactly(symbols, false);
}
void generates_as_recomputed(const Tensor& prompt, std::size_t count, const Model& w) {
    CALL(generate, prompt, count, w).equals(expected_symbols(prompt, count, w));
}

// A model whose symbols change often and depend on what came before: large embeddings, strong attention, large biases.
Model lively_model(const ModelSize& size, std::uint64_t stream) {
    Model w = random_model(size, stream);
    w.embedding = w.embedding * 2.0;
    w.positions = w.positions * 2.0;
    w.head = {w.head.W * 3.0, w.head.b * 2.0};
    w.last.bias = w.last.bias * 2.0;
    for (Block& block : w.blocks) {
        for (Affine* each : {&block.attention.Q, &block.attention.K}) *each = {each->W * 2.5, each->b * 3.0};
        block.attention.O.W = block.attention.O.W * 3.0;
        for (Affine* each : {&block.feed_forward.up, &block.feed_forward.down}) each->b = each->b * 3.0;
    }
    return w;
}

// Whether it was refused for that: then calls with many symbols are not made, since they could take longer than is allowed.
bool reads_tokens_again = false;

TEST_SUITE("generate") {
TEST_CASE("does with its parts what it should") {
    const Model w = lively_model({.blocks = 1}, 100);
    const Tensor prompt = random_ids({2, 3}, 7, 101);
    const Call<Tensor> call = CALL(generate, prompt, std::size_t{6}, w);
    if (!call.gives({expected_symbols(prompt, 6, w)})) blame_what_it_builds_on(call, BuildsOn::generation);
}
TEST_CASE("gives the chapter's worked example") {
    const Model& w = worked_example::in_a_circle;
    CALL(generate, Tensor{0}, std::size_t{4}, w).equals(exactly(Tensor{1, 2, 0, 1}, false));
    CALL(generate, Tensor{0, 0, 1}, std::size_t{2}, w).equals(exactly(Tensor{2, 0}, false));
}
TEST_CASE("rejects what the model cannot take") {
    const Model w = random_model({}, 110);
    const std::size_t count = 2;
    CALL(generate, zeros({0}), count, w).rejects({"prompt", "(0,)"});
    CALL(generate, zeros({2, 0}), count, w).rejects({"prompt", "(2, 0)"});
    CALL(generate, zeros({3}), std::size_t{0}, w).rejects({"count", "1", "0"});
    CALL(generate, zeros({3}), std::size_t{11}, w).rejects({"count", "12", "13"});
    CALL(generate, zeros({3}), static_cast<std::size_t>(-1), w).rejects({"count", "12"});
    for (const double id : {7.0, -1.0, 0.5, std::nan("")})
        CALL(generate, Tensor{0, id}, count, w).rejects({"prompt", "7"});
    Model other = w;
    other.heads = 0;
    CALL(generate, zeros({3}), count, other).rejects({"heads", "6", "0"});
    other = w;
    other.embedding = zeros({7, 5});
    CALL(generate, zeros({3}), count, other).rejects({"positions", "(12, 5)", "(12, 6)"});
}
TEST_CASE("its work grows as the number of tokens, not as their square") {
    const Model w = lively_model({.longest = 300}, 350);
    const auto read = [&](std::size_t n, std::size_t count) {
        return CALL(generate, random_ids({n}, 7, 351), count, w);
    };
    for (const std::size_t few : {16U, 32U}) {
        const std::size_t of_few = read(2, few).cost().steps;
        const Call<Tensor> many = read(2, 4 * few);
        reads_tokens_again = many.cost().steps >= 8 * of_few;
        many.satisfies(
            !reads_tokens_again,
            std::to_string(few) + " new symbols took " + std::to_string(of_few) + " steps and " +
                std::to_string(4 * few) + " took " + std::to_string(many.cost().steps) +
                ": 4 times the symbols may cost about 4 times the steps; about 16 times is everything recomputed",
            "everything recomputed for each symbol");
        const std::size_t of_short = read(few, 2).cost().steps;
        const Call<Tensor> long_prompt = read(4 * few, 2);
        reads_tokens_again = long_prompt.cost().steps >= 8 * of_short;
        long_prompt.satisfies(!reads_tokens_again, "a prompt of " + std::to_string(few) + " took " +
                                                       std::to_string(of_short) + " steps and one of " +
                                                       std::to_string(4 * few) + " took " +
                                                       std::to_string(long_prompt.cost().steps) +
                                                       ": 4 times the tokens may cost about 4 times the steps");
    }
}
TEST_CASE("continues as recomputing everything would, for 1 to 3 blocks and batches of 1 to 3") {
    std::uint64_t stream = 200;
    for (const std::size_t blocks : {std::size_t{2}, std::size_t{1}, std::size_t{3}, std::size_t{0}})
        for (const Shape& shape : {Shape{3}, Shape{1}, Shape{1, 4}, Shape{2, 3}, Shape{3, 2}, Shape{2, 2, 2}}) {
            stream += 100;
            generates_as_recomputed(random_ids(shape, 7, stream), 6,
                                    lively_model({.blocks = blocks, .heads = 2}, stream + 1));
        }
}
TEST_CASE("continues by the definition at every size") {
    if (reads_tokens_again) return;
    std::uint64_t stream = 4000;
    struct Trial {
        Shape prompt;
        std::size_t count;
        ModelSize size;
    };
    for (const auto& [shape, count, size] :
         {Trial{{2}, 131, {.symbols = 5, .longest = 132, .blocks = 1, .d = 2, .f = 3, .heads = 1}},
          {{131}, 3, {.symbols = 5, .longest = 133, .blocks = 1, .d = 2, .f = 3, .heads = 1}},
          {{128}, 1, {.symbols = 5, .longest = 128, .blocks = 1, .d = 2, .f = 3, .heads = 2}},
          {{1}, 128, {.symbols = 5, .longest = 128, .blocks = 1, .d = 2, .f = 3, .heads = 2}},
          {{140}, 1, {.symbols = 140, .longest = 140, .blocks = 1, .d = 4, .f = 3, .heads = 2}},
          {{128}, 2, {.symbols = 128, .longest = 130, .blocks = 1, .d = 4, .f = 3, .heads = 2}},
          {{130, 2}, 2, {.symbols = 23, .longest = 3, .blocks = 1, .d = 4, .f = 2, .heads = 1}},
          {{128, 2}, 2, {.symbols = 23, .longest = 3, .blocks = 1, .d = 4, .f = 2, .heads = 1}},
          {{130, 1, 2}, 2, {.symbols = 23, .longest = 3, .blocks = 1, .d = 4, .f = 2, .heads = 1}},
          {{128, 1, 2}, 2, {.symbols = 23, .longest = 3, .blocks = 1, .d = 4, .f = 2, .heads = 1}},
          {{3}, 5, {.symbols = 128, .longest = 8, .blocks = 1, .d = 128, .f = 131, .heads = 4}},
          {{3}, 5, {.symbols = 133, .longest = 8, .blocks = 1, .d = 130, .f = 128, .heads = 2}}}) {
        stream += 100;
        const Tensor prompt = ids_through_all(shape, size.symbols);
        const Model w = lively_model(size, stream);
        double margin = 0.0;
        const Tensor symbols = generated_by_settings(prompt, count, w, {}, &margin);
        REQUIRE(margin > 0.0);
        CALL(generate, prompt, count, w).equals(exactly(symbols, false));
    }
}
TEST_CASE("uses every position that the model has, and none beyond") {
    const Model w = lively_model({}, 300);
    generates_as_recomputed(random_ids({12}, 7, 301), 1, w);
    generates_as_recomputed(random_ids({5}, 7, 302), 8, w);
}
TEST_CASE("of equal logits the smallest id wins") {
    Model w = random_model({}, 310);
    w.head.W = w.head.W * 0.0;
    const std::size_t count = 3;
    for (const auto& [bias, symbol] : std::vector<std::pair<Tensor, double>>{{{0, 2, 1, 2, 0, 2, 1}, 1.0},
                                                                             {{0, 0, 0, 0, 0, 0, 0}, 0.0},
                                                                             {{-3, -1, -2, -1, -3, -4, -1}, 1.0},
                                                                             {{0, 1, 2, 3, 4, 5, 6}, 6.0}}) {
        w.head.b = bias;
        CALL(generate, Tensor{4, 2}, count, w)
            .at("logits " + to_string(bias))
            .equals(exactly(full({count}, symbol), false));
    }
}
TEST_CASE("every batch entry goes on by itself") {
    const Model w = lively_model({.symbols = 11}, 320);
    const Tensor prompts = random_ids({3, 4}, 11, 321);
    const std::size_t count = 8;
    const Tensor all = result_of_shape(CALL(generate, prompts, count, w), {3, count});
    for (std::size_t b = 0; b < 3; ++b) {
        const Tensor prompt = token(prompts, b);
        const Call<Tensor> call = CALL(generate, prompt, count, w);
        call.satisfies(same_bits(result_of_shape(call, {count}), token(all, b)),
                       "prompt " + std::to_string(b) + " alone is continued differently than together with two others");
    }
}
TEST_CASE("what was generated, given as a prompt, leads to what followed") {
    const Model w = lively_model({.symbols = 11, .longest = 20}, 330);
    const Tensor prompt = random_ids({3}, 11, 331);
    const Tensor symbols = result_of_shape(CALL(generate, prompt, std::size_t{12}, w), {12});
    for (std::size_t read = 1; read < 12; read += 5) {
        const Tensor longer = concatenate(prompt, slice(symbols, 0, 0, read), 0);
        CALL(generate, longer, 12 - read, w).equals(exactly(slice(symbols, 0, read, 12), false));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Model w = lively_model({.symbols = 11}, 340);
    const Tensor first = random_ids({2, 4}, 11, 341), second = random_ids({2, 4}, 11, 342);
    const std::size_t count = 6;
    const Tensor before = result_of_shape(CALL(generate, first, count, w), {2, count});
    CALL(generate, second, count, w).equals(expected_symbols(second, count, w));
    const Call<Tensor> again = CALL(generate, first, count, w);
    again.satisfies(same_bits(again.result(), before), "the same prompt is continued differently the second time");
    again.remembers_nothing();
}
TEST_CASE("a symbol costs the same however many came before, and needs no more memory") {
    if (reads_tokens_again) return;
    const Model w = lively_model({.longest = 300}, 360);
    const Call<Tensor> few = CALL(generate, random_ids({2}, 7, 361), std::size_t{32}, w);
    const Call<Tensor> many = CALL(generate, random_ids({2}, 7, 361), std::size_t{256}, w);
    // A symbol and its id take some bytes each; a key and a value in each of two blocks 192.
    const std::size_t allowed = few.cost().extra_bytes + 512 + 64 * (256 - 32);
    many.satisfies(many.cost().extra_bytes <= allowed,
                   "32 new symbols held " + std::to_string(few.cost().extra_bytes) +
                       " bytes apart from the result, 256 held " + std::to_string(many.cost().extra_bytes) + "; " +
                       std::to_string(allowed) + " are enough for memories of fixed size",
                   "keys and values of all tokens kept");
}
}

}  // namespace linattn::testing::model_test
