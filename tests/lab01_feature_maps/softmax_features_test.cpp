// Softmax over the entries of each token.
#include "arrangement.hpp"
#include "worked_example.hpp"

namespace linattn::testing::softmax_features_test {

// Python's decimal module at 60 digits: e = [D(v).exp() for v in token]; [v / sum(e) for v in e].
const Table tokens_of_width_4{
    {{-1, 0, 2, 0.5},
     {1, 0, -1, -0.25},
     {3, 3, 3, 3},
     {-30, 0, 5, -2.5},
     {8, -8, 0.125, 1},
     {0.5, 0.25, -0.25, -0.5},
     {-4, -4.5, -6, -4}},
    {{0.035353793408748869, 0.096101574190097211, 0.71009992288617418, 0.15844470951497971},
     {0.55874676904198495, 0.20555144915151435, 0.075618152245839246, 0.16008362956066144},
     {0.25, 0.25, 0.25, 0.25},
     {6.2594787045570121e-16, 0.0066891760069842186, 0.99276174298968689, 0.00054908100332831634},
     {0.99870954396991007, 1.1238995302444543e-07, 0.00037963841816356921, 0.00091070522197333613},
     {0.38181830457859051, 0.29736039459680247, 0.18035819630720759, 0.14046310451739943},
     {0.36471513225200403, 0.22121090977198835, 0.049358825724003623, 0.36471513225200403}}};
const Table large_tokens{{{10000, 0, -10000, 9999},
                          {-10000, -10001, -10002, -10000.5},
                          {710, 709, 708, 700},
                          {-746, -747, -746.5, -750},
                          {9999.5, 10000, 9998, 9999}},
                         {{0.7310585786300049, 0, 0, 0.2689414213699951},
                          {0.473990846254078, 0.17437148764032925, 0.064147685429357393, 0.28748998067623532},
                          {0.66522086484566179, 0.24472108001500562, 0.090027854158792081, 3.0200980540532472e-05},
                          {0.50182520355962767, 0.18461117545126113, 0.30437237177544751, 0.0091912492136636634},
                          {0.28748998067623532, 0.473990846254078, 0.064147685429357393, 0.17437148764032925}}};

const Shape leading_shapes[] = {{}, {3}, {2, 3}, {2, 5, 3}};

// Every exponent is rounded to 2^-53 of itself, which the exponential turns into a relative error of that size.
Expected rounded(const Tensor& y, double largest_entry) {
    const double units = 16.0 + 2.0 * largest_entry;
    return to_rounding(y, units, "16 + 2 max |x|: exp multiplies the rounding of its argument by the argument");
}

TEST_SUITE("softmax_features") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor x = worked_example::x;
    CALL(softmax_features, x).equals(rounded(worked_example::softmax, 2.0));
}
TEST_CASE("rejects an array without axes") { CALL(softmax_features, zeros({})).rejects({"x", "(…, d)", "()"}); }
TEST_CASE("gives the tabulated values, token by token, for every leading shape") {
    std::uint64_t stream = 0;
    for (const Shape& leading : leading_shapes) {
        const auto [x, y] = scattered(tokens_of_width_4, leading, ++stream);
        CALL(softmax_features, x).equals(rounded(y, 30.0));
    }
}
TEST_CASE("gives each entry its share at every size, between the tabulated points too") {
    // Feature a is one over the sum of e^(x_b - x_a); x_b at most x_a + 4, so that the largest comes out as e^4.
    std::uint64_t stream = 40;
    for (const Shape& shape : shapes_around_borders()) {
        const Tensor x = random_tensor(shape, ++stream);
        Tensor y = x;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double* token = x.data() + i / shape.back() * shape.back();
            long double total = 0.0L;
            for (std::size_t b = 0; b < shape.back(); ++b) {
                const long double above = static_cast<long double>(token[b]) - static_cast<long double>(x.data()[i]);
                const double ratio = exponential_by_series(above < 0.0L ? above : -above);
                total += above < 0.0L ? ratio : 1.0L / ratio;
            }
            y.data()[i] = static_cast<double>(1.0L / total);
        }
        CALL(softmax_features, x).equals(rounded(y, 4.0 + static_cast<double>(shape.back())));
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3}, 39);
    CALL(softmax_features, x).remembers_nothing();
}
TEST_CASE("its cost grows in proportion to the tokens") {
    costs_no_more_than_in_proportion([](std::size_t n) { return CALL(softmax_features, random_tensor({n, 3}, n)); });
}
TEST_CASE("the features of a token are positive and sum to 1") {
    std::uint64_t stream = 10;
    for (const Shape& shape : {Shape{7}, Shape{3, 5}, Shape{2, 3, 5}, Shape{2, 3, 4, 6}, Shape{5, 100}}) {
        const Tensor x = random_tensor(shape, ++stream);
        const Call<Tensor> call = CALL(softmax_features, x);
        const Tensor y = result_of_shape(call, shape);
        const std::size_t d = shape.back();
        for (std::size_t token = 0; token < y.size() / d; ++token) {
            double total = 0.0;
            for (std::size_t a = 0; a < d; ++a) {
                total += y.data()[token * d + a];
                call.satisfies(y.data()[token * d + a] > 0.0, "a feature is not positive");
            }
            const double tolerance = (20.0 + 2.0 * static_cast<double>(d)) * 0x1p-53;  // rounded() and two sums of d
            call.satisfies(std::fabs(total - 1.0) <= tolerance,
                           "the features of the token in row " + std::to_string(token) + " sum to " +
                               std::to_string(total) + ", not to 1 within " + std::to_string(tolerance * 0x1p53) +
                               "·2^-53 of the value, one for each rounding: 20 + 2d");
        }
    }
}
TEST_CASE("adding a number to all entries of a token changes nothing") {
    const auto [x, y] = scattered(tokens_of_width_4, {2, 3}, 20);
    for (const double shift : {512.0, -1024.0}) {  // the sums are exact
        const Tensor shifted = x + shift;
        CALL(softmax_features, shifted).equals(rounded(y, 1054.0));
    }
}
TEST_CASE("entries in another order give features in that order") {
    const auto [x, y] = scattered(tokens_of_width_4, {5}, 21);
    const auto mirrored = [](Tensor t) {
        for (std::size_t row = 0; row < 5; ++row) std::reverse(t.data() + 4 * row, t.data() + 4 * row + 4);
        return t;
    };
    const Tensor backwards = mirrored(x);
    CALL(softmax_features, backwards).equals(rounded(mirrored(y), 30.0));
}
TEST_CASE("a single entry is 1, whatever it was") {
    for (const Shape& shape : {Shape{1}, Shape{2, 3, 1}, Shape{4, 1}}) {
        const Tensor x = random_tensor(shape, 22, -1e4, 1e4);
        CALL(softmax_features, x).equals(exactly(ones(shape)));
    }
}
TEST_CASE("neither overflows nor divides 0 by 0, at entries up to ±1e4") {
    CALL(softmax_features, large_tokens.x).equals(rounded(large_tokens.y, 1e4));
    const auto [x, y] = scattered(large_tokens, {2, 3}, 23);
    CALL(softmax_features, x).equals(rounded(y, 1e4));
}
TEST_CASE("nothing in, nothing out") {
    for (const Shape& shape : {Shape{0}, Shape{0, 4}, Shape{3, 0}, Shape{2, 0, 4}, Shape{0, 3, 4}, Shape{2, 3, 0}}) {
        const Tensor x = zeros(shape);
        result_of_shape(CALL(softmax_features, x), shape);
    }
}
TEST_CASE("an entry of -inf gets the feature 0") {
    const Tensor x{{0, -infinity, 0}, {-infinity, -infinity, 3}};
    CALL(softmax_features, x).equals(exactly({{0.5, 0, 0.5}, {0, 0, 1}}));
}
TEST_CASE("a NaN or an infinity stays in its own token") {
    const Tensor x = scattered(tokens_of_width_4, {2, 3}, 24).x;
    const Tensor before = result_of_shape(CALL(softmax_features, x), {2, 3, 4});
    for (const double bad : {not_a_number, infinity}) {
        Tensor spoilt = x;
        spoilt(0, 1, 2) = bad;
        const Call<Tensor> call = CALL(softmax_features, spoilt);
        const Tensor after = result_of_shape(call, {2, 3, 4});
        call.satisfies(same_outside(before, after, 4, 8),
                       "entry [0, token 1, 2] was replaced by " + std::to_string(bad) + ", and another token changed");
        call.satisfies(std::isfinite(bad) || std::isnan(after(0, 1, 2)),
                       "entry [0, token 1, 2] is " + std::to_string(bad) + ", so its feature must be NaN");
    }
}
}

}  // namespace linattn::testing::softmax_features_test
