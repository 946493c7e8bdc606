// What is added to numbers that are there already: A to the scores of the chunk before, outputs to those of another
// head.
#include <cmath>

#include "arrays.hpp"
#include "bfloat16_arrays.hpp"
#include "faults.hpp"
#include "oracle.hpp"

namespace linattn::testing::scores_mistakes {

struct AddedUp {
    bool across_heads;          // or cleared once per head
    bool in_normalizer;         // or the denominators come from z alone
    bool rows_lie_chunk_apart;  // or as far as the chunk has tokens
};

using Numbers16 = std::span<const std::uint16_t>;
using Features = std::vector<double>;

Features features_of(Values x) {
    Features phi(x.begin(), x.end());
    for (double& each : phi) each = each > 0.0 ? each + 1.0 : std::exp(each);
    return phi;
}
Features rounded_features_of(Numbers16 x) {
    Features phi = features_of(numbers_of(x));
    for (double& each : phi) each = nearest_bfloat16(each);
    return phi;
}

Array with_scores_added_up(const Features& phi_Q, const Features& phi_K, Values V, const Sizes& sizes, int chunk,
                           float epsilon, AddedUp how) {
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v),
               longest = std::min(static_cast<std::size_t>(chunk), n);
    Tensor output = zeros({heads, n, d_v});
    std::vector<double> scores(longest * longest);
    for (std::size_t h = 0; h < heads; ++h) {
        if (!how.across_heads) std::fill(scores.begin(), scores.end(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t start = i / longest * longest, rows = std::min(longest, n - start);
            const std::size_t stride = how.rows_lie_chunk_apart ? longest : rows;
            double normalizer = static_cast<double>(epsilon);
            for (std::size_t j = 0; j < start + rows; ++j) {
                const double right = dot_product(&phi_Q[(h * n + i) * d_k], &phi_K[(h * n + j) * d_k], d_k);
                double weight = right;
                if (j >= start) {
                    double& score = scores[(i - start) * stride + j - start];
                    weight = score = j <= i ? score + right : 0.0;
                }
                if (j <= i) normalizer += how.in_normalizer ? weight : right;
                for (std::size_t b = 0; b < d_v; ++b)
                    output.data()[(h * n + i) * d_v + b] += weight * static_cast<double>(V[(h * n + j) * d_v + b]);
            }
            for (std::size_t b = 0; b < d_v; ++b) output.data()[(h * n + i) * d_v + b] /= normalizer;
        }
    }
    return array_of(output);
}

// All heads from the first one's tokens, each added to the rows of the first.
Array with_heads_added_up(const Features& phi_Q, const Features& phi_K, Values V, const Sizes& sizes, float epsilon) {
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v);
    Tensor output = zeros({heads, n, d_v});
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> numerator(d_v);
        double normalizer = static_cast<double>(epsilon);
        for (std::size_t j = 0; j <= i; ++j) {
            const double weight = dot_product(&phi_Q[i * d_k], &phi_K[j * d_k], d_k);
            normalizer += weight;
            for (std::size_t b = 0; b < d_v; ++b) numerator[b] += weight * static_cast<double>(V[j * d_v + b]);
        }
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t b = 0; b < d_v; ++b) {
                double& entry = output.data()[i * d_v + b];
                entry = (entry + numerator[b]) / normalizer;
            }
    }
    return array_of(output);
}

const char* const cleared_in_every_chunk =
    "add_product adds to what is there: set A to 0 in every chunk, or a chunk sees the scores of earlier ones.";
const char* const head_of_every_array =
    "Head h begins at h·n·d_k in Q and K, and at h·n·d_v in V and the output. Without it, all heads are computed from "
    "the first one's tokens and added to its rows.";

#define CHUNKWISE_MISTAKE(name, explanation, result)                                                                   \
    MISTAKE(chunkwise_linear_attention, (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon),  \
            name, "§5.1", explanation) {                                                                               \
        require_attention_arrays(Q, K, V, sizes, chunk, "chunkwise_linear_attention");                                 \
        const Features phi_Q = features_of(Q), phi_K = features_of(K);                                                 \
        return result;                                                                                                 \
    }                                                                                                                  \
    MISTAKE(chunkwise_mixed_precision,                                                                                 \
            (Numbers16 Q, Numbers16 K, Numbers16 numbers, const Sizes& sizes, int chunk, float epsilon), name, "§5.8", \
            explanation) {                                                                                             \
        require_bfloat16_arrays(Q, K, numbers, sizes, chunk, "chunkwise_mixed_precision");                             \
        const Features phi_Q = rounded_features_of(Q), phi_K = rounded_features_of(K);                                 \
        const std::vector<float> V = numbers_of(numbers);                                                              \
        return result;                                                                                                 \
    }

CHUNKWISE_MISTAKE("A not cleared before the product", cleared_in_every_chunk,
                  with_scores_added_up(phi_Q, phi_K, V, sizes, chunk, epsilon, {true, true, false}))
CHUNKWISE_MISTAKE("A cleared once per head", cleared_in_every_chunk,
                  with_scores_added_up(phi_Q, phi_K, V, sizes, chunk, epsilon, {false, true, false}))
CHUNKWISE_MISTAKE("A not cleared before the product, z right", cleared_in_every_chunk,
                  with_scores_added_up(phi_Q, phi_K, V, sizes, chunk, epsilon, {true, false, false}))
CHUNKWISE_MISTAKE("head forgotten in an offset", head_of_every_array,
                  with_heads_added_up(phi_Q, phi_K, V, sizes, epsilon))

MISTAKE(chunkwise_forward,
        (Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon, const gpu::RunOptions& run),
        "A cleared for the first chunk only", "§5.3",
        "Store the scores with =, or set A to 0 in every chunk: += adds to the scores of the chunk before.") {
    return with_scores_added_up(features_of(Q), features_of(K), V, sizes, chunk, epsilon, {false, true, true});
}

}  // namespace linattn::testing::scores_mistakes
