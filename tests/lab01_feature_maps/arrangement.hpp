// In this lab a definition would be the solution, so the suites know their answers in advance: rows of tables, laid out
// at random in arrays of any shape.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost_claims.hpp"
#include "feature_maps.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// Arguments and the right results: row r of y belongs to row r of x.
struct Table {
    Tensor x, y;
};

/// Points {{x, y}, …} of a function of one entry, as a table whose rows are single entries.
inline Table points(const Tensor& pairs) {
    Table table{zeros({length(pairs, 0)}), zeros({length(pairs, 0)})};
    for (std::size_t r = 0; r < table.x.size(); ++r) {
        table.x(r) = pairs(r, 0);
        table.y(r) = pairs(r, 1);
    }
    return table;
}

/// Random rows of the table, one for every index of `leading`.
inline Table scattered(const Table& table, const Shape& leading, std::uint64_t stream) {
    const std::size_t rows = length(table.x, 0), from = table.x.size() / rows, to = table.y.size() / rows;
    const auto shape = [&](const Tensor& t) {
        const Shape all = shape_of(t);
        return join(leading, Shape(all.begin() + 1, all.end()));
    };
    const Tensor choice = random_tensor(leading, stream, 0.0, static_cast<double>(rows));
    Table result{zeros(shape(table.x)), zeros(shape(table.y))};
    for (std::size_t i = 0; i < choice.size(); ++i) {
        const auto row = static_cast<std::size_t>(choice.data()[i]);
        std::copy_n(table.x.data() + row * from, from, result.x.data() + i * from);
        std::copy_n(table.y.data() + row * to, to, result.y.data() + i * to);
    }
    return result;
}

/// (…, n, d) on both sides of every border, and far beyond.
inline std::vector<Shape> shapes_around_borders() {
    std::vector<Shape> shapes;
    for (const Size& size : all_sizes()) {
        shapes.push_back(size.leading);
        shapes.back().insert(shapes.back().end(), {size.n, size.d_k});
    }
    return shapes;
}

/// e^x for x ≤ 0, between the tabulated points: the series of e^(-x/1024), a sum of positive terms, squared ten times and
/// turned over, in long double. Good to 2^-53.
inline double exponential_by_series(long double x) {
    const long double y = -x / 1024.0L;
    long double term = 1.0L, total = 1.0L;
    for (int k = 1; k < 24; ++k) total += term *= y / static_cast<long double>(k);
    for (int doubling = 0; doubling < 10; ++doubling) total *= total;
    return static_cast<double>(1.0L / total);
}

/// Whether a and b agree to the last bit in all entries but begin, …, end-1 (counted row by row).
inline bool same_outside(const Tensor& a, const Tensor& b, std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < a.size(); ++i)
        if ((i < begin || i >= end) && !(a.data()[i] == b.data()[i])) return false;
    return true;
}

}  // namespace linattn::testing
