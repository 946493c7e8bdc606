// What the mistakes of softmax_features and exp_features are written with: which entries are counted together, as an
// O(size²) loop over pairs of entries.
#pragma once

#include <cmath>
#include <functional>
#include <limits>

#include "feature_maps.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// Whether entries i and j (counted row by row) belong together.
using Together = std::function<bool(std::size_t i, std::size_t j)>;

inline Together whole_array() {
    return [](std::size_t, std::size_t) { return true; };
}
inline Together same_token(const Tensor& x) {
    return [d = length(x, -1)](std::size_t i, std::size_t j) { return i / d == j / d; };
}
inline Together same_head(const Tensor& x) {
    return [size = length(x, -1) * length(x, -2)](std::size_t i, std::size_t j) { return i / size == j / size; };
}
/// The same channel of the tokens of one head.
inline Together same_channel(const Tensor& x) {
    return [d = length(x, -1), together = same_head(x)](std::size_t i, std::size_t j) {
        return i % d == j % d && together(i, j);
    };
}

/// For every entry, the largest of those it belongs together with.
inline Tensor largest(const Tensor& x, const Together& together) {
    Tensor y = full(shape_of(x), -std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j)
            if (together(i, j) && !(x.data()[j] <= y.data()[i])) y.data()[i] = x.data()[j];
    return y;
}

/// For every entry, the sum of those it belongs together with.
inline Tensor total(const Tensor& x, const Together& together) {
    Tensor y = zeros(shape_of(x));
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j)
            if (together(i, j)) y.data()[i] += x.data()[j];
    return y;
}

}  // namespace linattn::testing
