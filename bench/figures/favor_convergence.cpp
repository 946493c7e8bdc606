// The two estimates of the softmax kernel, as a part of the kernel, with more and more directions: the mean over many
// draws, and the range of the middle 80% of the draws. q̂ = (1, 0), and k̂ has length 1 too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "favor.hpp"

namespace {

constexpr std::size_t most = 1024, draws = 4000;

// What the direction in row r contributes, by the formulas of 4.3 and 4.4.
double estimate(const std::string& features, const linattn::Tensor& W, std::size_t r, double angle) {
    const double w_q = W(r, 0), w_k = std::cos(angle) * W(r, 0) + std::sin(angle) * W(r, 1);
    const double estimate = features == "positive" ? std::exp(w_q + w_k - 1) : std::exp(1) * std::cos(w_q - w_k);
    return estimate / std::exp(std::cos(angle));
}

void print(const std::string& features, double degrees, const std::vector<linattn::Tensor>& directions) {
    std::vector<double> sums(draws, 0.0);
    for (std::size_t from = 0, m = 4; m <= most; from = m, m *= 2) {
        std::vector<double> means;
        for (std::size_t draw = 0; draw < draws; ++draw) {
            for (std::size_t r = from; r < m; ++r)
                sums[draw] += estimate(features, directions[draw], r, degrees * std::acos(-1.0) / 180);
            means.push_back(sums[draw] / static_cast<double>(m));
        }
        const double mean = std::accumulate(means.begin(), means.end(), 0.0) / draws;
        std::sort(means.begin(), means.end());
        std::printf("%g,%s,%zu,%.4g,%.4g,%.4g\n", degrees, features.c_str(), m, means[draws / 10], mean,
                    means[draws - 1 - draws / 10]);
    }
}

}  // namespace

int main() {
    std::printf("# |q|^2 = |k|^2 = 1 after scaling by d^(-1/4), d = 2; %zu draws, seeds 0 to %zu\n", draws, draws - 1);
    std::puts("angle,features,m,lower,mean,upper");
    std::vector<linattn::Tensor> directions;
    for (std::size_t seed = 0; seed < draws; ++seed) directions.push_back(linattn::gaussian_projection(most, 2, seed));
    for (const double degrees : {60.0, 120.0})
        for (const char* features : {"positive", "trigonometric"}) print(features, degrees, directions);
}
