// The gradients of a whole model, and what they do in twenty steps.
#include <cmath>

#include "cost_claims.hpp"
#include "expected_gradients.hpp"

namespace linattn::testing::model_test {

Model random_model(std::size_t symbols, std::size_t positions, std::size_t layers, std::size_t d, std::size_t heads,
                   std::uint64_t stream) {
    Model w{random_tensor({symbols, d}, stream), random_tensor({positions, d}, stream + 1), {},
            random_norm(d, stream + 2),          random_affine(d, symbols, stream + 3),     heads};
    for (std::size_t layer = 0; layer < layers; ++layer) w.blocks.push_back(random_block(d, d + 1, stream + 4 + layer));
    return w;
}

Tensor whole_numbers(const Shape& shape, std::size_t below, std::uint64_t stream) {
    Tensor x = random_tensor(shape, stream, 0.0, static_cast<double>(below));
    for (double& each : x) each = std::floor(each);
    return x;
}

struct Task {
    Tensor ids, targets, counts;
};
Task random_task(const Shape& shape, std::size_t symbols, std::uint64_t stream) {
    Task task{whole_numbers(shape, symbols, stream), whole_numbers(shape, symbols, stream + 1),
              whole_numbers(shape, 2, stream + 2)};
    task.counts.data()[task.counts.size() - 1] = 1.0;
    return task;
}

// The loss, then its slopes along every weight.
std::vector<Expected> expected_gradients(const Task& task, const Model& w) {
    ModelNumbers numbers(w);
    std::vector<Matrix*> arrays;
    add(arrays, numbers);
    const auto loss = [&] {
        return slopes_of_definition.cross_entropy(slopes_of_definition.logits(task.ids, numbers), task.targets,
                                                  task.counts);
    };
    const std::size_t additions = 16 * (task.ids.size() + w.embedding.size());
    const Dual value = loss();
    std::vector<Expected> parts = expected(slopes(arrays, loss), additions);
    for (Expected& part : parts) part.has_tokens = false;
    parts.insert(parts.begin(), to_rounding_of_terms(Tensor(value.value), Tensor(value.value_terms),
                                                     8.0 * static_cast<double>(additions),
                                                     "roundings of all that adds up to the logits", false));
    return parts;
}

Call<ModelGradients> run(const Task& task, const Model& w) {
    return CALL(model_gradients, task.ids, task.targets, task.counts, w);
}

TEST_SUITE("model_gradients") {
TEST_CASE("rejects what does not belong together") {
    const Model w = random_model(3, 4, 1, 4, 2, 1);
    const Tensor ids = zeros({2, 3}), counts = ones({2, 3});
    run({zeros({3}), ids, counts}, w).rejects({"ids", "(3,)"});
    run({ids, zeros({2, 2}), counts}, w).rejects({"targets", "(2, 3)", "(2, 2)"});
    run({ids, ids, ones({3, 2})}, w).rejects({"counts", "(2, 3)", "(3, 2)"});
    run({ids, ids, zeros({2, 3})}, w).rejects({"counts"});
    run({full({2, 3}, 3.0), ids, counts}, w).rejects({"ids", "3"});
    run({ids, full({2, 3}, -1.0), counts}, w).rejects({"targets"});
    run({zeros({2, 5}), zeros({2, 5}), ones({2, 5})}, w).rejects({"4", "5"});
}
TEST_CASE("equals the slopes of the definition for 0 to 3 blocks") {
    std::uint64_t stream = 1;
    struct Sizes {
        std::size_t batch, n, symbols, positions, layers, d, heads;
    };
    // A norm of two columns is ±1, whatever it reads: nearly no gradient gets past it.
    for (const Sizes& s : {Sizes{2, 3, 5, 4, 1, 4, 2},
                           {1, 4, 3, 4, 2, 3, 1},
                           {3, 2, 4, 5, 0, 3, 1},
                           {2, 2, 2, 2, 3, 4, 2},
                           {1, 1, 3, 2, 1, 6, 3}}) {
        const Model w = random_model(s.symbols, s.positions, s.layers, s.d, s.heads, stream);
        const Task task = random_task({s.batch, s.n}, s.symbols, stream + 50);
        const Call<ModelGradients> call = run(task, w);
        const std::vector<Expected> expected = expected_gradients(task, w);
        blame_what_it_builds_on(call, expected);
        call.equals(expected);
        stream += 100;
    }
}
TEST_CASE("a symbol that occurs several times adds up in the embedding") {
    const Model w = random_model(4, 6, 1, 2, 1, 1);
    const Task task{{{1, 1, 2, 1, 1, 2}, {2, 2, 2, 2, 2, 2}}, whole_numbers({2, 6}, 4, 2), ones({2, 6})};
    const auto call = run(task, w);
    call.equals(expected_gradients(task, w));
    call.remembers_nothing();
}
TEST_CASE("equals the slopes of the definition for 17 and 33 tokens") {
    for (const std::size_t n : {17U, 33U}) {
        const Model w = random_model(2, n + 1, 1, 2, 1, n);
        const Task task = random_task({1, n}, 2, n + 60);
        run(task, w).equals(expected_gradients(task, w));
    }
}
TEST_CASE("twenty steps down its gradients lead where those of the definition lead") {
    Model w = random_model(3, 4, 1, 2, 1, 7), by_definition = w;
    const Task task = random_task({2, 4}, 3, 70);
    double first = 0.0, last = 0.0, expected_last = 0.0;
    for (std::size_t step = 0; step < 20; ++step) {
        auto call = run(task, w);
        call.at("step " + std::to_string(step + 1));
        const std::vector<Expected> wanted = expected_gradients(task, by_definition);
        if (step == 0) call.equals(wanted);
        std::vector<Tensor> g;
        visit("", call.result().dw, [&](const std::string&, const Tensor& x) { g.push_back(x); });
        std::size_t part = 0;
        visit("", w, [&](const std::string&, Tensor& x) { x -= 0.3 * g[part++]; });
        part = 0;
        visit("", by_definition, [&](const std::string&, Tensor& x) { x -= 0.3 * wanted[++part].value; });
        if (step == 0) first = call.result().loss;
        last = call.result().loss;
        expected_last = wanted[0].value();
        call.satisfies(std::fabs(last - expected_last) <= 1e-9,
                       "after " + std::to_string(step) + " steps the loss is " + std::to_string(last) +
                           " where it should be " + std::to_string(expected_last));
    }
    note("the loss falls from " + std::to_string(first) + " to " + std::to_string(last));
}
TEST_CASE("its cost grows in proportion to the blocks") {
    costs_no_more_than_in_proportion(
        [](std::size_t blocks) {
            return run(random_task({1, 2}, 2, 80), random_model(2, 2, blocks, 2, 1, 81));
        },
        "blocks", 4);
}
TEST_CASE("its work grows no faster than n") {
    const Model w = random_model(3, 32, 1, 2, 1, 1);
    const auto steps = [&](std::size_t n) { return run(random_task({1, n}, 3, n), w); };
    const std::size_t steps_of_few = steps(8).cost().steps;
    const auto call = steps(32);
    call.satisfies(call.cost().steps < 6 * steps_of_few,
                   "4 times as many tokens took " + std::to_string(call.cost().steps) + " steps in place of " +
                       std::to_string(steps_of_few) +
                       ": more than 6 times as many, so the work is not proportional to n");
}
}
}  // namespace linattn::testing::model_test
