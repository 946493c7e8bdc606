// The error of attention with random features, against softmax attention: three kinds of features, more and more of
// them, for short queries and keys and for such as a layer without training has.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "favor.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t n = 256, d = 64, draws = 20;

double norm(const Tensor& x) {
    double squares = 0.0;
    for (const double entry : x) squares += entry * entry;
    return std::sqrt(squares);
}

struct Inputs {
    Tensor Q, K, V, softmax;

    // Entries of Q and K are N(0, scale²), so that ‖q̂‖² is about scale²·√d.
    Inputs(double scale, std::uint64_t seed)
        : Q(scale * linattn::normal({n, d}, seed)),
          K(scale * linattn::normal({n, d}, seed + 1)),
          V(linattn::normal({n, d}, seed + 2)),
          softmax(linattn::softmax_attention(Q, K, V, linattn::Mask::none)) {}

    double error(const Tensor& output) const { return norm(output - softmax) / norm(softmax); }
};

Tensor attention(const std::string& features, const Inputs& x, std::size_t m, std::uint64_t seed) {
    if (features == "positive orthogonal")
        return linattn::favor_attention(x.Q, x.K, x.V, linattn::orthogonal_projection(m, d, seed), linattn::Mask::none,
                                        0.0);
    const Tensor W = linattn::gaussian_projection(m, d, seed);
    if (features == "positive independent") return linattn::favor_attention(x.Q, x.K, x.V, W, linattn::Mask::none, 0.0);
    const linattn::FeatureMap phi("trigonometric",
                                  [&](const Tensor& rows) { return linattn::trigonometric_random_features(rows, W); });
    return linattn::normalized_linear_attention(x.Q, x.K, x.V, phi, 0.0);
}

}  // namespace

int main() {
    std::printf(
        "# n = %zu, d = d_v = %zu, no mask; median and quartiles of %zu draws of Q, K, V and W, seeds 0 to %zu\n", n, d,
        draws, 4 * draws - 1);
    std::puts("norm,features,m,lower,median,upper");
    for (const double square : {1.0, 8.0}) {
        std::vector<Inputs> inputs;
        for (std::size_t draw = 0; draw < draws; ++draw)
            inputs.emplace_back(std::sqrt(square / std::sqrt(static_cast<double>(d))), 4 * draw);
        for (const char* features : {"positive independent", "positive orthogonal", "trigonometric"})
            for (std::size_t m = 16; m <= 2048; m *= 2) {
                std::vector<double> errors;
                for (std::size_t draw = 0; draw < draws; ++draw)
                    errors.push_back(inputs[draw].error(attention(features, inputs[draw], m, 4 * draw + 3)));
                std::sort(errors.begin(), errors.end());
                std::printf("%g,%s,%zu,%.4g,%.4g,%.4g\n", square, features, m, errors[draws / 4],
                            (errors[draws / 2 - 1] + errors[draws / 2]) / 2, errors[draws - 1 - draws / 4]);
            }
    }
}
