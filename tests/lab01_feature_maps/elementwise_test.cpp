// The maps that treat every entry by itself: elu_plus_one, relu, identity.
#include "arrangement.hpp"
#include "worked_example.hpp"

namespace linattn::testing::elementwise_test {

const Shape any_shapes[] = {{}, {3}, {2, 3}, {2, 3, 4}, {2, 3, 4, 5}, {0}, {3, 0}, {2, 0, 3}, {0, 2, 3, 4}};

// The contract of elu_plus_one.
Expected to_1e_minus_12(const Tensor& y) {
    return to_rounding(y, 1e-12 * 0x1p53, "the relative error of 1e-12 that the contract allows", false);
}

// Made with Python's decimal module at 60 digits, from the exact value of each double x: D(x).exp() or D(x) + 1.
const Table negative = points({{-700.0, 9.8596765437597708e-305},
                               {-100.0, 3.7200759760208361e-44},
                               {-38.0, 3.1391327920480296e-17},
                               {-30.0, 9.3576229688401748e-14},
                               {-20.0, 2.0611536224385579e-09},
                               {-10.0, 4.5399929762484854e-05},
                               {-3.5, 0.030197383422318501},
                               {-2.0, 0.1353352832366127},
                               {-1.0, 0.36787944117144233},
                               {-0.5, 0.60653065971263342},
                               {-0.125, 0.88249690258459546}});
const Table around_zero_and_above = points({{-1e-9, 0.99999999900000003},
                                            {-1e-300, 1},
                                            {0.0, 1},
                                            {1e-300, 1},
                                            {1e-9, 1.0000000010000001},
                                            {0.125, 1.125},
                                            {0.5, 1.5},
                                            {1.0, 2},
                                            {3.0, 4},
                                            {30.0, 31},
                                            {100.0, 101}});

// Random numbers in [low, high), in rising order.
Tensor rising(std::size_t count, double low, double high, std::uint64_t stream) {
    Tensor x = random_tensor({count}, stream, low, high);
    std::sort(x.data(), x.data() + x.size());
    return x;
}

TEST_SUITE("elu_plus_one") {
const EntryByEntry by_entry("elu_plus_one");

TEST_CASE("gives the chapter's worked example") {
    const Tensor x{-1, 0, 2};
    CALL(elu_plus_one, x).equals(to_1e_minus_12({0.36787944117144233, 1, 3}));
}
TEST_CASE("keeps small features: relative error at most 1e-12 down to x = -700") {
    const Tensor x = negative.x;
    CALL(elu_plus_one, x).equals(to_1e_minus_12(negative.y));
}
TEST_CASE("passes through 1 at x = 0 and is a line above") {
    const Tensor x = around_zero_and_above.x;
    CALL(elu_plus_one, x).equals(to_1e_minus_12(around_zero_and_above.y));
}
TEST_CASE("takes any shape, entry by entry") {
    std::uint64_t stream = 0;
    for (const Shape& shape : any_shapes)
        for (const Table& table : {negative, around_zero_and_above}) {
            const auto [x, y] = scattered(table, shape, ++stream);
            CALL(elu_plus_one, x).equals(to_1e_minus_12(y));
        }
}
TEST_CASE("takes every size, entry by entry") {
    std::uint64_t stream = 50;
    for (const Shape& shape : shapes_around_borders()) {
        const auto [x, y] = scattered(negative, shape, ++stream);
        CALL(elu_plus_one, x).equals(to_1e_minus_12(y));
    }
}
TEST_CASE("is the exponential between the tabulated points too") {
    for (const double low : {-1.0, -40.0, -700.0}) {
        const Tensor x = random_tensor({200}, 29, low, 0.0);
        Tensor y = x;
        for (std::size_t i = 0; i < x.size(); ++i) y(i) = exponential_by_series(x(i));
        CALL(elu_plus_one, x).equals(to_1e_minus_12(y));
    }
    const Tensor x = random_tensor({200}, 28, 0.0, 40.0);
    CALL(elu_plus_one, x).equals(to_1e_minus_12(x + 1.0));
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 27);
    CALL(elu_plus_one, x).remembers_nothing();
}
TEST_CASE("rises without a jump, never faster than x") {
    const Tensor x = rising(500, -5.0, 5.0, 30);
    const Call<Tensor> call = CALL(elu_plus_one, x);
    const Tensor y = result_of_shape(call, {500});
    for (std::size_t i = 1; i < 500; ++i) {
        const double rise = y(i) - y(i - 1), rounding = 2e-12 * std::fabs(y(i));
        const std::string between = "between x = " + std::to_string(x(i - 1)) + " and " + std::to_string(x(i));
        call.satisfies(rise >= -rounding, "falls " + between);
        call.satisfies(rise <= x(i) - x(i - 1) + rounding, "jumps " + between);
    }
}
TEST_CASE("is positive and finite from -700 to 1e4") {
    const Tensor x = concatenate(rising(300, -700.0, 0.0, 31), rising(300, 0.0, 1e4, 32), 0);
    const Call<Tensor> call = CALL(elu_plus_one, x);
    const Tensor y = result_of_shape(call, {600});
    for (std::size_t i = 0; i < 600; ++i)
        call.satisfies(y(i) > 0.0 && std::isfinite(y(i)),
                       "x = " + std::to_string(x(i)) + " gives " + std::to_string(y(i)) + ": not positive and finite");
}
TEST_CASE("stays a line where the exponential overflows, and ends at 0 on the other side") {
    const Tensor x{-1e4, 709, 710, 1e4};
    CALL(elu_plus_one, x).equals(to_1e_minus_12({0, 710, 711, 10001}));
    const Tensor ends{-infinity, infinity};
    CALL(elu_plus_one, ends).equals(exactly({0, infinity}, false));
}
TEST_CASE("a NaN stays in its own entry") {
    const Tensor x{-1, not_a_number, 2};
    CALL(elu_plus_one, x).equals(to_1e_minus_12({0.36787944117144233, not_a_number, 3}));
}
}

TEST_SUITE("relu") {
const EntryByEntry by_entry("relu");

// Positive numbers of all sizes, with a random sign before each, and what must be left of them.
Table signed_at_random(const Shape& shape, std::uint64_t stream) {
    const Tensor magnitude = exp(random_tensor(shape, stream, -20.0, 20.0));
    const Tensor sign = random_tensor(shape, stream + 1, -1.0, 1.0);
    Table table{magnitude, magnitude};
    for (std::size_t i = 0; i < magnitude.size(); ++i)
        if (sign.data()[i] < 0.0) {
            table.x.data()[i] = -magnitude.data()[i];
            table.y.data()[i] = 0.0;
        }
    return table;
}

// The slope that all negative entries were given, if it is the same one between 0 and 1 for all of them; else 0.
double slope_below_zero(const Tensor& x, const Tensor& y) {
    double slope = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(x.data()[i] < 0.0)) continue;
        const double here = y.data()[i] / x.data()[i];
        if (slope == 0.0) slope = here;
        if (!(here > 0.0 && here < 1.0 && std::fabs(here - slope) <= 1e-12)) return 0.0;
    }
    return slope;
}

TEST_CASE("gives the chapter's worked example") {
    const Tensor x{-1, 0, 2};
    CALL(relu, x).equals(exactly({0, 0, 2}, false));
}
TEST_CASE("makes negative entries 0 and keeps the others to the last bit, in any shape") {
    std::uint64_t stream = 100;
    for (const Shape& shape : any_shapes) {
        const auto [x, y] = signed_at_random(shape, stream += 2);
        const Call<Tensor> call = CALL(relu, x);
        const double slope = slope_below_zero(x, result_of_shape(call, shape));
        call.satisfies(slope == 0.0, "negative entries come out as " + std::to_string(slope) + " x, not as 0",
                       "leaky slope for negative x");
        call.equals(exactly(y, false));
    }
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 150;
    for (const Shape& shape : shapes_around_borders()) {
        const auto [x, y] = signed_at_random(shape, stream += 2);
        CALL(relu, x).equals(exactly(y, false));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 132);
    CALL(relu, x).remembers_nothing();
}
TEST_CASE("relu(x) - relu(-x) is x again") {
    const Tensor x = random_tensor({4, 5}, 130), minus_x = -x;
    const Tensor above = result_of_shape(CALL(relu, x), {4, 5});
    const Call<Tensor> call = CALL(relu, minus_x);
    call.satisfies(all_equal(above - result_of_shape(call, {4, 5}), x), "relu(x) - relu(-x) differs from x");
}
TEST_CASE("a second time changes nothing") {
    const Tensor x = random_tensor({4, 5}, 131);
    const Tensor once = result_of_shape(CALL(relu, x), {4, 5});
    CALL(relu, once).equals(exactly(once, false));
}
TEST_CASE("keeps the largest and the smallest numbers, and has no ceiling") {
    const Tensor x{-infinity, -1e308, -5e-324, 5e-324, 1e-300, 1.5, 7, 1e4, 1e308, infinity};
    CALL(relu, x).equals(exactly({0, 0, 0, 5e-324, 1e-300, 1.5, 7, 1e4, 1e308, infinity}, false));
}
TEST_CASE("NaN in, NaN out, in its own entry") {
    const Tensor x{-1, not_a_number, 2};
    const Call<Tensor> call = CALL(relu, x);
    const Tensor y = result_of_shape(call, {3});
    if (y(2) == 2.0)  // else more is wrong than the NaN
        call.satisfies(std::isnan(y(1)),
                       "a NaN became " + std::to_string(y(1)) + ", which hides an earlier mistake: every comparison " +
                           "with NaN is false, so where selects the other branch; maximum keeps NaN",
                       "where picks 0 for a NaN");
    call.equals(exactly({0, not_a_number, 2}, false));
}
}

TEST_SUITE("identity") {
const EntryByEntry by_entry("identity");

TEST_CASE("gives the chapter's worked example") {
    const Tensor x{-1, 0, 2};
    CALL(identity, x).equals(exactly({-1, 0, 2}, false));
}
TEST_CASE("returns the same values in the same shape") {
    std::uint64_t stream = 200;
    for (const Shape& shape : any_shapes) {
        const Tensor x = random_tensor(shape, ++stream, -1e4, 1e4);
        CALL(identity, x).equals(exactly(x, false));
    }
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 250;
    for (const Shape& shape : shapes_around_borders()) {
        const Tensor x = random_tensor(shape, ++stream);
        CALL(identity, x).equals(exactly(x, false));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 249);
    CALL(identity, x).remembers_nothing();
}
TEST_CASE("keeps every bit: large, tiny, infinite, NaN and minus zero") {
    const Tensor x{-infinity, -1e308, -5e-324, -0.0, 0.0, 5e-324, 1e308, infinity, not_a_number};
    const Call<Tensor> call = CALL(identity, x);
    call.equals(exactly(x, false));
    call.satisfies(fingerprint(call.result()) == fingerprint(x), "-0 lost its sign or NaN its bits: return x as it is");
}
}

}  // namespace linattn::testing::elementwise_test
