// labs/vocabulary/tensor.hpp, the words that the labs are written in, and the repair of xtensor beneath it.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "random.hpp"
#include "tensor.hpp"
#include "xtensor_support/xtensor_views.hpp"

// At global scope, where <cmath> declares functions of the same names.
namespace a_program {
using namespace linattn;
double first_entries(const Tensor& x) { return exp(x)(0) + exp(0.0) + sqrt(x)(0) + sqrt(4) + abs(x)(0) + erf(x)(0); }
}  // namespace a_program
using namespace linattn;
static double at_global_scope(const Tensor& x) { return log(x)(0) + log(1.0) + sin(x)(0) + cos(0.0) + abs(-1.5); }

namespace linattn {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();

// (n, 1); in braces alone {{1}, {2}} would be ambiguous.
Tensor column(const Tensor& values) { return reshape(values, {values.size(), 1}); }

// The words of the exception of this kind that a function throws.
template <class Error>
std::string words_of(const std::function<void()>& function) {
    try {
        function();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing of this kind was thrown";
}
const auto refused = words_of<std::invalid_argument>, absent = words_of<std::out_of_range>;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST_SUITE("xtensor under C++20") {
TEST_CASE("a dynamic shape is not taken for one of four axes") {  // fails without xtensor_support/xtensor_releases.hpp
    const Tensor a{{1, 2, 3}, {4, 5, 6}};
    const auto evaluated = xt::eval(a + xt::xscalar<double>(1.0));
    CHECK(Shape(evaluated.shape().begin(), evaluated.shape().end()) == Shape{2, 3});
    const auto doubled = xt::eval(xt::operator*(a, 2.0));
    CHECK(Tensor(doubled) == Tensor{{2, 4, 6}, {8, 10, 12}});
    const Tensor of_four_axes = zeros({2, 3, 4, 5});
    CHECK(shape_of(Tensor(xt::eval(xt::operator*(of_four_axes, 2.0)))) == Shape{2, 3, 4, 5});
    Tensor y = zeros({2, 3});
    xt::strided_view(y, {0, xt::all()}) = xt::strided_view(a, {1, xt::all()});
    CHECK(y == Tensor{{4, 5, 6}, {0, 0, 0}});
}
}

TEST_SUITE("numbers and Tensors") {
TEST_CASE("a number stays a number") {
    CHECK(exp(0.5) == std::exp(0.5));
    CHECK(sqrt(2.0) == std::sqrt(2.0));
    static_assert(std::is_same_v<decltype(exp(0.5)), double>);
    static_assert(std::is_same_v<decltype(exp(Tensor{})), Tensor>);
    static_assert(std::is_same_v<decltype(Tensor{} + 1), Tensor>);
    static_assert(std::is_same_v<decltype(total(Tensor{})), double>);
    CHECK(erf(0.5) == std::erf(0.5));
    CHECK(erf(0) == 0.0);
}
TEST_CASE("functions are computed for every entry, whatever is written for the Tensor") {
    Tensor x{0, 0.25, -0.5};
    const Tensor& fixed = x;
    const auto each = [&](const Tensor& y, double (*function)(double)) {
        return y == Tensor{function(x(0)), function(x(1)), function(x(2))};
    };
    CHECK(total(each(exp(x), std::exp)) == 3.0);
    CHECK(total(each(exp(fixed), std::exp)) == 3.0);
    CHECK(total(each(exp({0, 0.25, -0.5}), std::exp)) == 3.0);
    CHECK(total(each(exp(x + 0), std::exp)) == 3.0);
    CHECK(total(each(exp(xt::operator+(x, xt::xscalar<double>(0.0))), std::exp)) == 3.0);
    CHECK(total(each(erf(x), std::erf)) == 3.0);
    CHECK(total(each(sin(x), std::sin)) == 3.0);
    CHECK(total(each(cos(x), std::cos)) == 3.0);
    CHECK(total(each(abs(x), std::fabs)) == 3.0);
    CHECK(total(each(
              log(exp(x)), +[](double entry) { return std::log(std::exp(entry)); })) == 3.0);
    CHECK(total(each(sqrt(x * x), std::fabs)) == 3.0);
    // xtensor's lazy expressions give Tensors as well: nothing here can dangle.
    static_assert(std::is_same_v<decltype(exp(xt::operator-(x, 1.0))), Tensor>);
}
TEST_CASE("`using namespace linattn;` joins them with those of <cmath>") {
    CHECK(a_program::first_entries(Tensor{0, 1}) == 1.0 + 1.0 + 0.0 + 2.0 + 0.0 + 0.0);
    CHECK(at_global_scope(Tensor{1, 2}) == 0.0 + 0.0 + std::sin(1.0) + 1.0 + 1.5);
}
TEST_CASE("numbers of any type may stand on either side, and on the right of an assignment") {
    const Tensor x{1, 2, 4};
    const std::size_t three = 3;
    CHECK(x + 1 == Tensor{2, 3, 5});
    CHECK(1 - x == Tensor{0, -1, -3});
    CHECK(x * three == Tensor{3, 6, 12});
    CHECK(8.0f / x == Tensor{8, 4, 2});
    CHECK(-x == Tensor{-1, -2, -4});
    Tensor y = x;
    y += 1;
    y *= three;
    y -= 0.5;
    y /= 2;
    CHECK(y == Tensor{2.75, 4.25, 7.25});
    y += y;
    CHECK(y == Tensor{5.5, 8.5, 14.5});
}
TEST_CASE("comparisons give 1 and 0, and NaN is neither less nor greater") {
    const Tensor x{-1, 0, nan};
    CHECK((x > 0) == Tensor{0, 0, 0});
    CHECK((x <= 0) == Tensor{1, 1, 0});
    CHECK((0 >= x) == Tensor{1, 1, 0});
}
TEST_CASE("== and != give 1 and 0 for every entry too, and NaN equals nothing") {
    const Tensor x{-1, 0, nan};
    const std::size_t zero = 0;
    const Tensor equal = x == x, different = x != x, to_number = x == zero, from_number = 0 != x;
    CHECK(equal == Tensor{1, 1, 0});
    CHECK(different == Tensor{0, 0, 1});
    CHECK(to_number == Tensor{0, 1, 0});
    CHECK(from_number == Tensor{1, 0, 1});
    const Tensor table = Tensor{1, 2} == column({1, 2, 2});
    CHECK(table == Tensor{{1, 0}, {0, 1}, {0, 1}});
    CHECK(total(x != zeros({3})) == 2.0);
    CHECK(contains(refused([] { static_cast<void>(ones({2}) == ones({3})); }), "do not broadcast"));
}
TEST_CASE("an unsigned difference below 0 is refused wherever it meets a Tensor") {
    const Tensor x{1, 2, 4};
    const auto refuses = [&](auto wrapped) {
        Tensor y = x;
        const std::string said = refused([&] { x* wrapped; });
        CHECK(said.starts_with("a number that is computed with a Tensor is -2, but unsigned"));
        CHECK(refused([&] { wrapped - x; }) == said);
        CHECK(refused([&] { static_cast<void>(x > wrapped); }) == said);
        CHECK(refused([&] { y += wrapped; }) == said);
        CHECK(refused([&] { y -= wrapped; }) == said);
        CHECK(refused([&] { y *= wrapped; }) == said);
        CHECK(refused([&] { y /= wrapped; }) == said);
        CHECK(refused([&] { maximum(x, wrapped); }) == said);
        CHECK(refused([&] { minimum(wrapped, x); }) == said);
        CHECK(refused([&] { where(x, wrapped, x); }) == said);
        CHECK(refused([&] { where(x, 0, wrapped); }) == said);
        CHECK(refused([&] { full({2}, wrapped); }) == said);
        CHECK(refused([&] { exp(wrapped); }) == said);
        CHECK(refused([&] { erf(wrapped); }) == said);
        CHECK(refused([&] { static_cast<void>(x == wrapped); }) == said);
        CHECK(refused([&] { static_cast<void>(wrapped != x); }) == said);
    };
    refuses(std::size_t{1} - 3);
    refuses(1U - 3U);
    const std::size_t three = 3;
    CHECK(where(x > three, three, three - 1) == Tensor{2, 2, 3});
    CHECK(maximum(three, x) == Tensor{3, 3, 4});
    CHECK(full({1}, three) == Tensor{3});
    CHECK(x * std::uint8_t{255} == Tensor{255, 510, 1020});
    CHECK(x * true == x);
}
TEST_CASE("where takes Tensors and numbers") {
    const Tensor x{-1, 0, 2};
    CHECK(where(x > 0, x, 0) == Tensor{0, 0, 2});
    CHECK(where(x > 0, 1, x) == Tensor{-1, 0, 1});
    CHECK(where(x > 0, 1, -1) == Tensor{-1, -1, 1});
    CHECK(where(column({1, 0}), Tensor{1, 2}, 0) == Tensor{{1, 2}, {0, 0}});
}
TEST_CASE("maximum, minimum and amax let NaN through") {
    const Tensor x{1, nan, 3};
    for (const Tensor& y : {maximum(x, 2), maximum(2, x), minimum(x, 2), minimum(2, x)}) CHECK(std::isnan(y(1)));
    CHECK(maximum(x, 2)(0) == 2.0);
    CHECK(minimum(x, 2)(2) == 2.0);
    CHECK(std::isnan(amax(Tensor{nan, 1, 2}, 0)()));
    CHECK(std::isnan(amax(Tensor{1, 2, nan}, 0)()));
    CHECK(amax(Tensor{-inf, -5}, 0)() == -5.0);
}
}

TEST_SUITE("shapes") {
TEST_CASE("they broadcast from the right") {
    const Tensor down = column({1, 2, 3}), row{10, 20};
    CHECK(down * row == Tensor{{10, 20}, {20, 40}, {30, 60}});
    CHECK(row * down == Tensor{{10, 20}, {20, 40}, {30, 60}});
    CHECK(shape_of(ones({2, 1, 3}) + ones({4, 1})) == Shape{2, 4, 3});
}
TEST_CASE("those that do not are refused with both shapes") {
    CHECK(contains(refused([] { ones({4, 5}) + ones({4}); }), "(4, 5) and (4,) do not broadcast"));
    CHECK(contains(refused([] { ones({2, 4, 5}) / ones({2, 4}); }), "expand_dims(…, -1) of (2, 4), or keep_dims in"));
    CHECK(contains(refused([] { ones({2, 4, 5}) - ones({2, 5}); }), "expand_dims(…, -2) of (2, 5)"));
    CHECK(contains(refused([] { ones({2, 3, 1}) * ones({2, 3}); }), "expand_dims(…, -2) of (2, 3)"));
    CHECK(!contains(refused([] { ones({2, 4, 5}) / ones({4}); }), "keep_dims"));
    Tensor three = ones({3}), by_mistake({2, 3}), x = zeros({4, 3});
    CHECK(contains(refused([&] { three += ones({2, 3}); }), "(2, 3) in a Tensor of shape (3,)"));
    CHECK(contains(refused([&] { by_mistake += ones({2, 3}); }), "zeros({…}) takes a shape"));
    CHECK(contains(refused([] { where(ones({2}), ones({3}), 0.0); }), "do not broadcast"));
    CHECK(contains(refused([] { matmul(ones({2, 3}), ones({2, 3})); }), "(3)"));
    CHECK(contains(refused([] { matmul(ones({3}), ones({3, 2})); }), "two axes"));
    CHECK(contains(refused([] { reshape(ones({2, 3}), {4}); }), "6 entries into (4,) with 4"));
    CHECK(contains(refused([] { concatenate(ones({2, 3}), ones({2, 4}), 0); }), "the other axes differ"));
    CHECK(contains(refused([&] { set_token(x, 0, zeros({2})); }), "(3,), got (2,)"));
    CHECK(contains(refused([&] {
                       set_tokens(x, 0, zeros({2, 2}));
                   }),
                   "2 tokens of (4, 3) have shape (2, 3), got (2, 2)"));
}
TEST_CASE("one that no array can have is refused, and says why") {
    const std::size_t below = std::size_t{0} - 2, large = std::size_t{1} << 33;
    const std::string below_0 = "a shape cannot be (-2, 2): its axis 0 is -2, as an unsigned number";
    CHECK(refused([&] { zeros({below, 2}); }).starts_with(below_0));
    CHECK(refused([&] { full({below, 2}, 1.0); }).starts_with(below_0));
    CHECK(refused([&] { normal({below, 2}, 1); }).starts_with(below_0));
    CHECK(refused([&] { reshape(zeros({2}), {below, 2}); }).starts_with(below_0));
    CHECK(contains(refused([&] { zeros({0, below}); }), "its axis 1 is -2"));
    const std::string too_large = "an array of shape (8589934592, 2147483648) does not fit into memory";
    CHECK(refused([&] { zeros({large, large / 4}); }).starts_with(too_large));
    CHECK(refused([&] { reshape(zeros({0}), {large, large / 4}); }).starts_with(too_large));
    CHECK(refused([&] { matmul(zeros({large, 0}), zeros({0, large / 4})); }).starts_with(too_large));
    CHECK(shape_of(zeros({large, large, 0})) == Shape{large, large, 0});
}
TEST_CASE("an index that does not exist is refused with the shape") {
    Tensor x = zeros({4, 3});
    const std::size_t below = std::size_t{0} - 1;
    CHECK(absent([] { sum(ones({2, 3}), 2); }) == "axis 2 does not exist: the shape is (2, 3)");
    CHECK(absent([] { length(ones({2, 3}), -3); }) == "axis -3 does not exist: the shape is (2, 3)");
    CHECK(absent([&] { token(x, 4); }).starts_with("token 4 does not exist: the shape is (4, 3), so n = 4"));
    const std::string wrapped = absent([&] { token(ones({0, 3}), below); });
    CHECK(wrapped.starts_with("token -1 does not exist"));
    CHECK(wrapped.ends_with("the first token is 0: an unsigned number is never below 0"));
    CHECK(contains(absent([&] { tokens(x, 2, 1); }), "n = 4"));
    CHECK(contains(absent([&] { set_token(x, 4, zeros({3})); }), "token 4 does not exist"));
    CHECK(contains(absent([&] {
                       set_tokens(x, 3, zeros({2, 3}));
                   }),
                   "2 tokens from token 3 on do not fit: the shape is (4, 3), so n = 4"));
    CHECK(contains(absent([&] { set_tokens(x, below, zeros({2, 3})); }), "from token -1 on do not fit"));
}
TEST_CASE("so are a mean of nothing, and ids that are none") {
    const Tensor nothing = zeros({3, 0}), three = ones({3}), x = ones({2, 3}), E = ones({3, 2});
    const std::size_t below = std::size_t{0} - 2;
    CHECK(refused([&] { mean(nothing, 1); }).starts_with("mean over axis 1 of shape (3, 0): the axis has no entries"));
    CHECK(refused([&] { mean(nothing, -1, keep_dims); }).starts_with("mean over axis -1"));
    CHECK(absent([&] { mean(three, 1); }) == "axis 1 does not exist: the shape is (3,)");
    CHECK(absent([&] { flip(three, -2); }) == "axis -2 does not exist: the shape is (3,)");
    CHECK(absent([&] { swap_axes(x, 0, 2); }) == "axis 2 does not exist: the shape is (2, 3)");
    CHECK(absent([&] { slice(x, 2, 0, 1); }) == "axis 2 does not exist: the shape is (2, 3)");
    CHECK(absent([&] { slice(x, 1, 2, 4); }).starts_with("slice 2 to 4 (the last one excluded) of axis 1 does"));
    CHECK(contains(absent([&] { slice(x, -1, 2, 1); }), "so the length of the axis is 3"));
    CHECK(absent([&] { slice(x, 0, below + 1, 1); }).starts_with("slice -1 to 1"));
    CHECK(refused([&] { arange(below); }).starts_with("a shape cannot be (-2,)"));
    CHECK(refused([&] { rows(three, ones({1})); }) == "rows: E must be a matrix, (v, d); got shape (3,)");
    CHECK(absent([&] {
              rows(E, Tensor{{0, 3}});
          }) == "rows: an id must be a whole number from 0 to 2; entry (0, 1) of ids is 3");
    CHECK(contains(absent([&] { rows(E, Tensor{-1}); }), "entry (0,) of ids is -1"));
    CHECK(contains(absent([&] { rows(E, Tensor{inf}); }), "of ids is inf"));
    CHECK(contains(refused([&] { rows(E, Tensor{0.5}); }), "of ids is 0.5"));
    CHECK(contains(refused([&] { rows(E, Tensor{nan}); }), "of ids is NaN"));
    CHECK(contains(absent([] { rows(ones({0, 2}), Tensor{0}); }), "where there is nothing to choose from"));
    CHECK(absent([] {
              one_hot(Tensor{0, 2}, 2);
          }) == "one_hot: an id must be a whole number from 0 to 1; entry (1,) of ids is 2");
    CHECK(refused([] { one_hot(Tensor{1.5}, 2); }).starts_with("one_hot: an id must be a whole number"));
    CHECK(refused([&] { one_hot(Tensor{1}, below); }).starts_with("a shape cannot be (1, -2)"));
}
TEST_CASE("axes count from either end") {
    const Tensor x{{1, 2, 3}, {4, 5, 6}};
    CHECK(sum(x, 1) == Tensor{6, 15});
    CHECK(sum(x, -1) == Tensor{6, 15});
    CHECK(sum(x, 0, keep_dims) == Tensor{{5, 7, 9}});
    CHECK(amax(x, -2) == Tensor{4, 5, 6});
    CHECK(amax(x, 1, keep_dims) == column({3, 6}));
    CHECK(cumsum(x, 0) == Tensor{{1, 2, 3}, {5, 7, 9}});
    CHECK(cumsum(x, -1) == Tensor{{1, 3, 6}, {4, 9, 15}});
    CHECK(mean(x, 0) == Tensor{2.5, 3.5, 4.5});
    CHECK(mean(x, -1, keep_dims) == column({2, 5}));
    CHECK(flip(x, 0) == Tensor{{4, 5, 6}, {1, 2, 3}});
    CHECK(flip(x, -1) == Tensor{{3, 2, 1}, {6, 5, 4}});
    CHECK(slice(x, 1, 1, 3) == Tensor{{2, 3}, {5, 6}});
    CHECK(slice(x, -2, 1, 2) == Tensor{{4, 5, 6}});
    CHECK(swap_axes(x, 0, -1) == matrix_transpose(x));
    CHECK(swap_axes(x, -1, 0) == matrix_transpose(x));
    CHECK(swap_axes(x, 1, -1) == x);
    CHECK(shape_of(expand_dims(x, -1)) == Shape{2, 3, 1});
    CHECK(shape_of(expand_dims(x, 0)) == Shape{1, 2, 3});
}
TEST_CASE("arrays without entries are ordinary arrays") {
    CHECK(sum(zeros({3, 0}), 1) == zeros({3}));
    CHECK(shape_of(sum(zeros({0, 3}), 1)) == Shape{0});
    CHECK(amax(zeros({2, 0}), 1) == full({2}, -inf));
    CHECK(matmul(zeros({2, 0}), zeros({0, 3})) == zeros({2, 3}));
    CHECK(shape_of(matmul(zeros({0, 2, 4}), zeros({0, 4, 3}))) == Shape{0, 2, 3});
    CHECK(shape_of(exp(zeros({0, 3}))) == Shape{0, 3});
    CHECK(shape_of(zeros({0, 3}) + ones({3})) == Shape{0, 3});
    CHECK(shape_of(zeros({0, 1}) * ones({1, 4})) == Shape{0, 4});
    CHECK(shape_of(zeros({0}) + sum(ones({2}), 0)) == Shape{0});
    CHECK(shape_of(cumsum(zeros({0, 3}), 0)) == Shape{0, 3});
    CHECK(shape_of(matrix_transpose(zeros({0, 3}))) == Shape{3, 0});
    CHECK(concatenate(zeros({0, 3}), ones({2, 3}), 0) == ones({2, 3}));
    CHECK(shape_of(tokens(ones({2, 3}), 1, 1)) == Shape{0, 3});
    CHECK(shape_of(reshape(zeros({0, 3}), {3, 0})) == Shape{3, 0});
    CHECK(total(zeros({0, 3})) == 0.0);
    CHECK(shape_of(mean(zeros({0, 3}), 1)) == Shape{0});
    CHECK(shape_of(flip(zeros({0, 3}), 0)) == Shape{0, 3});
    CHECK(shape_of(swap_axes(zeros({2, 0, 3}), 0, 2)) == Shape{3, 0, 2});
    CHECK(shape_of(swap_axes(zeros({2, 3, 0}), 0, 1)) == Shape{3, 2, 0});
    CHECK(shape_of(slice(ones({2, 3}), 0, 2, 2)) == Shape{0, 3});
    CHECK(shape_of(arange(0)) == Shape{0});
    CHECK(shape_of(rows(ones({3, 2}), zeros({4, 0}))) == Shape{4, 0, 2});
    CHECK(shape_of(rows(zeros({0, 2}), zeros({0}))) == Shape{0, 2});
    CHECK(shape_of(rows(zeros({3, 0}), Tensor{2, 1})) == Shape{2, 0});
    CHECK(shape_of(one_hot(zeros({0}), 0)) == Shape{0, 0});
}
TEST_CASE("any two axes can be exchanged, whatever lies before, between and behind them") {
    const Tensor x = reshape(arange(2 * 3 * 4 * 5), {2, 3, 4, 5});
    const Tensor outer = swap_axes(x, 0, 2), inner = swap_axes(x, -1, 1), neighbours = swap_axes(x, 1, 2);
    CHECK(shape_of(outer) == Shape{4, 3, 2, 5});
    CHECK(shape_of(inner) == Shape{2, 5, 4, 3});
    CHECK(shape_of(neighbours) == Shape{2, 4, 3, 5});
    for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t b = 0; b < 3; ++b)
            for (std::size_t c = 0; c < 4; ++c)
                for (std::size_t d = 0; d < 5; ++d) {
                    CHECK(outer(c, b, a, d) == x(a, b, c, d));
                    CHECK(inner(a, d, c, b) == x(a, b, c, d));
                    CHECK(neighbours(a, c, b, d) == x(a, b, c, d));
                }
}
TEST_CASE("a middle axis is flipped and sliced for every index around it") {
    const Tensor x = reshape(arange(2 * 3 * 2), {2, 3, 2});
    CHECK(flip(x, 1) == Tensor{{{4, 5}, {2, 3}, {0, 1}}, {{10, 11}, {8, 9}, {6, 7}}});
    CHECK(slice(x, 1, 1, 3) == Tensor{{{2, 3}, {4, 5}}, {{8, 9}, {10, 11}}});
    CHECK(flip(cumsum(flip(x, 1), 1), 1) == Tensor{{{6, 9}, {6, 8}, {4, 5}}, {{24, 27}, {18, 20}, {10, 11}}});
    CHECK(total(x) == 66.0);
}
}

TEST_SUITE("ids") {
TEST_CASE("rows are copied, one for every id, in the shape of the ids") {
    const Tensor E{{1, 2}, {3, 4}, {5, 6}};
    CHECK(rows(E, Tensor{2, 0, 2}) == Tensor{{5, 6}, {1, 2}, {5, 6}});
    CHECK(rows(E, column({0, 1})) == Tensor{{{1, 2}}, {{3, 4}}});
    CHECK(rows(E, sum(Tensor{1}, 0)) == Tensor{3, 4});  // one id without axes: a row
    CHECK(rows(E, -zeros({1})) == Tensor{{1, 2}});      // -0.0
    rows(E, Tensor{0}) += 1;
    CHECK(E(0, 0) == 1.0);
}
TEST_CASE("one_hot picks rows, as a product") {
    const Tensor E{{1, 2}, {3, 4}, {5, 6}}, ids{{2, 0}, {1, 2}};
    CHECK(one_hot(Tensor{2, 0}, 3) == Tensor{{0, 0, 1}, {1, 0, 0}});
    CHECK(shape_of(one_hot(ids, 3)) == Shape{2, 2, 3});
    CHECK(matmul(one_hot(ids, 3), E) == rows(E, ids));
    CHECK(arange(4) == Tensor{0, 1, 2, 3});
}
}

TEST_SUITE("std::cout << x") {
std::string printed(const Tensor& x) {
    std::ostringstream out;
    out << x;
    return out.str();
}
TEST_CASE("rows stand on lines, points below each other") {
    CHECK(printed(Tensor{{1, 0.5}, {-10, 0.25}}) == "[[  1.     0.5 ]\n [-10.     0.25]]");
    CHECK(printed(Tensor{1, 2, 3}) == "[1. 2. 3.]");
    CHECK(printed(Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) == "[[[1. 2.]\n  [3. 4.]]\n\n [[5. 6.]\n  [7. 8.]]]");
    CHECK(printed(Tensor{1.0 / 3.0, 0}) == "[0.333333 0.      ]");
}
TEST_CASE("so do numbers that are none, very large or very small") {
    CHECK(printed(Tensor{nan, inf, -inf, -0.5}) == "[ nan  inf -inf -0.5]");
    CHECK(printed(Tensor{-nan, 1e9, 0, 0.5}) == "[   nan 1.e+09 0.e+00 5.e-01]");
    CHECK(printed(column({1.5e-7, -12})) == "[[ 1.5e-07]\n [-1.2e+01]]");
}
TEST_CASE("a long axis shows its ends, and then the shape is said") {
    CHECK(printed(ones({12})) == "[1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1. 1.]");
    Tensor x = zeros({13, 2});
    x(5, 0) = 1e300;  // not shown, so it does not choose the notation
    CHECK(printed(x) ==
          "[[0. 0.]\n [0. 0.]\n [0. 0.]\n [0. 0.]\n …\n [0. 0.]\n [0. 0.]\n [0. 0.]\n [0. 0.]]"
          " of shape (13, 2)");
    CHECK(printed(ones({1, 20})) == "[[1. 1. 1. 1. … 1. 1. 1. 1.]] of shape (1, 20)");
}
TEST_CASE("one without axes is a number, one without entries is its shape") {
    CHECK(printed(sum(Tensor{1, 1.5}, 0)) == "2.5");
    CHECK(printed(zeros({0, 3})) == "[] of shape (0, 3)");
}
}

TEST_SUITE("tokens and products") {
TEST_CASE("tokens are copies, set_token and set_tokens write") {
    Tensor x = zeros({2, 3, 2});
    set_token(x, 1, Tensor{{1, 2}, {3, 4}});
    CHECK(token(x, 1) == Tensor{{1, 2}, {3, 4}});
    CHECK(sum(sum(token(x, 0), 0), 0)() == 0.0);
    token(x, 1) += 1;
    CHECK(token(x, 1)(0, 0) == 1.0);
    CHECK(shape_of(tokens(x, 1, 3)) == Shape{2, 2, 2});
    CHECK(tokens(x, 1, 3)(1, 0, 1) == 4.0);
    set_tokens(x, 1, Tensor{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}});
    CHECK(x == Tensor{{{0, 0}, {1, 2}, {3, 4}}, {{0, 0}, {5, 6}, {7, 8}}});
    set_tokens(x, 3, zeros({2, 0, 2}));
    CHECK(x(1, 2, 1) == 8.0);
}
TEST_CASE("products by hand, for every leading index or for none") {
    const Tensor a{{1, 2}, {3, 4}}, b = column({5, 6});
    CHECK(matmul(a, b) == column({17, 39}));
    CHECK(matmul(a, matrix_transpose(a)) == Tensor{{5, 11}, {11, 25}});  // the same Tensor twice: no short cut
    const Tensor stacked = concatenate(expand_dims(a, 0), expand_dims(a * 2, 0), 0);
    CHECK(matmul(stacked, b) == reshape(Tensor{17, 39, 34, 78}, {2, 2, 1}));
    CHECK(matmul(matrix_transpose(b), stacked) == Tensor{{{23, 34}}, {{46, 68}}});
}
}

}  // namespace
}  // namespace linattn
