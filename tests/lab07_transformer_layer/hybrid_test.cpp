// hybrid_attention and its step: a window of softmax attention and linear attention over all, mixed by a gate.
#include <limits>

#include "attention_claims.hpp"
#include "cost_claims.hpp"
#include "hybrid_definition.hpp"
#include "long_sizes.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::hybrid_test {

// Q, K, V, a gate, and how far the window reaches.
struct HybridInputs : Inputs {
    Tensor gate;
    std::size_t window;
    HybridInputs(const Size& size, std::size_t reach, std::uint64_t stream)
        : Inputs(size, stream),
          gate(random_tensor(join(size.leading, {size.n}), 9000 + stream, 0.0, 1.0)),
          window(reach) {}

    HybridInputs until(std::size_t end) const {
        HybridInputs part = *this;
        for (Tensor* each : {&part.Q, &part.K, &part.V}) *each = tokens(*each, 0, end);
        part.gate = slice(gate, -1, 0, end);
        return part;
    }
};

Call<Tensor> run(const HybridInputs& in) {
    const std::size_t window = in.window;
    return CALL(hybrid_attention, in.Q, in.K, in.V, in.gate, window);
}
Expected expected(const HybridInputs& in) { return expected_hybrid_attention(in.Q, in.K, in.V, in.gate, in.window); }

// Token i as a step.
Call<HybridStep> step(const HybridInputs& in, std::size_t i, const HybridMemory& memory) {
    const Tensor q = token(in.Q, i), k = token(in.K, i), v = token(in.V, i);
    Shape leading = shape_of(q);
    leading.pop_back();
    const Tensor gate = reshape(slice(in.gate, -1, i, i + 1), leading);
    const std::size_t window = in.window;
    auto call = CALL(hybrid_attention_step, q, k, v, gate, window, memory);
    call.at("token " + std::to_string(i));
    return call;
}
std::vector<Expected> expected_step(const HybridInputs& in, std::size_t i) {
    const HybridInputs seen = in.until(i + 1);
    return expected_hybrid_step(seen.Q, seen.K, seen.V, seen.gate, seen.window);
}
HybridMemory memory_after(const HybridInputs& in, std::size_t n, const Size& size) {
    if (n == 0) return no_hybrid_memory(size.leading, size.d_k, size.d_v);
    const std::vector<Expected> parts = expected_step(in, n - 1);
    return {parts[1].value, parts[2].value, parts[3].value, parts[4].value};
}

// Of token i in the worked example.
Tensor worked_output() {
    using namespace worked_example;
    const Tensor g = expand_dims(gate, -1), linear = linear_numerators / (linear_sums + attention_epsilon);
    return g * local + (1.0 - g) * linear;
}

TEST_SUITE("hybrid_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const Tensor &Q = hybrid_Q, &K = hybrid_K, &V = hybrid_V;
    CALL(hybrid_attention, Q, K, V, gate, window)
        .equals(to_rounding_of_terms(worked_output(), full({3, 2}, 12.0), 32, "three tokens, integers, equal scores"));
}
TEST_CASE("rejects what does not belong together") {
    const Tensor Q = zeros({5, 2}), V = zeros({5, 4}), gate = zeros({5});
    const std::size_t window = 3;
    CALL(hybrid_attention, Q, Q, V, gate, std::size_t{0}).rejects({"window", "1", "0"});
    CALL(hybrid_attention, Q, Q, V, zeros({5, 1}), window).rejects({"gate", "(5,)", "(5, 1)"});
    CALL(hybrid_attention, Q, Q, V, zeros({4}), window).rejects({"gate", "(5,)", "(4,)"});
    CALL(hybrid_attention, Q, zeros({6, 2}), V, gate, window).rejects({"K", "(5, 2)", "(6, 2)"});
    CALL(hybrid_attention, Q, Q, zeros({6, 4}), gate, window).rejects({"V", "(5, 4)", "(6, 4)"});
}
TEST_CASE("equals the definition for windows of 1, 4, n and more than n") {
    std::uint64_t stream = 0;
    for (const std::size_t window : {4U, 1U, 9U, 20U})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}, Shape{0}}) {
            const HybridInputs in({leading, 9, 3, 5}, window, ++stream);
            run(in).equals(expected(in));
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 100;
    for (const std::size_t window : {std::size_t{5}, std::size_t{130}})
        for (const Size& size : sizes_around_borders(200)) {
            if (window > 5 && size.n < 100) continue;  // shorter ones than their window stand above
            const HybridInputs in(size, window, ++stream);
            run(in).equals(expected(in));
        }
    const auto claim = [](const Size& size, std::uint64_t at) {
        const HybridInputs in(size, 300, at);
        run(in).equals(expected(in));
    };
    at_long_sizes(claim, 1100);  // the definition takes O(n²)
}
TEST_CASE("a gate of 1 leaves the window, a gate of 0 the linear part") {
    for (const double g : {1.0, 0.0}) {
        HybridInputs in({{2}, 9, 3, 5}, 3, 200);
        in.gate = full({2, 9}, g);
        run(in).equals(expected(in));
    }
}
TEST_CASE("values of one give one, but for ε") {
    HybridInputs in({{2}, 9, 3, 5}, 3, 210);
    in.V = ones({2, 9, 5});
    run(in).equals(expected(in));
}
TEST_CASE("ε is added once to each denominator of the linear part, which may be as small as ε") {
    HybridInputs in({{2}, 9, 3, 5}, 3, 220);
    in.Q = in.Q - 8.0;
    in.K = in.K - 8.0;
    run(in).equals(expected(in));
}
TEST_CASE("stays finite for large scores") {
    HybridInputs in({{2}, 9, 3, 5}, 4, 230);
    in.Q = in.Q * 30.0;
    in.K = in.K * 30.0;
    run(in).equals(expected(in));
}
TEST_CASE("an output never depends on a later token") {
    const HybridInputs in({{2}, 8, 3, 5}, 3, 240);
    const Tensor before = result_of_shape(run(in), {2, 8, 5});
    for (std::size_t changed = 1; changed < 8; ++changed) {
        const HybridInputs other({{2}, 8, 3, 5}, 3, 240 + changed);
        HybridInputs mixed = in;
        for (std::size_t i = changed; i < 8; ++i) {
            set_token(mixed.Q, i, token(other.Q, i));
            set_token(mixed.K, i, token(other.K, i));
            set_token(mixed.V, i, token(other.V, i));
        }
        const Call<Tensor> call = run(mixed);
        for (std::size_t i = 0; i < changed; ++i)
            call.satisfies(same_bits(token(result_of_shape(call, {2, 8, 5}), i), token(before, i)),
                           "tokens " + std::to_string(changed) + " and later were changed, and the output of token " +
                               std::to_string(i) + " changed with them: it must be the same to the last bit");
    }
}
TEST_CASE("remembers nothing of an earlier call") { run(HybridInputs({{2}, 6, 3, 5}, 3, 250)).remembers_nothing(); }
TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) {
            return run(HybridInputs({{}, n, 3, 5}, 4, 196 + n));
        },
        "tokens", 64, "computed in O(n²)");
}
}

TEST_SUITE("hybrid_attention_step") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    HybridMemory memory = no_hybrid_memory({}, 1, 2);
    for (std::size_t i = 0; i < 3; ++i) {
        const Tensor q = token(hybrid_Q, i), k = token(hybrid_K, i), v = token(hybrid_V, i);
        const Tensor gate = full({}, worked_example::gate(i));
        const std::size_t first = i < window ? 0 : i + 1 - window;
        const Tensor K = tokens(hybrid_K, first, i + 1), V = tokens(hybrid_V, first, i + 1);
        // Queries with φ(q) = 1 read the sums as they are.
        const Tensor S = tokens(linear_numerators, i, i + 1), z = token(linear_sums, i);
        CALL(hybrid_attention_step, q, k, v, gate, window, memory)
            .at("token " + std::to_string(i))
            .equals(
                {to_rounding_of_terms(token(worked_output(), i), full({2}, 12.0), 32, "integers, equal scores", false),
                 exactly(S, false), exactly(z, false), exactly(K), exactly(V)});
        memory = {S, z, K, V};
    }
}
TRACED(hybrid_attention_step) {
    HybridInputs in({{}, 3, 1, 2}, worked_example::window, 1);
    in.Q = worked_example::hybrid_Q;
    in.K = worked_example::hybrid_K;
    in.V = worked_example::hybrid_V;
    in.gate = worked_example::gate;
    HybridMemory memory = no_hybrid_memory({}, 1, 2);
    for (std::size_t i = 0; i < 3; ++i) {
        const Call<HybridStep> call = step(in, i, memory);
        call.equals(expected_step(in, i));
        memory = call.result().memory;
    }
}
TEST_CASE("rejects what does not belong together") {
    const Tensor q = zeros({2}), v = zeros({3}), gate = zeros({});
    const std::size_t window = 3;
    const HybridMemory right = no_hybrid_memory({}, 2, 3);
    CALL(hybrid_attention_step, q, q, v, gate, std::size_t{0}, right).rejects({"window", "1", "0"});
    CALL(hybrid_attention_step, q, zeros({4}), v, gate, window, right).rejects({"k", "(2,)", "(4,)"});
    CALL(hybrid_attention_step, q, q, v, zeros({1}), window, right).rejects({"gate", "()", "(1,)"});
    HybridMemory wrong = right;
    wrong.S = zeros({3, 2});
    CALL(hybrid_attention_step, q, q, v, gate, window, wrong).rejects({"memory.S", "(2, 3)", "(3, 2)"});
    wrong = right;
    wrong.K = zeros({4, 2});
    wrong.V = zeros({4, 3});
    CALL(hybrid_attention_step, q, q, v, gate, window, wrong).rejects({"memory.K", "3", "4"});
    wrong = right;
    wrong.V = zeros({1, 3});
    CALL(hybrid_attention_step, q, q, v, gate, window, wrong).rejects({"memory.V", "(0, 3)", "(1, 3)"});
}
TEST_CASE("one step after another gives the whole sequence, for windows of 1, 4, n and more than n") {
    std::uint64_t stream = 20;
    for (const std::size_t window : {4U, 1U, 9U, 20U})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}}) {
            const Size size{leading, 9, 3, 5};
            const HybridInputs in(size, window, ++stream);
            HybridMemory memory = no_hybrid_memory(leading, 3, 5);
            for (std::size_t i = 0; i < 9; ++i) {
                const Call<HybridStep> call = step(in, i, memory);
                call.equals(expected_step(in, i));
                memory = call.result().memory;
            }
        }
}
TEST_CASE("equals the definition from any memory on, at every size") {
    std::uint64_t stream = 100;
    std::vector<Size> widths = widths_around_borders();
    for (const Size& size : long_sizes(2)) widths.push_back(size);
    for (const Size& size : widths)
        for (const std::size_t before : {std::size_t{2}, std::size_t{0}}) {
            const Size longer{size.leading, before + 1, size.d_k, size.d_v};
            const HybridInputs in(longer, 2, ++stream);
            step(in, before, memory_after(in, before, longer)).equals(expected_step(in, before));
        }
    for (const Size& size : {Size{{}, 132, 3, 2},
                             {{2}, 129, 2, 3},
                             {{130}, 3, 2, 3},
                             {{2, 130}, 3, 2, 1},
                             {{129, 2, 1}, 3, 2, 1},
                             {{128, 1, 1}, 3, 1, 2}})
        for (const std::size_t window : {std::size_t{128}, std::size_t{131}}) {
            if (window > 128 && size.n < 100) continue;  // as with 128
            const HybridInputs in(size, window, ++stream);
            step(in, size.n - 1, memory_after(in, size.n - 1, size)).equals(expected_step(in, size.n - 1));
        }
}
TEST_CASE("denominators so small that ε shows, and scores so large that exp overflows") {
    for (const double shift : {-8.0, 40.0}) {
        const Size size{{2}, 5, 3, 2};
        HybridInputs in(size, 3, 300);
        in.Q = in.Q + shift;
        in.K = in.K + shift;
        step(in, 4, memory_after(in, 4, size)).equals(expected_step(in, 4));
        step(in, 0, memory_after(in, 0, size)).equals(expected_step(in, 0));
    }
}
TEST_CASE("two continuations of one memory do not disturb each other") {
    const Size size{{2}, 5, 3, 2};
    const HybridInputs in(size, 3, 310);
    const HybridMemory memory = memory_after(in, 3, size);
    const HybridStep first = step(in, 3, memory).result();
    step(in, 4, memory).result();
    const Call<HybridStep> again = step(in, 3, memory);
    again.satisfies(
        same_bits(again.result().output, first.output) && same_bits(again.result().memory.K, first.memory.K),
        "the same step from the same memory gives different bits the second time");
}
TEST_CASE("remembers nothing of an earlier call") {
    const Size size{{2}, 5, 3, 2};
    const HybridInputs in(size, 3, 320);
    step(in, 4, memory_after(in, 4, size)).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the heads") {
    costs_no_more_than_in_proportion(
        [](std::size_t heads) {
            const Size size{{heads}, 1, 2, 3};
            return step(HybridInputs(size, 1, heads), 0, no_hybrid_memory({heads}, 2, 3));
        },
        "heads", 256);
}
TEST_CASE("once the window is full, neither its memory nor its cost grows") {
    const Size size{{2}, 40, 3, 2};
    const HybridInputs in(size, 6, 330);
    HybridMemory memory = no_hybrid_memory({2}, 3, 2);
    std::size_t bytes = 0, steps = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const Call<HybridStep> call = step(in, i, memory);
        memory = call.result().memory;
        call.satisfies(memory.K.dimension() == 3, "memory.K has the shape " + to_string(shape_of(memory.K)));
        const std::size_t kept = length(memory.K, -2);
        call.satisfies(kept <= 6,
                       "after token " + std::to_string(i) + " the memory holds " + std::to_string(kept) +
                           " keys, and the window is 6",
                       "unbounded cache");
        if (i == 7) {
            bytes = call.cost().extra_bytes;
            steps = call.cost().steps;
        }
        if (i <= 7) continue;
        call.satisfies(call.cost().extra_bytes <= bytes + 512 && call.cost().steps <= steps + steps / 4,
                       "step " + std::to_string(i) + " holds " + std::to_string(call.cost().extra_bytes) +
                           " bytes apart from its result and takes " + std::to_string(call.cost().steps) +
                           " steps; step 7 held " + std::to_string(bytes) + " and took " + std::to_string(steps));
    }
}
}

}  // namespace linattn::testing::hybrid_test
