// The state that fits all pairs so far best, token by token.
#include "cost_claims.hpp"
#include "delta_claims.hpp"
#include "least_squares_definition.hpp"
#include "long_sizes.hpp"
#include "worked_example.hpp"

namespace linattn::testing::least_squares_recurrent_test {

Call<Tensor> fit(const DeltaInputs& in, double ridge) { return CALL(least_squares_recurrent, in.Q, in.K, in.V, ridge); }
Expected expected(const DeltaInputs& in, double ridge) { return expected_least_squares(in.Q, in.K, in.V, ridge); }
DeltaForm with_ridge(double ridge) {
    return {[ridge](const DeltaInputs& in) { return fit(in, ridge); },
            [ridge](const DeltaInputs& in) { return result_of_shape(fit(in, ridge), shape_of(in.V)); },
            [ridge](const DeltaInputs& in) { return std::vector{expected(in, ridge)}; }, false};
}
const DeltaForm form = with_ridge(0.5);

TEST_SUITE("least_squares_recurrent") {
TRACED(least_squares_recurrent) {
    using worked_example::K, worked_example::V;
    trace_states([](const Tensor& Q) { return CALL(least_squares_recurrent, Q, K, V, 0.5); },
                 [](const Tensor& Q) { return expected_least_squares(Q, K, V, 0.5); }, K, {{"k", &K}, {"v", &V}});
}
TEST_CASE("averages the values written under one key") {
    const Tensor K{{1, 0}, {0, 1}, {1, 0}, {1, 0}}, &Q = K, V = expand_dims(Tensor{2.0, 4.0, 4.0, 6.0}, -1);
    const Tensor read = expand_dims(Tensor{1.0, 2.0, 2.0, 3.0}, -1);  // 2/2, 4/2, (2 + 4)/3, (2 + 4 + 6)/4
    CALL(least_squares_recurrent, Q, K, V, 1.0).equals(worked_example::about(read));
}
TEST_CASE("rejects arguments that do not belong together") {
    const DeltaInputs right({2}, 5, 3, 4, 1);
    DeltaInputs in = right;
    in.K = zeros({2, 5, 4});
    fit(in, 1.0).rejects({"K", "(2, 5, 3)", "(2, 5, 4)"});
    in = right;
    in.V = zeros({2, 6, 4});
    fit(in, 1.0).rejects({"V", "(2, 5, 4)", "(2, 6, 4)"});
    for (const double ridge : {0.0, -0.0, -1.0, infinity, -infinity, not_a_number})
        fit(right, ridge).rejects({"ridge", "above 0"});
}
TEST_CASE("equals the normal equations for every leading shape") {
    for (const double ridge : {0.05, 1.0, 20.0}) equals_the_definition(with_ridge(ridge));
}
TEST_CASE("takes correlated, nearly equal, equal and orthogonal keys") { takes_keys_of_every_kind(form); }
TEST_CASE("takes large and tiny keys and values") {
    std::uint64_t stream = 70;
    for (const double scale : {1e60, 1e-60}) {
        DeltaInputs in({2}, 11, 4, 5, ++stream);
        in.V *= scale;
        fit(in, 0.5).equals(expected(in, 0.5));
        in.K *= scale;
        fit(in, 0.5 * scale * scale).equals(expected(in, 0.5 * scale * scale));
    }
}
TEST_CASE("equals the normal equations at every size") {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(200)) {
        const DeltaInputs in(size, ++stream);
        fit(in, 1.0).equals(expected(in, 1.0));
    }
}
TEST_CASE("handles one token, no token and no head") { handles_one_token_and_no_token(form); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(form); }
TEST_CASE("a NaN stays in its head") { treats_every_head_by_itself(form); }
TEST_CASE("remembers nothing of an earlier call") { remembers_nothing(form); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(form); }
TEST_CASE("its cost grows in proportion to the heads") { costs_no_more_than_in_proportion_to_the_heads(form); }
TEST_CASE("costs no more than in proportion to d_k²") {
    const auto with_width = [](std::size_t d_k) { return fit(DeltaInputs({}, 3, d_k, 2, d_k), 1.0); };
    const std::size_t steps_of_few = with_width(24).cost().steps;
    const Call<Tensor> call = with_width(96);
    call.satisfies(call.cost().steps < 32 * steps_of_few,
                   "d_k = 24 took " + std::to_string(steps_of_few) + " steps and d_k = 96 took " +
                       std::to_string(call.cost().steps) +
                       ": 4 times the width may cost about 16 times the steps; 64 times is cubic",
                   "computed in O(d_k³)");
}
TEST_CASE("holds no more for a longer sequence") { keeps_no_state_for_each_token(form); }
TEST_CASE("equals the normal equations beyond every round length") {
    at_long_sizes([](const Size& size, std::uint64_t stream) {
        DeltaInputs in(size, stream);
        in.K *= 0.05;  // the bound grows with the sum of k kᵀ, and would be larger than what the last tokens change
        fit(in, 0.5).equals(expected(in, 0.5));
    });
}
}

}  // namespace linattn::testing::least_squares_recurrent_test
