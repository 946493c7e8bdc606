// The two optimisers, step by step.
#include <cmath>

#include "adam_definition.hpp"
#include "cost_claims.hpp"
#include "sizes.hpp"

namespace linattn::testing::adam_test {

const AdamSettings adam;
AdamSettings radam_settings() {
    AdamSettings s;
    s.rectified = true;
    return s;
}
const AdamSettings radam = radam_settings();

Moments no_steps(const Shape& shape) { return {zeros(shape), zeros(shape), 0}; }

// 1 - 0.999^t loses up to 10 bits for small t, and √ halves that: 2^11 roundings are allowed for the step. RAdam's ρ is a
// difference of numbers up to 2000, and one of them was divided by 1 - 0.999^t, which is at least 0.005 where ρ matters.
// That is 2000 · 200 roundings in ρ - 4, which is at least 0.996, and √ halves that: 2^18.
std::vector<Expected> expected_step(const Tensor& w, const Tensor& g, const Moments& state, double rate,
                                    const AdamSettings& settings) {
    Tensor terms;
    const Update update = adam_by_definition(w, g, state, rate, settings, &terms);
    const Tensor m_terms = abs(0.9 * state.m) + abs(0.1 * g);
    const char* const why = "roundings of β₁m and (1 − β₁)g";
    return {settings.rectified
                ? to_rounding_of_terms(update.w, terms, 262144,
                                       "ρ − 4 cancels: up to 2^18 roundings of w and of the step", false)
                : to_rounding_of_terms(update.w, terms, 2048,
                                       "1 − β₂ᵗ cancels: up to 2048 roundings of w and of the step", false),
            to_rounding_of_terms(update.state.m, m_terms, 8, why, false),
            to_rounding_of_terms(update.state.v, update.state.v, 64, "1 − 0.999 is 0.001 to 60 roundings", false),
            exactly(Tensor(static_cast<double>(update.state.step)), false)};
}

using Step = Call<Update> (*)(const Tensor& w, const Tensor& g, const Moments& state, double rate);
Call<Update> run_adam(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    return CALL(adam_step, w, g, state, rate);
}
Call<Update> run_radam(const Tensor& w, const Tensor& g, const Moments& state, double rate) {
    return CALL(radam_step, w, g, state, rate);
}

void rejects_what_does_not_belong_together(Step run) {
    const Tensor w = zeros({2, 3});
    run(w, zeros({3, 2}), no_steps({2, 3}), 0.1).rejects({"g", "(2, 3)", "(3, 2)"});
    run(w, w, {zeros({3}), w, 0}, 0.1).rejects({"state.m", "(2, 3)", "(3,)"});
    run(w, w, {w, zeros({3}), 0}, 0.1).rejects({"state.v", "(2, 3)", "(3,)"});
    for (const double rate : {-0.1, std::nan(""), infinity}) run(w, w, no_steps({2, 3}), rate).rejects({"rate"});
}

// Gradients that change sign and size, from a state as it is at first.
void follows_the_definition(Step run, const AdamSettings& settings, std::size_t steps) {
    std::uint64_t stream = 0;
    for (const Shape& shape :
         {Shape{}, {3}, {2, 3}, {0}, {129, 2}, {2, 129}, {128, 2}, {2, 128}, {128, 1, 2}, {130, 2, 1}}) {
        Tensor w = random_tensor(shape, ++stream);
        Moments state = no_steps(shape);
        for (std::size_t i = 0; i < steps; ++i) {
            const Tensor g = random_tensor(shape, ++stream) * std::pow(10.0, -2.0 * static_cast<double>(i % 4));
            auto call = run(w, g, state, 0.01);
            call.at("step " + std::to_string(i + 1)).equals(expected_step(w, g, state, 0.01, settings));
            const Update right = adam_by_definition(w, g, state, 0.01, settings);
            w = right.w;
            state = right.state;
        }
    }
}
// The gradient of ‖w‖²/2 from the chapter's w on, which is w itself.
void trace(Step run, const AdamSettings& settings) {
    Update mine{Tensor{1, -2, 0.01}, no_steps({3})}, right = mine;
    for (int i = 0; i < 6; ++i) {
        const Tensor g = right.w;
        const Call<Update> call = run(mine.w, g, mine.state, 0.1);
        call.equals(expected_step(right.w, g, right.state, 0.1, settings));
        mine = call.result();
        right = adam_by_definition(right.w, g, right.state, 0.1, settings);
    }
}
void goes_on_from_any_state(Step run, const AdamSettings& settings) {
    std::uint64_t stream = 100;
    for (const std::size_t step : {1U, 4U, 5U, 6U, 10U, 100U, 1000U, 20000U}) {
        const Shape shape{step == 1000 ? many_tokens : 4};
        const Tensor w = random_tensor(shape, ++stream), g = random_tensor(shape, ++stream);
        const Moments state{random_tensor(shape, ++stream), random_tensor(shape, ++stream, 0.1, 2.0), step};
        run(w, g, state, 0.1).equals(expected_step(w, g, state, 0.1, settings));
    }
}
void costs_no_more_than_in_proportion_to_the_entries(Step run) {
    costs_no_more_than_in_proportion(
        [run](std::size_t entries) {
            return run(random_tensor({entries}, 1), random_tensor({entries}, 2), no_steps({entries}), 0.1);
        },
        "entries", 512);
}
void remembers_nothing(Step run) {
    const Tensor w = random_tensor({2, 3}, 1), g = random_tensor({2, 3}, 2);
    run(w, g, no_steps({2, 3}), 0.1).remembers_nothing();
}

TEST_SUITE("adam_step") {
const EntryByEntry by_entry("adam_step");

TRACED(adam_step) { trace(run_adam, adam); }
TEST_CASE("gives the chapter's worked example") {
    const Tensor w{1, 1, 1}, g{0.5, -2, 0};
    const Moments state = no_steps({3});
    const double rate = 0.1;
    CALL(adam_step, w, g, state, rate).equals(expected_step(w, g, state, rate, adam));
}
TEST_CASE("rejects what does not belong together") { rejects_what_does_not_belong_together(run_adam); }
TEST_CASE("its first step is as long as the rate, whatever the size of the gradient") {
    const Tensor w{0, 0, 0, 0}, g{1e-3, -1, 30, -1e5};
    const Moments state = no_steps({4});
    const double rate = 0.1;
    const auto call = CALL(adam_step, w, g, state, rate);
    const Tensor expected{-0.1, 0.1, -0.1, 0.1};
    call.satisfies(shape_of(call.result().w) == Shape{4} && total(abs(call.result().w - expected)) < 1e-5,
                   "from w = 0 with the rate 0.1 the first step must lead to ∓0.1; w is " + to_string(call.result().w));
}
TEST_CASE("follows the definition for eight steps") { follows_the_definition(run_adam, adam, 8); }
TEST_CASE("goes on from any state") { goes_on_from_any_state(run_adam, adam); }
TEST_CASE("small gradients meet ε: 1e-8 is added after the root") {
    const Tensor w{0, 0, 0}, g{1e-8, 1e-10, -3e-9};
    const Moments state = no_steps({3});
    const double rate = 0.1;
    CALL(adam_step, w, g, state, rate).equals(expected_step(w, g, state, rate, adam));
}
TEST_CASE("its cost grows in proportion to the entries") { costs_no_more_than_in_proportion_to_the_entries(run_adam); }
TEST_CASE("remembers nothing") { remembers_nothing(run_adam); }
}

TEST_SUITE("radam_step") {
const EntryByEntry by_entry("radam_step");

TRACED(radam_step) { trace(run_radam, radam); }
TEST_CASE("gives the chapter's worked example") {
    const Tensor w{1, 1, 1}, g{0.5, -2, 0};
    const Moments state = no_steps({3});
    const double rate = 0.1;
    CALL(radam_step, w, g, state, rate).equals(expected_step(w, g, state, rate, radam));
}
TEST_CASE("rejects what does not belong together") { rejects_what_does_not_belong_together(run_radam); }
TEST_CASE("follows the definition for eight steps") { follows_the_definition(run_radam, radam, 8); }
TEST_CASE("goes on from any state") { goes_on_from_any_state(run_radam, radam); }
TEST_CASE("takes plain steps of momentum up to step 4, adaptive ones from step 5 on") {
    for (const std::size_t step : {3U, 4U}) {
        const Tensor w{0, 0}, g{1e-3, -1e3};
        const Moments state{0.5 * g, g * g, step};
        const double rate = 0.1;
        CALL(radam_step, w, g, state, rate).equals(expected_step(w, g, state, rate, radam));
    }
}
TEST_CASE("small gradients meet ε: 1e-8 is added after the root") {
    const Tensor w{0, 0, 0}, g{1e-8, 1e-10, -3e-9};
    const Moments state{g, 1e-3 * g * g, 10};
    const double rate = 0.1;
    CALL(radam_step, w, g, state, rate).equals(expected_step(w, g, state, rate, radam));
}
TEST_CASE("its cost grows in proportion to the entries") { costs_no_more_than_in_proportion_to_the_entries(run_radam); }
TEST_CASE("remembers nothing") { remembers_nothing(run_radam); }
}
}  // namespace linattn::testing::adam_test
