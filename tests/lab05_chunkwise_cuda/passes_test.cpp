// feature_map_fused, and the first two of the three passes.
#include <cmath>
#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "launch.hpp"
#include "sizes.hpp"
#include "worked_example.hpp"

namespace linattn::testing::passes_test {

Expected exact_in_float(const Tensor& value) {
    return {value, abs(value) * 0x1p-24 + 1e-37, "one rounding of 2^-24", false};
}

// More than one chunk where there are few tokens, and more than a block of chunks where there are many.
int chunk_for(const Sizes& sizes) { return sizes.n <= 3 || sizes.n == 128 || sizes.n == 200 ? 1 : 16; }

// Of a wrong entry, what it was made of.
std::function<std::string(std::size_t)> made_of(const std::vector<float>& x) {
    return [x](std::size_t entry) { return "made of x = " + number(static_cast<double>(x[entry])); };
}

TEST_SUITE("feature_map_fused") {
TEST_CASE("gives the tabulated values") {
    note(where_kernels_run());
    // From 40 digits: e^-0.5, e^-1, e^-10. __expf is allowed 2 + 1.16 |x| roundings.
    const std::vector<float> x{0.0f, 1.0f, 2.5f, -0.5f, -1.0f, -10.0f};
    const Tensor value{1.0, 2.0, 3.5, 0.60653065971263342, 0.36787944117144232, 4.5399929762484852e-05};
    CALL(feature_map_fused, x, gpu::RunOptions{})
        .placed_by(made_of(x))
        .equals(Expected{value, value * (16 * 0x1p-24), "16 roundings of 2^-24", false});
}
TEST_CASE("takes every number of entries") {
    const std::pair<float, double> known[] = {{1.0f, 2.0}, {-0.5f, 0.60653065971263342}, {2.5f, 3.5}};
    for (const Size& size : all_sizes()) {
        std::vector<float> x(size.n);
        Tensor value = zeros({size.n});
        for (std::size_t i = 0; i < size.n; ++i) std::tie(x[i], value(i)) = known[i % 3];
        CALL(feature_map_fused, x, quick)
            .placed_by(made_of(x))
            .equals(Expected{value, value * (16 * 0x1p-24), "16 roundings of 2^-24", false});
    }
}
TEST_CASE("is continuous at 0 and grows everywhere") {
    std::vector<float> x;
    for (int i = -400; i <= 400; ++i) x.push_back(static_cast<float>(i) / 64.0f);
    const Call<Array> call = CALL(feature_map_fused, x, gpu::RunOptions{});
    const std::vector<float>& y = call.result().values;
    for (std::size_t i = 1; i < y.size(); ++i)
        call.satisfies(y[i] > y[i - 1] && y[i - 1] > 0.0f,
                       "between " + std::to_string(x[i - 1]) + " and " + std::to_string(x[i]) + " it goes from " +
                           std::to_string(y[i - 1]) + " to " + std::to_string(y[i]));
}
TEST_CASE("stays finite and positive for large inputs") {
    // One by one, since what a mistake does to one of them is lost beside 1e30.
    for (const auto& [x, y] :
         {std::pair{1000.0f, 1001.0}, {-80.0f, 1.8048513878454153e-35}, {-1e-30f, 1.0}, {1e30f, 1e30}}) {
        const std::vector<float> entry{x};
        const Tensor value{y};
        CALL(feature_map_fused, entry, quick)
            .placed_by(made_of(entry))
            .equals(Expected{value, value * (128 * 0x1p-24), "2 + 1.16 |x| roundings of 2^-24", false});
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const std::vector<float> x{0.5f, -1.5f, 2.0f};
    CALL(feature_map_fused, x, quick).remembers_nothing();
}
TEST_CASE("keeps a NaN") {
    const std::vector<float> x{std::numeric_limits<float>::quiet_NaN(), 1.0f};
    CALL(feature_map_fused, x, quick).placed_by(made_of(x)).equals(exact_in_float(Tensor{not_a_number, 2.0}));
}
}

Call<States> first_pass(const Arrays& in, int chunk, const gpu::RunOptions& run) {
    return CALL(chunk_states, in.K, in.V, in.sizes, chunk, run);
}

TEST_SUITE("chunk_states") {
TEST_CASE("gives the states of the worked example") {
    using namespace worked_example;
    CALL(chunk_states, K, V, sizes, chunk, gpu::RunOptions{})
        .equals({exact_in_float(worked_example::S), exact_in_float(worked_example::z)});
}
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    std::uint64_t stream = 100;
    for (const gpu::RunOptions& run : every_order(true)) {
        const Arrays in({2, 45, 17, 24}, ++stream);
        first_pass(in, 16, run).equals(expected_states(in, 16, false));
    }
}
TEST_CASE("equals the definition for every length and chunk size") {
    std::uint64_t stream = 110;
    for (const int n : {0, 1, 63, 64, 65, 200})
        for (const int chunk : {16, 64}) {
            const Arrays in({2, n, 16, 24}, ++stream);
            first_pass(in, chunk, quick).equals(expected_states(in, chunk, false));
        }
    for (const Sizes& sizes : every_size()) {
        const Arrays in(sizes, ++stream);
        const int chunk = chunk_for(sizes);
        first_pass(in, chunk, quick).equals(expected_states(in, chunk, false));
    }
    const Arrays many(many_tokens_of_a_head, ++stream);
    first_pass(many, 64, quick).equals(expected_states(many, 64, false));
}
TEST_CASE("remembers nothing of an earlier call") {
    first_pass(Arrays({2, 6, 3, 5}, 86), 4, quick).remembers_nothing();
}
TEST_CASE("three orders of the threads give the same bits") {
    const Arrays in({3, 77, 12, 20}, 93);
    same_bits_in_every_order([&](const gpu::RunOptions& run) { return first_pass(in, 32, run); },
                             [](const States& result) {
                                 std::vector<float> values = result.S.values;
                                 values.insert(values.end(), result.z.values.begin(), result.z.values.end());
                                 return values;
                             });
}
TEST_CASE("takes widths up to 128, d_k and d_v unequal") {
    std::uint64_t stream = 130;
    for (const auto& [d_k, d_v] : {std::pair{1, 2}, {2, 1}, {128, 96}, {96, 128}, {200, 9}, {9, 200}}) {
        const Arrays in({1, 70, d_k, d_v}, ++stream);
        first_pass(in, 64, d_k + d_v > 200 ? unwatched : quick).equals(expected_states(in, 64, false));
    }
}
}

// What the first pass would give, from the definition; and what the second makes of it.
struct ToScan {
    std::vector<float> S, z;
    std::vector<Expected> expected;
    ToScan(const Sizes& sizes, int chunk, std::uint64_t stream) {
        const std::vector<Expected> added = expected_states(Arrays(sizes, stream), chunk, false);
        for (const Expected& each : added) {
            const std::vector<float> values = rounded(each.value);
            const Tensor x = tensor_of(values, shape_of(each.value)), before = sums_before(x),
                         magnitude = sums_before(abs(x));
            const auto chunks = static_cast<double>(shape_of(x)[1]);
            expected.push_back(
                {before, magnitude * (std::min(chunks, 7 * std::sqrt(chunks)) * 0x1p-24) + 1e-37,
                 "min(m, 7 sqrt(m)) 2^-24 sum |s| with m = " + std::to_string(shape_of(x)[1]) + " chunks", false});
            (S.empty() && &each == &added.front() ? S : z) = values;
        }
    }
};

TEST_SUITE("scan_states") {
TEST_CASE("gives the sums of the worked example") {
    const std::vector<float> S = rounded(worked_example::S), z = rounded(worked_example::z);
    CALL(scan_states, S, z, worked_example::sizes, worked_example::chunk, gpu::RunOptions{})
        .equals({exact_in_float(worked_example::S_before), exact_in_float(worked_example::z_before)});
}
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    std::uint64_t stream = 140;
    for (const gpu::RunOptions& run : every_order(true)) {
        const Sizes sizes{2, 100, 7, 9};
        const ToScan in(sizes, 16, ++stream);
        CALL(scan_states, in.S, in.z, sizes, 16, run).equals(in.expected);
    }
}
TEST_CASE("equals the definition for every length and chunk size") {
    std::uint64_t stream = 150;
    for (const int n : {0, 1, 63, 64, 65, 200, 913})
        for (const int chunk : {1, 64}) {
            const Sizes sizes{3, n, 8, 12};
            const ToScan in(sizes, chunk, ++stream);
            CALL(scan_states, in.S, in.z, sizes, chunk, quick).equals(in.expected);
        }
    for (const Sizes& sizes : every_size()) {
        const int chunk = chunk_for(sizes);
        const ToScan in(sizes, chunk, ++stream);
        CALL(scan_states, in.S, in.z, sizes, chunk, quick).equals(in.expected);
    }
    const Sizes sizes = many_tokens_of_a_head;
    const ToScan many(sizes, 1, ++stream);
    CALL(scan_states, many.S, many.z, sizes, 1, unwatched).equals(many.expected);
}
TEST_CASE("remembers nothing of an earlier call") {
    const Sizes sizes{2, 6, 3, 5};
    const ToScan in(sizes, 2, 86);
    CALL(scan_states, in.S, in.z, sizes, 2, quick).remembers_nothing();
}
}

}  // namespace linattn::testing::passes_test
