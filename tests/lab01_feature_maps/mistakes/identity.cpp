#include "each_entry.hpp"

namespace linattn::testing {
namespace {

MISTAKE(identity, (const Tensor& x), "constant one instead of x", "§1.3",
        "φ(x) = 1 is mean pooling, another map: return x itself.") {
    return each_entry(x, [](double) { return 1.0; });
}
MISTAKE(identity, (const Tensor& x), "relu instead of identity", "§1.3",
        "Negative entries belong to the map: return them as they are.") {
    return each_entry(x, [](double v) { return v < 0.0 ? 0.0 : v; });
}
MISTAKE(identity, (const Tensor& x), "normalised to unit length", "§1.3",
        "Do not divide by the token's length: that is cosine similarity, another map.") {
    const std::size_t d = length(x, -1);
    Tensor y = x;
    for (std::size_t begin = 0; begin < x.size(); begin += d) {
        double square = 0.0;
        for (std::size_t a = 0; a < d; ++a) square += x.data()[begin + a] * x.data()[begin + a];
        for (std::size_t a = 0; a < d; ++a) y.data()[begin + a] /= std::sqrt(square);
    }
    return y;
}

}  // namespace
}  // namespace linattn::testing
