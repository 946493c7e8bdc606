// The gated delta rule as a kernel, in float32.
#include "delta_arrays.hpp"
#include "delta_claims.hpp"
#include "launch.hpp"
#include "worked_example.hpp"

namespace linattn::kernels {  // as in kernels.hpp, which only kernels can include
void gated_delta_forward(const float* Q, const float* K, const float* V, const float* beta, const float* log_decay,
                         float* O, Sizes sizes, int chunk);
}  // namespace linattn::kernels

namespace linattn::testing::gated_delta_forward_test {

Call<Array> forward(const DeltaInputs& in, int chunk, const gpu::RunOptions& run) {
    const DeltaArrays x(in);
    return placed(CALL(gated_delta_forward, x.Q, x.K, x.V, x.beta, x.log_decay, x.sizes, chunk, run), x.sizes, chunk);
}
void equals(const DeltaInputs& in, int chunk, const gpu::RunOptions& run = quick) {
    if (fits_a_block(DeltaArrays(in).sizes, chunk)) forward(in, chunk, run).equals(expected_in_float(in));
}

DeltaForm in_chunks_of(int chunk, const gpu::RunOptions& run = quick) {
    return {[chunk, run](const DeltaInputs& in) { return forward(in, chunk, run); },
            [chunk, run](const DeltaInputs& in) {
                return tensor_of(forward(in, chunk, run).result().values, shape_of(in.V));
            },
            expected_in_float, true};
}

TEST_SUITE("gated_delta_forward") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    const Sizes sizes{1, 3, 2, 1};
    const struct {
        std::vector<float> Q = rounded(worked_example::Q), K = rounded(worked_example::K),
                           V = rounded(worked_example::V), beta = rounded(worked_example::beta),
                           log_decay = rounded(worked_example::log_decay);
    } x;
    for (const int chunk : {2, 3, 1})
        CALL(gated_delta_forward, x.Q, x.K, x.V, x.beta, x.log_decay, sizes, chunk, quick)
            .equals(Expected{reshape(delta, {1, 3, 1}), full({1, 3, 1}, 64 * 10 * 0x1p-24),
                             "64 roundings of 2^-24 of numbers below 10"});
}
TEST_CASE("runs clean when every access is watched") {
    note(where_kernels_run());
    std::uint64_t stream = 300;
    for (const gpu::RunOptions& run : every_order(true))
        for (const Decays decays : {Decays::weak, Decays::with_resets}) {
            equals(DeltaInputs({2}, 45, 17, 24, ++stream, Keys::random, decays), 16, run);
            equals(DeltaInputs({3}, 64, 24, 17, ++stream, Keys::random, decays), 16, run);
        }
}
TEST_CASE("rejects arrays whose length is not what the sizes say, and what are not logarithms") {
    const DeltaArrays x(DeltaInputs({2}, 6, 3, 5, 310));
    const std::vector<float> other(7, 0.0f);
    using Floats = std::vector<float>;
    const auto call = [&](const Floats& Q, const Floats& K, const Floats& V, const Floats& beta,
                          const Floats& log_decay, int chunk) {
        return CALL(gated_delta_forward, Q, K, V, beta, log_decay, x.sizes, chunk, quick);
    };
    call(other, x.K, x.V, x.beta, x.log_decay, 2).rejects({"Q", "(heads, n, d_k)", "(2, 6, 3)", "7"});
    call(x.Q, other, x.V, x.beta, x.log_decay, 2).rejects({"K", "(2, 6, 3)", "7"});
    call(x.Q, x.K, other, x.beta, x.log_decay, 2).rejects({"V", "(2, 6, 5)", "7"});
    call(x.Q, x.K, x.V, other, x.log_decay, 2).rejects({"beta", "(2, 6)", "7"});
    call(x.Q, x.K, x.V, x.beta, other, 2).rejects({"log_decay", "(2, 6)", "7"});
    call(x.Q, x.K, x.V, x.beta, x.log_decay, 0).rejects({"chunk", "at least 1", "0"});
    for (const float wrong : {0.9f, 1e-30f, std::numeric_limits<float>::quiet_NaN()}) {
        std::vector<float> log_decay = x.log_decay;
        log_decay[7] = wrong;
        call(x.Q, x.K, x.V, x.beta, log_decay, 2).rejects({"log_decay", "pass log a, not a"});
    }
}
TEST_CASE("equals the definition for several heads") { equals_the_definition(in_chunks_of(4)); }
TEST_CASE("equals the definition for every chunk, longer than the sequence too") {
    for (const Decays decays : {Decays::weak, Decays::wide, Decays::with_resets})
        for (const int chunk : {1, 2, 3, 6, 11, 22, 23, 24, 100})
            equals(DeltaInputs({2}, 23, 5, 4, 320 + static_cast<std::uint64_t>(chunk), Keys::random, decays), chunk);
}
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") {
    for (const int chunk : {64, 24}) takes_keys_of_every_kind(in_chunks_of(chunk));
}
TEST_CASE("takes log decays from -20 to -0.001, 0 and -inf") {
    for (const int chunk : {4, 16, 64}) takes_decays_of_every_size(in_chunks_of(chunk));
}
TEST_CASE("takes any β: 0, above 1, negative") { takes_any_beta(in_chunks_of(4)); }
TEST_CASE("a key returns what was just written under it") { returns_what_was_just_written(in_chunks_of(4)); }
TEST_CASE("takes widths up to 128, d_k and d_v unequal") {
    std::uint64_t stream = 340;
    for (const auto& [d_k, d_v] : {std::pair{1, 2}, {2, 1}, {33, 64}, {96, 128}, {128, 127}, {200, 9}, {9, 200}})
        equals(DeltaInputs({}, 70, static_cast<std::size_t>(d_k), static_cast<std::size_t>(d_v), ++stream), 64,
               d_k + d_v > 200 ? unwatched : quick);
}
TEST_CASE("equals the definition at every size") {
    for (const int chunk : {16, 64}) equals_the_definition_at_every_size(in_chunks_of(chunk));
}
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(in_chunks_of(4)); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(in_chunks_of(4)); }
TEST_CASE("a NaN stays in its head") { treats_every_head_by_itself(in_chunks_of(4)); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(in_chunks_of(4)); }
TEST_CASE("spreads its work over the block, a chunk at a time") {
    const DeltaInputs in({}, 130, 8, 72, 350);
    // A system that is solved by rows takes a barrier for each.
    spreads_its_work([&](int chunk, const gpu::RunOptions& run) { return forward(in, chunk, run); }, "A, u and S",
                     64 + 16);
}
TEST_CASE("computes in float, not in double") {
    computes_in_float(forward(DeltaInputs({}, 3, 2, 4, 351), 2, unwatched),
                      reinterpret_cast<const void*>(&kernels::gated_delta_forward));
}
TEST_CASE("three orders of the threads give the same bits") {
    const DeltaInputs in({3}, 77, 12, 20, 352);
    same_bits_in_every_order([&](const gpu::RunOptions& run) { return forward(in, 32, run); },
                             [](const Array& result) { return result.values; });
}
TEST_CASE("equals the definition beyond every round length") { equals_the_definition_of_many_tokens(in_chunks_of(64)); }
}

}  // namespace linattn::testing::gated_delta_forward_test
