// What the exercises that others call should give, by the definition's slopes, and who is to blame where a caller is wrong.
#pragma once

#include <type_traits>
#include <vector>

#include "backward_by_slopes.hpp"

namespace linattn::testing {

inline const GradientSettings no_mistake;
inline const ModelDefinition slopes_of_definition(no_mistake);

inline std::vector<Expected> expected_affine(const Tensor& X, const Affine& w, const Tensor& dY) {
    const auto forward = [&](const Matrix& x, const AffineNumbers& numbers) {
        return slopes_of_definition.affine(x, numbers, tokens_of(X));
    };
    const std::size_t in = length(w.W, 0), rows = in == 0 ? 0 : X.size() / in;
    return expected(backward_slopes<AffineNumbers>(X, w, dY, forward), rows + in + length(w.W, 1));
}
inline std::vector<Expected> expected_norm(const Tensor& X, const Norm& w, const Tensor& dY) {
    const auto forward = [&](const Matrix& x, const NormNumbers& numbers) {
        return slopes_of_definition.layer_norm(x, numbers, tokens_of(X));
    };
    return expected(backward_slopes<NormNumbers>(X, w, dY, forward), X.size() + 4 * length(X, -1));
}
// Φ = (1 + erf)/2 loses what is below the last digit of 1, so the tolerance does not shrink with the slope.
inline Expected close_to(const Tensor& slopes) {
    return to_rounding_of_terms(slopes, 1.0 + abs(slopes), 16.0,
                                "16 roundings of a number of size 1: Φ(x) is (1 + erf(x/√2))/2", false);
}
inline Expected expected_gelu(const Tensor& X, const Tensor& dY) {
    Matrix x(X);
    const Slopes found = slopes({&x}, [&] { return weighted(slopes_of_definition.gelu(x), dY); });
    return to_rounding_of_terms(found.values[0], (1.0 + abs(X)) * abs(dY), 32.0, "32 roundings of dY (1 + |x|)", false);
}
inline std::vector<Expected> expected_loss(const Tensor& logits, const Tensor& targets, const Tensor& counts) {
    Matrix all(logits);
    const auto loss = [&] { return slopes_of_definition.cross_entropy(all, targets, counts); };
    const Dual value = loss();
    std::vector<Expected> parts = expected(slopes({&all}, loss), length(logits, -1) + targets.size());
    parts.insert(parts.begin(),
                 to_rounding_of_terms(Tensor(value.value), Tensor(value.value_terms),
                                      8.0 * static_cast<double>(length(logits, -1) + targets.size() + 8),
                                      "8 roundings of each term of the mean and of each e^x in it", false));
    return parts;
}
inline std::vector<Expected> expected_attention_gradients(const Tensor& X, const Attention& w, std::size_t heads,
                                                          const Tensor& dY) {
    const auto forward = [&](const Matrix& x, const AttentionNumbers& numbers) {
        return slopes_of_definition.attention(x, numbers, {tokens_of(X), heads});
    };
    return expected(backward_slopes<AttentionNumbers>(X, w, dY, forward), 8 * (X.size() + tokens_of(X)));
}
inline std::vector<Expected> expected_block_gradients(const Tensor& X, const Block& w, std::size_t heads,
                                                      const Tensor& dY) {
    const auto forward = [&](const Matrix& x, const BlockNumbers& numbers) {
        return slopes_of_definition.block(x, numbers, {tokens_of(X), heads});
    };
    return expected(backward_slopes<BlockNumbers>(X, w, dY, forward), 16 * (X.size() + tokens_of(X)));
}

/// Fails where `call` is wrong and an exercise that it builds on is, and leads there.
template <class Result>
void blame_what_it_builds_on(const Call<Result>& call, const std::vector<Expected>& expected) {
    if (call.gives(expected)) return;
    const Tensor X = random_tensor({2, 3, 4}, 501, -2.0, 2.0), dY = random_tensor({2, 3, 4}, 502);
    const std::size_t heads = 2;
    call.blames("affine_backward", [&] {
        const Affine w = random_affine(4, 4, 503);
        return CALL(affine_backward, X, w, dY).gives(expected_affine(X, w, dY));
    });
    constexpr bool of_attention = std::is_same_v<Result, Backward<Attention>>;
    constexpr bool of_block = std::is_same_v<Result, Backward<Block>>;
    if (of_attention) return;
    call.blames("layer_norm_backward", [&] {
        const Norm w = random_norm(4, 504);
        return CALL(layer_norm_backward, X, w, dY).gives(expected_norm(X, w, dY));
    });
    call.blames("gelu_backward", [&] { return CALL(gelu_backward, X, dY).gives({expected_gelu(X, dY)}); });
    call.blames("attention_backward", [&] {
        const Attention w = random_attention(4, 505);
        return CALL(attention_backward, X, w, heads, dY).gives(expected_attention_gradients(X, w, heads, dY));
    });
    if (of_block) return;
    call.blames("block_backward", [&] {
        const Block w = random_block(4, 6, 506);
        return CALL(block_backward, X, w, heads, dY).gives(expected_block_gradients(X, w, heads, dY));
    });
    call.blames("cross_entropy", [&] {
        const Tensor targets{{0, 3, 1}, {2, 2, 0}}, counts{{1, 0, 1}, {1, 1, 1}};
        return CALL(cross_entropy, X, targets, counts).gives(expected_loss(X, targets, counts));
    });
}

}  // namespace linattn::testing
