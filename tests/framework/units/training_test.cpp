// What lab 08 gives for training: gradients with every kind of attention and of recall, and ways to generate.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cmath>

#include "kinds.hpp"
#include "random.hpp"
#include "recall.hpp"

namespace linattn {
namespace {

constexpr std::size_t letters = 5, length = 20;  // 40 positions: more than the window of hybrid attention
constexpr AttentionKind kinds[]{AttentionKind::linear, AttentionKind::softmax, AttentionKind::hybrid};

Model some_model() {
    Model w = initial_model(letters + 1, 2 * length, 2, 8, 2, 5);
    std::uint64_t seed = 100;
    for (Tensor* weight : parameters(w)) *weight += 0.3 * normal(shape_of(*weight), ++seed);
    return w;
}

// Entry by entry between the numbers next to the right one but `units` - 1, and the same wherever it stands.
template <class Function, class Right>
void check_off_by(int units, Function function, Right right, const Tensor& x) {
    const Tensor y = function(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double low = static_cast<double>(right(static_cast<long double>(x.data()[i]))), high = low;
        for (int unit = 0; unit < units; ++unit) {
            low = std::nextafter(low, -INFINITY);
            high = std::nextafter(high, INFINITY);
        }
        CAPTURE(x.data()[i]);
        CHECK((y.data()[i] >= low && y.data()[i] <= high));
        if (i % 97 == 0) CHECK(function(slice(x, 0, i, i + 1)).data()[0] == y.data()[i]);
    }
}

TEST_CASE("exp and erf are off by one and two units in the last place at most, wherever a number stands") {
    const Tensor between = sin(normal({4099}, 77));
    for (const double scale : {1e-5, 1.0, 30.0, 700.0})
        check_off_by(
            1, [](const Tensor& x) { return exp(x); }, [](long double x) { return std::exp(x); }, scale * between);
    for (const double scale : {1e-300, 1e-5, 2e-3, 0.02, 1.0, 7.0})
        check_off_by(
            2, [](const Tensor& x) { return erf(x); }, [](long double x) { return std::erf(x); }, scale * between);
    const Tensor ends{0.0, -INFINITY, INFINITY, 710.0, -746.0};
    CHECK(total(exp(ends) == Tensor{1.0, 0.0, INFINITY, INFINITY, 0.0}) == 5.0);
    CHECK(total(erf(ends) == Tensor{0.0, -1.0, 1.0, 1.0, -1.0}) == 5.0);
    for (const Tensor& y : {exp(Tensor{NAN}), erf(Tensor{NAN})}) CHECK(std::isnan(y(0)));
}

TEST_CASE("gradients are the slopes of the loss, weight by weight") {
    const Batch in = copy_batch(3, length, letters, 9);
    for (const AttentionKind kind : kinds) {
        CAPTURE(static_cast<int>(kind));
        Model w = some_model();
        const auto loss = [&] { return cross_entropy(logits_of(kind, in.ids, w), in.targets, in.counts).loss; };
        ModelGradients found = gradients_of(kind, in.ids, in.targets, in.counts, w);
        CHECK(found.loss == doctest::Approx(loss()).epsilon(1e-12));
        const std::vector<Tensor*> weights = parameters(w), slopes = parameters(found.dw);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            CAPTURE(parameter_names(w)[i]);
            const Tensor before = *weights[i], direction = normal(shape_of(before), 200 + i);
            double difference = 0.0;
            for (const double sign : {1.0, -1.0}) {
                *weights[i] = before + sign * 1e-5 * direction;
                difference += sign * loss();
            }
            *weights[i] = before;
            CHECK(std::fabs(difference / 2e-5 - total(*slopes[i] * direction)) < 1e-8);
        }
    }
}

TEST_CASE("clip scales what is longer than the norm, and nothing else") {
    Model g{full({1, 1}, 12.0), zeros({1, 1}), {}, {zeros({1}), zeros({1})}, {zeros({1, 2}), Tensor{3.0, 4.0}}, 1};
    for (const auto& [norm, scale] : {std::pair(26.0, 1.0), std::pair(6.5, 0.5)}) {
        clip(g, norm);
        CHECK(g.embedding(0, 0) == 12.0 * scale);
        CHECK(total(g.head.b == scale * Tensor{3.0, 4.0}) == 2.0);
    }
}

TEST_CASE("a way to generate says what the model says of the whole sequence") {
    const Model w = some_model();
    const Tensor prompt = slice(copy_batch(2, length, letters, 9).ids, 1, 0, 3);
    constexpr std::size_t count = 2 * length - 3;
    for (const AttentionKind kind : kinds) {
        CAPTURE(static_cast<int>(kind));
        const Tensor answer = generate_with_attention(kind, prompt, count, w, argmax);
        const Tensor whole = logits_of(kind, slice(concatenate(prompt, answer, 1), 1, 0, 2 * length - 1), w);
        for (std::size_t i = 0; i < count; ++i)
            CHECK(total(token(expand_dims(answer, -1), i) == expand_dims(argmax(token(whole, i + 2)), -1)) == 2.0);
    }
    const Tensor cached = generate_with_kv_cache(prompt, 10, w, at_random(3));
    CHECK(total(cached == generate_recomputing(prompt, 10, w, at_random(3))) == 20.0);
}

// The share of the last values that a memory knows after so many steps.
double recalled(bool decay, const RecallRules& rules, std::uint64_t steps) {
    RecallModel model(sum_in_closed_form(decay), rules, 1);
    for (std::uint64_t step = 1; step <= steps; ++step) model.train(RecallTask(rules, 1000000 + step), 0.006);
    const RecallTask unseen(rules, 7777);
    return total(model.answers(unseen) == unseen.wanted) / static_cast<double>(unseen.wanted.size());
}

TEST_CASE("recall: what is wanted is the last value, or void where a clear came after it") {
    for (const RecallRules& rules : {RecallRules{}, RecallRules{.keys = 5, .writes = 24, .clears = true}}) {
        const RecallTask task(rules, 3);
        const double no_value = static_cast<double>(RecallRules::values), no_key = static_cast<double>(rules.keys);
        for (std::size_t b = 0; b < RecallRules::batch; ++b) {
            std::size_t clears = 0, cleared = 0;
            for (std::size_t i = 0; i < rules.writes; ++i)
                if (task.value(b, i) == no_value) {
                    cleared = i;
                    ++clears;
                }
            CHECK(clears == (rules.clears ? 1 : 0));
            if (rules.clears) CHECK(task.key(b, cleared) == no_key);
            if (rules.clears) CHECK((cleared >= rules.writes / 4 && cleared < rules.writes * 3 / 4));
            for (std::size_t i = 0; i < RecallRules::queries; ++i) {
                const std::size_t last = rules.writes - 1 - static_cast<std::size_t>(task.writes_since(b, i));
                CHECK(task.key(b, last) == task.query(b, i));
                CHECK(task.query(b, i) < no_key);
                CHECK(task.wanted(b, i) == (last < cleared ? no_value : task.value(b, last)));
                for (std::size_t later = last + 1; later < rules.writes; ++later)
                    CHECK(task.key(b, later) != task.query(b, i));
            }
        }
        CHECK((total(task.wanted == no_value) > 0.0) == rules.clears);
    }
    CHECK(recalled(false, {}, 250) < 0.5);  // a plain sum; with decay more
    CHECK(recalled(true, {}, 250) > 0.8);
}

TEST_CASE("recall: the same numbers from one process and from three") {
    const RecallRules rules;
    RecallModel one(sum_in_closed_form(true), rules, 1), three(sum_in_closed_form(true), rules, 1, 3);
    for (std::uint64_t step = 1; step <= 5; ++step)
        CHECK(one.train(RecallTask(rules, step), 0.006) == three.train(RecallTask(rules, step), 0.006));
    const RecallTask unseen(rules, 7777);
    CHECK(total(one.decays_and_strengths(unseen).first != three.decays_and_strengths(unseen).first) == 0.0);
}

TEST_CASE("recall with every key written once, in any order, and of another width") {
    const RecallRules rules{.keys = 9, .writes = 7, .once = true, .width = 12};
    const RecallTask task(rules, 3);
    const double first = total(token(expand_dims(task.key, -1), 0) == 0.0);
    CHECK((first > 0.0 && first < 32.0));
    for (std::size_t i = 0; i < rules.writes; ++i)
        for (std::size_t before = 0; before < i; ++before)
            CHECK(total(slice(task.key, 1, i, i + 1) == slice(task.key, 1, before, before + 1)) == 0.0);
    CHECK(RecallModel(sum_in_closed_form(false), rules, 1).weights() ==
          12 * 9 + 12 * 16 + 3 * (12 * 12 + 12) + 2 * (12 + 1) + (12 * 16 + 16) + 3 * 24);
    CHECK(recalled(false, rules, 200) > 0.8);
}

}  // namespace
}  // namespace linattn
