// Tensor and the small eager vocabulary that the labs are written in.
//
// A Tensor is xtensor's xt::xarray<double>. Every function below takes Tensors, computes at once and returns a new
// Tensor: nothing is lazy, nothing can dangle. They are compiled once, in tensor.cpp, which is what keeps the time
// from edit to verdict short. All of xtensor works in a lab too; it only compiles more slowly.
//
// Axes count from 0; negative axes count from the end, as in NumPy. `…` in a shape stands for any number of leading
// axes. Shapes broadcast as in NumPy. Whatever does not fit throws std::invalid_argument (shapes) or
// std::out_of_range (indices) and says which shapes or which index.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <vector>

#include "xtensor_support/instantiated_once.hpp"

namespace linattn {

using Tensor = xt::xarray<double>;
using Shape = std::vector<std::size_t>;

/// Asks a reduction to keep the axis it reduces, with length 1, so that the result broadcasts against its input.
struct KeepDims {};
inline constexpr KeepDims keep_dims{};

// Shapes -------------------------------------------------------------------------------------------------------------

/// The shape of x as a std::vector, so that it can be compared, changed and passed to zeros().
Shape shape_of(const Tensor& x);
/// The length of one axis: length(x, -1) is NumPy's x.shape[-1].
std::size_t length(const Tensor& x, std::ptrdiff_t axis);
/// "(2, 3, 4)", for messages.
std::string to_string(const Shape& shape);
/// "{{1, 2}, {3, 4}}", for messages.
std::string to_string(const Tensor& x);
/// As NumPy prints an array: one row a line, points below each other, and of a long axis only both ends.
std::ostream& operator<<(std::ostream& out, const Tensor& x);

// Creation -----------------------------------------------------------------------------------------------------------

Tensor zeros(const Shape& shape);
Tensor ones(const Shape& shape);
Tensor full(const Shape& shape, double value);
/// 0, 1, …, n-1: shape (n).
Tensor arange(std::size_t n);

// Numbers ------------------------------------------------------------------------------------------------------------

template <class T>
concept IsNumber = std::is_arithmetic_v<std::remove_cvref_t<T>>;

namespace eager {
[[noreturn]] void refuse_wrapped(std::ptrdiff_t meant);

// Where a number meets a Tensor: it rejects an unsigned difference below 0, which C++ turns into an enormous number.
template <IsNumber N>
double number(N x) {
    if constexpr (std::is_unsigned_v<N> && sizeof(N) >= sizeof(unsigned)) {
        const auto meant = static_cast<std::make_signed_t<N>>(x);
        if (meant < 0) refuse_wrapped(meant);
    }
    return static_cast<double>(x);
}
template <std::unsigned_integral N>
Tensor operand(N x) {
    return full({}, number(x));
}
inline const Tensor& operand(const Tensor& x) { return x; }
}  // namespace eager

template <std::unsigned_integral N>
Tensor full(const Shape& shape, N value) {
    return full(shape, eager::number(value));
}

// Element by element -------------------------------------------------------------------------------------------------

namespace eager {
enum class Unary { negate, exp, log, sqrt, abs, sin, cos, erf };
enum class Binary {
    add,
    subtract,
    multiply,
    divide,
    maximum,
    minimum,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal
};
// What nobody else holds, a temporary, is passed once more as `own`: its array may become the result's.
Tensor apply(Unary operation, const Tensor& x, Tensor* own = nullptr);
Tensor apply(Binary operation, const Tensor& a, const Tensor& b, Tensor* own_a = nullptr, Tensor* own_b = nullptr);
Tensor apply(Binary operation, const Tensor& a, double b, Tensor* own = nullptr);
Tensor apply(Binary operation, double a, const Tensor& b, Tensor* own = nullptr);
Tensor& apply_in_place(Binary operation, Tensor& a, const Tensor& b);
Tensor& apply_in_place(Binary operation, Tensor& a, double b);

// X as a forwarding reference deduces it: Tensor for a temporary, Tensor& or const Tensor& for what has a name.
template <class X>
Tensor* temporary(std::remove_reference_t<X>& x) {
    if constexpr (std::same_as<X, Tensor>)
        return &x;
    else
        return nullptr;
}
}  // namespace eager

// The functions of <cmath> take numbers as they always do, and Tensors: name(x) is computed for every entry of x. They
// are constrained templates, so that they are chosen over xt::'s lazy ones, and functions, so that `using namespace
// linattn;` joins them with those of <cmath>.
template <class T>
concept IsExpression = xt::is_xexpression<std::remove_cvref_t<T>>::value;  // a Tensor, or what xtensor makes of some

#define LINATTN_FUNCTION(name)                                                          \
    using std::name;                                                                    \
    inline Tensor name(const Tensor& x) { return eager::apply(eager::Unary::name, x); } \
    template <IsExpression X>                                                           \
    Tensor name(X&& x) {                                                                \
        return eager::apply(eager::Unary::name, x, eager::temporary<X>(x));             \
    }                                                                                   \
    template <std::unsigned_integral N>                                                 \
    double name(N x) {                                                                  \
        return std::name(eager::number(x));                                             \
    }
LINATTN_FUNCTION(exp)
LINATTN_FUNCTION(log)
LINATTN_FUNCTION(sqrt)
LINATTN_FUNCTION(abs)
LINATTN_FUNCTION(sin)
LINATTN_FUNCTION(cos)
LINATTN_FUNCTION(erf)
#undef LINATTN_FUNCTION

// Other functions whose names xtensor has too are objects: a call then never finds xt::'s lazy function of that name.

struct BinaryFunction {
    eager::Binary operation;
    Tensor operator()(const Tensor& a, const Tensor& b) const { return eager::apply(operation, a, b); }
    Tensor operator()(const Tensor& a, double b) const { return eager::apply(operation, a, b); }
    Tensor operator()(double a, const Tensor& b) const { return eager::apply(operation, a, b); }
    template <std::unsigned_integral N>
    Tensor operator()(const Tensor& a, N b) const {
        return eager::apply(operation, a, eager::number(b));
    }
    template <std::unsigned_integral N>
    Tensor operator()(N a, const Tensor& b) const {
        return eager::apply(operation, eager::number(a), b);
    }
};
inline constexpr BinaryFunction maximum{eager::Binary::maximum};
inline constexpr BinaryFunction minimum{eager::Binary::minimum};

// Operators join two Tensors whose shapes broadcast, or a Tensor and a number. Comparisons, == among them, give 1.0 where
// true and 0.0 where false, so none of them can stand in an `if`: a and b differ nowhere when total(a != b) is 0. NaN
// equals nothing. Operators are constrained templates, so that they are chosen over xt::'s, which are lazy or give a bool.
template <class T>
concept IsTensor = std::same_as<std::remove_cvref_t<T>, Tensor>;

template <IsTensor X>
Tensor operator-(X&& x) {
    return eager::apply(eager::Unary::negate, x, eager::temporary<X>(x));
}

#define LINATTN_OPERATOR(symbol, operation)                                                                  \
    template <IsTensor A, IsTensor B>                                                                        \
    Tensor operator symbol(A&& a, B&& b) {                                                                   \
        return eager::apply(eager::Binary::operation, a, b, eager::temporary<A>(a), eager::temporary<B>(b)); \
    }                                                                                                        \
    template <IsTensor A, IsNumber B>                                                                        \
    Tensor operator symbol(A&& a, B&& b) {                                                                   \
        return eager::apply(eager::Binary::operation, a, eager::number(b), eager::temporary<A>(a));          \
    }                                                                                                        \
    template <IsNumber A, IsTensor B>                                                                        \
    Tensor operator symbol(A&& a, B&& b) {                                                                   \
        return eager::apply(eager::Binary::operation, eager::number(a), b, eager::temporary<B>(b));          \
    }
LINATTN_OPERATOR(+, add)
LINATTN_OPERATOR(-, subtract)
LINATTN_OPERATOR(*, multiply)
LINATTN_OPERATOR(/, divide)
LINATTN_OPERATOR(<, less)
LINATTN_OPERATOR(<=, less_equal)
LINATTN_OPERATOR(>, greater)
LINATTN_OPERATOR(>=, greater_equal)
LINATTN_OPERATOR(==, equal)
LINATTN_OPERATOR(!=, not_equal)
#undef LINATTN_OPERATOR

// In place: the right side broadcasts to the shape of the left side, which never changes.
inline Tensor& operator+=(Tensor& a, const Tensor& b) { return eager::apply_in_place(eager::Binary::add, a, b); }
inline Tensor& operator-=(Tensor& a, const Tensor& b) { return eager::apply_in_place(eager::Binary::subtract, a, b); }
inline Tensor& operator*=(Tensor& a, const Tensor& b) { return eager::apply_in_place(eager::Binary::multiply, a, b); }
inline Tensor& operator/=(Tensor& a, const Tensor& b) { return eager::apply_in_place(eager::Binary::divide, a, b); }
template <IsNumber N>
Tensor& operator+=(Tensor& a, const N& b) {
    return eager::apply_in_place(eager::Binary::add, a, eager::number(b));
}
template <IsNumber N>
Tensor& operator-=(Tensor& a, const N& b) {
    return eager::apply_in_place(eager::Binary::subtract, a, eager::number(b));
}
template <IsNumber N>
Tensor& operator*=(Tensor& a, const N& b) {
    return eager::apply_in_place(eager::Binary::multiply, a, eager::number(b));
}
template <IsNumber N>
Tensor& operator/=(Tensor& a, const N& b) {
    return eager::apply_in_place(eager::Binary::divide, a, eager::number(b));
}

/// where(condition, a, b): a where condition is not 0, b elsewhere; a and b may be numbers. Both are computed in full
/// before one is chosen.
struct Where {
    Tensor operator()(const Tensor& condition, const Tensor& a, const Tensor& b) const;
    template <class A, class B>
    Tensor operator()(const Tensor& condition, const A& a, const B& b) const
        requires(std::unsigned_integral<A> || std::unsigned_integral<B>) {
        return (*this)(condition, eager::operand(a), eager::operand(b));
    }
};
inline constexpr Where where{};

// Along an axis ------------------------------------------------------------------------------------------------------

/// sum(x, axis) or sum(x, axis, keep_dims).
struct Sum {
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis) const;
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const;
};
inline constexpr Sum sum{};

/// The sum of all entries.
double total(const Tensor& x);

/// mean(x, axis) or mean(x, axis, keep_dims): the sum, divided by the length of the axis, which must not be 0.
struct Mean {
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis) const;
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const;
};
inline constexpr Mean mean{};

/// amax(x, axis) or amax(x, axis, keep_dims): the largest value; NaN where there is one; -inf along an empty axis.
struct Amax {
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis) const;
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis, KeepDims) const;
};
inline constexpr Amax amax{};

/// cumsum(x, axis), the running sum: entry i holds x[0] + … + x[i] along the axis, entry i included.
struct Cumsum {
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis) const;
};
inline constexpr Cumsum cumsum{};

// Rearrangement ------------------------------------------------------------------------------------------------------

/// expand_dims(x, axis), a new axis of length 1: expand_dims(x, -1) is NumPy's x[..., None].
struct ExpandDims {
    Tensor operator()(Tensor x, std::ptrdiff_t axis) const;
};
inline constexpr ExpandDims expand_dims{};

/// The same values, row by row, in another shape with as many entries.
Tensor reshape(Tensor x, const Shape& shape);
/// a followed by b along an axis; all other axes must agree.
Tensor concatenate(const Tensor& a, const Tensor& b, std::ptrdiff_t axis);
/// The last two axes exchanged, for every leading index: (…, m, n) → (…, n, m).
Tensor matrix_transpose(const Tensor& x);
/// Axes a and b exchanged: swap_axes(x, 0, 1) turns (l, m, n) into (m, l, n).
Tensor swap_axes(const Tensor& x, std::ptrdiff_t a, std::ptrdiff_t b);
/// Places begin, …, end-1 of an axis, which gets the length end-begin. A copy.
Tensor slice(const Tensor& x, std::ptrdiff_t axis, std::size_t begin, std::size_t end);

/// flip(x, axis), last place first: with a cumsum between two of them, a running sum from the end.
struct Flip {
    Tensor operator()(const Tensor& x, std::ptrdiff_t axis) const;
};
inline constexpr Flip flip{};

// Products -----------------------------------------------------------------------------------------------------------

/// Matrix product for every leading index: (…, m, k) × (…, k, n) → (…, m, n). The leading axes must be equal, or absent
/// on one side. Computed by BLAS.
Tensor matmul(const Tensor& a, const Tensor& b);

// Tokens: the axis before the last -----------------------------------------------------------------------------------

/// Token i for every leading index: (…, n, d) → (…, d). A copy.
Tensor token(const Tensor& x, std::size_t i);
/// Writes token i of x, for every leading index; value has shape (…, d).
void set_token(Tensor& x, std::size_t i, const Tensor& value);
/// Tokens begin, …, end-1: (…, n, d) → (…, end-begin, d). A copy.
Tensor tokens(const Tensor& x, std::size_t begin, std::size_t end);
namespace eager {
void set_tokens(Tensor& x, std::size_t begin, const Tensor& values);
}
/// Writes the tokens of values, (…, m, d), over tokens begin, …, begin+m-1 of x. A template, so that a helper of this name
/// and these arguments in a student's file is chosen over it.
template <std::same_as<Tensor> X>
void set_tokens(X& x, std::size_t begin, const Tensor& values) {
    eager::set_tokens(x, begin, values);
}

// Ids: whole numbers from 0 on, as entries of a Tensor -----------------------------------------------------------------

/// Row ids of a matrix E, for every id: E (v, d), ids (…) → (…, d). A copy.
Tensor rows(const Tensor& E, const Tensor& ids);
/// For every id, a row of zeros with a 1 at place id: (…) → (…, count).
Tensor one_hot(const Tensor& ids, std::size_t count);

}  // namespace linattn
