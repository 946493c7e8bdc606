// Backward passes by definition: the slopes of Σ dY ⊙ Y along every entry of the input and of the weights.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results.hpp"
#include "sizes.hpp"

namespace linattn::testing {

// The arrays of a layer, in the order of visit().
inline void add(std::vector<Matrix*>& arrays, AffineNumbers& w) { arrays.insert(arrays.end(), {&w.W, &w.b}); }
inline void add(std::vector<Matrix*>& arrays, NormNumbers& w) { arrays.insert(arrays.end(), {&w.gain, &w.bias}); }
inline void add(std::vector<Matrix*>& arrays, AttentionNumbers& w) {
    for (AffineNumbers* each : {&w.Q, &w.K, &w.V, &w.O}) add(arrays, *each);
}
inline void add(std::vector<Matrix*>& arrays, BlockNumbers& w) {
    add(arrays, w.before_attention);
    add(arrays, w.attention);
    add(arrays, w.before_feed_forward);
    add(arrays, w.up);
    add(arrays, w.down);
}
inline void add(std::vector<Matrix*>& arrays, ModelNumbers& w) {
    arrays.insert(arrays.end(), {&w.embedding, &w.positions});
    for (BlockNumbers& each : w.blocks) add(arrays, each);
    add(arrays, w.last);
    add(arrays, w.head);
}

/// The slopes of a layer: dX first, then the weights in the order of visit().
template <class Numbers, class Weights, class Forward>
Slopes backward_slopes(const Tensor& X, const Weights& w, const Tensor& dY, const Forward& forward) {
    Matrix input(X);
    Numbers numbers(w);
    std::vector<Matrix*> arrays{&input};
    add(arrays, numbers);
    return slopes(arrays, [&] { return weighted(forward(input, numbers), dY); });
}

/// The same as weights of a result.
template <class Weights>
Backward<Weights> backward_of(const Slopes& found, const Weights& w) {
    Backward<Weights> result{found.values.front(), w};
    std::size_t part = 0;
    visit("", result.dw, [&](const std::string&, Tensor& x) { x = found.values[++part]; });
    return result;
}

/// Each slope with its tolerance. \param additions the longest sum in it
inline std::vector<Expected> expected(const Slopes& found, std::size_t additions) {
    std::vector<Expected> parts;
    for (std::size_t i = 0; i < found.values.size(); ++i)
        parts.push_back(
            to_rounding_of_terms(found.values[i], found.terms[i], 8.0 * static_cast<double>(additions + 8),
                                 "8(" + std::to_string(additions) +
                                     " + 8) roundings of the terms that add up to it, each with its own error",
                                 i == 0));
    return parts;
}

/// The n of X (…, n, d): how many rows follow each other in time.
inline std::size_t tokens_of(const Tensor& X) { return X.dimension() < 2 ? 1 : length(X, -2); }

/// Leading axes, tokens and width on both sides of every border, with few numbers in all: each costs a forward pass.
inline std::vector<Size> small_sizes_around_borders() {
    std::vector<Size> sizes = lengths_around_borders(200);
    for (const Size& size : {Size{{130, 1}, 2, 1, 0},
                             {{128, 1}, 1, 2, 0},
                             {{128}, 1, 1, 0},
                             {{130}, 1, 2, 0},
                             {{}, 2, 131, 0},
                             {{}, 2, 128, 0},
                             {{2}, 1, 33, 0},
                             {{long_width}, 1, 2, 0},
                             {{}, 1, long_width, 0},
                             {{}, long_width, 2, 0}})
        sizes.push_back(size);
    return sizes;
}

// Weights of a few numbers, as a trained model may have them.
inline Affine random_affine(std::size_t in, std::size_t out, std::uint64_t stream) {
    return {random_tensor({in, out}, 10 * stream, -0.8, 0.8), random_tensor({out}, 10 * stream + 1, -0.5, 0.5)};
}
inline Norm random_norm(std::size_t d, std::uint64_t stream) {
    return {random_tensor({d}, 10 * stream + 2, 0.5, 1.5), random_tensor({d}, 10 * stream + 3, -0.5, 0.5)};
}
inline Attention random_attention(std::size_t d, std::uint64_t stream) {
    return {random_affine(d, d, 10 * stream), random_affine(d, d, 10 * stream + 1),
            random_affine(d, d, 10 * stream + 2), random_affine(d, d, 10 * stream + 3)};
}
inline Block random_block(std::size_t d, std::size_t hidden, std::uint64_t stream) {
    return {random_norm(d, 10 * stream + 4),
            random_attention(d, stream),
            random_norm(d, 10 * stream + 5),
            {random_affine(d, hidden, 10 * stream + 6), random_affine(hidden, d, 10 * stream + 7)}};
}

}  // namespace linattn::testing
