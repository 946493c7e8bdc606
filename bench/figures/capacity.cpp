// What a state of 32 × 32 recalls without training, by five rules: each of several keys is written as many times, in random
// order, each time with another value, and then asked for. Recalled: what is read is nearer to the last value written under
// the key than to every other value that was written.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "forgetting.hpp"
#include "random.hpp"

namespace {

using namespace linattn;

constexpr std::size_t d = 32, trials = 100;

Tensor of_length_one(const Tensor& x) { return x / sqrt(sum(x * x, -1, keep_dims)); }

// The state after all pairs of K and V \shape{(trials, writes, d)}.
using Rule = std::function<Tensor(const Tensor& K, const Tensor& V)>;

Tensor gated_delta(const Tensor& K, const Tensor& V, double beta, double decay) {
    const Shape numbers{length(K, 0), length(K, 1)};
    const Tensor nothing = zeros({trials, d, d});
    return gated_delta_rule_resume(K, K, V, full(numbers, beta), full(numbers, std::log(decay)), nothing).S;
}

Tensor decayed_sum(const Tensor& K, const Tensor& V, double decay) {
    Tensor S = zeros({trials, d, d});
    for (std::size_t i = 0; i < length(K, 1); ++i)
        S = decay * S + expand_dims(token(K, i), -1) * expand_dims(token(V, i), -2);
    return S;
}

// As 9.13, but what came before counts `decay` times as much at every write.
Tensor least_squares(const Tensor& K, const Tensor& V, double decay) {
    Tensor S = zeros({trials, d, d}), P = zeros({trials, d, d}) + one_hot(arange(d), d) / 1e-3;
    for (std::size_t i = 0; i < length(K, 1); ++i) {
        const Tensor k = token(K, i), Pk = sum(P * expand_dims(k, -2), -1);
        const Tensor gain = expand_dims(Pk / (decay + sum(k * Pk, -1, keep_dims)), -1);
        S += gain * expand_dims(token(V, i) - sum(expand_dims(k, -1) * S, -2), -2);
        P = (P - gain * expand_dims(Pk, -2)) / decay;
    }
    return S;
}

const std::vector<std::pair<std::string, Rule>> rules{
    {"sum", [](const Tensor& K, const Tensor& V) { return decayed_sum(K, V, 1.0); }},
    {"decay", [](const Tensor& K, const Tensor& V) { return decayed_sum(K, V, 0.95); }},
    {"delta", [](const Tensor& K, const Tensor& V) { return gated_delta(K, V, 1.0, 1.0); }},
    {"least squares", [](const Tensor& K, const Tensor& V) { return least_squares(K, V, 1.0); }},
    {"forgetting least squares", [](const Tensor& K, const Tensor& V) { return least_squares(K, V, 0.9); }}};

struct Writes {
    Tensor table, K, V;                               // the keys, and what is written
    std::vector<std::vector<std::size_t>> last_of{};  // of each trial and key the write that counts

    Writes(std::size_t keys, std::size_t times, std::uint64_t seed)
        : table(of_length_one(normal({trials, keys, d}, seed))),
          K(zeros({trials, keys * times, d})),
          V(of_length_one(normal({trials, keys * times, d}, seed + 1))),
          last_of(trials, std::vector<std::size_t>(keys)) {
        SplitMix64 random(seed + 2);
        const std::size_t writes = keys * times;
        for (std::size_t t = 0; t < trials; ++t) {
            std::vector<std::size_t> order(writes);
            for (std::size_t i = 0; i < writes; ++i) order[i] = i % keys;
            for (std::size_t i = writes; i-- > 1;)
                std::swap(order[i], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
            for (std::size_t i = 0; i < writes; ++i) {
                for (std::size_t a = 0; a < d; ++a) K(t, i, a) = table(t, order[i], a);
                last_of[t][order[i]] = i;
            }
        }
    }

    double recalled(const Rule& rule) const {
        // |read - v|² without |read|², which is the same for all values
        const Tensor distances = -matmul(matmul(table, rule(K, V)), matrix_transpose(V));
        double right = 0.0;
        for (std::size_t t = 0; t < trials; ++t)
            for (std::size_t key = 0; key < length(table, 1); ++key) {
                std::size_t nearest = 0;
                for (std::size_t i = 1; i < length(V, 1); ++i)
                    if (distances(t, key, i) < distances(t, key, nearest)) nearest = i;
                right += nearest == last_of[t][key] ? 1.0 : 0.0;
            }
        return right / static_cast<double>(trials * length(table, 1));
    }
};

}  // namespace

int main() {
    std::printf(
        "# d_k = d_v = %zu, random keys and values of length 1, %zu trials; decay 0.95; least squares with ridge "
        "0.001, forgetting 0.9\n",
        d, trials);
    std::puts("times,keys,rule,recalled");
    for (const std::size_t times : {1UL, 4UL})
        for (const std::size_t keys : {4UL, 8UL, 16UL, 24UL, 32UL, 48UL, 64UL}) {
            const Writes writes(keys, times, 100 * times + keys);
            for (const auto& [name, rule] : rules)
                std::printf("%zu,%zu,%s,%.4f\n", times, keys, name.c_str(), writes.recalled(rule));
        }
}
