// The variance of the two estimates of the softmax kernel, divided by the kernel's square: lab 04's function for
// positive features, and the chapter's formula for sines and cosines.
#include <cmath>
#include <cstdio>

#include "favor.hpp"

int main() {
    const double square = 2.0;  // ‖q̂‖² = ‖k̂‖²
    std::printf("# |q|^2 = |k|^2 = %g after scaling by d^(-1/4), d = 2, m = 1\n", square);
    std::puts("product,positive,trigonometric");
    const double length = std::sqrt(square * std::sqrt(2.0));
    for (int step = -80; step <= 80; ++step) {
        const double product = square * step / 80, angle = std::acos(product / square);
        const linattn::Tensor q{length, 0.0}, k{length * std::cos(angle), length * std::sin(angle)};
        const double kernel_squared = std::exp(2 * product);
        const double half = std::exp(2 * square) * std::pow(1 - std::exp(-2 * (square - product)), 2) / 2;
        std::printf("%.3f,%.6g,%.6g\n", product, std::fabs(linattn::kernel_variance(q, k, 1)()) / kernel_squared,
                    half / kernel_squared);
    }
}
