// Causal linear attention token by token in plain loops, one head, all widths d; and what else is measured beside
// chunkwise attention.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "chunkwise.hpp"
#include "matrix.hpp"

namespace linattn {

// reference/beyond/lab05_chunkwise_fused.cpp
void chunkwise_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V, const Sizes& sizes,
                     float epsilon, std::span<float> output, int threads);

// reference/beyond/lab09_gated_delta_fused.cpp
void gated_delta_fused(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                       std::span<const float> beta, std::span<const float> log_decay, const Sizes& sizes,
                       std::span<float> output, int threads);

inline void features(const float* x, float* phi, std::size_t count) {
    for (std::size_t a = 0; a < count; ++a) phi[a] = std::max(x[a], 0.0f) + std::exp(std::min(x[a], 0.0f));
}

inline void features_by_vectors(const float* x, float* phi, std::size_t count) {
    elu_plus_one({x, count}, {phi, count});
}

/// One token: adds it to S and z, and its output, not yet normalised, to o. \return the normaliser without ε
using Step = float (*)(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d);

/// Plain loops, over S once to update it and once to read it.
inline float two_sweeps(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d) {
    float normalizer = 0.0f;
    for (std::size_t a = 0; a < d; ++a) {
        const float k_a = k[a];
        z[a] += k_a;
        for (std::size_t b = 0; b < d; ++b) S[a * d + b] += k_a * v[b];
    }
    for (std::size_t a = 0; a < d; ++a) {
        const float q_a = q[a];
        normalizer += q_a * z[a];
        for (std::size_t b = 0; b < d; ++b) o[b] += q_a * S[a * d + b];
    }
    return normalizer;
}

/// An entry of S is read as soon as it is updated.
inline float one_sweep(const float* q, const float* k, const float* v, float* o, float* S, float* z, std::size_t d) {
    float normalizer = 0.0f;
    for (std::size_t a = 0; a < d; ++a) {
        const float k_a = k[a], q_a = q[a];
        z[a] += k_a;
        normalizer += q_a * z[a];
        for (std::size_t b = 0; b < d; ++b) {
            S[a * d + b] += k_a * v[b];
            o[b] += q_a * S[a * d + b];
        }
    }
    return normalizer;
}

template <Step TakeToken, auto Features>
void token_recurrence(const float* Q, const float* K, const float* V, float* output, std::size_t n, std::size_t d,
                      float epsilon) {
    std::vector<float> S(d * d), z(d), q(d), k(d);
    std::fill(output, output + n * d, 0.0f);
    for (std::size_t i = 0; i < n; ++i) {
        float* o = output + i * d;
        Features(Q + i * d, q.data(), d);
        Features(K + i * d, k.data(), d);
        const float normalizer = TakeToken(q.data(), k.data(), V + i * d, o, S.data(), z.data(), d) + epsilon;
        for (std::size_t b = 0; b < d; ++b) o[b] /= normalizer;
    }
}

}  // namespace linattn
