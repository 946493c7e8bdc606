// The backward passes of the layers that treat every token by itself: affine, layer norm, GELU.
#include "cost_claims.hpp"
#include "expected_gradients.hpp"

namespace linattn::testing::layers_test {

const Shape leading_shapes[] = {{}, {1}, {4}, {2, 3}, {3, 1, 2}, {0}, {2, 0}};

TEST_SUITE("affine_backward") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor X{{1, 2}, {3, 4}}, dY{{1, 0}, {-1, 1}};
    const Affine w{{{1, 2}, {3, 4}}, {0, 0}};
    CALL(affine_backward, X, w, dY)
        .equals({exactly({{1, 3}, {1, 1}}), exactly({{-2, 3}, {-2, 4}}, false), exactly({0, 1}, false)});
}
TEST_CASE("rejects shapes that do not belong together") {
    const Affine w = random_affine(3, 4, 1);
    CALL(affine_backward, zeros({5, 2}), w, zeros({5, 4})).rejects({"X", "(5, 2)"});
    CALL(affine_backward, zeros({5, 3}), w, zeros({5, 3})).rejects({"dY", "(5, 4)", "(5, 3)"});
    CALL(affine_backward, zeros({5, 3}), w, zeros({4, 4})).rejects({"dY", "(5, 4)", "(4, 4)"});
    const Affine short_bias{w.W, zeros({3})};
    CALL(affine_backward, zeros({5, 3}), short_bias, zeros({5, 4})).rejects({"b", "(4,)", "(3,)"});
}
TEST_CASE("equals the slopes of the definition for every leading shape") {
    std::uint64_t stream = 1;
    for (const Shape& leading : leading_shapes)
        for (const auto& [in, out] : {std::pair<std::size_t, std::size_t>{3, 5}, {4, 4}, {1, 2}}) {
            const Tensor X = random_tensor(join(leading, {in}), ++stream),
                         dY = random_tensor(join(leading, {out}), ++stream);
            const Affine w = random_affine(in, out, ++stream);
            CALL(affine_backward, X, w, dY).equals(expected_affine(X, w, dY));
        }
}
TEST_CASE("equals the slopes of the definition on both sides of every border") {
    std::uint64_t stream = 100;
    for (const Size& size : small_sizes_around_borders())
        for (const auto& [in, out] : {std::pair<std::size_t, std::size_t>{size.d_k, 2}, {2, size.d_k}}) {
            const Shape rows = join(size.leading, {size.n});
            const Tensor X = random_tensor(join(rows, {in}), ++stream), dY = random_tensor(join(rows, {out}), ++stream);
            const Affine w = random_affine(in, out, ++stream);
            CALL(affine_backward, X, w, dY).equals(expected_affine(X, w, dY));
        }
}
TEST_CASE("its cost grows in proportion to the tokens") {
    const Affine w = random_affine(2, 3, 5);
    costs_no_more_than_in_proportion([&w](std::size_t n) {
        return CALL(affine_backward, random_tensor({n, 2}, n), w, random_tensor({n, 3}, n + 1));
    });
}
TEST_CASE("remembers nothing") {
    const Tensor X = random_tensor({2, 3, 4}, 1), dY = random_tensor({2, 3, 5}, 2);
    const Affine w = random_affine(4, 5, 3);
    CALL(affine_backward, X, w, dY).remembers_nothing();
}
}

TEST_SUITE("layer_norm_backward") {
TEST_CASE("gives the chapter's worked example") {
    // x̂ = (-1, 1) to 5e-6, since √(1 + 1e-5) divides
    const Tensor X{{1, 3}}, dY{{1, 0}};
    const Norm w{{2, 1}, {0, 0}};
    CALL(layer_norm_backward, X, w, dY).equals(expected_norm(X, w, dY));
}
TEST_CASE("rejects shapes that do not belong together") {
    const Norm w = random_norm(3, 1);
    CALL(layer_norm_backward, zeros({5, 4}), w, zeros({5, 4})).rejects({"gain", "(4,)", "(3,)"});
    CALL(layer_norm_backward, zeros({5, 3}), w, zeros({3, 5})).rejects({"dY", "(5, 3)", "(3, 5)"});
    const Norm short_bias{w.gain, zeros({2})};
    CALL(layer_norm_backward, zeros({5, 3}), short_bias, zeros({5, 3})).rejects({"bias", "(3,)", "(2,)"});
}
TEST_CASE("equals the slopes of the definition for every leading shape") {
    std::uint64_t stream = 1;
    for (const Shape& leading : leading_shapes)
        for (const std::size_t d : {5U, 2U, 1U, 8U}) {
            const Shape shape = join(leading, {d});
            const Tensor X = random_tensor(shape, ++stream), dY = random_tensor(shape, ++stream);
            const Norm w = random_norm(d, ++stream);
            CALL(layer_norm_backward, X, w, dY).equals(expected_norm(X, w, dY));
        }
}
TEST_CASE("equals the slopes of the definition on both sides of every border") {
    std::uint64_t stream = 100;
    for (const Size& size : small_sizes_around_borders()) {
        const Shape shape = join(size.leading, {size.n, size.d_k});
        const Tensor X = random_tensor(shape, ++stream), dY = random_tensor(shape, ++stream);
        const Norm w = random_norm(size.d_k, ++stream);
        CALL(layer_norm_backward, X, w, dY).equals(expected_norm(X, w, dY));
    }
}
TEST_CASE("keeps its ε when a token hardly varies") {
    // The variance is about 1e-6, a tenth of ε.
    const Tensor X = random_tensor({3, 4}, 1, 0.998, 1.002), dY = random_tensor({3, 4}, 2);
    const Norm w = random_norm(4, 3);
    CALL(layer_norm_backward, X, w, dY).equals(expected_norm(X, w, dY));
}
TEST_CASE("its dX adds up to nothing over a token when the gain is 1: a shift of x changes nothing") {
    const Tensor X = random_tensor({4, 6}, 1), dY = random_tensor({4, 6}, 2);
    const Norm w{ones({6}), zeros({6})};
    const auto call = CALL(layer_norm_backward, X, w, dY);
    const Tensor& dX = call.result().dX;
    call.satisfies(shape_of(dX) == shape_of(X) && total(abs(sum(dX, -1))) < 1e-12,
                   "the entries of dX of one token do not add up to 0");
}
TEST_CASE("its cost grows in proportion to the tokens") {
    const Norm w = random_norm(3, 5);
    costs_no_more_than_in_proportion([&w](std::size_t n) {
        return CALL(layer_norm_backward, random_tensor({n, 3}, n), w, random_tensor({n, 3}, n + 1));
    });
}
TEST_CASE("remembers nothing") {
    const Tensor X = random_tensor({2, 3, 4}, 1), dY = random_tensor({2, 3, 4}, 2);
    const Norm w = random_norm(4, 3);
    CALL(layer_norm_backward, X, w, dY).remembers_nothing();
}
}

}  // namespace linattn::testing::layers_test
