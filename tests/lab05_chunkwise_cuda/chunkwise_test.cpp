// chunkwise_linear_attention on the CPU, chunkwise_forward as a kernel, and the third pass: three ways to the same
// outputs. And packed_chunkwise_forward, of which most is asked that is asked of them.
#include <algorithm>
#include <limits>
#include <set>

#include "arrays.hpp"
#include "cost_claims.hpp"
#include "gpu/launch_counts.hpp"
#include "launch.hpp"
#include "long_sizes.hpp"
#include "worked_example.hpp"

namespace linattn::kernels {  // as in kernels.hpp, which only kernels can include
void chunkwise_forward(const float* Q, const float* K, const float* V, float* O, Sizes sizes, int chunk, float epsilon);
void chunk_outputs(const float* Q, const float* K, const float* V, const float* S, const float* z, float* O,
                   Sizes sizes, int chunk, float epsilon);
void packed_chunkwise_forward(const float* Q, const float* K, const float* V, const int* borders, float* O, Sizes sizes,
                              int chunk, float epsilon);
}  // namespace linattn::kernels

namespace linattn::testing::chunkwise_test {

constexpr float epsilon = 1e-6f;

/// An exercise that gives the outputs, seen through the arguments they all have. The CPU's own ignores the run.
class Attention {
public:
    using Function = Call<Array>(const Arrays& in, int chunk, float eps, const gpu::RunOptions& run);

    /// \param borders those of n tokens: none where a row is one sequence
    Attention(Function* function, Borders (*borders)(int n) = nullptr) : function_(function), borders_(borders) {}

    Call<Array> operator()(const Arrays& in, int chunk, float eps, const gpu::RunOptions& run) const {
        return function_(in, chunk, eps, run);
    }
    Expected expected(const Arrays& in, float eps) const {
        return expected_output(in, eps, true, borders_ == nullptr ? Borders{} : borders_(in.sizes.n));
    }

private:
    Function* function_;
    Borders (*borders_)(int n);
};

Call<Array> on_cpu(const Arrays& in, int chunk, float eps, const gpu::RunOptions&) {
    return placed(CALL(chunkwise_linear_attention, in.Q, in.K, in.V, in.sizes, chunk, eps), in.sizes, chunk);
}

Call<Array> forward(const Arrays& in, int chunk, float eps, const gpu::RunOptions& run) {
    return placed(CALL(chunkwise_forward, in.Q, in.K, in.V, in.sizes, chunk, eps, run), in.sizes, chunk);
}

// The states that the third pass is given come from the definition.
Call<Array> third_pass(const Arrays& in, int chunk, float eps, const gpu::RunOptions& run) {
    const std::vector<Expected> states = expected_states(in, chunk, true);
    const std::vector<float> S = rounded(states[0].value), z = rounded(states[1].value);
    return placed(CALL(chunk_outputs, in.Q, in.K, in.V, S, z, in.sizes, chunk, eps, run), in.sizes, chunk);
}

Call<Array> packed(const Arrays& in, const Borders& borders, int chunk, float eps, const gpu::RunOptions& run) {
    Call<Array> call = CALL(packed_chunkwise_forward, in.Q, in.K, in.V, borders, in.sizes, chunk, eps, run);
    call.placed_by([sizes = in.sizes, borders](std::size_t entry) {
        const int row = static_cast<int>(entry) / sizes.d_v, token = row % sizes.n;
        const auto after = std::ranges::upper_bound(borders, token);
        return "of head " + std::to_string(row / sizes.n) + ", sequence " +
               std::to_string(after - borders.begin() - 1) + ", token " + std::to_string(token - after[-1]) +
               " of the sequence";
    });
    return call;
}

// Four sequences, of which one is empty.
Borders some_borders(int n) { return {0, (n + 4) / 5, (n + 4) / 5, n - n / 4, n}; }

Call<Array> packed_in_four(const Arrays& in, int chunk, float eps, const gpu::RunOptions& run) {
    return packed(in, some_borders(in.sizes.n), chunk, eps, run);
}
const Attention in_four(packed_in_four, some_borders);

void equals_the_definition(const Arrays& in, const Borders& borders, int chunk, const gpu::RunOptions& run = quick) {
    packed(in, borders, chunk, epsilon, run).equals(expected_output(in, epsilon, true, borders));
}

// Of four sequences in each of two heads.
void gives_each_sequence_a_block() {
    const Arrays in({2, 12, 4, 3}, 99);
    const Call<Array> call = packed(in, {0, 3, 6, 9, 12}, 2, epsilon, quick);
    call.result();
    if (!gpu::launch_counts.writer_of) return;  // a GPU does not tell
    std::set<std::string> blocks;
    for (std::size_t entry = 0; entry < call.result().values.size(); entry += 9) {
        const std::string writer = gpu::launch_counts.writer_of("O", entry);
        blocks.insert(writer.substr(std::min(writer.find("block"), writer.size()), 13));
    }
    call.satisfies(blocks.size() == 8, "4 sequences of 2 heads were written by " + std::to_string(blocks.size()) +
                                           " of the 8 blocks: each block takes one sequence of one head, so that "
                                           "they run at the same time");
}

Arrays worked_arrays() {
    Arrays in(worked_example::sizes, 0);
    in.Q = worked_example::Q;
    in.K = worked_example::K;
    in.V = worked_example::V;
    return in;
}

void gives_the_worked_example(const Attention& attention) {
    const Tensor value = worked_example::output;
    attention(worked_arrays(), worked_example::chunk, 0.0f, {})
        .equals(Expected{value, value * 0x1p-20 + 1e-37, "16 roundings of 2^-24"});
}

void runs_clean_when_watched(const Attention& attention) {
    std::uint64_t stream = 10;
    for (const gpu::RunOptions& run : every_order(true))
        for (const Sizes& sizes : {Sizes{2, 45, 17, 24}, Sizes{3, 64, 24, 17}}) {
            const Arrays in(sizes, ++stream);
            attention(in, 16, epsilon, run).equals(attention.expected(in, epsilon));
        }
}

void equals_the_definition(const Attention& attention) {
    std::uint64_t stream = 20;
    const std::vector<gpu::RunOptions> orders = every_order(true);
    for (const int n : {0, 1, 63, 64, 65, 200}) {
        const Arrays in({2, n, 16, 24}, ++stream);
        attention(in, 64, epsilon, orders[stream % orders.size()]).equals(attention.expected(in, epsilon));
    }
    for (const Sizes& sizes : every_size()) {
        const Arrays in(sizes, ++stream);
        const int n = sizes.n, chunk = n == 2 || n == 128 || n == 200 ? 1 : n == 3 ? 2 : n % 2 == 0 ? 16 : 64;
        if (fits_a_block(sizes, chunk)) attention(in, chunk, epsilon, quick).equals(attention.expected(in, epsilon));
    }
    with_long_calls([&] {
        const Arrays in(many_tokens_of_a_head, ++stream);
        attention(in, 64, epsilon, unwatched).equals(attention.expected(in, epsilon));
    });
}

void remembers_nothing(const Attention& attention) {
    attention(Arrays({2, 6, 3, 5}, 86), 4, epsilon, quick).remembers_nothing();
}

void takes_every_chunk_size(const Attention& attention) {
    std::uint64_t stream = 40;
    for (const auto& [chunk, n] :
         {std::pair{1, 65}, {16, 65}, {16, 130}, {32, 130}, {64, 130}, {100, 65}, {100, 130}, {160, 150}}) {
        const Arrays in({1, n, 24, 17}, ++stream);
        if (!fits_a_block(in.sizes, chunk)) continue;
        attention(in, chunk, epsilon, chunk > 128 ? unwatched : quick).equals(attention.expected(in, epsilon));
    }
}

void takes_every_width(const Attention& attention) {
    std::uint64_t stream = 60;
    for (const auto& [d_k, d_v] : {std::pair{1, 2}, {2, 1}, {33, 64}, {96, 128}, {128, 127}, {200, 9}, {9, 200}}) {
        const Arrays in({1, 70, d_k, d_v}, ++stream);
        if (!fits_a_block(in.sizes, 64)) continue;
        attention(in, 64, epsilon, d_k + d_v > 200 ? unwatched : quick).equals(attention.expected(in, epsilon));
    }
}

void adds_epsilon(const Attention& attention) {
    const Arrays in({2, 20, 3, 5}, 80);
    attention(in, 8, 0.5f, quick).equals(attention.expected(in, 0.5f));
}

void never_depends_on_a_later_token(const Attention& attention) {
    const Arrays in({1, 21, 5, 7}, 81), other({1, 21, 5, 7}, 82);
    const Array before = attention(in, 8, epsilon, quick).result();
    for (const std::size_t kept : {1u, 7u, 8u, 9u, 20u}) {
        Arrays changed = other;
        std::copy_n(in.Q.begin(), kept * 5, changed.Q.begin());
        std::copy_n(in.K.begin(), kept * 5, changed.K.begin());
        std::copy_n(in.V.begin(), kept * 7, changed.V.begin());
        const Call<Array> call = attention(changed, 8, epsilon, quick);
        call.equals(attention.expected(changed, epsilon));
        call.satisfies(std::equal(before.values.begin(), before.values.begin() + static_cast<std::ptrdiff_t>(kept * 7),
                                  call.result().values.begin()),
                       "tokens " + std::to_string(kept) +
                           " and later were changed, and earlier outputs changed with them: " +
                           "they must be the same to the last bit");
    }
}

void gives_ones_for_ones(const Attention& attention) {
    Arrays in({2, 70, 9, 4}, 83);
    std::fill(in.V.begin(), in.V.end(), 1.0f);
    attention(in, 16, 0.0f, quick).equals(attention.expected(in, 0.0f));
}

void takes_large_and_small_inputs(const Attention& attention) {
    for (const float scale : {60.0f, 1e-3f, 1e-30f}) {  // φ from e^-120, which is 0, to 121; near 1 everywhere
        Arrays in({1, 40, 6, 5}, 84);
        for (float& x : in.Q) x *= scale;
        for (float& x : in.K) x *= scale;
        attention(in, 16, epsilon, quick).equals(attention.expected(in, epsilon));
    }
}

void gives_the_same_bits_in_every_order(const Attention& attention) {
    const Arrays in({3, 77, 12, 20}, 93);
    same_bits_in_every_order([&](const gpu::RunOptions& run) { return attention(in, 32, epsilon, run); },
                             [](const Array& result) { return result.values; });
}

TEST_SUITE("chunkwise_linear_attention") {
TEST_CASE("gives the outputs of the worked example") { gives_the_worked_example(on_cpu); }
TEST_CASE("equals the definition for several heads") { runs_clean_when_watched(on_cpu); }
TEST_CASE("takes every chunk size, longer than the sequence too") { takes_every_chunk_size(on_cpu); }
TEST_CASE("adds epsilon to every denominator, once") { adds_epsilon(on_cpu); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(on_cpu); }
TEST_CASE("gives ones when every value is one") { gives_ones_for_ones(on_cpu); }
TEST_CASE("takes large and small inputs") { takes_large_and_small_inputs(on_cpu); }
TEST_CASE("takes widths up to 128, d_k and d_v unequal") { takes_every_width(on_cpu); }
TEST_CASE("equals the definition for every length") { equals_the_definition(on_cpu); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(on_cpu); }
TEST_CASE("rejects arrays whose length is not what the sizes say") {
    const Arrays in({2, 6, 3, 5}, 90);
    const std::vector<float> other(7, 0.0f);
    CALL(chunkwise_linear_attention, other, in.K, in.V, in.sizes, 2, epsilon)
        .rejects({"Q", "(heads, n, d_k)", "(2, 6, 3)", "7"});
    CALL(chunkwise_linear_attention, in.Q, other, in.V, in.sizes, 2, epsilon).rejects({"K", "(2, 6, 3)", "7"});
    CALL(chunkwise_linear_attention, in.Q, in.K, other, in.sizes, 2, epsilon).rejects({"V", "(2, 6, 5)", "7"});
    CALL(chunkwise_linear_attention, in.Q, in.K, in.V, in.sizes, 0, epsilon).rejects({"chunk", "at least 1", "0"});
}
TEST_CASE("holds no more for a longer sequence") {
    const Arrays few({2, 100, 8, 6}, 91), many({2, 1000, 8, 6}, 92);
    const std::size_t extra = on_cpu(few, 16, epsilon, {}).cost().extra_bytes;
    const Call<Array> call = on_cpu(many, 16, epsilon, {});
    call.satisfies(call.cost().extra_bytes <= extra + 1024,
                   "n = 100 took " + std::to_string(extra) + " bytes beside the result and n = 1000 took " +
                       std::to_string(call.cost().extra_bytes) + ": keep one chunk and one state, nothing else",
                   "memory grows with the sequence");
}
TEST_CASE("does its work in products of matrices, a chunk at a time") {
    const Sizes sizes{1, 256, 32, 48};
    const std::size_t chunk = 64, n = 256, d_k = 32, d_v = 48;
    const Call<Array> call = on_cpu(Arrays(sizes, 96), static_cast<int>(chunk), epsilon, {});
    // With φ(Q)S and φ(K)ᵀV of every chunk, and the half of A and of A V that the mask leaves.
    const std::size_t due = n * (2 * d_k * d_v + chunk / 2 * (d_k + d_v));
    const bool own_loops = call.cost().blocks > due / 8;  // else some other library multiplied
    call.satisfies(!own_loops || call.cost().work >= due / 2,
                   "add_product did " + std::to_string(call.cost().work) +
                       " multiply-adds, and the rest of the function " + std::to_string(call.cost().blocks) +
                       " steps; by products of matrices n = 256, d_k = 32, d_v = 48 " + "take " + std::to_string(due) +
                       " multiply-adds in chunks of 64, and at least half of them are " + "expected in add_product");
    call.satisfies(call.cost().work < due / 2 || call.cost().largest >= chunk * d_k * d_v / 8,
                   "the largest product had " + std::to_string(call.cost().largest) +
                       " multiply-adds, about one token's; one of " + std::to_string(chunk * d_k * d_v) +
                       " is expected, by which all keys and values of a chunk change S at once");
}
TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) {
            return on_cpu(Arrays({1, static_cast<int>(n), 8, 6}, 30 + n), 16, epsilon, {});
        },
        "tokens", 64, "computed in O(n²)");
}
}

TEST_SUITE("chunkwise_forward") {
TEST_CASE("gives the outputs of the worked example") { gives_the_worked_example(forward); }
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    runs_clean_when_watched(forward);
}
TEST_CASE("takes every chunk size, longer than the sequence too") { takes_every_chunk_size(forward); }
TEST_CASE("adds epsilon to every denominator, once") { adds_epsilon(forward); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(forward); }
TEST_CASE("gives ones when every value is one") { gives_ones_for_ones(forward); }
TEST_CASE("takes large and small inputs") { takes_large_and_small_inputs(forward); }
TEST_CASE("takes widths up to 128, d_k and d_v unequal") { takes_every_width(forward); }
TEST_CASE("equals the definition for every length") { equals_the_definition(forward); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(forward); }
TEST_CASE("spreads its work over the block, a chunk at a time") {
    const Arrays in({1, 130, 8, 72}, 97);
    spreads_its_work([&](int chunk, const gpu::RunOptions& run) { return forward(in, chunk, epsilon, run); },
                     "A and S");
}
TEST_CASE("computes in float, not in double") {
    const Call<Array> call = forward(Arrays({1, 3, 2, 4}, 98), 2, epsilon, unwatched);
    computes_in_float(call, reinterpret_cast<const void*>(&kernels::chunkwise_forward));
}
TEST_CASE("three orders of the threads give the same bits") { gives_the_same_bits_in_every_order(forward); }
}

TEST_SUITE("chunk_outputs") {
TEST_CASE("gives the outputs of the worked example") { gives_the_worked_example(third_pass); }
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    runs_clean_when_watched(third_pass);
}
TEST_CASE("takes every chunk size, longer than the sequence too") { takes_every_chunk_size(third_pass); }
TEST_CASE("adds epsilon to every denominator, once") { adds_epsilon(third_pass); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(third_pass); }
TEST_CASE("gives ones when every value is one") { gives_ones_for_ones(third_pass); }
TEST_CASE("takes large and small inputs") { takes_large_and_small_inputs(third_pass); }
TEST_CASE("takes widths up to 128, d_k and d_v unequal") { takes_every_width(third_pass); }
TEST_CASE("equals the definition for every length") { equals_the_definition(third_pass); }
TEST_CASE("computes in float, not in double") {
    const Call<Array> call = third_pass(Arrays({1, 3, 2, 4}, 98), 2, epsilon, unwatched);
    computes_in_float(call, reinterpret_cast<const void*>(&kernels::chunk_outputs));
}
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(third_pass); }
TEST_CASE("three orders of the threads give the same bits") { gives_the_same_bits_in_every_order(third_pass); }
}

TEST_SUITE("packed_chunkwise_forward") {
TEST_CASE("gives the outputs of the worked example") {
    using namespace worked_example;
    packed(worked_arrays(), borders, chunk, 0.0f, {})
        .equals(Expected{packed_output, packed_output * 0x1p-20 + 1e-37, "16 roundings of 2^-24"});
}
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    runs_clean_when_watched(in_four);
}
TEST_CASE("takes sequences of every length, none and one token too") {
    const Arrays in({2, 40, 7, 9}, 94);
    for (const Borders& borders :
         {Borders{0, 40}, {0, 16, 32, 40}, {0, 1, 2, 3, 40}, {0, 39, 40}, {0, 0, 17, 17, 17, 40, 40}, {0, 15, 31, 40}})
        for (const int chunk : {1, 16, 64}) equals_the_definition(in, borders, chunk);
    equals_the_definition(Arrays({3, 5, 4, 2}, 95), {0, 1, 2, 3, 4, 5}, 2);
    equals_the_definition(Arrays({1, 0, 4, 2}, 96), {0}, 2);
    equals_the_definition(Arrays({1, 0, 4, 2}, 96), {0, 0, 0}, 2);
}
TEST_CASE("nothing of a sequence reaches another one, not even a NaN") {
    const Arrays in({2, 21, 5, 7}, 97);
    const Borders borders{0, 6, 13, 21};
    for (const std::size_t spoilt : {0u, 1u, 2u}) {
        Arrays changed = in;
        const auto first = static_cast<std::size_t>(borders[spoilt]),
                   end = static_cast<std::size_t>(borders[spoilt + 1]);
        for (std::size_t h = 0; h < 2; ++h)
            for (auto& [x, width] : {std::pair{&changed.Q, 5u}, {&changed.K, 5u}, {&changed.V, 7u}})
                std::fill_n(x->begin() + static_cast<std::ptrdiff_t>((h * 21 + first) * width), (end - first) * width,
                            std::numeric_limits<float>::quiet_NaN());
        Expected right = expected_output(in, epsilon, true, borders);
        for (std::size_t h = 0; h < 2; ++h)
            std::fill_n(right.value.data() + (h * 21 + first) * 7, (end - first) * 7, not_a_number);
        packed(changed, borders, 4, epsilon, quick).equals(right);
    }
}
TEST_CASE("takes every chunk size, longer than the sequence too") { takes_every_chunk_size(in_four); }
TEST_CASE("adds epsilon to every denominator, once") { adds_epsilon(in_four); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(in_four); }
TEST_CASE("gives ones when every value is one") { gives_ones_for_ones(in_four); }
TEST_CASE("takes large and small inputs") { takes_large_and_small_inputs(in_four); }
TEST_CASE("takes widths up to 128, d_k and d_v unequal") { takes_every_width(in_four); }
TEST_CASE("equals the definition for every length") { equals_the_definition(in_four); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(in_four); }
TEST_CASE("rejects borders that are none") {
    const Arrays in({1, 6, 3, 2}, 98);
    for (const Borders& borders : {Borders{}, {0}, {0, 5}, {1, 6}, {0, 4, 3, 6}})
        packed(in, borders, 2, epsilon, quick).rejects({"borders", "n = 6"});
}
TEST_CASE("gives each sequence of each head a block") { gives_each_sequence_a_block(); }
TEST_CASE("spreads its work over the block, a chunk at a time") {
    const Arrays in({1, 130, 8, 72}, 97);
    spreads_its_work(
        [&](int chunk, const gpu::RunOptions& run) {
            return packed(in, {0, 130}, chunk, epsilon, run);
        },
        "A and S");
}
TEST_CASE("computes in float, not in double") {
    const Call<Array> call = packed(Arrays({1, 3, 2, 4}, 98), {0, 1, 3}, 2, epsilon, unwatched);
    computes_in_float(call, reinterpret_cast<const void*>(&kernels::packed_chunkwise_forward));
}
TEST_CASE("three orders of the threads give the same bits") { gives_the_same_bits_in_every_order(in_four); }
}

}  // namespace linattn::testing::chunkwise_test
