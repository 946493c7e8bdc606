// How far differences with a step h are from the derivative: one-sided and central, for eˣ at points between 0.5 and 1.5.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "gradients.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t points = 101;

// The median over the points: at a single one rounding may cancel by luck.
double median_error(bool central, double h) {
    const linattn::ScalarFunction f("exp", [](const Tensor& x) { return std::exp(x(0)); });
    std::vector<double> errors;
    for (std::size_t p = 0; p < points; ++p) {
        const double at = 0.5 + static_cast<double>(p) / (points - 1);
        const Tensor x{at};
        const double slope = central ? linattn::central_differences(f, x, h)(0) : (std::exp(at + h) - std::exp(at)) / h;
        errors.push_back(std::fabs(slope / std::exp(at) - 1.0));
    }
    std::sort(errors.begin(), errors.end());
    return errors[points / 2];
}

}  // namespace

int main() {
    std::printf("# relative error, median over %zu points from 0.5 to 1.5\n", points);
    std::puts("sides,h,error");
    for (const bool central : {false, true})
        for (int half_decades = 0; half_decades <= 28; ++half_decades) {
            const double h = std::pow(10.0, -0.5 * half_decades);
            std::printf("%s,%.3g,%.3g\n", central ? "central" : "one-sided", h, median_error(central, h));
        }
}
