// Sequences of different lengths in one batch.

#include "long_sizes.hpp"
#include "normalization_claims.hpp"
#include "normalized_attention.hpp"
#include "worked_example.hpp"

namespace linattn::testing::padding_test {

const FeatureMap elu_plus_one_map = oracle_feature_map("elu_plus_one");

Call<Tensor> run(const Inputs& in, const Tensor& key_padding_mask, const FeatureMap& phi, double epsilon) {
    return CALL(masked_causal_linear_attention, in.Q, in.K, in.V, key_padding_mask, phi, epsilon);
}

// A padded key has no weight in the definition: features of 0, whatever its φ is.
Expected expected(const Inputs& in, const Tensor& key_padding_mask, const FeatureMap& phi, double epsilon) {
    const Tensor counted = where(expand_dims(key_padding_mask, -1), phi(in.K), 0.0);
    return expected_normalized_attention(phi(in.Q), counted, in.V, oracle_feature_map("identity"), causal, epsilon);
}

void equals_definition(const Inputs& in, const Tensor& key_padding_mask, const FeatureMap& phi, double epsilon) {
    run(in, key_padding_mask, phi, epsilon).equals(expected(in, key_padding_mask, phi, epsilon));
}

// About half of the tokens, others for every leading index.
Tensor random_mask(const Shape& leading, std::size_t n, std::uint64_t stream) {
    return random_tensor(join(leading, {n}), stream, 0.0, 1.0) >= 0.5;
}

// The last token counts, so that leaving it out shows.
void equals_definition_at(const Size& size, std::uint64_t stream) {
    Tensor mask = random_mask(size.leading, size.n, 900 + stream);
    for (std::size_t end = size.n; end > 0 && end <= mask.size(); end += size.n) mask.data()[end - 1] = 1.0;
    equals_definition(Inputs(size, stream), mask, elu_plus_one_map, 1e-6);
}

// Nobody is padding: then this is causal attention, and what holds for that holds here.
Form unpadded_with(double epsilon) {
    return {[epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                Shape shape = shape_of(V);
                shape.pop_back();
                return CALL(masked_causal_linear_attention, Q, K, V, ones(shape), phi, epsilon);
            },
            [epsilon](const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
                return expected_normalized_attention(Q, K, V, phi, causal, epsilon);
            }};
}
const NormalizedForm unpadded{unpadded_with, causal};

TEST_SUITE("masked_causal_linear_attention") {
TEST_CASE("gives the chapter's worked example") {
    using namespace worked_example;
    for (const double epsilon : {0.0, 6.0})
        CALL(masked_causal_linear_attention, Q, K, V, key_padding_mask, elu_plus_one_map, epsilon)
            .equals(divided(masked_numerators, masked_sums, epsilon));
}
TEST_CASE("rejects shapes that do not belong together") {
    const auto with_mask = [](const Shape& shape) {
        const Tensor Q = zeros({3, 5, 2}), V = zeros({3, 5, 4}), mask = ones(shape);
        return CALL(masked_causal_linear_attention, Q, Q, V, mask, elu_plus_one_map, 1e-6);
    };
    with_mask({5}).rejects({"key_padding_mask", "(3, 5)", "(5,)"});
    with_mask({3, 4}).rejects({"key_padding_mask", "(3, 5)", "(3, 4)"});
    with_mask({3, 5, 1}).rejects({"key_padding_mask", "(3, 5)", "(3, 5, 1)"});
    rejects_shapes_that_do_not_belong_together(unpadded.with(1e-6));
}
TEST_CASE("equals the definition for every leading shape") {
    std::uint64_t stream = 1;
    for (const char* name : {"elu_plus_one", "relu", "pairs"})
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
            for (const double epsilon : {1e-6, 0.5}) {
                ++stream;
                equals_definition(Inputs(leading, 9, 4, 5, stream), random_mask(leading, 9, 900 + stream),
                                  oracle_feature_map(name), epsilon);
            }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 20;
    for (const Size& size : sizes_around_borders(129)) equals_definition_at(size, ++stream);
}
TEST_CASE("equals the definition where features have both signs") {
    const FeatureMap phi = oracle_feature_map("identity");
    for (const double epsilon : {1e-6, 0.5}) {
        const Inputs in = with_denominators_of_both_signs({2, 3}, 9, 90);
        equals_definition(in, random_mask({2, 3}, 9, 990), phi, epsilon);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Inputs in({2}, 6, 4, 5, 91);
    run(in, ones({2, 6}), elu_plus_one_map, 1e-6).remembers_nothing();
}
TEST_CASE("handles one token, no token and no head") {
    for (const std::size_t n : {std::size_t{1}, std::size_t{0}})
        for (const Shape& leading : {Shape{}, Shape{2, 3}, Shape{0}, Shape{2, 0}})
            equals_definition(Inputs(leading, n, 4, 5, 30 + n), random_mask(leading, n, 930), elu_plus_one_map, 1e-6);
}
TEST_CASE("without padding it is causal attention") {
    equals_the_definition(unpadded.with(1e-6), {"elu_plus_one", "relu", "identity"});
}
TEST_CASE("padding at the front leaves the first outputs nothing to average") {
    Tensor mask = ones({2, 6});
    mask(0, 0) = mask(0, 1) = mask(1, 0) = 0.0;
    const Inputs in({2}, 6, 4, 5, 40);
    equals_definition(in, mask, elu_plus_one_map, 1e-6);  // 0 / (0 + ε) = 0
    equals_definition(in, mask, elu_plus_one_map, 0.0);   // 0 / 0, said honestly
    equals_definition(in, zeros({2, 6}), elu_plus_one_map, 1e-6);
}
TEST_CASE("a padded token may hold anything") {
    const Inputs in({2}, 9, 4, 5, 50);
    Tensor mask = ones({2, 9});
    for (const std::size_t i : {std::size_t{1}, std::size_t{4}, std::size_t{5}}) mask(0, i) = mask(1, i) = 0.0;
    const Tensor before = run(in, mask, elu_plus_one_map, 1e-6).result();
    for (const double anything : {0.0, -3.0, 1e300, not_a_number}) {
        Inputs other = in;
        for (const std::size_t i : {std::size_t{1}, std::size_t{4}, std::size_t{5}}) {
            set_token(other.K, i, full({2, 4}, anything));
            set_token(other.V, i, full({2, 5}, anything));
        }
        const Call<Tensor> call = run(other, mask, elu_plus_one_map, 1e-6);
        call.equals(expected(other, mask, elu_plus_one_map, 1e-6));
        call.satisfies(all_equal(call.result(), before),
                       "the keys and values of padded tokens were replaced by " + std::to_string(anything) +
                           ", and an output changed: it must be the same to the last bit");
    }
}
TEST_CASE("padding at the end changes nothing before it") {
    const Inputs in({2}, 9, 4, 5, 60);
    Inputs shorter = in;
    shorter.Q = tokens(in.Q, 0, 6);
    shorter.K = tokens(in.K, 0, 6);
    shorter.V = tokens(in.V, 0, 6);
    const Tensor alone = run(shorter, ones({2, 6}), elu_plus_one_map, 1e-6).result();
    Tensor mask = zeros({2, 9});
    for (std::size_t i = 0; i < 6; ++i) mask(0, i) = mask(1, i) = 1.0;
    const Call<Tensor> call = run(in, mask, elu_plus_one_map, 1e-6);
    call.satisfies(distance_if_alike(parts_of(tokens(call.result(), 0, 6)), parts_of(alone)).has_value(),
                   "six tokens give other outputs when three padded ones follow");
}
TEST_CASE("does not depend on the scale of the features") { does_not_depend_on_the_scale_of_the_features(unpadded); }
TEST_CASE("an output never depends on a later token") { never_depends_on_a_later_token(unpadded.with(1e-6)); }
TEST_CASE("the same call twice gives the same bits") { gives_the_same_bits_twice(unpadded); }
TEST_CASE("costs no more than in proportion to n") { costs_no_more_than_in_proportion_to_n(unpadded.with(1e-6)); }
TEST_CASE("equals the definition beyond every round length") { at_long_sizes(equals_definition_at); }
}

}  // namespace linattn::testing::padding_test
