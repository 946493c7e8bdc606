#include <algorithm>
#include <cmath>

#include "favor.hpp"
#include "suite.hpp"

namespace linattn::testing {
namespace {

#define GAUSSIAN_MISTAKE(name, explanation)                                                                         \
    MISTAKE(gaussian_projection, (std::size_t m, std::size_t d, [[maybe_unused]] std::uint64_t seed), name, "§4.1", \
            explanation)

GAUSSIAN_MISTAKE("d×m instead of m×d", "One direction a row: m rows of d entries.") {
    return matrix_transpose(normal({m, d}, seed));
}
GAUSSIAN_MISTAKE("seed ignored", "Draw with the seed that came in: whoever asks for another projection must get one.") {
    return normal({m, d}, 0);
}
GAUSSIAN_MISTAKE("the same row m times",
                 "Draw m·d numbers, not d: a direction that is repeated adds nothing to the mean.") {
    Tensor W = zeros({m, d});
    for (std::size_t r = 0; r < m; ++r) set_token(W, r, normal({d}, seed));
    return W;
}
GAUSSIAN_MISTAKE("neighbouring seeds share rows",
                 "Drawing row r with seed + r makes row 1 of this seed row 0 of the next. Draw all rows at once.") {
    Tensor W = zeros({m, d});
    for (std::size_t r = 0; r < m; ++r) set_token(W, r, normal({d}, seed + r));
    return W;
}
GAUSSIAN_MISTAKE("scaled by 1/√d", "The entries have variance 1. The scale d^(-1/4) belongs to the queries and keys.") {
    return normal({m, d}, seed) / std::sqrt(static_cast<double>(d));
}
GAUSSIAN_MISTAKE("uniform instead of normal", "The mean of e^(w·x) is e^(|x|²/2) for normal w and for no others.") {
    SplitMix64 random(seed);
    Tensor W = zeros({m, d});
    for (std::size_t i = 0; i < W.size(); ++i) W.data()[i] = std::sqrt(3.0) * (2.0 * random.uniform() - 1.0);
    return W;
}

}  // namespace
}  // namespace linattn::testing
