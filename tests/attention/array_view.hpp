// An array (…, n, width) seen as rows, all leading axes in one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

struct RowExtents {
    std::size_t leading = 1, n = 0, width = 0;

    RowExtents(std::size_t of_leading, std::size_t rows, std::size_t columns)
        : leading(of_leading), n(rows), width(columns) {}
    explicit RowExtents(const Tensor& x) : n(length(x, -2)), width(length(x, -1)) {
        const Shape shape = shape_of(x);
        for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis) leading *= shape[axis];
    }
};

/// The rows with entries of their own.
template <class Entry>
struct RowsOf : RowExtents {
    std::vector<Entry> entries;

    RowsOf(std::size_t of_leading, std::size_t rows, std::size_t columns)
        : RowExtents(of_leading, rows, columns), entries(of_leading * rows * columns) {}
    explicit RowsOf(const Tensor& x) : RowExtents(x), entries(x.data(), x.data() + x.size()) {}

    Entry* row(std::size_t l, std::size_t i) { return entries.data() + (l * n + i) * width; }
    const Entry* row(std::size_t l, std::size_t i) const { return entries.data() + (l * n + i) * width; }
    Entry& operator()(std::size_t l, std::size_t i, std::size_t a) { return row(l, i)[a]; }
    const Entry& operator()(std::size_t l, std::size_t i, std::size_t a) const { return row(l, i)[a]; }

    /// As one sees them who reshapes to (width, n) and takes that for the transpose.
    /// \param block so many rows at a time; 0: all n
    RowsOf reshaped(std::size_t block = 0) const {
        RowsOf made = *this;
        if (block == 0) block = n;
        for (std::size_t l = 0; l < leading; ++l)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t a = 0; a < width; ++a) {
                    const std::size_t begin = i / block * block, rows = std::min(block, n - begin);
                    made(l, i, a) = row(l, begin)[a * rows + i - begin];
                }
        return made;
    }
};

}  // namespace linattn::testing
