// block_step: the same block, one token at a time, with all of the past in a memory of fixed size.
#include "builds_on.hpp"
#include "cost_claims.hpp"
#include "definition.hpp"
#include "sizes.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::step_test {

Call<BlockStep> step(const Tensor& X, std::size_t i, const Block& w, std::size_t heads, const Memory& memory) {
    const Tensor x = token(X, i);
    auto call = CALL(block_step, x, w, heads, memory);
    call.at("token " + std::to_string(i));
    return call;
}

// The output of token i among all tokens of X up to it, and the memory after it.
std::vector<Expected> expected_step(const Tensor& X, std::size_t i, const Block& w, std::size_t heads) {
    const Tensor seen = tokens(X, 0, i + 1);
    Expected output = expected_transformer_block(seen, w, heads);
    output.value = token(output.value, i);
    output.tolerance = token(output.tolerance, i);
    output.has_tokens = false;
    std::vector<Expected> parts = expected_memory(seen, w, heads);
    parts.insert(parts.begin(), output);
    return parts;
}

// A memory that tokens might have left: z is above 0.
Memory random_memory(const Shape& leading, std::size_t heads, std::size_t e, std::uint64_t stream) {
    return {random_tensor(join(leading, {heads, e, e}), stream),
            random_tensor(join(leading, {heads, e}), stream + 1, 0.5, 3.0)};
}

struct StepSize {
    Shape leading;
    std::size_t d, heads, f;
};

TEST_SUITE("block_step") {
TEST_CASE("does with its parts what it should") {
    const Tensor X = random_tensor({2, 1, 6}, 10);
    const Block w = random_block(6, 4, 11);
    const std::size_t heads = 3;
    const Call<BlockStep> call = step(X, 0, w, heads, no_memory({2}, heads, 2));
    if (!call.gives(expected_step(X, 0, w, heads))) blame_what_it_builds_on(call, BuildsOn::block);
}
TRACED(block_step) {
    const Tensor& X = worked_example::X;
    const Block w = random_block(4, 3, 1);
    Memory memory = no_memory({}, worked_example::heads, 2);
    for (std::size_t i = 0; i < length(X, 0); ++i) {
        const Call<BlockStep> call = step(X, i, w, worked_example::heads, memory);
        call.equals(expected_step(X, i, w, worked_example::heads));
        memory = call.result().memory;
    }
}
TEST_CASE("rejects what does not belong together") {
    const Block w = random_block(4, 3, 1);
    const std::size_t heads = 2;
    const Tensor x = zeros({4});
    const Memory right = no_memory({}, 2, 2);
    CALL(block_step, x, w, std::size_t{3}, right).rejects({"heads", "4", "3"});
    CALL(block_step, zeros({6}), w, heads, right).rejects({"before_attention", "(6,)", "(4,)"});
    CALL(block_step, x, w, heads, no_memory({}, 4, 1)).rejects({"memory.S", "(2, 2, 2)", "(4, 1, 1)"});
    CALL(block_step, x, w, heads, Memory{right.S, zeros({2, 3})}).rejects({"memory.z", "(2, 2)", "(2, 3)"});
    CALL(block_step, zeros({5, 4}), w, heads, right).rejects({"memory.S", "(5, 2, 2, 2)", "(2, 2, 2)"});
}
TEST_CASE("one step after another gives what the whole sequence gives, for batches of 1 to 3") {
    std::uint64_t stream = 20;
    for (const Shape& leading : {Shape{}, Shape{1}, Shape{2}, Shape{3}, Shape{2, 2}}) {
        const Tensor X = random_tensor(join(leading, {6, 6}), stream += 30);
        const Block w = random_block(6, 4, stream + 1);
        const std::size_t heads = stream % 20 == 0 ? 2 : 3;
        Memory memory = no_memory(leading, heads, 6 / heads);
        for (std::size_t i = 0; i < 6; ++i) {
            const Call<BlockStep> call = step(X, i, w, heads, memory);
            call.equals(expected_step(X, i, w, heads));
            memory = call.result().memory;
        }
    }
}
TEST_CASE("one step after another through two and three blocks gives what the whole sequence gives") {
    for (const std::size_t depth : {std::size_t{2}, std::size_t{3}}) {
        const std::size_t heads = 2, n = 5;
        Tensor whole = random_tensor({2, n, 4}, 200 + depth);
        std::vector<Tensor> inputs;
        for (std::size_t i = 0; i < n; ++i) inputs.push_back(token(whole, i));
        for (std::size_t l = 0; l < depth; ++l) {
            const Block w = random_block(4, 5, 210 + 20 * l);
            const Expected expected = expected_transformer_block(whole, w, heads);
            Memory memory = no_memory({2}, heads, 2);
            for (std::size_t i = 0; i < n; ++i) {
                const Tensor x = inputs[i];
                auto call = CALL(block_step, x, w, heads, memory);
                call.at("token " + std::to_string(i) + " in block " + std::to_string(l));
                call.satisfies(
                    distance_if_alike(parts_of(call.result().output), parts_of(token(expected.value, i))).has_value(),
                    "the step gives another output than the whole sequence");
                memory = call.result().memory;
                inputs[i] = call.result().output;
            }
            whole = expected.value;
        }
    }
}
TEST_CASE("equals the definition from any memory on, at every size") {
    std::uint64_t stream = 300;
    for (const auto& [leading, d, heads, f] :
         {StepSize{{}, 6, 2, 4}, {{2}, 6, 3, 4},      {{2, 3}, 4, 2, 5},      {{}, 5, 1, 3},
          {{}, 5, 5, 2},         {{0}, 4, 2, 3},      {{}, 8, 2, 16},         {{}, 34, 2, 33},
          {{}, 128, 1, 131},     {{}, 131, 1, 128},   {{}, 130, 65, 3},       {{}, 128, 128, 2},
          {{}, 131, 131, 3},     {{}, 128, 32, 2},    {{130}, 4, 2, 3},       {{128}, 6, 3, 2},
          {{130, 2}, 2, 1, 3},   {{128, 1}, 3, 3, 2}, {{129, 1, 1}, 3, 1, 2}, {{2, 64, 1}, 2, 1, 2},
          {{300}, 2, 1, 2},      {{}, 300, 2, 2},     {{}, 2, 1, 300}}) {
        const Tensor x = random_tensor(join(leading, {d}), stream += 30);
        const Block w = random_block(d, f, stream + 1);
        const Memory memory = random_memory(leading, heads, d / heads, stream + 20);
        CALL(block_step, x, w, heads, memory).equals(expected_block_step(x, w, heads, memory));
    }
}
TEST_CASE("tokens and denominators so small that each ε shows") {
    const Tensor x = random_tensor({2, 6}, 435) * 3e-3;  // a variance near norm_epsilon
    Block w = random_block(6, 4, 436);
    w.attention.Q.b = w.attention.Q.b - 8.0;
    w.attention.K.b = w.attention.K.b - 8.0;
    const std::size_t heads = 3;
    const Memory memory = no_memory({2}, heads, 2);
    CALL(block_step, x, w, heads, memory).equals(expected_block_step(x, w, heads, memory));
}
TEST_CASE("two continuations of one memory do not disturb each other") {
    const Tensor X = random_tensor({2, 3, 6}, 500);
    const Block w = random_block(6, 4, 501);
    const std::size_t heads = 3;
    const Memory memory = random_memory({2}, heads, 2, 520);
    const BlockStep first = step(X, 0, w, heads, memory).result();
    step(X, 1, w, heads, memory).result();
    const Call<BlockStep> again = step(X, 0, w, heads, memory);
    again.satisfies(same_bits(again.result().output, first.output) &&
                        same_bits(again.result().memory.S, first.memory.S) &&
                        same_bits(again.result().memory.z, first.memory.z),
                    "the same step from the same memory gives different bits the second time");
}
TEST_CASE("remembers nothing of an earlier call") {
    step(random_tensor({2, 1, 6}, 530), 0, random_block(6, 4, 531), 3, random_memory({2}, 3, 2, 550))
        .remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the batch") {
    const Block w = random_block(2, 1, 555);
    costs_no_more_than_in_proportion(
        [&](std::size_t batch) {
            return step(random_tensor({batch, 1, 2}, batch), 0, w, 1, random_memory({batch}, 1, 2, batch + 1));
        },
        "sequences", 256);
}
TEST_CASE("neither its memory nor its cost grows with the tokens read") {
    const Tensor X = random_tensor({2, 40, 6}, 560);
    const Block w = random_block(6, 4, 561);
    const std::size_t heads = 3;
    Memory memory = no_memory({2}, heads, 2);
    std::size_t bytes = 0, steps = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const Call<BlockStep> call = step(X, i, w, heads, memory);
        memory = call.result().memory;
        call.satisfies(shape_of(memory.S) == Shape{2, heads, 2, 2} && shape_of(memory.z) == Shape{2, heads, 2},
                       "the memory has the shapes " + to_string(shape_of(memory.S)) + " and " +
                           to_string(shape_of(memory.z)) + " after token " + std::to_string(i));
        if (i == 0) {
            bytes = call.cost().extra_bytes;
            steps = call.cost().steps;
        }
        call.satisfies(call.cost().extra_bytes <= bytes + 512,
                       "step " + std::to_string(i) + " holds " + std::to_string(call.cost().extra_bytes) +
                           " bytes apart from its result; the first held " + std::to_string(bytes));
        call.satisfies(call.cost().steps <= steps + steps / 4, "step " + std::to_string(i) + " took " +
                                                                   std::to_string(call.cost().steps) +
                                                                   " steps; the first took " + std::to_string(steps));
    }
}
}

}  // namespace linattn::testing::step_test
