// Causal linear attention in float32 token by token, in plain loops over one head, all widths d; and what else is measured
// beside chunkwise attention.
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

enum class Loops { plain, one_sweep, best };  ///< best: one sweep, and e^x of many numbers at once

/// Plain loops update S first and then read it; in one sweep an entry of S is read as soon as it is updated.
inline std::vector<float> token_by_token(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                         std::size_t d, Loops loops = Loops::one_sweep) {
    std::vector<float> S(d * d), z(d), q(d), k(d), output(V.size());
    const auto features = [&](std::span<const float> x, std::vector<float>& phi) {
        if (loops == Loops::best) return elu_plus_one(x, phi);
        for (std::size_t a = 0; a < d; ++a) phi[a] = std::max(x[a], 0.0f) + std::exp(std::min(x[a], 0.0f));
    };
    for (std::size_t at = 0; at < V.size(); at += d) {
        features(Q.subspan(at, d), q);
        features(K.subspan(at, d), k);
        const float* v = &V[at];
        float* o = &output[at];
        float normalizer = 1e-6f;
        for (std::size_t a = 0; a < d; ++a) {
            const float k_a = k[a], q_a = q[a];
            z[a] += k_a;
            normalizer += q_a * z[a];
            for (std::size_t b = 0; b < d; ++b) {
                S[a * d + b] += k_a * v[b];
                if (loops != Loops::plain) o[b] += q_a * S[a * d + b];
            }
        }
        for (std::size_t a = 0; loops == Loops::plain && a < d; ++a)
            for (std::size_t b = 0; b < d; ++b) o[b] += q[a] * S[a * d + b];
        for (std::size_t b = 0; b < d; ++b) o[b] /= normalizer;
    }
    return output;
}

}  // namespace linattn
