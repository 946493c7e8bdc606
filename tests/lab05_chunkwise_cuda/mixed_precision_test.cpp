// to_bfloat16, and chunkwise attention whose inputs and features are bfloat16.
#include <algorithm>
#include <cmath>

#include "bfloat16_arrays.hpp"
#include "cost_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::mixed_precision_test {

constexpr float epsilon = 1e-6f;

std::vector<float> floats_of(const std::vector<std::uint32_t>& bits) {
    std::vector<float> x;
    x.reserve(bits.size());
    for (const std::uint32_t each : bits) x.push_back(std::bit_cast<float>(each));
    return x;
}

// By the definition, which knows no bits.
Expected nearest(const std::vector<float>& x) {
    Tensor y = zeros({x.size()});
    for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] = nearest_bfloat16(static_cast<double>(x[i]));
    return exactly(y, false);
}

// Of a wrong entry, what it was made of.
std::function<std::string(std::size_t)> made_of(const std::vector<float>& x) {
    return [x](std::size_t entry) { return "made of x = " + number(static_cast<double>(x[entry])); };
}

void rounds_to_the_nearest(const std::vector<float>& x) {
    CALL(to_bfloat16, x).placed_by(made_of(x)).equals(nearest(x));
}

// The middle between each of these numbers and the next one away from 0, and the floats on either side of it.
std::vector<float> around_the_middles(std::uint32_t first, std::uint32_t last) {
    std::vector<float> x;
    for (std::uint32_t pattern = first; pattern <= last; ++pattern)
        for (const std::uint32_t lower : {0x7FFFu, 0x8000u, 0x8001u})
            x.push_back(std::bit_cast<float>(pattern << 16 | lower));
    return x;
}

TEST_SUITE("to_bfloat16") {
TEST_CASE("gives the patterns of the chapter's table") {
    const std::vector<float> x{1.0f, 1.00390625f, 1.01171875f, 1.005f, -3.14159265f};
    CALL(to_bfloat16, x).placed_by(made_of(x)).equals(exactly(Tensor{1.0, 1.0, 1.015625, 1.0078125, -3.140625}, false));
}
TEST_CASE("rounds to the nearest, halfway to the one whose last bit is 0") {
    rounds_to_the_nearest(around_the_middles(0x3F80, 0x407F));  // 1 to 4
    rounds_to_the_nearest(around_the_middles(0xBF80, 0xC07F));
}
TEST_CASE("keeps what is a bfloat16 already") {
    std::vector<float> x;
    for (std::uint32_t pattern = 0x3000; pattern < 0x5000; ++pattern) x.push_back(std::bit_cast<float>(pattern << 16));
    rounds_to_the_nearest(x);
}
TEST_CASE("takes any number of entries, none too") {
    for (const std::size_t count : {0u, 1u, 2u, 3u, 5u, 17u})
        rounds_to_the_nearest(rounded(random_tensor({count}, 100 + count)));
}
TEST_CASE("keeps the sign of a zero") {
    const std::vector<float> x{0.0f, -0.0f, 1.0f};
    const Call<Patterns> call = CALL(to_bfloat16, x);
    call.equals(nearest(x));
    call.satisfies(!std::signbit(from_bfloat16(call.result()[0])) && std::signbit(from_bfloat16(call.result()[1])),
                   "0.0f and -0.0f became " + std::to_string(call.result()[0]) + " and " +
                       std::to_string(call.result()[1]) + "; expected the patterns 0 and 0x8000",
                   "sign of zero lost");
}
TEST_CASE("rounds subnormals like other numbers") {
    rounds_to_the_nearest(around_the_middles(0x0000, 0x0080));  // the last one reaches the smallest normal number
    rounds_to_the_nearest(around_the_middles(0x8000, 0x8080));
}
TEST_CASE("becomes infinite past the largest number, and not before") {
    rounds_to_the_nearest(floats_of({0x7F7F0000, 0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0xFF7F7FFF, 0xFF7F8000}));
}
TEST_CASE("keeps infinities") {
    rounds_to_the_nearest({std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(), 1.0f});
}
TEST_CASE("a NaN stays a NaN, whatever its bits") {
    rounds_to_the_nearest(
        floats_of({0x7FC00000, 0x7F800001, 0x7F80FFFF, 0x7FFFFFFF, 0xFFC00000, 0xFF800001, 0xFFFF8000, 0x3F800000}));
}
TEST_CASE("rounds every kind of number by the same rule") {
    std::vector<float> x = around_the_middles(0x0000, 0x7F7F);
    const std::vector<float> negative = around_the_middles(0x8000, 0xFF7F);
    x.insert(x.end(), negative.begin(), negative.end());
    rounds_to_the_nearest(x);
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(to_bfloat16, rounded(random_tensor({6}, 120))).remembers_nothing();
}
}

Call<Array> mixed(const Bfloat16Arrays& in, int chunk, float eps = epsilon) {
    return CALL(chunkwise_mixed_precision, in.Q, in.K, in.V, in.sizes, chunk, eps);
}

void equals_the_definition(const Call<Array>& call, const Bfloat16Arrays& in, float eps = epsilon) {
    const Expected expected = expected_mixed_output(in, eps);
    if (call.missing().empty() && !call.gives({expected}))
        call.blames("to_bfloat16", [] {
            const std::vector<float> middles = around_the_middles(0x3F80, 0x407F);
            return CALL(to_bfloat16, middles).gives({nearest(middles)});
        });
    call.equals(expected);
}

Bfloat16Arrays worked_arrays() {
    Arrays in(worked_example::sizes, 0);
    in.Q = worked_example::Q;
    in.K = worked_example::K;
    in.V = worked_example::V;
    return Bfloat16Arrays(in);
}

TEST_SUITE("chunkwise_mixed_precision") {
TEST_CASE("gives the outputs of the worked example") {
    const Bfloat16Arrays in = worked_arrays();
    equals_the_definition(mixed(in, worked_example::chunk, 0.0f), in, 0.0f);
}
TEST_CASE("equals the definition for several heads, with features rounded and sums not") {
    std::uint64_t stream = 130;
    for (const Sizes& sizes : {Sizes{2, 45, 17, 24}, Sizes{3, 64, 24, 17}}) {
        const Bfloat16Arrays in(sizes, ++stream);
        equals_the_definition(mixed(in, 16), in);
    }
}
TEST_CASE("takes every chunk size, longer than the sequence too") {
    std::uint64_t stream = 140;
    for (const auto& [chunk, n] : {std::pair{1, 65}, {16, 65}, {32, 130}, {64, 130}, {100, 65}, {160, 150}}) {
        const Bfloat16Arrays in({1, n, 24, 17}, ++stream);
        equals_the_definition(mixed(in, chunk), in);
    }
}
TEST_CASE("adds epsilon to every denominator, once") {
    const Bfloat16Arrays in({2, 20, 3, 5}, 150);
    equals_the_definition(mixed(in, 8, 0.3f), in, 0.3f);  // 0.3f is no bfloat16
}
TEST_CASE("the state counts on past 256") {
    Arrays ones({1, 600, 2, 3}, 151);
    std::fill(ones.Q.begin(), ones.Q.end(), 0.0f);  // φ = 1
    std::fill(ones.K.begin(), ones.K.end(), 0.0f);
    std::fill(ones.V.begin(), ones.V.end(), 1.0f);
    std::fill(ones.V.begin(), ones.V.begin() + 900, 0.0f);  // so the second half of the tokens decides
    const Bfloat16Arrays in(ones);
    for (const int chunk : {1, 16}) equals_the_definition(mixed(in, chunk), in);
}
TEST_CASE("an output never depends on a later token") {
    const Bfloat16Arrays in({1, 21, 5, 7}, 152), other({1, 21, 5, 7}, 153);
    const Array before = mixed(in, 8).result();
    for (const std::size_t kept : {1u, 8u, 9u, 20u}) {
        Bfloat16Arrays changed = other;
        std::copy_n(in.Q.begin(), kept * 5, changed.Q.begin());
        std::copy_n(in.K.begin(), kept * 5, changed.K.begin());
        std::copy_n(in.V.begin(), kept * 7, changed.V.begin());
        const Call<Array> call = mixed(changed, 8);
        equals_the_definition(call, changed);
        call.satisfies(std::equal(before.values.begin(), before.values.begin() + static_cast<std::ptrdiff_t>(kept * 7),
                                  call.result().values.begin()),
                       "tokens " + std::to_string(kept) + " and later were changed, and earlier outputs with them: " +
                           "they must be the same to the last bit");
    }
}
TEST_CASE("takes large and small inputs") {
    for (const double scale : {40.0, 1e-3, 1e-30}) {  // φ from e^-80 to 81; near 1 everywhere
        const Bfloat16Arrays in({1, 40, 6, 5}, 154, scale);
        equals_the_definition(mixed(in, 16), in);
    }
}
TEST_CASE("equals the definition for every length") {
    std::uint64_t stream = 160;
    for (const Sizes& sizes : every_size()) {
        const Bfloat16Arrays in(sizes, ++stream);
        const int n = sizes.n, chunk = n == 2 || n == 128 || n == 200 ? 1 : n == 3 ? 2 : n % 2 == 0 ? 16 : 64;
        equals_the_definition(mixed(in, chunk), in);
    }
    const Bfloat16Arrays many(many_tokens_of_a_head, ++stream);
    equals_the_definition(mixed(many, 64), many);
}
TEST_CASE("stays within the chapter's bound of the same attention without rounding") {
    Arrays in({2, 200, 16, 24}, 155);
    const Tensor exact = output_by_definition(in.Q, in.K, in.V, in.sizes, epsilon);
    std::vector<float> sizes_of_V = in.V;
    for (float& v : sizes_of_V) v = std::fabs(v);
    const Tensor size = output_by_definition(in.Q, in.K, sizes_of_V, in.sizes, epsilon);
    // |x| ≤ 2, so a feature is off by 3 u, a weight by 6 u and a weighted value by 7 u, u = 2⁻⁸ (8 significant bits). The
    // terms of second order: (1 + u)³ e^(4 u) is 1 + 7 u + 23 u², and dividing by 1 - 6 u makes that 7 u (1 + 9.3 u).
    const double u = 0x1p-8, bound = u * (1.0 + 10.0 * u);
    mixed(Bfloat16Arrays(in, true), 16)
        .equals(Expected{exact, bound * (7.0 * size + 6.0 * abs(exact)),
                         "(7 sum w |v| / sum w + 6 |o|) 2^-8 for |x| <= 2"});
}
TEST_CASE("remembers nothing of an earlier call") { mixed(Bfloat16Arrays({2, 6, 3, 5}, 156), 4).remembers_nothing(); }
TEST_CASE("rejects arrays whose length is not what the sizes say") {
    const Bfloat16Arrays in({2, 6, 3, 5}, 157);
    const Patterns other(7, 0);
    CALL(chunkwise_mixed_precision, other, in.K, in.V, in.sizes, 2, epsilon)
        .rejects({"Q", "(heads, n, d_k)", "(2, 6, 3)", "7"});
    CALL(chunkwise_mixed_precision, in.Q, other, in.V, in.sizes, 2, epsilon).rejects({"K", "(2, 6, 3)", "7"});
    CALL(chunkwise_mixed_precision, in.Q, in.K, other, in.sizes, 2, epsilon).rejects({"V", "(2, 6, 5)", "7"});
    CALL(chunkwise_mixed_precision, in.Q, in.K, in.V, in.sizes, 0, epsilon).rejects({"chunk", "at least 1", "0"});
}
TEST_CASE("holds no more for a longer sequence") {
    const std::size_t extra = mixed(Bfloat16Arrays({2, 100, 8, 6}, 158), 16).cost().extra_bytes;
    const Call<Array> call = mixed(Bfloat16Arrays({2, 1000, 8, 6}, 159), 16);
    call.satisfies(call.cost().extra_bytes <= extra + 1024,
                   "n = 100 took " + std::to_string(extra) + " bytes beside the result and n = 1000 took " +
                       std::to_string(call.cost().extra_bytes) +
                       ": widen one chunk at a time; all of Q, K and V as floats are twice the bytes again",
                   "memory grows with the sequence");
}
TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) {
            return mixed(Bfloat16Arrays({1, static_cast<int>(n), 8, 6}, 94 + n), 16);
        },
        "tokens", 64, "computed in O(n²)");
}
}

}  // namespace linattn::testing::mixed_precision_test
