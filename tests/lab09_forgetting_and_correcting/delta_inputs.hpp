// Calls of the exercises with the delta rule: inputs whose keys, decays and lengths hide nothing.
#pragma once

#include <cmath>
#include <limits>

#include "delta_definition.hpp"
#include "results.hpp"
#include "sizes.hpp"

namespace linattn::testing {

inline Tensor of_length_one(const Tensor& x) {
    const Tensor squares = sum(x * x, -1, keep_dims);
    return x / sqrt(where(squares > 0.0, squares, 1.0));
}

/// How keys lie to each other.
enum class Keys { random, correlated, nearly_equal, equal, orthogonal };
/// Which decays there are: weak ones only, from -20 to -1e-3 with a reset among them, -inf too, none.
enum class Decays { weak, wide, with_resets, none };

inline Tensor keys_of(Keys kind, const Shape& shape, std::uint64_t stream) {
    const std::size_t n = shape[shape.size() - 2], d = shape.back();
    Tensor x = random_tensor(shape, stream);
    if (kind == Keys::orthogonal) {
        for (std::size_t e = 0; e < x.size(); ++e) x.data()[e] = e % d == e / d % n % d ? 1.0 : 0.0;
        return x;
    }
    Shape one = shape;
    one[one.size() - 2] = 1;
    const double spread = kind == Keys::correlated ? 0.5 : kind == Keys::nearly_equal ? 1e-3 : 0.0;
    if (kind != Keys::random) x = of_length_one(random_tensor(one, stream + 1)) + spread * of_length_one(x);
    return of_length_one(x);
}

inline Tensor decays_of(Decays kind, const Shape& shape, std::uint64_t stream) {
    if (kind == Decays::none) return zeros(shape);
    if (kind == Decays::weak) return random_tensor(shape, stream, -0.6, -1e-3);
    Tensor x = -exp(random_tensor(shape, stream, std::log(1e-3), std::log(20.0)));
    const std::size_t n = shape.back();
    // Token 5, 16, … forgets nearly all or all; tokens 7, 18, … nothing.
    for (std::size_t e = 0; e < x.size() && kind == Decays::with_resets; ++e) {
        const std::size_t i = e % n, row = e / n;
        if (i % 11 == 5) x.data()[e] = (i / 11 + row) % 2 == 0 ? -infinity : -1e4;
        if (i % 11 == 7) x.data()[e] = 0.0;
        if (i % 11 == 2 || i % 11 == 4 || i % 11 == 6) x.data()[e] = -1e-2;
    }
    return x;
}

struct DeltaInputs {
    Tensor Q, K, V, beta, log_decay, S, dO;

    DeltaInputs(const Shape& leading, std::size_t n, std::size_t d_k, std::size_t d_v, std::uint64_t stream,
                Keys keys = Keys::random, Decays decays = Decays::weak)
        : Q(random_tensor(join(leading, {n, d_k}), 8 * stream)),
          // As long as 0.6 to 1: a key of length 1 hides that it is normalised.
          K(keys_of(keys, join(leading, {n, d_k}), 8 * stream + 1)),
          V(random_tensor(join(leading, {n, d_v}), 8 * stream + 3)),
          beta(random_tensor(join(leading, {n}), 8 * stream + 4, 0.2, 1.0)),
          log_decay(decays_of(decays, join(leading, {n}), 8 * stream + 5)),
          S(random_tensor(join(leading, {d_k, d_v}), 8 * stream + 6)),
          dO(random_tensor(join(leading, {n, d_v}), 8 * stream + 7)) {
        if (keys == Keys::random) K *= random_tensor(join(leading, {n, 1}), 8 * stream + 2, 0.6, 1.0);
    }
    DeltaInputs(const Size& size, std::uint64_t stream, Keys keys = Keys::random, Decays decays = Decays::weak)
        : DeltaInputs(size.leading, size.n, size.d_k, size.d_v, stream, keys, decays) {}
};

}  // namespace linattn::testing
