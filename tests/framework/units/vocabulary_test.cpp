// labs/vocabulary/tensor.hpp, the words that the labs are written in, and the repair of xtensor beneath it.
#include <cmath>
#include <cstdint>
#include <sstream>

#include "expectations.hpp"
#include "random.hpp"
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
    const auto each = [&](double (*function)(double)) { return Tensor{function(0), function(0.25), function(-0.5)}; };
    const Tensor exps = each(std::exp);
    for (const Tensor& y :
         {exp(x), exp(fixed), exp({0, 0.25, -0.5}), exp(x + 0), exp(xt::operator+(x, xt::xscalar<double>(0.0)))})
        CHECK(y == exps);
    CHECK(erf(x) == each(std::erf));
    CHECK(sin(x) == each(std::sin));
    CHECK(cos(x) == each(std::cos));
    CHECK(abs(x) == each(std::fabs));
    CHECK(log(exp(x)) == each([](double entry) { return std::log(std::exp(entry)); }));
    CHECK(sqrt(x * x) == each(std::fabs));
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
    CHECK((x == x) == Tensor{1, 1, 0});
    CHECK((x != x) == Tensor{0, 0, 1});
    CHECK((x == zero) == Tensor{0, 1, 0});
    CHECK((0 != x) == Tensor{1, 0, 1});
    CHECK((Tensor{1, 2} == column({1, 2, 2})) == Tensor{{1, 0}, {0, 1}, {0, 1}});
    CHECK(total(x != zeros({3})) == 2.0);
    REFUSED("…do not broadcast…", ones({2}) == ones({3}));
}
TEST_CASE("an unsigned difference below 0 is refused wherever it meets a Tensor") {
    const Tensor x{1, 2, 4};
    const auto refuses = [&](auto wrapped) {
        Tensor y = x;
        const std::string said = words_of<std::invalid_argument>([&] { x* wrapped; });
        CHECK(said.starts_with("a number that is computed with a Tensor is -2, but unsigned"));
        REFUSED(said, wrapped - x);
        REFUSED(said, x > wrapped);
        REFUSED(said, y += wrapped);
        REFUSED(said, y -= wrapped);
        REFUSED(said, y *= wrapped);
        REFUSED(said, y /= wrapped);
        REFUSED(said, maximum(x, wrapped));
        REFUSED(said, minimum(wrapped, x));
        REFUSED(said, where(x, wrapped, x));
        REFUSED(said, where(x, 0, wrapped));
        REFUSED(said, full({2}, wrapped));
        REFUSED(said, exp(wrapped));
        REFUSED(said, erf(wrapped));
        REFUSED(said, x == wrapped);
        REFUSED(said, wrapped != x);
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
    REFUSED("…(4, 5) and (4,) do not broadcast…", ones({4, 5}) + ones({4}));
    REFUSED("…expand_dims(…, -1) of (2, 4), or keep_dims in…", ones({2, 4, 5}) / ones({2, 4}));
    REFUSED("…expand_dims(…, -2) of (2, 5)…", ones({2, 4, 5}) - ones({2, 5}));
    REFUSED("…expand_dims(…, -2) of (2, 3)…", ones({2, 3, 1}) * ones({2, 3}));
    CHECK(words_of<std::invalid_argument>([] { ones({2, 4, 5}) / ones({4}); }).find("keep_dims") == std::string::npos);
    Tensor three = ones({3}), by_mistake({2, 3}), x = zeros({4, 3});
    REFUSED("…(2, 3) in a Tensor of shape (3,)…", three += ones({2, 3}));
    REFUSED("…zeros({…}) takes a shape…", by_mistake += ones({2, 3}));
    REFUSED("…do not broadcast…", where(ones({2}), ones({3}), 0.0));
    REFUSED("…(3)…", matmul(ones({2, 3}), ones({2, 3})));
    REFUSED("…two axes…", matmul(ones({3}), ones({3, 2})));
    REFUSED("…6 entries into (4,) with 4…", reshape(ones({2, 3}), {4}));
    REFUSED("…the other axes differ…", concatenate(ones({2, 3}), ones({2, 4}), 0));
    REFUSED("…(3,), got (2,)…", set_token(x, 0, zeros({2})));
    REFUSED("…2 tokens of (4, 3) have shape (2, 3), got (2, 2)…", set_tokens(x, 0, zeros({2, 2})));
}
TEST_CASE("one that no array can have is refused, and says why") {
    const std::size_t below = std::size_t{0} - 2, large = std::size_t{1} << 33;
    const std::string below_0 = "a shape cannot be (-2, 2): its axis 0 is -2, as an unsigned number…";
    REFUSED(below_0, zeros({below, 2}));
    REFUSED(below_0, full({below, 2}, 1.0));
    REFUSED(below_0, normal({below, 2}, 1));
    REFUSED(below_0, reshape(zeros({2}), {below, 2}));
    REFUSED("…its axis 1 is -2…", zeros({0, below}));
    const std::string too_large = "an array of shape (8589934592, 2147483648) does not fit into memory…";
    REFUSED(too_large, zeros({large, large / 4}));
    REFUSED(too_large, reshape(zeros({0}), {large, large / 4}));
    REFUSED(too_large, matmul(zeros({large, 0}), zeros({0, large / 4})));
    CHECK(shape_of(zeros({large, large, 0})) == Shape{large, large, 0});
}
TEST_CASE("an index that does not exist is refused with the shape") {
    Tensor x = zeros({4, 3});
    const std::size_t below = std::size_t{0} - 1;
    ABSENT("axis 2 does not exist: the shape is (2, 3)", sum(ones({2, 3}), 2));
    ABSENT("axis -3 does not exist: the shape is (2, 3)", length(ones({2, 3}), -3));
    ABSENT("token 4 does not exist: the shape is (4, 3), so n = 4…", token(x, 4));
    ABSENT("token -1 does not exist…the first token is 0: an unsigned number is never below 0",
           token(ones({0, 3}), below));
    ABSENT("…n = 4…", tokens(x, 2, 1));
    ABSENT("…token 4 does not exist…", set_token(x, 4, zeros({3})));
    ABSENT("…2 tokens from token 3 on do not fit: the shape is (4, 3), so n = 4…", set_tokens(x, 3, zeros({2, 3})));
    ABSENT("…from token -1 on do not fit…", set_tokens(x, below, zeros({2, 3})));
}
TEST_CASE("so are a mean of nothing, and ids that are none") {
    const Tensor nothing = zeros({3, 0}), three = ones({3}), x = ones({2, 3}), E = ones({3, 2});
    const std::size_t below = std::size_t{0} - 2;
    REFUSED("mean over axis 1 of shape (3, 0): the axis has no entries…", mean(nothing, 1));
    REFUSED("mean over axis -1…", mean(nothing, -1, keep_dims));
    ABSENT("axis 1 does not exist: the shape is (3,)", mean(three, 1));
    ABSENT("axis -2 does not exist: the shape is (3,)", flip(three, -2));
    ABSENT("axis 2 does not exist: the shape is (2, 3)", swap_axes(x, 0, 2));
    ABSENT("axis 2 does not exist: the shape is (2, 3)", slice(x, 2, 0, 1));
    ABSENT("slice 2 to 4 (the last one excluded) of axis 1 does…", slice(x, 1, 2, 4));
    ABSENT("…so the length of the axis is 3…", slice(x, -1, 2, 1));
    ABSENT("slice -1 to 1…", slice(x, 0, below + 1, 1));
    REFUSED("a shape cannot be (-2,)…", arange(below));
    REFUSED("rows: E must be a matrix, (v, d); got shape (3,)", rows(three, ones({1})));
    ABSENT("rows: an id must be a whole number from 0 to 2; entry (0, 1) of ids is 3", rows(E, Tensor{{0, 3}}));
    ABSENT("…entry (0,) of ids is -1…", rows(E, Tensor{-1}));
    ABSENT("…of ids is inf…", rows(E, Tensor{inf}));
    REFUSED("…of ids is 0.5…", rows(E, Tensor{0.5}));
    REFUSED("…of ids is NaN…", rows(E, Tensor{nan}));
    ABSENT("…where there is nothing to choose from…", rows(ones({0, 2}), Tensor{0}));
    ABSENT("one_hot: an id must be a whole number from 0 to 1; entry (1,) of ids is 2", one_hot(Tensor{0, 2}, 2));
    REFUSED("one_hot: an id must be a whole number…", one_hot(Tensor{1.5}, 2));
    REFUSED("a shape cannot be (1, -2)…", one_hot(Tensor{1}, below));
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
    CHECK(Tensor(xt::transpose(x, {2, 1, 0, 3})) == swap_axes(x, 0, 2));
    CHECK(Tensor(xt::transpose(x, {0, 3, 2, 1})) == swap_axes(x, -1, 1));
    CHECK(Tensor(xt::transpose(x, {0, 2, 1, 3})) == swap_axes(x, 1, 2));
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
