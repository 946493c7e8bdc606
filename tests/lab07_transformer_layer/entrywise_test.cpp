// layer_norm and gelu: tables with 60 digits (tables.py), the definition, and what each promises.

#include "cost_claims.hpp"
#include "definition.hpp"
#include "sizes.hpp"
#include "tables.hpp"
#include "weights.hpp"
#include "worked_example.hpp"

namespace linattn::testing::entrywise_test {

void equals_definition(const Shape& shape, std::uint64_t stream) {
    const Tensor X = random_tensor(shape, stream);
    const Norm w = random_norm(shape.back(), stream + 1000);
    CALL(layer_norm, X, w).equals(expected_layer_norm(X, w));
}

TEST_SUITE("layer_norm") {
TEST_CASE("gives the chapter's worked example") {
    const Norm& w = worked_example::norm;
    const double r = 1.0 / std::sqrt(1.0 + norm_epsilon);
    const Tensor& X = worked_example::token_of_variance_1;
    CALL(layer_norm, X, w)
        .equals(to_rounding_of_terms(Tensor{-r, r, 2.0 * r, 5.0 - r}, Tensor{1, 1, 2, 6}, 16,
                                     "entries 1 and 3, a few operations", false));
}
TEST_CASE("rejects weights of another width") {
    const Tensor X = zeros({5, 4});
    CALL(layer_norm, X, Norm{ones({5}), zeros({4})}).rejects({"gain", "(4,)", "(5,)"});
    CALL(layer_norm, X, Norm{ones({4}), zeros({1})}).rejects({"bias", "(4,)", "(1,)"});
    CALL(layer_norm, Tensor(zeros({})), Norm{ones({1}), zeros({1})}).rejects({"X", "(…, d)"});
}
TEST_CASE("gives a table that was computed with 60 digits") {
    for (const tables::NormedToken& row : tables::normed_tokens) {
        const Norm w{row.gain, row.bias};
        const Expected computed = expected_layer_norm(row.x, w);
        CALL(layer_norm, row.x, w)
            .at(to_string(row.x))
            .equals({row.normed, computed.tolerance, computed.derivation, false});
    }
}
TEST_CASE("equals the definition for every leading shape and size") {
    std::uint64_t stream = 0;
    for (const Shape& shape : {Shape{5}, Shape{3, 5}, Shape{2, 3, 5}, Shape{2, 3, 4, 5}, Shape{1}, Shape{3, 128},
                               Shape{4, 1}, Shape{0, 5}, Shape{2, 0, 5}, Shape{0, 3, 5}})
        equals_definition(shape, ++stream);
    for (const Size& size : all_sizes()) equals_definition(join(size.leading, {size.n, size.d_k + 1}), ++stream);
}
TEST_CASE("each token by itself") {
    const Tensor X = random_tensor({6, 5}, 80);
    const Norm w = random_norm(5, 81);
    const Tensor all = result_of_shape(CALL(layer_norm, X, w), {6, 5});
    for (std::size_t i = 0; i < 6; ++i) {
        const Tensor alone = token(X, i);
        const Call<Tensor> call = CALL(layer_norm, alone, w);
        call.satisfies(distance_if_alike(parts_of(call.result()), parts_of(token(all, i))).has_value(),
                       "token " + std::to_string(i) + " alone gives another output than among six tokens");
    }
}
TEST_CASE("without gain and bias a token has mean 0 and variance 1, whatever was added to it or multiplied") {
    const Tensor X = random_tensor({4, 9}, 85);
    const Norm plain{ones({9}), zeros({9})};
    for (const double scale : {1.0, 100.0})
        for (const double shift : {0.0, 3.0, 1e6}) {
            const Tensor moved = X * scale + shift;
            CALL(layer_norm, moved, plain).equals(expected_layer_norm(moved, plain));
        }
}
TEST_CASE("a token of equal entries becomes the bias") {
    const Norm w = random_norm(4, 90);
    for (const double x : {0.0, 1.0, -8.0, 1024.0}) {
        const Tensor X = full({4}, x);
        CALL(layer_norm, X, w).equals(exactly(w.bias, false));
    }
}
TEST_CASE("large and tiny entries neither overflow nor lose the norm") {
    const Norm w = random_norm(5, 95);
    for (const double scale : {1e-150, 1e-8, 1e8, 1e150}) {
        const Tensor X = random_tensor({3, 5}, 96) * scale;
        CALL(layer_norm, X, w).equals(expected_layer_norm(X, w));
    }
}
TEST_CASE("a NaN stays in its token") {
    Tensor X = random_tensor({3, 4}, 97);
    const Norm w = random_norm(4, 98);
    const Tensor before = result_of_shape(CALL(layer_norm, X, w), {3, 4});
    X(1, 2) = not_a_number;
    const Call<Tensor> call = CALL(layer_norm, X, w);
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}})
        call.satisfies(same_bits(token(result_of_shape(call, {3, 4}), i), token(before, i)),
                       "an entry of token 1 is NaN, and token " + std::to_string(i) + " changed");
}
TEST_CASE("its cost grows in proportion to the width") {
    costs_no_more_than_in_proportion(
        [](std::size_t d) {
            return CALL(layer_norm, random_tensor({3, d}, d), random_norm(d, d + 1));
        },
        "entries of a token", 64);
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(layer_norm, random_tensor({3, 5}, 99), random_norm(5, 100)).remembers_nothing();
}
}

TEST_SUITE("gelu") {
const EntryByEntry by_entry("gelu");

TEST_CASE("gives the chapter's worked example") {
    CALL(gelu, Tensor{0, 1, -1})
        .equals(to_rounding_of_terms(Tensor{0, 0.8413447460685429, -0.15865525393145705}, Tensor{0, 1, 1}, 16,
                                     "erf and a few operations", false));
}
TEST_CASE("gives a table that was computed with 60 digits") {
    for (const tables::Value& each : tables::gelu_values) {
        const Tensor X{each.x};
        CALL(gelu, X)
            .at("x = " + describe(each.x))
            .equals(to_rounding_of_terms(Tensor{each.gelu}, abs(X), 16,
                                         "1 + erf rounds as 1 does: a few units in the last place of x", false));
    }
}
TEST_CASE("equals the definition for every shape") {
    std::uint64_t stream = 0;
    for (const Shape& shape :
         {Shape{}, Shape{5}, Shape{3, 5}, Shape{2, 3, 5}, Shape{0}, Shape{2, 0, 3}, Shape{2, 3, 4, 5}}) {
        const Tensor X = random_tensor(shape, ++stream, -4.0, 4.0);
        CALL(gelu, X).equals(expected_gelu(X));
    }
    for (const Size& size : all_sizes()) {
        const Tensor X = random_tensor(join(size.leading, {size.n, size.d_k}), ++stream, -4.0, 4.0);
        CALL(gelu, X).equals(expected_gelu(X));
    }
}
TEST_CASE("gelu(x) - gelu(-x) is x") {
    const Tensor X = random_tensor({40}, 60, -6.0, 6.0);
    const Tensor negative = result_of_shape(CALL(gelu, -X), {40});
    CALL(gelu, X).equals(
        to_rounding_of_terms(X + negative, abs(X), 32, "two values of gelu, each off by 16 units", false));
}
TEST_CASE("takes a few steps for each entry") {
    const Call<Tensor> call = CALL(gelu, random_tensor({1000}, 71, -4.0, 4.0));
    call.result();
    call.satisfies(call.cost().steps <= 150'000,
                   "1000 entries took " + std::to_string(call.cost().steps) +
                       " steps, and 150000 are allowed: erf is one of them, no series and no integral is needed");
}
TEST_CASE("remembers nothing of an earlier call") { CALL(gelu, random_tensor({3, 5}, 70)).remembers_nothing(); }
}

}  // namespace linattn::testing::entrywise_test
