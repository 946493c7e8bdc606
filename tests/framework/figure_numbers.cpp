// What the answer key computes for settings of the chapters' interactive figures, as JSON: figure → list of {settings,
// result}. test_docs.py asks the figures for the same.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "favor.hpp"
#include "feature_maps.hpp"
#include "forgetting.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"
#include "random.hpp"
#include "training.hpp"
#include "transformer.hpp"
#include "work_counter.hpp"
#include "xtensor/xview.hpp"

namespace {
using namespace linattn;
using nlohmann::json;

json entries(const Tensor& x) { return std::vector<double>(x.begin(), x.end()); }

json matrix(const Tensor& x) {
    json rows = json::array();
    for (std::size_t i = 0; i < length(x, 0); ++i) {
        rows.push_back(json::array());
        for (std::size_t j = 0; j < length(x, 1); ++j) rows.back().push_back(x(i, j));
    }
    return rows;
}

Tensor random(std::size_t rows, std::size_t columns, std::uint64_t seed) { return normal({rows, columns}, seed); }

json attention_steps(const Tensor& Q, const Tensor& K, const Tensor& V) {
    const std::size_t n = length(Q, 0), c = length(K, 1), d_v = length(V, 1);
    const FeatureMap phi("elu_plus_one", [](const Tensor& x) { return elu_plus_one(x); });
    CausalState state{zeros({c, d_v}), zeros({c})};
    json tokens = json::array();
    for (std::size_t i = 0; i < n; ++i) {
        const auto step =
            causal_linear_attention_step(xt::view(Q, i), xt::view(K, i), xt::view(V, i), state, phi, 1e-6);
        state = step.state;
        tokens.push_back({{"S", matrix(state.S)}, {"z", entries(state.z)}, {"output", entries(step.output)}});
    }
    return {{"settings", {{"Q", matrix(Q)}, {"K", matrix(K)}, {"V", matrix(V)}, {"mistake", "none"}}},
            {"result", tokens}};
}

// The gradients of lab 06, token by token.
json passes(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO, double epsilon) {
    const AttentionGradients d = causal_attention_backward(phi_Q, phi_K, V, dO, epsilon);
    return {{"settings",
             {{"Q", matrix(phi_Q)},
              {"K", matrix(phi_K)},
              {"V", matrix(V)},
              {"dO", matrix(dO)},
              {"epsilon", epsilon},
              {"mistake", "none"}}},
            {"result", {{"dQ", matrix(d.phi_Q)}, {"dK", matrix(d.phi_K)}, {"dV", matrix(d.V)}}}};
}

// The weights after each step of Adam along these gradients; the decay's factor is 1.
json adam(const Tensor& gradients, double rate, std::size_t warm_up, bool clips, const std::string& decay) {
    Tensor w = ones({2});
    Moments state{zeros({2}), zeros({2}), 0};
    json path = json::array();
    for (std::size_t t = 1; t <= length(gradients, 0); ++t) {
        const Tensor none = zeros({1, 1}), g = xt::view(gradients, t - 1);
        Model of_model{none, none, {}, {none, none}, {none, g}, 1};
        if (clips) clip(of_model, 1.0);
        const double now = t < warm_up ? rate * static_cast<double>(t) / static_cast<double>(warm_up) : rate;
        const Update update = adam_step(w, decay == "L2" ? Tensor(of_model.head.b + w) : of_model.head.b, state, now);
        w = decay == "AdamW" ? Tensor(update.w - now * w) : update.w;
        state = update.state;
        path.push_back(entries(w));
    }
    return {
        {"settings",
         {{"gradients", matrix(gradients)}, {"rate", rate}, {"warmUp", warm_up}, {"clip", clips}, {"decay", decay}}},
        {"result", path}};
}

json favor(const Tensor& q, const Tensor& k, const Tensor& W) {
    const Tensor row = expand_dims(q, 0);
    return {{"settings", {{"q", entries(q)}, {"k", entries(k)}, {"W", matrix(W)}}},
            {"result",
             {{"variance", kernel_variance(q, k, length(W, 0))()},
              {"positive", entries(positive_random_features(row, W, Stabilizer::per_token))},
              {"trigonometric", entries(trigonometric_random_features(row, W))}}}};
}

json brackets(std::size_t n, std::size_t d) {
    const Tensor Q = random(n, d, 1), K = random(n, d, 2), V = random(n, d, 3);
    const FeatureMap plain("identity", [](const Tensor& x) { return x; });
    work_done = 0;
    linear_attention_quadratic(Q, K, V, plain, Mask::none);
    const std::size_t left = work_done;
    work_done = 0;
    linear_attention_bidirectional(Q, K, V, plain);
    return {{"settings", {{"n", n}, {"d", d}}}, {"result", {{"left", left}, {"right", work_done}}}};
}

// The state that a rule of lab 09 leaves after all tokens: its row r is what a query with a 1 at place r reads.
template <class Outputs>
json state_of(const Tensor& K, const Outputs& outputs) {
    json rows = json::array();
    for (const Tensor& of_row : {Tensor{1, 0, 0, 0}, Tensor{0, 1, 0, 0}, Tensor{0, 0, 1, 0}, Tensor{0, 0, 0, 1}})
        rows.push_back(entries(token(outputs(zeros(shape_of(K)) + of_row), length(K, 0) - 1)));
    return rows;
}

json memory(const char* rule, double step, const Tensor& K, const Tensor& V, const Tensor& decay) {
    const double ridge = 0.3;
    const Tensor beta = full(shape_of(decay), step), log_decay = log(decay);
    const auto outputs = [&](const Tensor& Q) -> Tensor {
        const std::string name = rule;
        if (name == "plain sum") return gated_attention_recurrent(Q, K, V, zeros(shape_of(decay)));
        if (name == "decay") return gated_attention_recurrent(Q, K, V, log_decay);
        if (name == "delta rule") return delta_rule_recurrent(Q, K, V, beta);
        if (name == "both") return gated_delta_rule_resume(Q, K, V, beta, log_decay, zeros({4, length(V, 1)})).output;
        return least_squares_recurrent(Q, K, V, ridge);
    };
    json tokens = json::array();
    for (std::size_t i = 0; i < length(K, 0); ++i)
        tokens.push_back({entries(xt::view(K, i)), entries(xt::view(V, i)), decay(i)});
    return {{"settings", {{"rule", rule}, {"beta", step}, {"ridge", ridge}, {"tokens", tokens}}},
            {"result", state_of(K, outputs)}};
}

json memories() {
    const Tensor worked_K{{1, 0, 0, 0}, {0.6, 0.8, 0, 0}, {1, 0, 0, 0}}, worked_V = expand_dims(Tensor{1, 2, 4}, 1);
    json cases = json::array();
    for (const char* rule : {"plain sum", "decay", "delta rule", "both", "least squares"}) {
        cases.push_back(memory(rule, 1.0, worked_K, worked_V, full({3}, 0.5)));
        cases.push_back(memory(rule, 0.7, random(6, 4, 1), random(6, 3, 2), {0.9, 0.3, 1.0, 0.0, 0.8, 0.95}));
    }
    return cases;
}

// An untrained model of five symbols, and its logits.
json drawing() {
    const std::size_t d = 8, f = 16;
    std::uint64_t seed = 0;
    json blocks = json::array();
    Model w{random(5, d, ++seed), random(6, d, ++seed), {}, {}, {}, 2};
    const auto norm = [&](Norm& to) {
        to = {normal({d}, ++seed), normal({d}, ++seed)};
        return json{{"gain", entries(to.gain)}, {"bias", entries(to.bias)}};
    };
    const auto affine = [&](Affine& to, std::size_t in, std::size_t out) {
        to = {random(in, out, ++seed), normal({out}, ++seed)};
        return json{{"W", matrix(to.W)}, {"b", entries(to.b)}};
    };
    for (int l = 0; l < 2; ++l) {
        Block& block = w.blocks.emplace_back();
        Attention& attention = block.attention;
        blocks.push_back(
            {{"before_attention", norm(block.before_attention)},
             {"attention",
              {{"Q", affine(attention.Q, d, d)},
               {"K", affine(attention.K, d, d)},
               {"V", affine(attention.V, d, d)},
               {"O", affine(attention.O, d, d)}}},
             {"before_feed_forward", norm(block.before_feed_forward)},
             {"feed_forward",
              {{"up", affine(block.feed_forward.up, d, f)}, {"down", affine(block.feed_forward.down, f, d)}}}});
    }
    const json last = norm(w.last), head = affine(w.head, d, 5);
    const json model = {{"embedding", matrix(w.embedding)},
                        {"positions", matrix(w.positions)},
                        {"blocks", blocks},
                        {"last", last},
                        {"head", head},
                        {"heads", w.heads}};
    return {{"settings", {{"model", model}, {"ids", {4, 0, 3, 3, 1, 2}}}},
            {"result", matrix(logits({4, 0, 3, 3, 1, 2}, w))}};
}
}  // namespace

int main() {
    const json numbers = {
        {"state",
         {attention_steps({{1, 0}, {0, 2}, {0, 0}, {1, 2}}, {{0, 1}, {1, 0}, {0, 0}, {2, 1}},
                          {{1, 0, 2}, {0, 1, 1}, {3, 0, 1}, {1, 2, 0}}),
          attention_steps(random(4, 2, 1), random(4, 2, 2), random(4, 3, 3)),
          attention_steps(random(7, 3, 4), random(7, 3, 5), random(7, 1, 6))}},
        {"favor",
         {favor({1, 0}, {0.5, 1}, random(1, 2, 1)), favor({-0.3, 2}, {1, 1}, random(16, 2, 2)),
          favor({0.1, -0.2, 0.7}, {1, 0, -1}, random(64, 3, 3))}},
        {"brackets", {brackets(16, 8), brackets(256, 16), brackets(16, 64)}},
        {"memory", memories()},
        {"draws", {drawing()}},
        {"passes",
         {passes({{1, 1}, {2, 1}, {1, 0}}, {{1, 1}, {1, 3}, {2, 0}}, {{1, 0, 2}, {0, 1, 1}, {3, 0, 1}},
                 {{2, 0, 0}, {0, 8, 0}, {4, 0, 4}}, 0.0),
          passes(exp(random(5, 3, 1)), exp(random(5, 3, 2)), random(5, 2, 3), random(5, 2, 4), 0.5)}},
        {"adam",
         {adam({{0.5, -2}}, 0.1, 0, false, "none"), adam(random(30, 2, 1), 0.03, 0, false, "L2"),
          adam(2.0 * random(30, 2, 2), 0.03, 10, true, "AdamW"), adam(2.0 * random(30, 2, 3), 0.1, 40, true, "none")}}};
    std::puts(numbers.dump().c_str());
}
