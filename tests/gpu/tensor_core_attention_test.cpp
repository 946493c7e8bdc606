// The reference's tensor-core version of chunkwise_forward, held to the definition in double.
#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace linattn {

Array chunkwise_forward_tensor_cores(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                     const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run);

namespace testing {
namespace {

constexpr float epsilon = 1e-6f;

// A product in 3xTF32 is off by 12 roundings of 2^-24 of its size at most, and each output is a product of products: 24.
// Sums have three terms where float32 has one. Twice all that, for the numerator and for the normaliser.
void check_output(const Arrays& in, int chunk, const gpu::RunOptions& run) {
    std::vector<float> sizes_of_V = in.V;
    for (float& v : sizes_of_V) v = std::fabs(v);
    const Count count = up_to_itself();
    const Tensor expected = output_by_definition(in.Q, in.K, in.V, in.sizes, epsilon, count, count);
    const Tensor magnitude = output_by_definition(in.Q, in.K, sizes_of_V, in.sizes, epsilon, count, count);
    const double terms = 3.0 * (in.sizes.n + in.sizes.d_k) + 8.0;
    const double bound = 2.0 * (24.0 + std::min(terms, 7.0 * std::sqrt(terms))) * 0x1p-24;

    const Array got = chunkwise_forward_tensor_cores(in.Q, in.K, in.V, in.sizes, chunk, epsilon, run);
    REQUIRE(got.values.size() == expected.size());
    CAPTURE(describe(in.sizes));
    CAPTURE(chunk);
    CAPTURE(run.name());
    double worst = 0.0;  // as a part of the bound
    for (std::size_t e = 0; e < expected.size(); ++e) {
        const double error = std::fabs(static_cast<double>(got.values[e]) - expected.data()[e]);
        const double part = error / (bound * magnitude.data()[e] + 1e-37);
        if (part > worst || std::isnan(part)) worst = part;  // a NaN stays
    }
    CHECK(worst <= 1.0);
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

TEST_CASE("the same bits in every order") {
    const Arrays in({2, 65, 24, 17}, 150);
    const auto run_in = [&](const gpu::RunOptions& run) {
        return chunkwise_forward_tensor_cores(in.Q, in.K, in.V, in.sizes, 32, epsilon, run).values;
    };
    const std::vector<float> first = run_in({gpu::RunOptions::Order::forward});
    CHECK(run_in({gpu::RunOptions::Order::reverse}) == first);
    CHECK(run_in({gpu::RunOptions::Order::shuffled, 9, false}) == first);
}

}  // namespace
}  // namespace testing
}  // namespace linattn

int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
