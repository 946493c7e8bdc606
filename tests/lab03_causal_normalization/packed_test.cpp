// Several sequences in one row.

#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "normalized_attention.hpp"
#include "worked_example.hpp"

namespace linattn::testing::packed_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");

Call<Tensor> run(const Inputs& in, const Tensor& begins, const FeatureMap& phi, double epsilon) {
    return CALL(packed_causal_linear_attention, in.Q, in.K, in.V, begins, phi, epsilon);
}

// One sequence after the other: what belongs to the others has no weight and no value.
Expected expected(const Inputs& in, const Tensor& begins, const FeatureMap& phi, double epsilon) {
    const Tensor number = cumsum(begins, -1), phi_Q = phi(in.Q), phi_K = phi(in.K);
    double most = 0.0;
    for (std::size_t e = 0; e < number.size(); ++e) most = std::max(most, number.data()[e]);
    Expected all;
    for (double sequence = 0.0; sequence <= most; ++sequence) {
        const Tensor own = expand_dims(abs(number - sequence) < 0.5, -1);
        const Expected part = expected_normalized_attention(phi_Q, where(own, phi_K, 0.0), where(own, in.V, 0.0),
                                                            oracle_feature_map("identity"), causal, epsilon);
        const bool first = sequence == 0.0;
        all = {first ? part.value : where(own, part.value, all.value),
               first ? part.tolerance : where(own, part.tolerance, all.tolerance), part.derivation};
    }
    return all;
}

void equals_definition(const Inputs& in, const Tensor& begins, const FeatureMap& phi, double epsilon) {
    run(in, begins, phi, epsilon).equals(expected(in, begins, phi, epsilon));
}

// Up to three sequences, others for every leading index.
Tensor some_borders(const Shape& leading, std::size_t n) {
    Tensor begins = zeros(join(leading, {n}));
    for (std::size_t row = 0; n > 0 && row < begins.size() / n; ++row)
        for (const std::size_t at : {n * (1 + row % 3) / 5, row % 2 == 0 ? n - 1 : n * 4 / 5})
            begins.data()[row * n + at] = 1.0;
    return begins;
}

// One sequence: then this is causal attention, and what holds for that holds here.
Form single_with(double epsilon) {
    return {[epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                Shape shape = shape_of(V);
                shape.pop_back();
                return CALL(packed_causal_linear_attention, Q, K, V, zeros(shape), phi, epsilon);
            },
            [epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                return expected_normalized_attention(Q, K, V, phi, causal, epsilon);
            }};
}
const NormalizedForm single{single_with, causal};

TEST_SUITE("packed_causal_linear_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0})
        CALL(packed_causal_linear_attention, Q, K, V, begins, elu_plus_one_map, epsilon)
            .equals(divided(packed_numerators, packed_sums, epsilon));
}
TEST_CASE("rejects shapes that do not belong together") {
    const auto with_borders = [](const Shape& shape) {
        const Tensor Q = zeros({3, 5, 2}), V = zeros({3, 5, 4}), begins = ones(shape);
        return CALL(packed_causal_linear_attention, Q, Q, V, begins, elu_plus_one_map, 1e-6);
    };
    with_borders({5}).rejects({"begins", "(3, 5)", "(5,)"});
    with_borders({3, 4}).rejects({"begins", "(3, 5)", "(3, 4)"});
    with_borders({3, 5, 1}).rejects({"begins", "(3, 5)", "(3, 5, 1)"});
    rejects_shapes_that_do_not_belong_together(single.with(1e-6));
}
TEST_CASE("equals the definition for every leading shape") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "relu", "pairs"})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
            for (const double epsilon : {1e-6, 0.5})
                equals_definition(Inputs(leading, 9, 4, 5, ++stream), some_borders(leading, 9),
                                  oracle_feature_map(name), epsilon);
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 20;
    for (const Size& size : sizes_around_borders(129)) {
        const Inputs in(size, ++stream);
        equals_definition(in, some_borders(size.leading, size.n), elu_plus_one_map, 1e-6);
    }
}
TEST_CASE("equals the definition where features have both signs") {
    const Inputs in = with_denominators_of_both_signs({2, 3}, 9, 90);
    for (const double epsilon : {1e-6, 0.5})
        equals_definition(in, some_borders({2, 3}, 9), oracle_feature_map("identity"), epsilon);
}
TEST_CASE("handles sequences of one token, one token and no token") {
    equals_definition(Inputs({2}, 6, 4, 5, 30), ones({2, 6}), elu_plus_one_map, 0.5);
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            equals_definition(Inputs(leading, n, 4, 5, 31 + n), some_borders(leading, n), elu_plus_one_map, 1e-6);
}
TEST_CASE("the first token begins a sequence, whatever its mark") {
    const Inputs in({2}, 6, 4, 5, 40);
    Tensor begins = zeros({2, 6});
    begins(0, 3) = begins(1, 2) = 1.0;
    const Tensor before = run(in, begins, elu_plus_one_map, 1e-6).result();
    begins(0, 0) = begins(1, 0) = 1.0;
    const Call<Tensor> call = run(in, begins, elu_plus_one_map, 1e-6);
    call.satisfies(distance_if_alike(parts_of(call.result()), parts_of(before)).has_value(),
                   "the mark of token 0 changes outputs");
}
TEST_CASE("nothing of a sequence reaches the next one, not even a NaN") {
    Inputs in({2}, 9, 4, 5, 50);
    Tensor begins = zeros({2, 9});
    begins(0, 3) = begins(1, 3) = 1.0;
    const Expected right = expected(in, begins, elu_plus_one_map, 1e-6);
    set_token(in.K, 1, full({2, 4}, not_a_number));
    set_token(in.V, 1, full({2, 5}, not_a_number));
    Expected spoilt = right;
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) set_token(spoilt.value, i, full({2, 5}, not_a_number));
    run(in, begins, elu_plus_one_map, 1e-6).equals(spoilt);
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 6, 4, 5, 91);
    run(in, zeros({2, 6}), elu_plus_one_map, 1e-6).remembers_nothing();
}
TEST_CASE("a single sequence is causal attention") {
    equals_the_definition(single.with(1e-6), {"elu_plus_one", "relu", "identity"});
}
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(single.with(1e-6)); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(single.with(1e-6)); }
TEST_CASE("equals the definition beyond every round length") {
    at_long_sizes([](const Size& size, std::uint64_t stream) {
        equals_definition(Inputs(size, stream), some_borders(size.leading, size.n), elu_plus_one_map, 1e-6);
    });
}
}

}  // namespace linattn::testing::packed_test
