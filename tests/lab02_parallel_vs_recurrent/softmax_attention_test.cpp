// softmax_attention: the baseline that linear attention replaces.
#include <cmath>
#include <limits>

#include "attention_claims.hpp"
#include "linear_attention.hpp"
#include "long_sizes.hpp"
#include "worked_example.hpp"

namespace linattn::testing::softmax_attention_test {

Tensor scores(const Tensor& Q, const Tensor& K) {
    return weights_by_definition(Q, K, everywhere) / std::sqrt(static_cast<double>(length(Q, -1)));
}

// An error δ in a score moves its weight by a factor e^δ. Scores are sums of d_k products, weights sums of n exponentials,
// outputs sums of n products; both sides round.
Expected expected_softmax_attention(const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask) {
    const Allowed allowed = allowed_by(mask);
    const Weights weights = softmax_rows(scores(Q, K), allowed);
    const double n = static_cast<double>(length(V, -2)), d_k = static_cast<double>(length(Q, -1));
    const Tensor largest_score = amax(scores(abs(Q), abs(K)), -1, keep_dims);
    const Tensor units = maximum(largest_score * (2.0 * (d_k + 3.0)), 0.0) + (2.0 * n + 6.0);
    return {weighted_sum(weights, V), weighted_sum(weights, abs(V)) * units * (2.0 * 0x1p-53) + 1e-300,
            "2 (2 (d_k + 3) max_j |q|·|k_j| / sqrt(d_k) + 2 n + 6)·2^-53 sum_j w_j |v_j|"};
}

void equals_definition(const Tensor& Q, const Tensor& K, const Tensor& V, Mask mask) {
    CALL(softmax_attention, Q, K, V, mask).equals(expected_softmax_attention(Q, K, V, mask));
}

TEST_SUITE("softmax_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    CALL(softmax_attention, Q, K, V, Mask::none).equals(to_rounding(softmax_output, 64, "sums of 4 exponentials"));
    CALL(softmax_attention, Q, K, V, Mask::causal)
        .equals(to_rounding(causal_softmax_output, 64, "sums of 4 exponentials"));
}

TEST_CASE("rejects shapes that do not belong together") {
    CALL(softmax_attention, zeros({5, 2}), zeros({5, 3}), zeros({5, 4}), Mask::none).rejects({"K", "(5, 2)", "(5, 3)"});
    CALL(softmax_attention, zeros({5, 2}), zeros({5, 2}), zeros({6, 4}), Mask::none).rejects({"V", "(5, 4)", "(6, 4)"});
    CALL(softmax_attention, zeros({2}), zeros({2}), zeros({5, 4}), Mask::none).rejects({"Q", "(…, n, d_k)", "(2,)"});
}

TEST_CASE("equals the definition for every leading shape and both masks") {
    std::uint64_t stream = 1;
    for (const Mask mask : {Mask::none, Mask::causal})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}}) {
            const Inputs in(leading, 9, 4, 5, ++stream);
            equals_definition(in.Q, in.K, in.V, mask);
        }
}

TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 70;
    for (const Size& size : sizes_around_borders(129)) {
        const Inputs in(size, ++stream);
        equals_definition(in.Q, in.K, in.V, size.n % 2 == 0 ? Mask::none : Mask::causal);
    }
}

TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 6, 4, 5, 69);
    CALL(softmax_attention, in.Q, in.K, in.V, Mask::causal).remembers_nothing();
}

TEST_CASE("handles one token, no token and no head") {
    for (const Mask mask : {Mask::none, Mask::causal})
        for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
            for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}}) {
                const Inputs in(leading, n, 4, 5, 20 + n);
                equals_definition(in.Q, in.K, in.V, mask);
            }
}

TEST_CASE("stays exact for scores up to 10000") {
    const Inputs in({2}, 7, 4, 5, 30);
    for (const Mask mask : {Mask::none, Mask::causal}) equals_definition(in.Q * 100.0, in.K * 100.0, in.V, mask);
}

TEST_CASE("its weights are positive and sum to one") {
    const Inputs in({2}, 9, 4, 5, 40);
    for (const Mask mask : {Mask::none, Mask::causal}) {
        CALL(softmax_attention, in.Q, in.K, ones({2, 9, 5}), mask)
            .equals(to_rounding(ones({2, 9, 5}), 30, "a sum of 9 weights"));
        const Call<Tensor> call = CALL(softmax_attention, in.Q, in.K, in.V, mask);
        const Tensor highest = amax(in.V, -2, keep_dims), lowest = -amax(-in.V, -2, keep_dims);
        const Tensor outside = maximum(maximum(call.result() - highest, lowest - call.result()), 0.0);
        call.satisfies(amax(reshape(outside, {outside.size()}), 0)() < 1e-14,
                       "an output lies outside the range of the values it averages");
    }
}

TEST_CASE("with the causal mask an output never depends on a later token") {
    const Inputs in({2}, 8, 4, 5, 50);
    const Tensor before = CALL(softmax_attention, in.Q, in.K, in.V, Mask::causal).result();
    Tensor K = in.K, V = in.V;
    for (std::size_t i = 7; i > 0; --i) {
        set_token(K, i, random_tensor({2, 4}, 500 + i));
        set_token(V, i, random_tensor({2, 5}, 600 + i));
        const Call<Tensor> call = CALL(softmax_attention, in.Q, K, V, Mask::causal);
        for (std::size_t earlier = 0; earlier < i; ++earlier)
            call.satisfies(all_equal(token(call.result(), earlier), token(before, earlier)),
                           "token " + std::to_string(i) + " and later ones were changed, and the output of token " +
                               std::to_string(earlier) + " changed with them: it must be the same to the last bit");
    }
}

TEST_CASE("exchanging two tokens exchanges their outputs when nothing is masked") {
    const Inputs in({}, 5, 4, 3, 60);
    const auto exchanged = [](const Tensor& x) {
        Tensor y = x;
        set_token(y, 1, token(x, 4));
        set_token(y, 4, token(x, 1));
        return y;
    };
    const Tensor Q = exchanged(in.Q), K = exchanged(in.K), V = exchanged(in.V);
    const Tensor before = CALL(softmax_attention, in.Q, in.K, in.V, Mask::none).result();
    const Call<Tensor> after = CALL(softmax_attention, Q, K, V, Mask::none);
    after.satisfies(distance_if_alike(parts_of(after.result()), parts_of(exchanged(before))).has_value(),
                    "tokens 1 and 4 were exchanged, and the outputs were not simply exchanged with them");
}
TEST_CASE("equals the definition beyond every round length") {
    const auto claim = [](const Size& size, std::uint64_t stream) {
        const Inputs in(size, stream);
        equals_definition(in.Q, in.K, in.V, Mask::causal);
    };
    at_long_sizes(claim, 600);  // n² weights, here and there
}
}

}  // namespace linattn::testing::softmax_attention_test
