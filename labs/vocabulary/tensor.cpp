#include "tensor.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <xtensor-blas/xblas.hpp>

#include "work_counter.hpp"
#include "xtensor_support/xtensor_views.hpp"

namespace linattn {
namespace {

std::size_t product(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>{});
}

// As it was meant: 0 - 1 is -1, not 18446744073709551615.
std::string as_written(std::size_t index) { return std::to_string(static_cast<std::ptrdiff_t>(index)); }

// The number of entries of a shape that an array can have.
std::size_t entries_of(const Shape& shape) {
    constexpr std::size_t largest_length = std::numeric_limits<std::size_t>::max() / 2;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] > largest_length)
            throw std::invalid_argument("a shape cannot be " + to_string(shape) + ": its axis " + std::to_string(axis) +
                                        " is " + as_written(shape[axis]) +
                                        ", as an unsigned number; do not subtract a size from a smaller one");
    if (std::find(shape.begin(), shape.end(), std::size_t{0}) != shape.end()) return 0;
    constexpr std::size_t most_entries = std::size_t{1} << 37;  // 1 TiB
    std::size_t entries = 1;
    for (const std::size_t length : shape) {
        if (length > most_entries / entries)
            throw std::invalid_argument("an array of shape " + to_string(shape) +
                                        " does not fit into memory: check the lengths of its axes");
        entries *= length;
    }
    return entries;
}

// Every result is made here, so that every entry computed is counted as one step of work.
Tensor make(const Shape& shape, double value) {
    count_work(entries_of(shape));
    return Tensor(Tensor::shape_type(shape.begin(), shape.end()), value);
}

// An index into a list of `count` axes or places, counted from the end when negative.
std::size_t resolve_axis(std::ptrdiff_t axis, std::size_t count, const Shape& shape) {
    const auto signed_count = static_cast<std::ptrdiff_t>(count);
    if (axis < -signed_count || axis >= signed_count)
        throw std::out_of_range("axis " + std::to_string(axis) + " does not exist: the shape is " + to_string(shape));
    return static_cast<std::size_t>(axis < 0 ? axis + signed_count : axis);
}

// A tensor seen from one of its axes: `outer` blocks of `length` rows of `inner` neighbours.
struct AxisView {
    std::size_t outer, length, inner;

    AxisView(const Shape& shape, std::size_t axis)
        : outer(product(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)))),
          length(shape[axis]),
          inner(product(Shape(shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()))) {}

    std::size_t offset(std::size_t o, std::size_t l, std::size_t i) const { return (o * length + l) * inner + i; }
};

Shape broadcast_shape(const Shape& a, const Shape& b) {
    Shape result(std::max(a.size(), b.size()), 1);
    for (std::size_t back = 1; back <= result.size(); ++back) {
        const std::size_t in_a = back <= a.size() ? a[a.size() - back] : 1;
        const std::size_t in_b = back <= b.size() ? b[b.size() - back] : 1;
        if (in_a != in_b && in_a != 1 && in_b != 1)
            throw std::invalid_argument("shapes " + to_string(a) + " and " + to_string(b) +
                                        " do not broadcast: axis -" + std::to_string(back) + " has lengths " +
                                        std::to_string(in_a) + " and " + std::to_string(in_b));
        result[result.size() - back] = in_a == 1 ? in_b : in_a;
    }
    return result;
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
    if (shape_of(x) == shape) return x;
    Tensor result = make(shape, 0.0);
    if (result.size() > 0) result = xt::broadcast(x, shape);
    return result;
}

double maximum_of(double a, double b) { return std::isnan(a) || a >= b ? a : b; }  // NaN on either side wins
double minimum_of(double a, double b) { return std::isnan(a) || a <= b ? a : b; }

double compute(eager::Unary operation, double x) {
    switch (operation) {
        case eager::Unary::negate: return -x;
        case eager::Unary::exp: return std::exp(x);
        case eager::Unary::log: return std::log(x);
        case eager::Unary::sqrt: return std::sqrt(x);
        case eager::Unary::abs: return std::fabs(x);
        case eager::Unary::sin: return std::sin(x);
        case eager::Unary::cos: return std::cos(x);
    }
    return x;
}

double compute(eager::Binary operation, double a, double b) {
    switch (operation) {
        case eager::Binary::add: return a + b;
        case eager::Binary::subtract: return a - b;
        case eager::Binary::multiply: return a * b;
        case eager::Binary::divide: return a / b;
        case eager::Binary::maximum: return maximum_of(a, b);
        case eager::Binary::minimum: return minimum_of(a, b);
        case eager::Binary::less: return a < b ? 1.0 : 0.0;
        case eager::Binary::less_equal: return a <= b ? 1.0 : 0.0;
        case eager::Binary::greater: return a > b ? 1.0 : 0.0;
        case eager::Binary::greater_equal: return a >= b ? 1.0 : 0.0;
    }
    return a;
}

template <class Fold>
Tensor reduce(const Tensor& x, std::ptrdiff_t axis, bool keep, double start, Fold fold) {
    Shape shape = shape_of(x);
    const std::size_t at = resolve_axis(axis, shape.size(), shape);
    const AxisView view(shape, at);
    if (keep)
        shape[at] = 1;
    else
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(at));
    Tensor result = make(shape, start);
    count_work(x.size());
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t l = 0; l < view.length; ++l)
            for (std::size_t i = 0; i < view.inner; ++i) {
                double& entry = result.data()[o * view.inner + i];
                entry = fold(entry, x.data()[view.offset(o, l, i)]);
            }
    return result;
}

void require_token_axis(const Tensor& x) {
    if (x.dimension() < 2)
        throw std::invalid_argument("tokens live on the axis before the last: shape (…, n, d) expected, got " +
                                    to_string(shape_of(x)));
}

void require_token(const Tensor& x, std::size_t i) {
    require_token_axis(x);
    const std::size_t n = length(x, -2);
    if (i >= n)
        throw std::out_of_range("token " + as_written(i) + " does not exist: the shape is " + to_string(shape_of(x)) +
                                ", so n = " + std::to_string(n) + ", and the first token is 0");
}

// Whether a holds the lengths of another shape: Tensor a({2, 3}) does, where zeros({2, 3}) was meant.
bool holds_lengths(const Tensor& a, const Shape& shape) {
    return a.dimension() == 1 && shape_of(a) != shape && a.size() == shape.size() &&
           std::equal(shape.begin(), shape.end(), a.data(),
                      [](std::size_t length, double entry) { return entry == static_cast<double>(length); });
}

}  // namespace

Shape shape_of(const Tensor& x) { return Shape(x.shape().begin(), x.shape().end()); }

std::size_t length(const Tensor& x, std::ptrdiff_t axis) {
    return x.shape()[resolve_axis(axis, x.dimension(), shape_of(x))];
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

Tensor zeros(const Shape& shape) { return make(shape, 0.0); }
Tensor ones(const Shape& shape) { return make(shape, 1.0); }
Tensor full(const Shape& shape, double value) { return make(shape, value); }

namespace eager {

void refuse_wrapped(std::ptrdiff_t meant) {
    throw std::invalid_argument("a number that is computed with a Tensor is " + std::to_string(meant) +
                                ", but unsigned: an enormous number; subtract after conversion, as in "
                                "static_cast<double>(a) - static_cast<double>(b)");
}

double apply(Unary operation, double x) { return compute(operation, x); }

Tensor apply(Unary operation, const Tensor& x) {
    Tensor result = make(shape_of(x), 0.0);
    std::transform(x.data(), x.data() + x.size(), result.data(), [&](double v) { return compute(operation, v); });
    return result;
}

Tensor apply(Binary operation, const Tensor& a, const Tensor& b) {
    const Shape shape = broadcast_shape(shape_of(a), shape_of(b));
    Tensor result = broadcast_to(a, shape);
    apply_in_place(operation, result, b);
    return result;
}

Tensor apply(Binary operation, const Tensor& a, double b) {
    Tensor result = a;
    apply_in_place(operation, result, b);
    return result;
}

Tensor apply(Binary operation, double a, const Tensor& b) { return apply(operation, full(shape_of(b), a), b); }

Tensor& apply_in_place(Binary operation, Tensor& a, const Tensor& b) {
    if (holds_lengths(a, shape_of(b)))
        throw std::invalid_argument("the entries of a Tensor of shape " + to_string(shape_of(a)) + " are " +
                                    to_string(shape_of(b)) +
                                    ": in Tensor y({…}) stand values, and zeros({…}) takes a shape");
    if (broadcast_shape(shape_of(a), shape_of(b)) != shape_of(a))
        throw std::invalid_argument("cannot store a result of shape " +
                                    to_string(broadcast_shape(shape_of(a), shape_of(b))) + " in a Tensor of shape " +
                                    to_string(shape_of(a)));
    const Tensor right = broadcast_to(b, shape_of(a));
    count_work(a.size());
    std::transform(a.data(), a.data() + a.size(), right.data(), a.data(),
                   [&](double x, double y) { return compute(operation, x, y); });
    return a;
}

Tensor& apply_in_place(Binary operation, Tensor& a, double b) {
    count_work(a.size());
    std::transform(a.data(), a.data() + a.size(), a.data(), [&](double x) { return compute(operation, x, b); });
    return a;
}

}  // namespace eager

Tensor Where::operator()(const Tensor& condition, const Tensor& a, const Tensor& b) const {
    const Shape shape = broadcast_shape(broadcast_shape(shape_of(condition), shape_of(a)), shape_of(b));
    const Tensor chooser = broadcast_to(condition, shape), if_true = broadcast_to(a, shape);
    Tensor result = broadcast_to(b, shape);
    count_work(result.size());
    for (std::size_t i = 0; i < result.size(); ++i)
        if (chooser.data()[i] != 0.0) result.data()[i] = if_true.data()[i];
    return result;
}

Tensor Sum::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    return reduce(x, axis, false, 0.0, std::plus<>{});
}
Tensor Sum::operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const {
    return reduce(x, axis, true, 0.0, std::plus<>{});
}

Tensor Amax::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    return reduce(x, axis, false, -std::numeric_limits<double>::infinity(), maximum_of);
}
Tensor Amax::operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const {
    return reduce(x, axis, true, -std::numeric_limits<double>::infinity(), maximum_of);
}

Tensor Cumsum::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    const Shape shape = shape_of(x);
    const AxisView view(shape, resolve_axis(axis, shape.size(), shape));
    Tensor result = x;
    count_work(result.size());
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t l = 1; l < view.length; ++l)
            for (std::size_t i = 0; i < view.inner; ++i)
                result.data()[view.offset(o, l, i)] += result.data()[view.offset(o, l - 1, i)];
    return result;
}

Tensor ExpandDims::operator()(const Tensor& x, std::ptrdiff_t axis) const {
    Shape shape = shape_of(x);
    const std::size_t at = resolve_axis(axis, shape.size() + 1, shape);
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    return reshape(x, shape);
}

Tensor reshape(const Tensor& x, const Shape& shape) {
    const std::size_t entries = entries_of(shape);
    if (entries != x.size())
        throw std::invalid_argument("cannot reshape " + to_string(shape_of(x)) + " with " + std::to_string(x.size()) +
                                    " entries into " + to_string(shape) + " with " + std::to_string(entries));
    Tensor result = x;
    result.reshape(shape);
    return result;
}

Tensor concatenate(const Tensor& a, const Tensor& b, std::ptrdiff_t axis) {
    Shape shape = shape_of(a), other = shape_of(b);
    const std::size_t at = resolve_axis(axis, shape.size(), shape);
    if (other.size() == shape.size()) other[at] = shape[at];
    if (other != shape)
        throw std::invalid_argument("cannot concatenate shapes " + to_string(shape_of(a)) + " and " +
                                    to_string(shape_of(b)) + " along axis " + std::to_string(axis) +
                                    ": the other axes differ");
    const AxisView left(shape, at), right(shape_of(b), at);
    shape[at] = left.length + right.length;
    Tensor result = make(shape, 0.0);
    double* to = result.data();
    for (std::size_t o = 0; o < left.outer; ++o) {
        to = std::copy_n(a.data() + left.offset(o, 0, 0), left.length * left.inner, to);
        to = std::copy_n(b.data() + right.offset(o, 0, 0), right.length * right.inner, to);
    }
    return result;
}

Tensor matrix_transpose(const Tensor& x) {
    Shape shape = shape_of(x);
    if (shape.size() < 2)
        throw std::invalid_argument("matrix_transpose needs at least two axes, got shape " + to_string(shape));
    const AxisView view(shape, shape.size() - 2);
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    Tensor result = make(shape, 0.0);
    for (std::size_t o = 0; o < view.outer; ++o)
        for (std::size_t row = 0; row < view.length; ++row)
            for (std::size_t column = 0; column < view.inner; ++column)
                result.data()[(o * view.inner + column) * view.length + row] = x.data()[view.offset(o, row, column)];
    return result;
}

Tensor matmul(const Tensor& a, const Tensor& b) {
    const Shape left = shape_of(a), right = shape_of(b);
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("matmul of " + to_string(left) + " and " + to_string(right) + ": " + why);
    };
    if (left.size() < 2 || right.size() < 2) refuse("both need at least two axes; expand_dims adds one");
    const Shape left_leading(left.begin(), left.end() - 2), right_leading(right.begin(), right.end() - 2);
    if (!left_leading.empty() && !right_leading.empty() && left_leading != right_leading)
        refuse("the leading axes differ");
    const std::size_t m = left[left.size() - 2], k = left.back(), n = right.back();
    if (right[right.size() - 2] != k)
        refuse("the last axis of the first (" + std::to_string(k) + ") and the one before the last of the second (" +
               std::to_string(right[right.size() - 2]) + ") must be equal");

    Shape shape = left_leading.empty() ? right_leading : left_leading;
    const std::size_t heads = product(shape);
    shape.insert(shape.end(), {m, n});
    Tensor result = make(shape, 0.0);
    count_work(heads * m * k * n);
    if (result.size() == 0 || k == 0) return result;
    const auto matrix = [](auto* data, std::size_t rows, std::size_t columns) {
        return xt::adapt(data, rows * columns, xt::no_ownership(), std::array<std::size_t, 2>{rows, columns});
    };
    for (std::size_t h = 0; h < heads; ++h) {
        const auto A = matrix(a.data() + (left_leading.empty() ? 0 : h * m * k), m, k);
        const auto B = matrix(b.data() + (right_leading.empty() ? 0 : h * k * n), k, n);
        auto C = matrix(result.data() + h * m * n, m, n);
        xt::blas::gemm(A, B, C, false, false, 1.0, 0.0);
    }
    return result;
}

Tensor token(const Tensor& x, std::size_t i) {
    require_token(x, i);
    const Tensor one = tokens(x, i, i + 1);
    Shape shape = shape_of(one);
    shape.erase(shape.end() - 2);
    return reshape(one, shape);
}

void set_token(Tensor& x, std::size_t i, const Tensor& value) {
    require_token(x, i);
    Shape expected = shape_of(x);
    const AxisView view(expected, expected.size() - 2);
    expected.erase(expected.end() - 2);
    if (shape_of(value) != expected)
        throw std::invalid_argument("set_token: a token of " + to_string(shape_of(x)) + " has shape " +
                                    to_string(expected) + ", got " + to_string(shape_of(value)));
    for (std::size_t o = 0; o < view.outer; ++o)
        std::copy_n(value.data() + o * view.inner, view.inner, x.data() + view.offset(o, i, 0));
}

Tensor tokens(const Tensor& x, std::size_t begin, std::size_t end) {
    require_token_axis(x);
    Shape shape = shape_of(x);
    const AxisView view(shape, shape.size() - 2);
    if (begin > end || end > view.length)
        throw std::out_of_range("tokens " + as_written(begin) + " to " + as_written(end) +
                                " (the last one excluded) do not exist: the shape is " + to_string(shape) +
                                ", so n = " + std::to_string(view.length));
    shape[shape.size() - 2] = end - begin;
    Tensor result = make(shape, 0.0);
    for (std::size_t o = 0; o < view.outer; ++o)
        std::copy_n(x.data() + view.offset(o, begin, 0), (end - begin) * view.inner,
                    result.data() + o * (end - begin) * view.inner);
    return result;
}

}  // namespace linattn
