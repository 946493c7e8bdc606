#include "suite.hpp"
#include "warm_up.hpp"

namespace linattn::testing::row_sums_mistakes {

// The sum of the entries that `counts` lets in, for each of `rows` results.
template <class Counts>
Tensor sums(const Tensor& x, std::size_t rows, const Counts& counts) {
    Tensor y = zeros({rows});
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < length(x, 0); ++i)
            for (std::size_t j = 0; j < length(x, 1); ++j)
                if (counts(r, i, j)) y(r) += x(i, j);
    return y;
}

MISTAKE(row_sums, (const Tensor& x), "columns summed instead of rows", "§0.1",
        "The axis you name is the one that disappears: axis 1 runs along a row.") {
    return sums(x, length(x, 1), [](auto r, auto, auto j) { return j == r; });
}
MISTAKE(row_sums, (const Tensor& x), "sum over all entries in every row", "§0.1",
        "Sum over the last axis only: one number for each row remains.") {
    return sums(x, length(x, 0), [](auto, auto, auto) { return true; });
}
MISTAKE(row_sums, (const Tensor& x), "mean instead of sum", "§0.1", "Do not divide by the length of the row.") {
    return sums(x, length(x, 0), [](auto r, auto i, auto) { return i == r; }) / static_cast<double>(length(x, 1));
}

}  // namespace linattn::testing::row_sums_mistakes
