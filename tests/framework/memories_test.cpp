// What lab 09 gives for training: its memories on a tape, and a gradient for who has not written 9.12.
#include <doctest/doctest.h>

#include <cmath>

#include "random.hpp"
#include "text_model.hpp"

namespace linattn {
namespace {

const Shape leading{2, 3};
constexpr std::size_t n = 21, d_k = 4, d_v = 3;  // more than a chunk

struct Inputs {
    std::vector<Tensor> all;  // q, k, v, gate, step

    explicit Inputs(std::uint64_t seed) {
        for (const std::size_t width : {d_k, d_k, d_v}) all.push_back(0.6 * normal(join(leading, {n, width}), ++seed));
        for (int number = 0; number < 2; ++number) all.push_back(normal(join(leading, {n}), ++seed));
    }
};

// What is read, and the gradients when the gradient of what is read is dO.
std::pair<Tensor, std::vector<Tensor>> read(const Rule& rule, const Inputs& in, const Tensor& dO) {
    std::vector<Tensor> gradients(in.all.size());
    Tape tape;
    std::vector<Tape::Value> at;
    for (std::size_t i = 0; i < in.all.size(); ++i)
        at.push_back(tape.append(in.all[i], [&gradients, i](const Tensor& gradient) { gradients[i] = gradient; }));
    const Tape::Value output = remember(tape, rule, at[0], at[1], at[2], at[3], at[4]);
    const Tensor said = tape[output];
    tape.backward(output, dO);
    return {said, gradients};
}

TEST_CASE("the gradients of each memory are its slopes") {
    const Inputs in(7);
    const Tensor dO = normal(join(leading, {n, d_v}), 40);
    for (const char* name : {"sum", "decay", "delta", "both"})
        for (const bool own : {true, false}) {
            CAPTURE(name);
            CAPTURE(own);
            const Rule rule = rule_of(name, own);
            const std::vector<Tensor> slopes = read(rule, in, dO).second;
            for (std::size_t i = 0; i < in.all.size(); ++i) {
                CAPTURE(i);
                const Tensor direction = normal(shape_of(in.all[i]), 50 + i);
                const double h = 1e-5;
                Inputs up = in, down = in;
                up.all[i] += h * direction;
                down.all[i] -= h * direction;
                const double slope = total((read(rule, up, dO).first - read(rule, down, dO).first) * dO) / (2.0 * h);
                const double found =
                    slopes[i].size() == 0 || shape_of(slopes[i]).empty() ? 0.0 : total(slopes[i] * direction);
                CHECK(std::fabs(slope - found) < 1e-6);
            }
        }
}

TEST_CASE("log sigmoid is exact far from 0") {
    const Tensor x{-INFINITY, -800.0, 0.0, 40.0, INFINITY};
    const Tensor y = log_sigmoid(x);
    CHECK(y(0) == -INFINITY);
    CHECK(y(1) == -800.0);
    CHECK(y(2) == doctest::Approx(-std::log(2.0)));
    CHECK(y(3) == doctest::Approx(-std::exp(-40.0)));
    CHECK(y(4) == 0.0);
}

TEST_CASE("recall with the sums of lab 09 learns as with the given ones") {
    const RecallRules rules;
    for (const bool decay : {false, true}) {
        RecallModel given(sum_in_closed_form(decay), rules, 2), own(recall_by({decay, false}), rules, 2);
        for (std::uint64_t step = 1; step <= 3; ++step) {
            const RecallTask task(rules, step);
            CHECK(own.train(task, 0.006) == doctest::Approx(given.train(task, 0.006)).epsilon(1e-9));
        }
    }
}

TEST_CASE("recall with the delta rule learns what a sum cannot") {
    const RecallRules rules;
    RecallModel model(recall_by(rule_of("delta", true)), rules, 1);
    for (std::uint64_t step = 1; step <= 200; ++step) model.train(RecallTask(rules, 1000000 + step), 0.006);
    const RecallTask unseen(rules, 7777);
    CHECK(total(model.answers(unseen) == unseen.wanted) / static_cast<double>(unseen.wanted.size()) > 0.95);
}

TEST_CASE("a text is continued from a state as the model says of the whole window") {
    constexpr std::size_t symbols = 7, window = 24, given = 4;
    const Tensor ids = floor(3.5 * (1.0 + minimum(maximum(normal({2, window}, 30), -0.99), 0.99)));
    for (const char* name : {"sum", "decay", "delta", "both", "softmax"}) {
        CAPTURE(name);
        const bool is_softmax = std::string(name) == "softmax";
        TextModel model(is_softmax ? std::nullopt : std::optional(rule_of(name, true)),
                        initial_model(symbols, window, 2, 8, 2, 3));
        for (int step = 0; step < 3; ++step)
            model.train({ids, ids, ones(shape_of(ids))}, 0.05);  // so that gates differ
        const Tensor said = model.continued(slice(ids, 1, 0, given), window - given);
        const Tensor whole = model.logits(concatenate(slice(ids, 1, 0, given), said, 1));
        for (std::size_t i = given; i < window; ++i) {
            const Tensor wanted = argmax(token(whole, i - 1));
            for (std::size_t b = 0; b < 2; ++b) CHECK(said(b, i - given) == wanted(b));
        }
    }
}

}  // namespace
}  // namespace linattn
