// What lab 09 gives for training: its memories on a tape, and a gradient for who has not written 9.12.
#include <doctest/doctest.h>

#include <cmath>

#include "random.hpp"
#include "text_model.hpp"

namespace linattn {
namespace {

constexpr std::size_t n = 21, d_k = 4, d_v = 3;  // more than a chunk
constexpr const char* names[]{"sum", "decay", "delta", "both"};

TEST_CASE("the gradients of each memory are its slopes") {
    const Tensor dO = normal({2, 3, n, d_v}, 40);
    const std::vector<Tensor> in{0.6 * normal({2, 3, n, d_k}, 8), 0.6 * normal({2, 3, n, d_k}, 9),
                                 0.6 * normal({2, 3, n, d_v}, 10), normal({2, 3, n}, 11), normal({2, 3, n}, 12)};
    for (const char* name : names)
        for (const bool own : {true, false}) {
            CAPTURE(name);
            CAPTURE(own);
            std::vector<Tensor> gradients(in.size(), zeros({1}));
            // Of q, k, v, gate and step, the loss of what is read; its gradients as well.
            const auto loss = [&](const std::vector<Tensor>& at) {
                Tape tape;
                for (std::size_t i = 0; i < at.size(); ++i)
                    tape.append(at[i], [&gradients, i](const Tensor& gradient) { gradients[i] = gradient; });
                const Tape::Value output = remember(tape, rule_of(name, own), 0, 1, 2, 3, 4);
                const double found = total(tape[output] * dO);
                tape.backward(output, dO);
                return found;
            };
            for (std::size_t i = 0; i < in.size(); ++i) {
                CAPTURE(i);
                const Tensor direction = normal(shape_of(in[i]), 50 + i);
                std::vector<Tensor> up = in, down = in;
                up[i] += 1e-5 * direction;
                down[i] -= 1e-5 * direction;
                const double slope = (loss(up) - loss(down)) / 2e-5;
                loss(in);
                CHECK(std::fabs(slope - total(gradients[i] * direction)) < 1e-6);
            }
        }
}

TEST_CASE("log sigmoid is exact far from 0") {
    const Tensor y = log_sigmoid(Tensor{-INFINITY, -800.0, 0.0, 40.0, INFINITY});
    const double right[]{-INFINITY, -800.0, -std::log(2.0), -std::exp(-40.0), 0.0};
    for (std::size_t i = 0; i < 5; ++i) CHECK((y(i) == right[i] || y(i) == doctest::Approx(right[i]).epsilon(1e-12)));
}

TEST_CASE("recall learns with the sums of lab 09 as with the given ones, and with the delta rule what a sum cannot") {
    const RecallRules rules;
    for (const bool decay : {false, true}) {
        RecallModel given(sum_in_closed_form(decay), rules, 2), own(recall_by({decay, false}), rules, 2);
        for (std::uint64_t step = 1; step <= 3; ++step) {
            const RecallTask task(rules, step);
            CHECK(own.train(task, 0.006) == doctest::Approx(given.train(task, 0.006)).epsilon(1e-9));
        }
    }
    RecallModel model(recall_by(rule_of("delta", true)), rules, 1);
    for (std::uint64_t step = 1; step <= 200; ++step) model.train(RecallTask(rules, 1000000 + step), 0.006);
    const RecallTask unseen(rules, 7777);
    CHECK(total(model.answers(unseen) == unseen.wanted) / static_cast<double>(unseen.wanted.size()) > 0.95);
}

TEST_CASE("a text is continued from a state as the model says of the whole window") {
    constexpr std::size_t window = 24, given = 4;
    const Tensor ids = floor(3.5 * (1.0 + minimum(maximum(normal({2, window}, 30), -0.99), 0.99)));
    for (const char* name : {"sum", "decay", "delta", "both", "softmax"}) {
        CAPTURE(name);
        TextModel model(name == std::string("softmax") ? std::nullopt : std::optional(rule_of(name, true)),
                        initial_model(7, window, 2, 8, 2, 3));
        for (int step = 0; step < 3; ++step)
            model.train({ids, ids, ones(shape_of(ids))}, 0.05);  // so that gates differ
        const Tensor prompt = slice(ids, 1, 0, given), answer = model.continued(prompt, window - given);
        const Tensor whole = model.logits(concatenate(prompt, answer, 1));
        for (std::size_t i = given; i < window; ++i)
            CHECK(total(token(expand_dims(answer, -1), i - given) == expand_dims(argmax(token(whole, i - 1)), -1)) ==
                  2.0);
    }
}

}  // namespace
}  // namespace linattn
