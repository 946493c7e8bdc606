// What counts as right, and how a difference is told.
#include <cmath>

#include "comparison.hpp"
#include "expectations.hpp"

namespace linattn::testing {
namespace {

// One entry with one tolerance.
struct Row {
    double expected, tolerance, got;
};
bool accepts(const Row& row) {
    return !difference(Tensor{row.got}, {Tensor{row.expected}, Tensor{row.tolerance}, "by hand", false});
}
void accepts_only(const std::vector<Row>& right, const std::vector<Row>& wrong) {
    for (const Row& row : right) CHECK(accepts(row));
    for (const Row& row : wrong) CHECK_FALSE(accepts(row));
}

TEST_SUITE("comparison") {
TEST_CASE("the tolerance is the last value that is still right") {
    accepts_only({{1.0, 0.5, 1.5}, {1.0, 0.5, 0.5}, {1.0, 0.0, 1.0}, {0.0, 0.0, -0.0}},
                 {{1.0, 0.5, std::nextafter(1.5, 2.0)}, {1.0, 0.5, 0.5 - 1e-15}, {1.0, 0.0, std::nextafter(1.0, 2.0)}});
}
TEST_CASE("NaN equals only NaN, an infinity only itself") {
    accepts_only({{nan, 0.0, nan}, {inf, 0.0, inf}},
                 {{1.0, 0.5, nan}, {nan, 0.5, 1.0}, {inf, 0.5, -inf}, {inf, inf, 1.0}, {1.0, 0.5, inf}});
    CHECK_THROWS_AS(accepts({1.0, nan, 1.5}), std::logic_error);
}
TEST_CASE("shapes come first, then the first difference and how many there are") {
    const Tensor expected{{1, 2, 3}, {4, 5, 6}}, other{{1, 2, 3}, {7, 5, 7}};
    Tensor hollow = expected;
    hollow.storage().resize(0);
    CHECK(contains(*difference(hollow, exactly(expected)), "holds 0 of its 6 numbers"));
    CHECK(contains(*difference(zeros({3, 2}), exactly(expected)), "has shape (3, 2), expected shape (2, 3)"));
    CHECK(difference(zeros({6}), exactly(expected)));
    CHECK_THROWS_AS(difference(expected, {expected, full({2, 3}, inf), "1/0", true}), std::logic_error);
    const std::string text = *difference(other, exactly(expected));
    CHECK(contains(text, "first differs at [token 1, 0]: expected 4, got 7; 2 of 6 values differ"));
    CHECK(contains(*difference(other, exactly(expected, false)), "at [1, 0]"));
    CHECK_FALSE(difference(zeros({0, 3}), exactly(zeros({0, 3}))));
    CHECK(difference(zeros({0, 3}), exactly(zeros({3, 0}))));
}
TEST_CASE("numbers in braces may have been meant as a shape") {
    const Expected y = exactly(zeros({2, 3}));
    CHECK(contains(*difference(Tensor{2, 3}, y), "if it was made by Tensor y({…})"));
    CHECK_FALSE(contains(*difference(Tensor{4, 5}, y), "zeros"));
    CHECK_FALSE(contains(*difference(Tensor{4, 5, 6}, y), "zeros"));
    CHECK(contains(*difference(full({}, 0.0), y), "if it was made by `Tensor y;`"));
    CHECK_FALSE(contains(*difference(full({}, 7.0), y), "zeros"));
}
TEST_CASE("two values that differ are never printed alike") {
    const std::string text = *difference(Tensor{1.0 + 1e-12, 0.0}, exactly(Tensor{1.0, 0.0}));
    CHECK(contains(text, "expected 1, got 1.000000000001"));
    CHECK_FALSE(contains(text, "{1, 0}"));
}
TEST_CASE("roundings are counted in units of the value") {
    CHECK_FALSE(difference(Tensor{1.0 + 0x1p-52}, to_rounding(Tensor{1.0}, 2, "two")));
    CHECK(difference(Tensor{1.0 + 0x1p-51}, to_rounding(Tensor{1.0}, 2, "two")));
}
TEST_CASE("an expected 0 may be as wrong as the terms that cancel, and no more") {
    const Tensor value{0.0, 1.0}, terms{3.0, 5.0};
    const Expected sums = to_rounding_of_terms(value, terms, 2, "3 - 3 and 3 - 2");
    CHECK_FALSE(difference(Tensor{6 * 0x1p-53, 1.0 - 10 * 0x1p-53}, sums));
    CHECK(difference(Tensor{7 * 0x1p-53, 1.0}, sums));
    CHECK(difference(Tensor{0.0, 1.0 + 12 * 0x1p-53}, sums));
    const Tensor row = reshape(Tensor{0.0, 1e-16}, {1, 2});
    CHECK_FALSE(difference(row, to_rounding_of_terms(zeros({1, 2}), ones({1, 1}), 1, "the terms of a row")));
}
TEST_CASE("a value that is nearly right comes with the tolerance it was given, and why") {
    CHECK(contains(*difference(Tensor{1.0 + 1e-7}, to_rounding(Tensor{1.0}, 2, "two sums")),
                   "allowed there: 2.22045e-16 (2·2^-53 of the value, one for each rounding: two sums)"));
    CHECK(contains(*difference(Tensor{1.0 - 1e-7}, exactly(Tensor{1.0})), "allowed there: 0 (exact)"));
    for (const double value : {7.0, nan})
        CHECK_FALSE(contains(*difference(Tensor{value}, exactly(Tensor{1.0})), "allowed there"));
    const std::string two = *difference(Tensor{1.0 + 1e-9, 1.0, 5.0}, exactly(ones({3}), false));
    CHECK(contains(two,
                   "first differs at [0]: expected 1, got 1.000000001; 2 of 3 values differ\n"
                   "the largest difference is at [2]: expected 1, got 5"));
    CHECK_FALSE(contains(two, "allowed there"));
    CHECK_FALSE(contains(*difference(Tensor{4.0, 5.0}, exactly(ones({2}), false)), "largest"));
    CHECK(contains(*difference(Tensor(2.0), exactly(Tensor(1.0))), "first differs: expected 1, got 2"));
}
TEST_CASE("words are compared one by one") {
    const std::vector<std::string> expected{"a", "ab"};
    CHECK_FALSE(difference(expected, expected));
    CHECK(
        contains(*difference({"a", "ba"}, expected), "entry 1: expected ab, got ba; the same states in another order"));
    CHECK(contains(*difference({"a", "bb"}, expected), "got bb; missing: a; too often: b"));
    CHECK(contains(*difference(std::vector<std::string>{"a"}, expected), "has 1 entries, expected 2"));
}
TEST_CASE("alike up to rounding is not alike up to a formula") {
    const Tensor x{1.0, -2.0, 1000.0};
    CHECK(*distance_if_alike(parts_of(x), parts_of(x)) == 0.0);
    CHECK(*distance_if_alike(parts_of(x), parts_of(x + 1e-9)) == doctest::Approx(1e-9).epsilon(1e-3));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(x + 1e-6)));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(reshape(x, {3, 1}))));
    CHECK_FALSE(distance_if_alike(parts_of(Tensor{nan, 1}), parts_of(Tensor{0, 1})));
    CHECK(distance_if_alike(parts_of(Tensor{nan, 1}), parts_of(Tensor{nan, 1})));
    CHECK_FALSE(distance_if_alike(parts_of(Tensor{inf}), parts_of(Tensor{-inf})));
    CHECK_FALSE(distance_if_alike(parts_of(x), parts_of(std::vector<std::string>{"x"})));
    CHECK_FALSE(distance_if_alike(parts_of(std::vector<std::string>{"x"}), parts_of(std::vector<std::string>{"y"})));
}
TEST_CASE("where a NaN spreads further, the other entries can still be alike") {
    const auto alike = [](const Tensor& a, const Tensor& b) {
        return distance_if_alike_where_finite(parts_of(a), parts_of(b)).has_value();
    };
    CHECK(alike({nan, inf, 3, 1}, {nan, 2, 3, 1}));
    CHECK_FALSE(alike({nan, 2, 3}, {nan, 2, 3.1}));
    CHECK_FALSE(alike({nan, 3}, {2, 3}));      // one of them is finite throughout
    CHECK_FALSE(alike({nan, nan}, {nan, 2}));  // nothing to compare
    CHECK_FALSE(alike({nan, 2, 3}, {nan, 2}));
}
}

}  // namespace
}  // namespace linattn::testing

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
