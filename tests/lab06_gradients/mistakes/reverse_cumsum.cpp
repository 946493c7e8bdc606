#include "gradient_arguments.hpp"
#include "gradients.hpp"
#include "suite.hpp"
#include "work_counter.hpp"

namespace linattn::testing::reverse_cumsum_mistakes {

std::size_t place_of(const Tensor& x, std::ptrdiff_t axis) {
    require_axis(x, axis, "reverse_cumsum");
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::ptrdiff_t>(x.dimension()) : axis);
}

// How far it is from an entry to the next one along the axis.
std::size_t step_along(const Shape& shape, std::size_t at) {
    std::size_t step = 1;
    for (std::size_t later = at + 1; later < shape.size(); ++later) step *= shape[later];
    return step;
}

// Entry j of every line along the axis is made of the line by `entry(line, j)`.
template <class Entry>
Tensor each_line(const Tensor& x, std::size_t n, std::size_t inner, Entry entry) {
    Tensor y = zeros(shape_of(x));
    for (std::size_t e = 0; e < x.size(); ++e) {
        const std::size_t j = e / inner % n, first = e - j * inner;
        std::vector<double> line(n);
        for (std::size_t i = 0; i < n; ++i) line[i] = x.data()[first + i * inner];
        y.data()[e] = entry(line, j);
    }
    return y;
}

template <class Entry>
Tensor each_line(const Tensor& x, std::size_t at, Entry entry) {
    return each_line(x, shape_of(x)[at], step_along(shape_of(x), at), entry);
}

using Line = std::vector<double>;
double sum_of(const Line& line, std::size_t begin, std::size_t end) {
    double total = 0.0;
    for (std::size_t i = begin; i < end; ++i) total += line[i];
    return total;
}
double from_own_on(const Line& line, std::size_t j) { return sum_of(line, j, line.size()); }

MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "total less the running sum", "§6.3",
        "The total holds the rounding of its largest entries, and subtracting does not take that out: sum from the "
        "end.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) {
        return sum_of(line, 0, line.size()) - sum_of(line, 0, j + 1) + line[j];
    });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "total less the running sum, own entry lost", "§6.3",
        "The running sum contains the entry itself, so it is subtracted, too. Sum from the end: that is more accurate "
        "as well.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) {
        return sum_of(line, 0, line.size()) - sum_of(line, 0, j + 1);
    });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "running sum from the front", "§6.3",
        "Entry j sums the entries from j to the last one.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) { return sum_of(line, 0, j + 1); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "sum not set back to 0 for the next line", "§6.3",
        "Every line along the axis has a sum of its own: begin it anew in the loop over the lines.") {
    const std::size_t at = place_of(x, axis);
    const Shape shape = shape_of(x);
    const std::size_t inner = step_along(shape, at);
    Tensor y = each_line(x, at, from_own_on);
    double before = 0.0;
    for (std::size_t line = 0; x.size() > 0 && line < x.size() / shape[at]; ++line) {
        const std::size_t first = line / inner * inner * shape[at] + line % inner;
        const double own = y.data()[first];
        for (std::size_t j = 0; j < shape[at]; ++j) y.data()[first + j * inner] += before;
        before += own;
    }
    return y;
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "sum set back to 0 for the leading indices only",
        "§6.3",
        "Every line along the axis has a sum of its own, also those that lie side by side: begin it anew for each.") {
    const std::size_t at = place_of(x, axis), n = shape_of(x)[at], inner = step_along(shape_of(x), at);
    Tensor y = each_line(x, at, from_own_on);
    for (std::size_t first = 0; first < x.size(); first += n * inner)
        for (std::size_t side = 1; side < inner; ++side) {
            const double before = y.data()[first + side - 1];
            for (std::size_t j = 0; j < n; ++j) y.data()[first + j * inner + side] += before;
        }
    return y;
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "sum runs on into the next line", "§6.3",
        "A line ends where its axis does: what lies a step further on belongs to the next leading index.") {
    const std::size_t inner = step_along(shape_of(x), place_of(x, axis));
    Tensor y = zeros(shape_of(x));
    for (std::size_t e = 0; e < x.size(); ++e)
        for (std::size_t later = e; later < x.size(); later += inner) y.data()[e] += x.data()[later];
    return y;
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "step along the axis from the lengths before it",
        "§6.3",
        "The last index runs fastest: from one entry to the next along an axis it is the product of the lengths after "
        "it.") {
    const std::size_t at = place_of(x, axis);
    std::size_t step = 1;
    for (std::size_t before = 0; before < at; ++before) step *= shape_of(x)[before];
    return each_line(x, shape_of(x)[at], step, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "own entry left out", "§6.3",
        "Entry j counts in its own sum: from j on, not from j + 1.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return sum_of(line, j + 1, line.size()); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "not flipped back", "§6.3",
        "The running sum of the flipped entries is the right one in reverse order: flip it back.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return from_own_on(line, line.size() - 1 - j); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "flipped only at the end", "§6.3",
        "Flip before the running sum as well: this is the running sum from the front, turned round.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return sum_of(line, 0, line.size() - j); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "flipped, not summed", "§6.3",
        "Sum between the two flips.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) { return line[line.size() - 1 - j]; });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "the total everywhere", "§6.3",
        "Entry j sums the entries from j on, not all of them.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t) { return sum_of(line, 0, line.size()); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "always along the last axis", "§6.3",
        "Sum along the axis that was asked for.") {
    place_of(x, axis);
    return each_line(x, x.dimension() - 1, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "always along the first axis", "§6.3",
        "Sum along the axis that was asked for.") {
    place_of(x, axis);
    return each_line(x, 0, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "always along the axis of the tokens", "§6.3",
        "Sum along the axis that was asked for: it need not be the one before the last.") {
    place_of(x, axis);
    return each_line(x, x.dimension() < 2 ? 0 : x.dimension() - 2, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "negative axis counted from 0", "§6.3",
        "A negative axis counts from the end: -1 is the last.") {
    const std::size_t at = place_of(x, axis);
    return each_line(x, axis < 0 ? static_cast<std::size_t>(-axis) - 1 : at, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "negative axis taken for the first", "§6.3",
        "A negative axis counts from the end: -1 is the last.") {
    const std::size_t at = place_of(x, axis);
    return each_line(x, axis < 0 ? 0 : at, from_own_on);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "flipped along another axis", "§6.3",
        "Flip along the axis of the sum, both times.") {
    const std::size_t at = place_of(x, axis), other = at == 0 ? x.dimension() - 1 : 0;
    const auto turned = [](const Line& line, std::size_t j) { return line[line.size() - 1 - j]; };
    const Tensor summed = each_line(each_line(x, other, turned), at,
                                    [](const Line& line, std::size_t j) { return sum_of(line, 0, j + 1); });
    return each_line(summed, other, turned);
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "last entry left out", "§6.3",
        "The sum begins with the last entry.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) {
        return j + 1 == line.size() ? line[j] : sum_of(line, j, line.size() - 1);
    });
}
MISTAKE(
    reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "first entry not summed", "§6.3",
    "The loop backwards ends with entry 0: for (i = n; i-- > 0;) reaches it, i > 0 at the end of a turn does not.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return j == 0 ? line[0] : from_own_on(line, j); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "last entry left out, and at 0", "§6.3",
        "The sum begins with the last entry, which is its own sum.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return sum_of(line, j, line.size() - 1); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "first entry left at 0", "§6.3",
        "The loop backwards ends with entry 0: for (i = n; i-- > 0;) reaches it.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return j == 0 ? 0.0 : from_own_on(line, j); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "only the next entry added", "§6.3",
        "Add to the sum so far, not to the entry as it was.") {
    return each_line(x, place_of(x, axis),
                     [](const Line& line, std::size_t j) { return sum_of(line, j, std::min(j + 2, line.size())); });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "mean in place of the sum", "§6.3",
        "Nothing is divided.") {
    return each_line(x, place_of(x, axis), [](const Line& line, std::size_t j) {
        return from_own_on(line, j) / static_cast<double>(line.size() - j);
    });
}
MISTAKE(reverse_cumsum, (const Tensor& x, std::ptrdiff_t axis), "computed in O(n²)", "§6.3",
        "Each sum is the one after it and one more entry: do not sum from each entry anew, nor by an n×n matrix.") {
    const std::size_t at = place_of(x, axis);
    count_work(x.size() * shape_of(x)[at]);
    return each_line(x, at, from_own_on);
}

}  // namespace linattn::testing::reverse_cumsum_mistakes
