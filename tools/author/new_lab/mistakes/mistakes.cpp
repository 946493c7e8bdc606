// @NAME@ as people really get it wrong, written from the definition. Each must fail the suite and be named.
#include "@NAME@.hpp"
#include "suite.hpp"

namespace linattn::testing::@NAME@_mistakes {

// For each token i, the sum of the tokens j that `counts` lets in, divided by `divisor`.
template <class Counts, class Divisor>
Tensor sums(const Tensor& x, const Counts& counts, const Divisor& divisor) {
    Tensor y = zeros(shape_of(x));
    for (std::size_t i = 0; i < length(x, -2); ++i) {
        Tensor total = zeros(shape_of(token(x, i)));
        for (std::size_t j = 0; j < length(x, -2); ++j)
            if (counts(i, j)) total += token(x, j);
        set_token(y, i, total / static_cast<double>(divisor(i)));
    }
    return y;
}

bool up_to(std::size_t i, std::size_t j) { return j <= i; }
bool any(std::size_t, std::size_t) { return true; }

MISTAKE(@NAME@, (const Tensor& x), "sum instead of mean", "§@NUMBER@.1",
        "Divide by the number of tokens that went into the sum: i + 1, counted from 0.") {
    return sums(x, up_to, [](std::size_t) { return 1; });
}
MISTAKE(@NAME@, (const Tensor& x), "mean over all tokens", "§@NUMBER@.1",
        "Token i may use tokens 0 to i only: this looks at the future.") {
    return sums(x, any, [&](std::size_t) { return length(x, -2); });
}
MISTAKE(@NAME@, (const Tensor& x), "divided by n everywhere", "§@NUMBER@.1",
        "The sum grows with i, so the divisor has to grow with it: i + 1, counted from 0.") {
    return sums(x, up_to, [&](std::size_t) { return length(x, -2); });
}

}  // namespace linattn::testing::@NAME@_mistakes
