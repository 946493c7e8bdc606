// The reference's kernels with vectors, lab 05's and lab 09's, compared with their definitions in double.
#include <limits>

#include "arrays.hpp"
#include "delta_arrays.hpp"
#include "token_loops.hpp"

namespace linattn {
namespace testing {
namespace {

constexpr float epsilon = 1e-6f, float_nan = std::numeric_limits<float>::quiet_NaN();

// Both sides of every border of chunks and tiles.
constexpr int lengths[] = {0, 1, 5, 6, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 48, 49, 64, 65, 130, 200};
constexpr int widths_of_keys[] = {1, 3, 4, 5, 6, 8, 12, 15, 16, 17, 32, 33, 64, 65};
constexpr int widths_of_values[] = {1, 7, 8, 9, 16, 31, 32, 33, 65};

DeltaInputs delta_inputs(const Sizes& sizes, std::uint64_t stream, Keys keys = Keys::random,
                         Decays decays = Decays::weak) {
    const auto size = [](int length) { return static_cast<std::size_t>(length); };
    return {{size(sizes.heads)}, size(sizes.n), size(sizes.d_k), size(sizes.d_v), stream, keys, decays};
}

template <class T>
T made(const Sizes& sizes, std::uint64_t stream) {
    if constexpr (std::is_same_v<T, Arrays>)
        return Arrays(sizes, stream);
    else
        return DeltaArrays(delta_inputs(sizes, stream));
}

void run(const Arrays& x, std::span<float> output, int threads) {
    chunkwise_fused(x.Q, x.K, x.V, x.sizes, epsilon, output, threads);
}
void run(const DeltaArrays& x, std::span<float> output, int threads) {
    gated_delta_fused(x.Q, x.K, x.V, x.beta, x.log_decay, x.sizes, output, threads);
}

template <class T>
std::vector<float> outputs(const T& x, int threads = 1) {
    std::vector<float> output(x.V.size(), float_nan);
    run(x, output, threads);
    return output;
}

template <class T>
void compare(const T& x, const Expected& right, int threads) {
    CAPTURE(describe(x.sizes));
    CAPTURE(threads);
    const auto wrong = difference(tensor_of(outputs(x, threads), shape_of(right.value)), right);
    CHECK_MESSAGE(!wrong, wrong.value_or(""));
}
void check_output(const Arrays& x, int threads = 1) { compare(x, expected_output(x, epsilon), threads); }
void check_output(const DeltaInputs& in, int threads = 1) {
    compare(DeltaArrays(in), expected_in_float(in).front(), threads);
}

TEST_CASE("attention: both sides of every border of chunks and tiles") {
    std::uint64_t stream = 300;
    for (const int n : lengths) check_output(Arrays({2, n, 24, 17}, ++stream));
    for (const int d_v : widths_of_values) {
        check_output(Arrays({1, 37, 0, d_v}, ++stream));
        for (const int d_k : widths_of_keys) check_output(Arrays({1, 37, d_k, d_v}, ++stream));
    }
}

TEST_CASE("attention: a long sequence, and features of every size") {
    check_output(Arrays({1, 2001, 64, 48}, 320));
    check_output(Arrays({5, 70, 16, 24}, 330), 3);
    Arrays wide({1, 100, 20, 8}, 321);
    for (float& x : wide.Q) x *= 10.0f;
    for (float& x : wide.K) x *= 10.0f;
    check_output(wide);
}

TEST_CASE("delta: both sides of every border of chunks and tiles, with decays of every size") {
    std::uint64_t stream = 400;
    for (const int n : lengths)
        for (const Decays decays : {Decays::none, Decays::weak, Decays::wide, Decays::with_resets})
            check_output(delta_inputs({2, n, 24, 17}, ++stream, Keys::random, decays));
    for (const int d_k : widths_of_keys)
        for (const int d_v : widths_of_values)
            check_output(delta_inputs({1, 37, d_k, d_v}, ++stream, Keys::random, Decays::with_resets));
    check_output(delta_inputs({1, 700, 64, 48}, ++stream));
    check_output(delta_inputs({5, 70, 16, 24}, ++stream), 3);
    auto x = made<DeltaArrays>({2, 5, 1, 3}, ++stream);
    x.sizes.d_k = 0;
    x.Q.clear();
    x.K.clear();
    CHECK(outputs(x) == std::vector<float>(x.V.size(), 0.0f));
}

TEST_CASE("delta: correlated, nearly equal, equal and orthogonal keys") {
    std::uint64_t stream = 600;
    for (const Keys keys : {Keys::correlated, Keys::nearly_equal, Keys::equal, Keys::orthogonal})
        for (const Decays decays : {Decays::none, Decays::weak, Decays::with_resets})
            for (const bool all_written : {true, false}) {
                DeltaInputs in = delta_inputs({2, 70, 5, 3}, ++stream, keys, decays);
                if (all_written) in.beta = ones(shape_of(in.beta));
                check_output(in);
            }
}

TEST_CASE("delta: one strong decay for all tokens, and one reset among weak ones") {
    for (const double each : {-1e-3, -1.0, -20.0, -88.0, -1e4, -infinity}) {
        DeltaInputs in({}, 90, 7, 9, 650);
        in.log_decay = full({90}, each);
        check_output(in);
        in.log_decay = full({90}, -1e-2);
        in.log_decay(3) = in.log_decay(50) = each;
        check_output(in);
    }
}

TEST_CASE("delta: nothing from before a reset is left") {
    DeltaInputs in({}, 70, 8, 8, 660);
    in.log_decay(40) = -infinity;
    const std::vector<float> before = outputs(DeltaArrays(in));
    for (std::size_t e = 0; e < 40 * 8; ++e) in.V.data()[e] = in.Q.data()[e] = 3.0;
    const std::vector<float> after = outputs(DeltaArrays(in));
    CHECK(std::equal(before.begin() + 40 * 8, before.end(), after.begin() + 40 * 8));
    CHECK_FALSE(std::equal(before.begin(), before.begin() + 40 * 8, after.begin()));
}

TEST_CASE("delta: a later token changes no earlier bit") {
    const auto x = made<DeltaArrays>({1, 70, 8, 8}, 670);
    const std::vector<float> before = outputs(x);
    for (std::vector<float> DeltaArrays::*argument :
         {&DeltaArrays::Q, &DeltaArrays::K, &DeltaArrays::V, &DeltaArrays::beta, &DeltaArrays::log_decay}) {
        DeltaArrays other = x;
        std::vector<float>& changed = other.*argument;
        std::fill(changed.begin() + static_cast<std::ptrdiff_t>(45 * changed.size() / 70), changed.end(), -0.7f);
        const std::vector<float> after = outputs(other);
        CHECK(std::equal(before.begin(), before.begin() + 45 * 8, after.begin()));
        CHECK_FALSE(before == after);
    }
}

TEST_CASE_TEMPLATE("any number of threads gives the same bits", T, Arrays, DeltaArrays) {
    const T x = made<T>({5, 70, 16, 24}, 330);
    const std::vector<float> alone = outputs(x);
    for (const int threads : {2, 3, 5, 8}) CHECK(outputs(x, threads) == alone);
}

TEST_CASE_TEMPLATE("a NaN reaches its own token and the later ones, and no other head", T, Arrays, DeltaArrays) {
    for (std::vector<float> T::*argument : {&T::Q, &T::K, &T::V}) {
        T x = made<T>({2, 40, 16, 16}, 340);
        (x.*argument)[30 * 16 + 3] = float_nan;
        const std::vector<float> output = outputs(x);
        CHECK(std::isnan(output[30 * 16 + 3]));
        for (const std::size_t later : {35u, 39u}) CHECK(std::isnan(output[later * 16 + 3]) == (argument != &T::Q));
        // Within a chunk 0·NaN is NaN, so that earlier tokens of it may be NaN.
        for (std::size_t e = 40 * 16; e < output.size(); ++e) REQUIRE(std::isfinite(output[e]));
    }
}

TEST_CASE_TEMPLATE("wrong arguments are refused, and nothing is written", T, Arrays, DeltaArrays) {
    T x = made<T>({1, 9, 4, 4}, 350);
    std::vector<float> output(x.V.size(), 7.0f), short_output(x.V.size() - 1);
    CHECK_THROWS_WITH_AS(run(x, short_output, 1), doctest::Contains("output"), std::invalid_argument);
    CHECK_THROWS_WITH_AS(run(x, output, 0), doctest::Contains("threads"), std::invalid_argument);
    if constexpr (std::is_same_v<T, DeltaArrays>) {
        for (const float wrong : {0.9f, float_nan}) {
            x.log_decay[5] = wrong;
            CHECK_THROWS_WITH_AS(run(x, output, 1), doctest::Contains("pass log a, not a"), std::invalid_argument);
        }
        x.log_decay.pop_back();
        CHECK_THROWS_WITH_AS(run(x, output, 1), doctest::Contains("log_decay"), std::invalid_argument);
    }
    x.sizes.d_v = 5;
    CHECK_THROWS_AS(run(x, output, 1), std::invalid_argument);
    CHECK(output == std::vector<float>(9 * 4, 7.0f));
}

}  // namespace
}  // namespace testing
}  // namespace linattn

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
