// Lab 05: read labs/lab05_chunkwise_cuda/README.md from 5.7 on, write the functions below, then run
//     ctest -R "lab05.(to_bfloat16|chunkwise_mixed_precision)"
#include "mixed_precision.hpp"

#include "contract.hpp"
#include "matrix.hpp"

// BEGIN SOLUTION
#include <algorithm>
#include <cmath>
// END SOLUTION

namespace linattn {

std::vector<std::uint16_t> to_bfloat16(std::span<const float> x) {
    std::vector<std::uint16_t> patterns(x.size());
    // std::bit_cast<std::uint32_t>(x[i]) is the pattern of a float. Its upper half is a bfloat16, rounded towards 0.
    // BEGIN SOLUTION
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto bits = std::bit_cast<std::uint32_t>(x[i]);
        const std::uint32_t upper = bits >> 16;
        // Halfway, a last bit of 1 in the upper half carries, and one of 0 does not.
        const std::uint32_t rounded = (bits + 0x7FFF + (upper & 1)) >> 16;
        patterns[i] = static_cast<std::uint16_t>(std::isnan(x[i]) ? upper | 0x40 : rounded);
    }
    return patterns;
    // END SOLUTION
}

// BEGIN SOLUTION
namespace {

// Numbers of bfloat16 as the float32 products take them.
void widen(std::span<const std::uint16_t> patterns, std::span<float> values) {
    std::transform(patterns.begin(), patterns.end(), values.begin(), from_bfloat16);
}

// φ of numbers of bfloat16, rounded to bfloat16 as well.
void features(std::span<const std::uint16_t> patterns, std::span<float> phi) {
    widen(patterns, phi);
    elu_plus_one(phi, phi);
    widen(to_bfloat16(phi), phi);
}

}  // namespace

// END SOLUTION
Array chunkwise_mixed_precision(std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                                std::span<const std::uint16_t> V, const Sizes& sizes, int chunk, float epsilon) {
    require_bfloat16_arrays(Q, K, V, sizes, chunk);
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v),
               C = static_cast<std::size_t>(chunk);
    Array output{{heads, n, d_v}, std::vector<float>(V.size())};
    // As in 5.1, on each chunk of φ(Q), φ(K) and V as floats that are numbers of bfloat16. Nothing else is rounded.
    // BEGIN SOLUTION
    const std::size_t longest = std::min(C, n);
    std::vector<float> phi_Q(longest * d_k), phi_K(longest * d_k), values(longest * d_v), scores(longest * longest);
    std::vector<float> state(d_k * d_v), z(d_k);
    for (std::size_t h = 0; h < heads; ++h) {
        const Matrix S{state.data(), d_k, d_v};
        std::fill(state.begin(), state.end(), 0.0f);
        std::fill(z.begin(), z.end(), 0.0f);
        for (std::size_t start = 0; start < n; start += C) {
            const std::size_t rows = std::min(C, n - start), token = h * n + start;
            features(Q.subspan(token * d_k, rows * d_k), {phi_Q.data(), rows * d_k});
            features(K.subspan(token * d_k, rows * d_k), {phi_K.data(), rows * d_k});
            widen(V.subspan(token * d_v, rows * d_v), {values.data(), rows * d_v});
            const ConstMatrix q{phi_Q.data(), rows, d_k}, k{phi_K.data(), rows, d_k}, v{values.data(), rows, d_v};

            const Matrix A{scores.data(), rows, rows}, O{output.values.data() + token * d_v, rows, d_v};
            std::fill(scores.begin(), scores.end(), 0.0f);
            add_product(A, q, transpose(k));
            for (std::size_t i = 0; i < rows; ++i)
                for (std::size_t j = i + 1; j < rows; ++j) A(i, j) = 0.0f;
            add_product(O, A, v);
            add_product(O, q, S);
            for (std::size_t i = 0; i < rows; ++i) {
                float normalizer = epsilon;
                for (std::size_t j = 0; j <= i; ++j) normalizer += A(i, j);
                for (std::size_t a = 0; a < d_k; ++a) normalizer += phi_Q[i * d_k + a] * z[a];
                for (std::size_t b = 0; b < d_v; ++b) O(i, b) /= normalizer;
            }
            add_product(S, transpose(k), v);
            for (std::size_t j = 0; j < rows; ++j)
                for (std::size_t a = 0; a < d_k; ++a) z[a] += phi_K[j * d_k + a];
        }
    }
    return output;
    // END SOLUTION
}

}  // namespace linattn
