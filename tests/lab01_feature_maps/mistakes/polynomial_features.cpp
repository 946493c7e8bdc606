#include <functional>

#include "feature_maps.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

// The products x_a x_b of each token for the pairs (a, b) that are kept, row by row.
Tensor products(const Tensor& x, const std::function<bool(std::size_t a, std::size_t b)>& kept) {
    require_rank(x, "x", 1, "(…, d)", "polynomial_features");  // the check that stands in the stub already
    Shape shape = shape_of(x);
    const std::size_t d = shape.back(), rows = d == 0 ? 0 : x.size() / d;
    std::vector<double> values;
    std::size_t width = 0;
    for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b) width += kept(a, b);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t a = 0; a < d; ++a)
            for (std::size_t b = 0; b < d; ++b)
                if (kept(a, b)) values.push_back(x.data()[row * d + a] * x.data()[row * d + b]);
    shape.back() = width;
    Tensor y = zeros(shape);
    std::copy(values.begin(), values.end(), y.data());
    return y;
}

MISTAKE(polynomial_features, (const Tensor& x), "squares only", "§1.6",
        "Products of different entries belong to the square of a dot product, too: list all d² products.") {
    return products(x, [](std::size_t a, std::size_t b) { return a == b; });
}
MISTAKE(polynomial_features, (const Tensor& x), "upper triangle without the factor sqrt 2", "§1.6",
        "With a ≤ b alone the mixed products count half: list x_a x_b and x_b x_a, d² products in all.") {
    return products(x, [](std::size_t a, std::size_t b) { return a <= b; });
}
MISTAKE(polynomial_features, (const Tensor& x), "products of different entries only", "§1.6",
        "The squares x_a x_a belong to the list as well.") {
    return products(x, [](std::size_t a, std::size_t b) { return a != b; });
}

}  // namespace
}  // namespace linattn::testing
