// The reference's chunkwise attention with vectors, compared with the definition in double.
#include <limits>

#include "arrays.hpp"

namespace linattn {

void chunkwise_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V, const Sizes& sizes,
                     float epsilon, std::span<float> output, int threads);

namespace testing {
namespace {

constexpr float epsilon = 1e-6f;

std::vector<float> outputs(const Arrays& in, int threads) {
    std::vector<float> output(in.V.size(), std::numeric_limits<float>::quiet_NaN());
    chunkwise_fused(in.Q, in.K, in.V, in.sizes, epsilon, output, threads);
    return output;
}

void check_output(const Arrays& in, int threads) {
    CAPTURE(describe(in.sizes));
    CAPTURE(threads);
    const Expected right = expected_output(in, epsilon);
    const auto wrong = difference(tensor_of(outputs(in, threads), shape_of(right.value)), right);
    CHECK_MESSAGE(!wrong, wrong.value_or(""));
}

TEST_CASE("both sides of every border of chunks and tiles") {
    std::uint64_t stream = 300;
    for (const int n : {0, 1, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49, 64, 65, 200})
        check_output(Arrays({2, n, 24, 17}, ++stream), 1);
    for (const int d_k : {0, 1, 3, 4, 5, 6, 8, 12, 15, 16, 17, 32, 33, 64, 65})
        for (const int d_v : {1, 7, 8, 9, 16, 31, 32, 33, 65}) check_output(Arrays({1, 37, d_k, d_v}, ++stream), 1);
}

TEST_CASE("a long sequence, and features of every size") {
    check_output(Arrays({1, 2001, 64, 48}, 320), 1);
    Arrays wide({1, 100, 20, 8}, 321);
    for (float& x : wide.Q) x *= 10.0f;
    for (float& x : wide.K) x *= 10.0f;
    check_output(wide, 1);
}

TEST_CASE("any number of threads gives the same bits") {
    const Arrays in({5, 70, 16, 24}, 330);
    check_output(in, 3);
    const std::vector<float> alone = outputs(in, 1);
    for (const int threads : {2, 3, 5, 8}) CHECK(outputs(in, threads) == alone);
}

TEST_CASE("a NaN reaches its own token and the later ones, and no other head") {
    for (const int array : {0, 1, 2}) {
        Arrays in({2, 40, 16, 16}, 340);
        (array == 0 ? in.Q : array == 1 ? in.K : in.V)[30 * 16 + 3] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> output = outputs(in, 1);
        CHECK(std::isnan(output[30 * 16 + 3]));
        CHECK(std::isnan(output[35 * 16 + 3]) == (array != 0));
        // Within a chunk 0·NaN is NaN, so that earlier tokens of it may be NaN.
        for (std::size_t e = 40 * 16; e < output.size(); ++e) REQUIRE(std::isfinite(output[e]));
    }
}

TEST_CASE("wrong arguments are refused, and nothing is written") {
    const Arrays in({1, 9, 4, 4}, 350);
    std::vector<float> output(in.V.size(), 7.0f), short_output(in.V.size() - 1);
    const auto call = [&](std::span<float> to, int threads) {
        chunkwise_fused(in.Q, in.K, in.V, in.sizes, epsilon, to, threads);
    };
    CHECK_THROWS_WITH_AS(call(short_output, 1), doctest::Contains("output"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(call(output, 0), doctest::Contains("threads"), std::invalid_argument);
    CHECK_THROWS_AS(chunkwise_fused(in.K, in.K, in.V, {1, 9, 4, 5}, epsilon, output, 1), std::invalid_argument);
    CHECK(output == std::vector<float>(in.V.size(), 7.0f));
}

}  // namespace
}  // namespace testing
}  // namespace linattn

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
