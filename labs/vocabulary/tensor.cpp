#include "tensor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <xtensor-blas/xblas.hpp>

#ifdef LINATTN_XSIMD
#include "vector_functions.hpp"
#endif
#include "work_counter.hpp"

namespace linattn {
namespace {

// A shape as a Tensor holds it: up to four lengths without a piece of memory of their own.
using Lengths = Tensor::shape_type;

std::string to_string(const Lengths& lengths) { return linattn::to_string(Shape(lengths.begin(), lengths.end())); }

template <class Iterator>
std::size_t product(Iterator begin, Iterator end) {
    return std::accumulate(begin, end, std::size_t{1}, std::multiplies<>{});
}
std::size_t product(const Lengths& lengths) { return product(lengths.begin(), lengths.end()); }

// As it was meant: 0 - 1 is -1, not 18446744073709551615.
std::string as_written(std::size_t index) { return std::to_string(static_cast<std::ptrdiff_t>(index)); }

// As ==, which calls memcmp: that takes longer for a few lengths just written.
bool same(const Lengths& a, const Lengths& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t axis = 0; axis < a.size(); ++axis)
        if (a[axis] != b[axis]) return false;
    return true;
}

// The number of entries of a shape that an array can have.
std::size_t entries_of(const Lengths& shape) {
    constexpr std::size_t largest_length = std::numeric_limits<std::size_t>::max() / 2;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > largest_length)
            throw std::invalid_argument("a shape cannot be " + to_string(shape) + ": its axis " + std::to_string(axis) +
                                        " is " + as_written(shape[axis]) +
                                        ", as an unsigned number; do not subtract a size from a smaller one");
    double entries = 1.0;  // exact as far as it matters, and 0 where a length is
    for (const std::size_t length : shape) entries *= static_cast<double>(length);
    constexpr std::size_t most_entries = std::size_t{1} << 37;  // 1 TiB
    if (!(entries <= static_cast<double>(most_entries)))
        throw std::invalid_argument("an array of shape " + to_string(shape) +
                                    " does not fit into memory: check the lengths of its axes");
    return static_cast<std::size_t>(entries);
}

// Every result is made here, so that every entry computed is counted as one step of work. One that is unwritten has no
// contents yet.
Tensor unwritten(const Lengths& shape) {
    count_work(entries_of(shape));
    return Tensor(shape);
}
Tensor unwritten_like(const Tensor& x) {
    count_work(x.size());
    return Tensor(x.shape());
}
// The array of a temporary, `own`, where there is one: it may be an operand's, since entry i depends on entries i alone.
Tensor result_like(const Tensor& x, Tensor* own) {
    if (!own) return unwritten_like(x);
    count_work(own->size());
    return std::move(*own);
}
Tensor filled(const Lengths& shape, double value) {
    Tensor result = unwritten(shape);
    std::fill_n(result.data(), result.size(), value);
    return result;
}

// An index into a list of `count` axes or places, counted from the end when negative.
std::size_t resolve_axis(std::ptrdiff_t axis, std::size_t count, const Lengths& shape) {
    const auto signed_count = static_cast<std::ptrdiff_t>(count);
    if (axis < -signed_count || axis >= signed_count)
        throw std::out_of_range("axis " + std::to_string(axis) + " does not exist: the shape is " + to_string(shape));
    return static_cast<std::size_t>(axis < 0 ? axis + signed_count : axis);
}

// A tensor seen from one of its axes: `outer` blocks of `length` rows of `inner` neighbours.
struct AxisView {
    std::size_t outer, length, inner;

    AxisView(const Lengths& shape, std::size_t axis)
        : outer(product(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis))),
          length(shape[axis]),
          inner(product(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end())) {}

    std::size_t offset(std::size_t o, std::size_t l, std::size_t i) const { return (o * length + l) * inner + i; }
};

// The axis behind the first, from the end, that `less` lacks where a length of 1 there would make it broadcast to `whole`; else 0.
std::size_t missing_axis(const Lengths& less, const Lengths& whole) {
    if (less.empty() || less.size() + 1 != whole.size()) return 0;
    for (std::size_t axis = whole.size() - 1; axis > 0; --axis) {
        bool fits = whole[axis] != 1;
        for (std::size_t i = 0; i < less.size(); ++i) {
            const std::size_t beside = whole[i < axis ? i : i + 1];
            fits &= less[i] == 1 || beside == 1 || less[i] == beside;
        }
        if (fits) return whole.size() - axis;
    }
    return 0;
}

Lengths broadcast_shape(const Lengths& a, const Lengths& b) {
    Lengths result(std::max(a.size(), b.size()), 1);
    for (std::size_t back = 1; back <= result.size(); ++back) {
        const std::size_t in_a = back <= a.size() ? a[a.size() - back] : 1;
        const std::size_t in_b = back <= b.size() ? b[b.size() - back] : 1;
        if (in_a != in_b && in_a != 1 && in_b != 1) {
            const std::size_t axis = std::max(missing_axis(a, b), missing_axis(b, a));
            throw std::invalid_argument("shapes " + to_string(a) + " and " + to_string(b) +
                                        " do not broadcast: axis -" + std::to_string(back) + " has lengths " +
                                        std::to_string(in_a) + " and " + std::to_string(in_b) +
                                        (axis == 0 ? ""
                                                   : "; did you mean expand_dims(…, -" + std::to_string(axis) +
                                                         ") of " + to_string(a.size() < b.size() ? a : b) +
                                                         ", or keep_dims in a sum, mean or amax along that axis?"));
        }
        result[result.size() - back] = in_a == 1 ? in_b : in_a;
    }
    return result;
}

// An operand that is stretched to a larger shape counts as if the stretched Tensor were made.
void count_stretched(const Tensor& operand, const Lengths& shape) {
    if (!same(operand.shape(), shape)) count_work(product(shape));
}

// The rows of a shape as operands that broadcast to it hold them: neighbouring axes that all of them can go through as
// through one are one axis, the last of which is a row.
template <std::size_t operands>
class Rows {
    using Places = std::array<std::size_t, operands>;  // one in each operand
    struct Axis {
        std::size_t length;
        Places steps;  // to the next place along the axis: 0 where an operand is stretched
    };
    xt::svector<Axis, 4> axes_;  // the last first

public:
    Rows(const Lengths& whole, const std::array<const Lengths*, operands>& shapes) {
        Places strides;
        strides.fill(1);
        for (std::size_t back = 1; back <= whole.size(); ++back) {
            Axis axis{whole[whole.size() - back], {}};
            bool as_one = !axes_.empty();
            for (std::size_t x = 0; x < operands; ++x) {
                const Lengths& shape = *shapes[x];
                const std::size_t length = back <= shape.size() ? shape[shape.size() - back] : 1;
                axis.steps[x] = length == 1 ? 0 : strides[x];
                strides[x] *= length;
                as_one = as_one && axis.steps[x] == axes_.back().steps[x] * axes_.back().length;
            }
            if (axis.length == 1) continue;
            if (as_one)
                axes_.back().length *= axis.length;
            else
                axes_.push_back(axis);
        }
    }

    std::size_t length() const { return axes_.empty() ? 1 : axes_[0].length; }
    std::size_t step(std::size_t operand) const { return axes_.empty() ? 0 : axes_[0].steps[operand]; }

    /// Calls block(count, from, steps) for blocks of so many rows, one after the other: where the first row begins in each
    /// operand, and how far it is to the next one.
    template <class Block>
    void each_block(Block block) const {
        const Axis rows = axes_.size() < 2 ? Axis{1, {}} : axes_[1];
        std::size_t blocks = 1;
        for (std::size_t axis = 2; axis < axes_.size(); ++axis) blocks *= axes_[axis].length;
        for (std::size_t number = 0; number < blocks; ++number) {
            Places from{};
            std::size_t left = number;
            for (std::size_t axis = 2; axis < axes_.size(); left /= axes_[axis++].length)
                for (std::size_t x = 0; x < operands; ++x) from[x] += left % axes_[axis].length * axes_[axis].steps[x];
            block(rows.length, from, rows.steps);
        }
    }
};

// An operand of a row has its entries side by side, or is one number: loop(1) or loop(0), as constants, so that a compiler
// turns each into vectors.
template <class Loop>
void with_step(std::size_t step, Loop loop) {
    if (step == 0)
        loop(std::integral_constant<std::size_t, 0>{});
    else
        loop(std::integral_constant<std::size_t, 1>{});
}

// Entry i of a result depends on entries i alone, even where the result is an operand's own array: said to the compiler.
#ifdef __clang__
#define LINATTN_ENTRY_BY_ENTRY _Pragma("clang loop vectorize(assume_safety)")
#else
#define LINATTN_ENTRY_BY_ENTRY _Pragma("GCC ivdep")
#endif

// A function of its own, since most rows are as short as a head is wide: between two of them nothing is looked up.
template <std::size_t step_a, std::size_t step_b, class F>
void combine_rows(const double* a, const double* b, const std::array<std::size_t, 2>& steps, std::size_t count,
                  std::size_t length, double* result, F f) {
    const std::size_t next_a = steps[0], next_b = steps[1];
    for (std::size_t row = 0; row < count; ++row, a += next_a, b += next_b, result += length) {
        LINATTN_ENTRY_BY_ENTRY
        for (std::size_t i = 0; i < length; ++i) result[i] = f(a[i * step_a], b[i * step_b]);
    }
}

// result[i] = f(a[i], b[i]), a and b with these strides in the shape of the result, which may be one of their arrays.
template <class F>
void combine(const double* a, const double* b, const Rows<2>& rows, double* result, F f) {
    const std::size_t length = rows.length();
    with_step(rows.step(0), [&](auto step_a) {
        with_step(rows.step(1), [&](auto step_b) {
            rows.each_block([&](std::size_t count, const auto& from, const auto& steps) {
                combine_rows<step_a, step_b>(a + from[0], b + from[1], steps, count, length, result, f);
                result += count * length;
            });
        });
    });
}

double maximum_of(double a, double b) { return std::isnan(a) || a >= b ? a : b; }  // NaN on either side wins
double minimum_of(double a, double b) { return std::isnan(a) || a <= b ? a : b; }

// An operation is chosen once for a whole Tensor: `loop` gets a function of its own for each, and has no branch inside.
template <class Loop>
void choose(eager::Unary operation, Loop loop) {
    switch (operation) {
        case eager::Unary::negate: return loop([](double x) { return -x; });
        case eager::Unary::exp: return loop([](double x) { return std::exp(x); });
        case eager::Unary::log: return loop([](double x) { return std::log(x); });
        case eager::Unary::sqrt: return loop([](double x) { return std::sqrt(x); });
        case eager::Unary::abs: return loop([](double x) { return std::fabs(x); });
        case eager::Unary::sin: return loop([](double x) { return std::sin(x); });
        case eager::Unary::cos: return loop([](double x) { return std::cos(x); });
        case eager::Unary::erf: return loop([](double x) { return std::erf(x); });
    }
}

template <class Loop>
void choose(eager::Binary operation, Loop loop) {
    switch (operation) {
        case eager::Binary::add: return loop([](double a, double b) { return a + b; });
        case eager::Binary::subtract: return loop([](double a, double b) { return a - b; });
        case eager::Binary::multiply: return loop([](double a, double b) { return a * b; });
        case eager::Binary::divide: return loop([](double a, double b) { return a / b; });
        case eager::Binary::maximum: return loop([](double a, double b) { return maximum_of(a, b); });
        case eager::Binary::minimum: return loop([](double a, double b) { return minimum_of(a, b); });
        case eager::Binary::less: return loop([](double a, double b) { return a < b ? 1.0 : 0.0; });
        case eager::Binary::less_equal: return loop([](double a, double b) { return a <= b ? 1.0 : 0.0; });
        case eager::Binary::greater: return loop([](double a, double b) { return a > b ? 1.0 : 0.0; });
        case eager::Binary::greater_equal: return loop([](double a, double b) { return a >= b ? 1.0 : 0.0; });
        case eager::Binary::equal: return loop([](double a, double b) { return a == b ? 1.0 : 0.0; });
        case eager::Binary::not_equal: return loop([](double a, double b) { return a != b ? 1.0 : 0.0; });
    }
}

// What a sum and amax do with one more entry, or with several numbers at once: NaN is the largest.
constexpr auto to_sum = [](auto& so_far, const auto& next) { so_far += next; };
constexpr auto to_largest = [](auto& so_far, const auto& next) {
    so_far = ((so_far != so_far) | (so_far >= next)) ? so_far : next;
};

// Four numbers that a processor computes with at once.
using Four [[gnu::vector_size(4 * sizeof(double))]] = double;

// Calls use with each of the four columns of four rows.
template <class Use>
void each_column(const double* x, std::size_t row, Use use) {
    Four a, b, c, d;
    std::memcpy(&a, x, sizeof a);
    std::memcpy(&b, x + row, sizeof b);
    std::memcpy(&c, x + 2 * row, sizeof c);
    std::memcpy(&d, x + 3 * row, sizeof d);
    const Four ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
               cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    use(Four(__builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5)));
    use(Four(__builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5)));
    use(Four(__builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7)));
    use(Four(__builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)));
}

// Each row to one value, from its first entry to its last. Some rows go side by side, since each step of one waits for the
// step before.
template <class Fold>
void reduce_rows(const double* x, const AxisView& view, double start, Fold fold, double* result) {
    const std::size_t length = view.length, by_fours = length / 4 * 4;
    std::size_t o = 0;
    for (; o + 8 <= view.outer; o += 8, x += 8 * length, result += 8) {
        Four first{start, start, start, start}, second = first;
        for (std::size_t l = 0; l < by_fours; l += 4) {
            each_column(x + l, length, [&](const Four& column) { fold(first, column); });
            each_column(x + 4 * length + l, length, [&](const Four& column) { fold(second, column); });
        }
        std::memcpy(result, &first, sizeof first);
        std::memcpy(result + 4, &second, sizeof second);
        for (std::size_t r = 0; r < 8; ++r)
            for (std::size_t l = by_fours; l < length; ++l) fold(result[r], x[r * length + l]);
    }
    for (; o < view.outer; ++o, ++result) {
        *result = start;
        for (std::size_t l = 0; l < length; ++l) fold(*result, *x++);
    }
}

// `width` neighbouring columns to one value each, from the first row to the last, in registers.
template <std::size_t width, class Fold>
void reduce_columns(const double* x, const AxisView& view, double start, Fold fold, double* result) {
    std::array<double, width> values;
    values.fill(start);
    for (std::size_t l = 0; l < view.length; ++l, x += view.inner)
        for (std::size_t c = 0; c < width; ++c) fold(values[c], x[c]);
    std::copy(values.begin(), values.end(), result);
}

template <class Fold>
Tensor reduce(const Tensor& x, std::ptrdiff_t axis, bool keep, double start, Fold fold) {
    Lengths shape = x.shape();
    const std::size_t at = resolve_axis(axis, shape.size(), shape);
    const AxisView view(shape, at);
    if (keep)
        shape[at] = 1;
    else
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    Tensor result = unwritten(shape);
    count_work(x.size());
    if (view.inner == 1) {
        reduce_rows(x.data(), view, start, fold, result.data());
        return result;
    }
    constexpr std::size_t width = 16;
    for (std::size_t o = 0; o < view.outer; ++o) {
        const double* const from = x.data() + view.offset(o, 0, 0);
        double* const to = result.data() + o * view.inner;
        std::size_t i = 0;
        for (; i + width <= view.inner; i += width) reduce_columns<width>(from + i, view, start, fold, to + i);
        for (; i + 4 <= view.inner; i += 4) reduce_columns<4>(from + i, view, start, fold, to + i);
        for (; i < view.inner; ++i) reduce_columns<1>(from + i, view, start, fold, to + i);
    }
    return result;
}

// The length of an axis that a mean is taken over.
std::size_t require_entries(const Tensor& x, std::ptrdiff_t axis) {
    const std::size_t entries = length(x, axis);
    if (entries == 0)
        throw std::invalid_argument("mean over axis " + std::to_string(axis) + " of shape " + to_string(x.shape()) +
                                    ": the axis has no entries, and 0/0 is not a number");
    return entries;
}

void require_token_axis(const Tensor& x) {
    if (x.dimension() < 2)
        throw std::invalid_argument("the tokens are on the axis before the last: shape (…, n, d) expected, got " +
                                    to_string(x.shape()));
}

void require_token(const Tensor& x, std::size_t i) {
    require_token_axis(x);
    const std::size_t n = length(x, -2);
    if (i >= n)
        throw std::out_of_range("token " + as_written(i) + " does not exist: the shape is " + to_string(x.shape()) +
                                ", so n = " + std::to_string(n) + ", and the first token is 0" +
                                (static_cast<std::ptrdiff_t>(i) < 0 ? ": an unsigned number is never below 0" : ""));
}

// As std::copy_n. Most copies are of the few entries of a head, which a call of memmove would take longer to find than to copy.
double* copy_entries(const double* from, std::size_t count, double* to) {
    constexpr std::size_t block = 8, most = 64;
    if (count > most) return std::copy_n(from, count, to);
    for (; count >= block; count -= block, from += block) to = std::copy_n(from, block, to);
    for (; count > 0; --count) *to++ = *from++;
    return to;
}

// Places begin, …, end-1 of an axis, as a Tensor of this shape.
Tensor places(const Tensor& x, std::size_t axis, std::size_t begin, std::size_t end, const Lengths& shape) {
    const AxisView view(x.shape(), axis);
    Tensor result = unwritten(shape);
    double* to = result.data();
    for (std::size_t o = 0; o < view.outer; ++o)
        to = copy_entries(x.data() + view.offset(o, begin, 0), (end - begin) * view.inner, to);
    return result;
}
Tensor places(const Tensor& x, std::size_t axis, std::size_t begin, std::size_t end) {
    Lengths shape = x.shape();
    shape[axis] = end - begin;
    return places(x, axis, begin, end, shape);
}

// Rows of a product with so many multiply-adds for each. With AVX-512, OpenBLAS makes one of up to a million without copying
// its operands first, a quarter sooner.
std::size_t rows_at_a_time([[maybe_unused]] std::size_t work_of_row) {
#ifdef __AVX512F__
    constexpr std::size_t together = 8, most_work = 1000000;
    return std::max(most_work / work_of_row / together, std::size_t{1}) * together;
#else
    return std::numeric_limits<int>::max();
#endif
}

// Entry i of a Tensor as the index that its axes give it: (1, 0) for entry 3 of shape (2, 3).
Lengths index_of(std::size_t i, const Lengths& shape) {
    Lengths index(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0; i /= shape[axis]) index[axis] = i % shape[axis];
    return index;
}

// Entry i of ids, one of the whole numbers from 0 to count-1.
std::size_t require_id(const Tensor& ids, std::size_t i, std::size_t count, const char* caller) {
    const double id = ids.data()[i];
    const auto refused = [&] {
        const std::string expected = count > 0 ? " must be a whole number from 0 to " + std::to_string(count - 1)
                                               : " cannot exist where there is nothing to choose from";
        return std::string(caller) + ": an id" + expected + "; entry " + to_string(index_of(i, ids.shape())) +
               " of ids is " + linattn::to_string(Tensor(id));
    };
    if (id != std::floor(id)) throw std::invalid_argument(refused());  // NaN too
    if (id < 0.0 || id >= static_cast<double>(count)) throw std::out_of_range(refused());
    return static_cast<std::size_t>(id);
}

// Whether a holds the lengths of another shape: Tensor a({2, 3}) does, where zeros({2, 3}) was meant.
bool holds_lengths(const Tensor& a, const Lengths& shape) {
    return a.dimension() == 1 && a.size() > 0 && a.shape() != shape && a.size() == shape.size() &&
           std::equal(shape.begin(), shape.end(), a.data(),
                      [](std::size_t length, double entry) { return entry == static_cast<double>(length); });
}

}  // namespace

Shape shape_of(const Tensor& x) { return Shape(x.shape().begin(), x.shape().end()); }

std::size_t length(const Tensor& x, std::ptrdiff_t axis) {
    return x.shape()[resolve_axis(axis, x.dimension(), x.shape())];
}

std::string to_string(const Shape& shape) {
    std::string text = "(";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) text += (axis ? ", " : "") + as_written(shape[axis]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

std::string to_string(const Tensor& x) {
    const std::size_t most = 500;
    const Shape shape = shape_of(x);
    if (x.size() == 0) return "{} of shape " + to_string(shape);
    std::string text;
    for (std::size_t i = 0; i <= x.size(); ++i) {
        std::size_t ends = 0;  // axes that begin or end before entry i
        for (std::size_t axis = shape.size(), block = 1; axis-- > 0 && i % (block *= shape[axis]) == 0;) ++ends;
        if (i > 0) text += std::string(ends, '}');
        if (i == x.size()) break;
        if (i == most) return text + ", … of shape " + to_string(shape);
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", x.data()[i]);
        text += (i > 0 ? ", " : "") + std::string(ends, '{') + (std::isnan(x.data()[i]) ? "NaN" : number);
    }
    return text;
}

Tensor zeros(const Shape& shape) { return filled(shape, 0.0); }
Tensor ones(const Shape& shape) { return filled(shape, 1.0); }
Tensor full(const Shape& shape, double value) { return filled(shape, value); }

Tensor arange(std::size_t n) {
    Tensor result = unwritten({n});
    std::iota(result.data(), result.data() + n, 0.0);
    return result;
}

namespace eager {

void refuse_wrapped(std::ptrdiff_t meant) {
    throw std::invalid_argument("a number that is computed with a Tensor is " + std::to_string(meant) +
                                ", but unsigned: an enormous number; subtract after conversion, as in "
                                "static_cast<double>(a) - static_cast<double>(b)");
}

Tensor apply(Unary operation, const Tensor& x, Tensor* own) {
    const double* from = x.data();
    Tensor result = result_like(x, own);
#ifdef LINATTN_XSIMD
    if (operation == Unary::exp) {
        vector_exp(from, result.size(), result.data());
        return result;
    }
#endif
#ifdef LINATTN_VECTOR_ERF
    if (operation == Unary::erf) {
        vector_erf(from, result.size(), result.data());
        return result;
    }
#endif
    choose(operation, [&](auto f) { std::transform(from, from + result.size(), result.data(), f); });
    return result;
}

Tensor apply(Binary operation, const Tensor& a, const Tensor& b, Tensor* own_a, Tensor* own_b) {
    const double *x = a.data(), *y = b.data();
    if (same(a.shape(), b.shape())) {
        Tensor result = result_like(a, own_a ? own_a : own_b);
        choose(operation, [&](auto f) { std::transform(x, x + result.size(), y, result.data(), f); });
        return result;
    }
    const Lengths shape = broadcast_shape(a.shape(), b.shape());
    count_stretched(a, shape);
    count_stretched(b, shape);
    const Rows<2> rows(shape, {&a.shape(), &b.shape()});
    Tensor* const own = own_a && same(a.shape(), shape) ? own_a : own_b && same(b.shape(), shape) ? own_b : nullptr;
    Tensor result = own ? result_like(*own, own) : unwritten(shape);
    choose(operation, [&](auto f) { combine(x, y, rows, result.data(), f); });
    return result;
}

Tensor apply(Binary operation, const Tensor& a, double b, Tensor* own) {
    int exponent = 0;  // where b is a power of two, its inverse is exact, and a product sooner found
    if (operation == Binary::divide && std::fabs(std::frexp(b, &exponent)) == 0.5 && std::abs(exponent) < 1000)
        return apply(Binary::multiply, a, 1.0 / b, own);
    const double* x = a.data();
    Tensor result = result_like(a, own);
    choose(operation, [&](auto f) {
        std::transform(x, x + result.size(), result.data(), [&](double entry) { return f(entry, b); });
    });
    return result;
}

Tensor apply(Binary operation, double a, const Tensor& b, Tensor* own) {
    count_work(b.size());  // for the number, stretched
    const double* y = b.data();
    Tensor result = result_like(b, own);
    choose(operation, [&](auto f) {
        std::transform(y, y + result.size(), result.data(), [&](double entry) { return f(a, entry); });
    });
    return result;
}

Tensor& apply_in_place(Binary operation, Tensor& a, const Tensor& b) {
    const Lengths& shape = a.shape();
    if (holds_lengths(a, b.shape()))
        throw std::invalid_argument("the entries of a Tensor of shape " + to_string(shape) + " are " +
                                    to_string(b.shape()) +
                                    ": Tensor y({…}) holds values, and zeros({…}) takes a shape");
    if (const Lengths both = broadcast_shape(shape, b.shape()); !same(both, shape))
        throw std::invalid_argument("cannot store a result of shape " + to_string(both) + " in a Tensor of shape " +
                                    to_string(shape));
    count_stretched(b, shape);
    count_work(a.size());
    const Rows<2> rows(shape, {&a.shape(), &b.shape()});
    choose(operation, [&](auto f) { combine(a.data(), b.data(), rows, a.data(), f); });
    return a;
}

Tensor& apply_in_place(Binary operation, Tensor& a, double b) {
    count_work(a.size());
    choose(operation,
           [&](auto f) { std::transform(a.data(), a.data() + a.size(), a.data(), [&](double x) { return f(x, b); }); });
    return a;
}

}  // namespace eager

Tensor Where::operator()(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    const Lengths shape = broadcast_shape(broadcast_shape(condition.shape(), a.shape()), b.shape());
    for (const Tensor* operand : {&condition, &a, &b}) count_stretched(*operand, shape);
    Tensor result = unwritten(shape);
    double* to = result.data();
    const Rows<3> rows(shape, {&condition.shape(), &a.shape(), &b.shape()});
    const std::size_t length = rows.length();
    with_step(rows.step(0), [&](auto step_c) {
        with_step(rows.step(1), [&](auto step_a) {
            with_step(rows.step(2), [&](auto step_b) {
                rows.each_block([&](std::size_t count, const auto& from, const auto& steps) {
                    const double *c = condition.data() + from[0], *x = a.data() + from[1], *y = b.data() + from[2];
                    for (std::size_t row = 0; row < count;
                         ++row, c += steps[0], x += steps[1], y += steps[2], to += length) {
                        LINATTN_ENTRY_BY_ENTRY
                        for (std::size_t i = 0; i < length; ++i) {
                            const double chosen = x[i * step_a], other = y[i * step_b];
                            to[i] = c[i * step_c] != 0.0 ? chosen : other;
                        }
                    }
                });
            });
        });
    });
    return result;
}

Tensor Sum::operator()(const Tensor& x, std::ptrdiff_t axis) const { return reduce(x, axis, false, 0.0, to_sum); }
Tensor Sum::operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const {
    return reduce(x, axis, true, 0.0, to_sum);
}

double total(const Tensor& x) {
    count_work(x.size());
    return std::accumulate(x.data(), x.data() + x.size(), 0.0);
}

Tensor Mean::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    return sum(x, axis) / static_cast<double>(require_entries(x, axis));
}
Tensor Mean::operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const {
    return sum(x, axis, keep_dims) / static_cast<double>(require_entries(x, axis));
}

Tensor Amax::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    return reduce(x, axis, false, -std::numeric_limits<double>::infinity(), to_largest);
}
Tensor Amax::operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const {
    return reduce(x, axis, true, -std::numeric_limits<double>::infinity(), to_largest);
}

Tensor Cumsum::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    const Lengths& shape = x.shape();
    const AxisView view(shape, resolve_axis(axis, shape.size(), shape));
    Tensor result = x;
    count_work(result.size());
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t l = 1; l < view.length; ++l)
            for (std::size_t i = 0; i < view.inner; ++i)
                result.data()[view.offset(o, l, i)] += result.data()[view.offset(o, l - 1, i)];
    return result;
}

Tensor ExpandDims::operator()(Tensor x, std::ptrdiff_t axis) const {
    Lengths shape = x.shape();
    const std::size_t at = resolve_axis(axis, shape.size() + 1, shape);
    shape.push_back(1);
    std::rotate(shape.begin() + static_cast<std::ptrdiff_t>(at), shape.end() - 1, shape.end());
    x.reshape(std::move(shape));
    return x;
}

Tensor reshape(Tensor x, const Shape& shape) {
    const std::size_t entries = entries_of(shape);
    if (entries != x.size())
        throw std::invalid_argument("cannot reshape " + to_string(x.shape()) + " with " + std::to_string(x.size()) +
                                    " entries into " + to_string(shape) + " with " + std::to_string(entries));
    x.reshape(shape);
    return x;
}

Tensor concatenate(const Tensor& a, const Tensor& b, std::ptrdiff_t axis) {
    Lengths shape = a.shape(), other = b.shape();
    const std::size_t at = resolve_axis(axis, shape.size(), shape);
    if (other.size() == shape.size()) other[at] = shape[at];
    if (other != shape)
        throw std::invalid_argument("cannot concatenate shapes " + to_string(a.shape()) + " and " +
                                    to_string(b.shape()) + " along axis " + std::to_string(axis) +
                                    ": the other axes differ");
    const AxisView left(shape, at), right(b.shape(), at);
    shape[at] = left.length + right.length;
    Tensor result = unwritten(shape);
    double* to = result.data();
    for (std::size_t o = 0; o < left.outer; ++o) {
        to = copy_entries(a.data() + left.offset(o, 0, 0), left.length * left.inner, to);
        to = copy_entries(b.data() + right.offset(o, 0, 0), right.length * right.inner, to);
    }
    return result;
}

Tensor matrix_transpose(const Tensor& x) {
    Lengths shape = x.shape();
    if (shape.size() < 2)
        throw std::invalid_argument("matrix_transpose needs at least two axes, got shape " + to_string(shape));
    const AxisView view(shape, shape.size() - 2);
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    Tensor result = unwritten(shape);
    constexpr std::size_t block = 16;  // rows at a time: what is read and what is written both stay in the cache
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t first_row = 0; first_row < view.length; first_row += block)
            for (std::size_t column = 0; column < view.inner; ++column) {
                const std::size_t rows = std::min(block, view.length - first_row);
                double* to = result.data() + (o * view.inner + column) * view.length + first_row;
                for (std::size_t row = 0; row < rows; ++row)
                    to[row] = x.data()[view.offset(o, first_row + row, column)];
            }
    return result;
}

Tensor matmul(const Tensor& a, const Tensor& b) {
    const Lengths &left = a.shape(), &right = b.shape();
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("matmul of " + to_string(left) + " and " + to_string(right) + ": " + why);
    };
    if (left.size() < 2 || right.size() < 2) refuse("both need at least two axes; expand_dims adds one");
    const Lengths left_leading(left.begin(), left.end() - 2), right_leading(right.begin(), right.end() - 2);
    if (!left_leading.empty() && !right_leading.empty() && left_leading != right_leading)
        refuse("the leading axes differ");
    const std::size_t m = left[left.size() - 2], k = left.back(), n = right.back();
    if (right[right.size() - 2] != k)
        refuse("the last axis of the first (" + std::to_string(k) + ") and the one before the last of the second (" +
               std::to_string(right[right.size() - 2]) + ") must be equal");

    Lengths shape = left_leading.empty() ? right_leading : left_leading;
    const std::size_t heads = product(shape);
    shape.push_back(m);
    shape.push_back(n);
    Tensor result = k == 0 ? filled(shape, 0.0) : unwritten(shape);
    count_work(heads * m * k * n);
    if (result.size() == 0 || k == 0) return result;
    // One product at a time, with one right side for all as well, and a large one in pieces of rows: made of one tall matrix,
    // the results would be rounded differently, and OpenBLAS 0.3.21 would not make them sooner.
    const std::size_t piece = rows_at_a_time(k * n);
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t row = 0; row < m; row += piece)
            cxxblas::gemm<int>(cxxblas::RowMajor, cxxblas::NoTrans, cxxblas::NoTrans,
                               static_cast<int>(std::min(piece, m - row)), static_cast<int>(n), static_cast<int>(k),
                               1.0, a.data() + ((left_leading.empty() ? 0 : h * m) + row) * k, static_cast<int>(k),
                               b.data() + (right_leading.empty() ? 0 : h * k * n), static_cast<int>(n), 0.0,
                               result.data() + (h * m + row) * n, static_cast<int>(n));
    return result;
}

Tensor swap_axes(const Tensor& x, std::ptrdiff_t a, std::ptrdiff_t b) {
    Lengths shape = x.shape();
    std::size_t first = resolve_axis(a, shape.size(), shape), second = resolve_axis(b, shape.size(), shape);
    if (first == second) return x;
    if (first > second) std::swap(first, second);
    const AxisView front(shape, first), back(shape, second);
    const std::size_t between = front.inner / std::max(back.length * back.inner, std::size_t{1});
    std::swap(shape[first], shape[second]);
    Tensor result = unwritten(shape);
    double* to = result.data();
    for (std::size_t o = 0; o < front.outer; ++o)
        for (std::size_t s = 0; s < back.length; ++s)
            for (std::size_t m = 0; m < between; ++m)
                for (std::size_t f = 0; f < front.length; ++f)
                    to = copy_entries(x.data() + back.offset((o * front.length + f) * between + m, s, 0), back.inner,
                                      to);
    return result;
}

Tensor slice(const Tensor& x, std::ptrdiff_t axis, std::size_t begin, std::size_t end) {
    const std::size_t n = length(x, axis);
    if (begin > end || end > n)
        throw std::out_of_range("slice " + as_written(begin) + " to " + as_written(end) +
                                " (the last one excluded) of axis " + std::to_string(axis) +
                                " does not exist: the shape is " + to_string(x.shape()) +
                                ", so the length of the axis is " + std::to_string(n));
    return places(x, resolve_axis(axis, x.dimension(), x.shape()), begin, end);
}

Tensor Flip::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    const Lengths& shape = x.shape();
    const AxisView view(shape, resolve_axis(axis, shape.size(), shape));
    Tensor result = unwritten(shape);
    double* to = result.data();
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t l = view.length; l-- > 0;) to = copy_entries(x.data() + view.offset(o, l, 0), view.inner, to);
    return result;
}

Tensor token(const Tensor& x, std::size_t i) {
    require_token(x, i);
    Lengths shape = x.shape();
    shape.erase(shape.end() - 2);
    return places(x, shape.size() - 1, i, i + 1, shape);
}

void set_token(Tensor& x, std::size_t i, const Tensor& value) {
    require_token(x, i);
    Lengths expected = x.shape();
    const AxisView view(expected, expected.size() - 2);
    expected.erase(expected.end() - 2);
    if (value.shape() != expected)
        throw std::invalid_argument("set_token: a token of " + to_string(x.shape()) + " has shape " +
                                    to_string(expected) + ", got " + to_string(value.shape()));
    for (std::size_t o = 0; o < view.outer; ++o)
        copy_entries(value.data() + o * view.inner, view.inner, x.data() + view.offset(o, i, 0));
}

Tensor tokens(const Tensor& x, std::size_t begin, std::size_t end) {
    require_token_axis(x);
    const Lengths& shape = x.shape();
    const std::size_t n = length(x, -2);
    if (begin > end || end > n)
        throw std::out_of_range("tokens " + as_written(begin) + " to " + as_written(end) +
                                " (the last one excluded) do not exist: the shape is " + to_string(shape) +
                                ", so n = " + std::to_string(n));
    return places(x, shape.size() - 2, begin, end);
}

void eager::set_tokens(Tensor& x, std::size_t begin, const Tensor& values) {
    require_token_axis(x);
    require_token_axis(values);
    const std::size_t n = length(x, -2), m = length(values, -2);
    Lengths expected = x.shape();
    const AxisView view(expected, expected.size() - 2);
    expected.end()[-2] = m;
    if (values.shape() != expected)
        throw std::invalid_argument("set_tokens: " + std::to_string(m) + " tokens of " + to_string(x.shape()) +
                                    " have shape " + to_string(expected) + ", got " + to_string(values.shape()));
    if (m > n || begin > n - m)
        throw std::out_of_range("set_tokens: " + std::to_string(m) + " tokens from token " + as_written(begin) +
                                " on do not fit: the shape is " + to_string(x.shape()) +
                                ", so n = " + std::to_string(n));
    for (std::size_t o = 0; o < view.outer; ++o)
        copy_entries(values.data() + o * m * view.inner, m * view.inner, x.data() + view.offset(o, begin, 0));
}

Tensor rows(const Tensor& E, const Tensor& ids) {
    if (E.dimension() != 2)
        throw std::invalid_argument("rows: E must be a matrix, (v, d); got shape " + to_string(E.shape()));
    const std::size_t v = length(E, 0), d = length(E, 1);
    Lengths shape = ids.shape();
    shape.push_back(d);
    Tensor result = unwritten(shape);
    for (std::size_t i = 0; i < ids.size(); ++i)
        copy_entries(E.data() + require_id(ids, i, v, "rows") * d, d, result.data() + i * d);
    return result;
}

Tensor one_hot(const Tensor& ids, std::size_t count) {
    Lengths shape = ids.shape();
    shape.push_back(count);
    Tensor result = filled(shape, 0.0);
    for (std::size_t i = 0; i < ids.size(); ++i) result.data()[i * count + require_id(ids, i, count, "one_hot")] = 1.0;
    return result;
}

}  // namespace linattn
