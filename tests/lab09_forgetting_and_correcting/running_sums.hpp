// Running sums of one number for each token, \shape{(…, n)}, that go along another axis than the last.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

/// The axis of \shape{(…, n)} along which a running sum goes: right is that of the tokens, axis -1.
enum class SumAxis {
    tokens,
    first,         ///< axis 0, that of the tokens only where there are no leading axes
    before_tokens  ///< axis -2, which there must be
};

/// The leading indices up to `head` whose numbers such a sum holds, if it does not go along the tokens.
inline std::vector<std::size_t> summed_heads(const Shape& leading, std::size_t head, SumAxis axis) {
    if (leading.empty()) throw std::invalid_argument("cumsum: no such axis");
    std::size_t heads = 1;
    for (const std::size_t extent : leading) heads *= extent;
    const std::size_t apart = axis == SumAxis::first ? heads / leading.front() : 1;
    const std::size_t first = axis == SumAxis::first ? head % apart : head - head % leading.back();
    std::vector<std::size_t> summed;
    for (std::size_t h = 0; h <= head; ++h)
        if (h >= first && (h - first) % apart == 0) summed.push_back(h);
    return summed;
}

inline bool goes_along_tokens(const Shape& leading, SumAxis axis) {
    return axis == SumAxis::tokens || (axis == SumAxis::first && leading.empty());
}

/// What the numbers x become if each is the sum of those from its own on, along such an axis.
inline Tensor summed_from_the_end(const Tensor& x, SumAxis axis) {
    Shape leading = shape_of(x);
    const std::size_t n = leading.back();
    leading.pop_back();
    Tensor sums = zeros(shape_of(x));
    for (std::size_t from = 0; from < x.size(); ++from) {
        if (goes_along_tokens(leading, axis)) {
            for (std::size_t to = from / n * n; to <= from; ++to) sums.data()[to] += x.data()[from];
            continue;
        }
        for (const std::size_t head : summed_heads(leading, from / n, axis))
            sums.data()[head * n + from % n] += x.data()[from];
    }
    return sums;
}

}  // namespace linattn::testing
