// The reference's tensor-core version of chunkwise_forward, compared with the definition in double.
#include "arrays.hpp"

namespace linattn {

Array chunkwise_forward_tensor_cores(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                     const Sizes& sizes, int chunk, int columns, float epsilon,
                                     const gpu::RunOptions& run);

namespace testing {
namespace {

constexpr float epsilon = 1e-6f;

// A product in 3xTF32 has three terms where float32 has one: with errors that are independent, √3 of what it may be off by.
void check_output(const Arrays& in, int chunk, const gpu::RunOptions& run, int columns = 0) {
    if (columns == 0) columns = std::max(1, in.sizes.d_v);
    CAPTURE(describe(in.sizes));
    CAPTURE(chunk);
    CAPTURE(columns);
    CAPTURE(run.name());
    const Array got = chunkwise_forward_tensor_cores(in.Q, in.K, in.V, in.sizes, chunk, columns, epsilon, run);
    Expected right = expected_output(in, epsilon);
    right.tolerance = 1.7 * right.tolerance;
    const auto wrong = difference(tensor_of(got.values, shape_of(right.value)), right);
    CHECK_MESSAGE(!wrong, wrong.value_or(""));
}

TEST_CASE("every length, in every order of the threads, watched") {
    std::uint64_t stream = 100;
    for (const gpu::RunOptions& run : every_order(true))
        for (const int n : {0, 1, 63, 64, 65, 200}) check_output(Arrays({2, n, 24, 17}, ++stream), 32, run);
}

TEST_CASE("a long sequence, and widths that are no multiples of 16") {
    check_output(Arrays({1, 913, 16, 31}, 130), 64, {gpu::RunOptions::Order::shuffled, 5});
    check_output(Arrays({1, 200, 64, 48}, 131), 64, {gpu::RunOptions::Order::shuffled, 6});
}

TEST_CASE("every length of a chunk") {
    std::uint64_t stream = 140;
    for (const int chunk : {1, 16, 17, 32, 64, 100})
        check_output(Arrays({1, 65, 5, 40}, ++stream), chunk, {gpu::RunOptions::Order::reverse});
}

TEST_CASE("one block for each slice of the values") {
    std::uint64_t stream = 160;
    for (const gpu::RunOptions& run : every_order(true)) check_output(Arrays({2, 40, 8, 25}, ++stream), 32, run, 17);
    for (const int columns : {5, 16, 40})
        check_output(Arrays({1, 40, 8, 40}, ++stream), 32, {gpu::RunOptions::Order::reverse}, columns);
}

TEST_CASE("the same bits in every order") {
    const Arrays in({2, 65, 24, 17}, 150);
    const auto run_in = [&](const gpu::RunOptions& run) {
        return chunkwise_forward_tensor_cores(in.Q, in.K, in.V, in.sizes, 32, 9, epsilon, run).values;
    };
    const std::vector<float> first = run_in({gpu::RunOptions::Order::forward});
    CHECK(run_in({gpu::RunOptions::Order::reverse}) == first);
    CHECK(run_in({gpu::RunOptions::Order::shuffled, 9, false}) == first);
}

}  // namespace
}  // namespace testing
}  // namespace linattn

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
