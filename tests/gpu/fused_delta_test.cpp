// The reference's gated delta rule with vectors, compared with the definition in double.
#include <limits>

#include "delta_arrays.hpp"

namespace linattn {

void gated_delta_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                       std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes,
                       std::span<float> output, int threads);

namespace testing {
namespace {

constexpr float float_nan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> outputs(const DeltaArrays& x, int threads = 1) {
    std::vector<float> output(x.V.size(), float_nan);
    gated_delta_fused(x.Q, x.K, x.V, x.beta, x.log_decay, x.sizes, output, threads);
    return output;
}

void check_output(const DeltaInputs& in, int threads = 1) {
    const DeltaArrays x(in);
    CAPTURE(describe(x.sizes));
    CAPTURE(threads);
    const Expected right = expected_in_float(in).front();
    const auto wrong = difference(tensor_of(outputs(x, threads), shape_of(right.value)), right);
    CHECK_MESSAGE(!wrong, wrong.value_or(""));
}

TEST_CASE("both sides of every border of chunks and tiles, with decays of every size") {
    std::uint64_t stream = 400;
    for (const std::size_t n :
         {0U, 1U, 5U, 6U, 7U, 8U, 9U, 16U, 17U, 23U, 24U, 25U, 31U, 32U, 33U, 48U, 49U, 65U, 130U})
        for (const Decays decays : {Decays::none, Decays::weak, Decays::wide, Decays::with_resets})
            check_output(DeltaInputs({2}, n, 24, 17, ++stream, Keys::random, decays));
}

TEST_CASE("widths, d_k and d_v unequal") {
    std::uint64_t stream = 500;
    for (const std::size_t d_k : {1U, 3U, 4U, 5U, 6U, 8U, 12U, 15U, 16U, 17U, 32U, 33U, 64U, 65U})
        for (const std::size_t d_v : {1U, 7U, 8U, 9U, 16U, 31U, 32U, 33U, 65U})
            check_output(DeltaInputs({}, 37, d_k, d_v, ++stream, Keys::random, Decays::with_resets));
    const DeltaInputs without_keys({2}, 5, 1, 3, ++stream);
    DeltaArrays x(without_keys);
    x.sizes.d_k = 0;
    x.Q.clear();
    x.K.clear();
    CHECK(outputs(x) == std::vector<float>(x.V.size(), 0.0f));
}

TEST_CASE("correlated, nearly equal, equal and orthogonal keys") {
    std::uint64_t stream = 600;
    for (const Keys keys : {Keys::correlated, Keys::nearly_equal, Keys::equal, Keys::orthogonal})
        for (const Decays decays : {Decays::none, Decays::weak, Decays::with_resets})
            for (const bool all_written : {true, false}) {
                DeltaInputs in({2}, 70, 5, 3, ++stream, keys, decays);
                if (all_written) in.beta = ones(shape_of(in.beta));
                check_output(in);
            }
}

TEST_CASE("one strong decay for all tokens, and one reset among weak ones") {
    for (const double each : {-1e-3, -1.0, -20.0, -88.0, -1e4, -infinity}) {
        DeltaInputs in({}, 90, 7, 9, 650);
        in.log_decay = full({90}, each);
        check_output(in);
        in.log_decay = full({90}, -1e-2);
        in.log_decay(3) = in.log_decay(50) = each;
        check_output(in);
    }
}

TEST_CASE("nothing from before a reset is left") {
    DeltaInputs in({}, 70, 8, 8, 660);
    in.log_decay(40) = -infinity;
    const std::vector<float> before = outputs(DeltaArrays(in));
    for (std::size_t e = 0; e < 40 * 8; ++e) in.V.data()[e] = in.Q.data()[e] = 3.0;
    const std::vector<float> after = outputs(DeltaArrays(in));
    CHECK(std::equal(before.begin() + 40 * 8, before.end(), after.begin() + 40 * 8));
    CHECK_FALSE(std::equal(before.begin(), before.begin() + 40 * 8, after.begin()));
}

TEST_CASE("a later token changes no earlier bit") {
    const DeltaInputs in({}, 70, 8, 8, 670);
    const std::vector<float> before = outputs(DeltaArrays(in));
    for (Tensor DeltaInputs::*argument :
         {&DeltaInputs::Q, &DeltaInputs::K, &DeltaInputs::V, &DeltaInputs::beta, &DeltaInputs::log_decay}) {
        DeltaInputs other = in;
        Tensor& x = other.*argument;
        const std::size_t width = x.size() / 70;
        for (std::size_t e = 45 * width; e < x.size(); ++e) x.data()[e] = -0.7;
        const std::vector<float> after = outputs(DeltaArrays(other));
        CHECK(std::equal(before.begin(), before.begin() + 45 * 8, after.begin()));
        CHECK_FALSE(before == after);
    }
}

TEST_CASE("a long sequence, and any number of threads gives the same bits") {
    check_output(DeltaInputs({}, 700, 64, 48, 680));
    const DeltaInputs in({5}, 70, 16, 24, 681);
    check_output(in, 3);
    const DeltaArrays x(in);
    const std::vector<float> alone = outputs(x);
    for (const int threads : {2, 3, 5, 8}) CHECK(outputs(x, threads) == alone);
}

TEST_CASE("a NaN reaches its own token and the later ones, and no other head") {
    for (std::vector<float> DeltaArrays::*argument : {&DeltaArrays::Q, &DeltaArrays::K, &DeltaArrays::V}) {
        DeltaArrays x(DeltaInputs({2}, 40, 16, 16, 690));
        (x.*argument)[30 * 16 + 3] = float_nan;
        const std::vector<float> output = outputs(x);
        CHECK(std::isnan(output[30 * 16 + 3]));
        CHECK(std::isnan(output[39 * 16 + 3]) == (argument != &DeltaArrays::Q));
        // Within a chunk 0·NaN is NaN, so that earlier tokens of it may be NaN.
        for (std::size_t e = 40 * 16; e < output.size(); ++e) REQUIRE(std::isfinite(output[e]));
    }
}

TEST_CASE("wrong arguments are refused, and nothing is written") {
    DeltaArrays x(DeltaInputs({}, 9, 4, 4, 700));
    std::vector<float> output(x.V.size(), 7.0f), short_output(x.V.size() - 1);
    const auto call = [&](std::span<float> to, int threads) {
        gated_delta_fused(x.Q, x.K, x.V, x.beta, x.log_decay, x.sizes, to, threads);
    };
    CHECK_THROWS_WITH_AS(call(short_output, 1), doctest::Contains("output"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(call(output, 0), doctest::Contains("threads"), std::invalid_argument);
    for (const float wrong : {0.9f, float_nan}) {
        x.log_decay[5] = wrong;
        CHECK_THROWS_WITH_AS(call(output, 1), doctest::Contains("pass log a, not a"), std::invalid_argument);
    }
    x.log_decay.pop_back();
    CHECK_THROWS_WITH_AS(call(output, 1), doctest::Contains("log_decay"), std::invalid_argument);
    CHECK(output == std::vector<float>(x.V.size(), 7.0f));
}

}  // namespace
}  // namespace testing
}  // namespace linattn

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
