#include <cmath>

#include "bfloat16_arrays.hpp"
#include "oracle.hpp"
#include "work_counter.hpp"

namespace linattn::testing::chunkwise_mixed_precision_mistakes {

using Numbers16 = std::span<const std::uint16_t>;

// Where a number is rounded to bfloat16. As it stands it is the answer. All else that goes wrong in chunks is in
// mutations.cpp.
struct Settings {
    bool phi_Q = true, phi_K = true, V = false;
    bool scores = false, state = false, z = false, added = false, numerator = false, normalizer = false, output = false;
    bool read_S = false, read_z = false;  // where the queries read it
    bool divisor_from_rounded = true;     // features in the normaliser
    bool features_cut = false;            // rounded towards 0
    bool reciprocal = false;              // of the normaliser
};

double rounded_if(bool here, double x) { return here ? nearest_bfloat16(x) : x; }

double feature(double x) { return x > 0.0 ? x + 1.0 : std::exp(x); }

double cut_to_bfloat16(double x) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(x));
    return static_cast<double>(std::bit_cast<float>(bits & 0xFFFF0000));
}

// Features as they are multiplied, and as they are in the normaliser.
struct Features {
    std::vector<double> product, divisor;

    Features(Numbers16 x, bool rounded, const Settings& settings) {
        for (const std::uint16_t pattern : x) {
            const double phi = feature(static_cast<double>(from_bfloat16(pattern)));
            const double factor = settings.features_cut ? cut_to_bfloat16(phi) : rounded_if(rounded, phi);
            product.push_back(factor);
            divisor.push_back(settings.divisor_from_rounded ? factor : phi);
        }
    }
};

// Chunk by chunk in double, so that nothing is rounded but where the settings say it.
Array mixed_with(Numbers16 Q, Numbers16 K, Numbers16 V, const Sizes& sizes, int chunk, float epsilon,
                 const Settings& settings) {
    require_bfloat16_arrays(Q, K, V, sizes, chunk, "chunkwise_mixed_precision");
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v),
               C = static_cast<std::size_t>(chunk);
    const Features q(Q, settings.phi_Q, settings), k(K, settings.phi_K, settings);
    const std::vector<float> v = numbers_of(V);
    Tensor output = zeros({heads, n, d_v});
    std::vector<double> S(d_k * d_v), z(d_k);
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t start = 0; start < n; start += C) {
            if (start == 0) S.assign(S.size(), 0.0), z.assign(z.size(), 0.0);
            const std::size_t end = std::min(start + C, n);
            const auto update = [&] {
                for (std::size_t a = 0; a < d_k; ++a) {
                    double brought_z = 0.0;
                    for (std::size_t j = h * n + start; j < h * n + end; ++j) brought_z += k.divisor[j * d_k + a];
                    z[a] = rounded_if(settings.z, z[a] + rounded_if(settings.added, brought_z));
                    for (std::size_t b = 0; b < d_v; ++b) {
                        double brought = 0.0;
                        for (std::size_t j = h * n + start; j < h * n + end; ++j)
                            brought += k.product[j * d_k + a] * static_cast<double>(v[j * d_v + b]);
                        double& entry = S[a * d_v + b];
                        entry = rounded_if(settings.state, entry + rounded_if(settings.added, brought));
                    }
                }
            };
            for (std::size_t i = h * n + start; i < h * n + end; ++i) {
                std::vector<double> numerator(d_v, 0.0);
                double normalizer = static_cast<double>(epsilon);
                for (std::size_t j = h * n + start; j <= i; ++j) {
                    const double score =
                        rounded_if(settings.scores, dot_product(&q.product[i * d_k], &k.product[j * d_k], d_k));
                    normalizer += settings.divisor_from_rounded
                                      ? score
                                      : dot_product(&q.divisor[i * d_k], &k.divisor[j * d_k], d_k);
                    for (std::size_t b = 0; b < d_v; ++b) numerator[b] += score * static_cast<double>(v[j * d_v + b]);
                }
                for (std::size_t a = 0; a < d_k; ++a) {
                    normalizer += q.divisor[i * d_k + a] * rounded_if(settings.read_z, z[a]);
                    for (std::size_t b = 0; b < d_v; ++b)
                        numerator[b] += q.product[i * d_k + a] * rounded_if(settings.read_S, S[a * d_v + b]);
                }
                normalizer = rounded_if(settings.normalizer, normalizer);
                for (std::size_t b = 0; b < d_v; ++b)
                    output.data()[i * d_v + b] =
                        rounded_if(settings.output, settings.reciprocal
                                                        ? numerator[b] * nearest_bfloat16(1.0 / normalizer)
                                                        : rounded_if(settings.numerator, numerator[b]) / normalizer);
            }
            update();
        }
    return array_of(output);
}

#define MIXED_MISTAKE(name, explanation)                                                                         \
    MISTAKE(chunkwise_mixed_precision,                                                                           \
            (Numbers16 Q, Numbers16 K, Numbers16 V, const Sizes& sizes, int chunk, float epsilon), name, "§5.8", \
            explanation)
#define MIXED_MUTATION(name, explanation, ...) \
    MIXED_MISTAKE(name, explanation) { return mixed_with(Q, K, V, sizes, chunk, epsilon, Settings{__VA_ARGS__}); }

MIXED_MUTATION(
    "state kept in bfloat16",
    "8 bits soon hold no more than was in S: keep S in float32. A 16-bit state cost TensorRT-Model-Connect two "
    "thirds of its right answers, PR 725.",
    .state = true)
MIXED_MUTATION("z kept in bfloat16", "A sum of ones in bfloat16 stops at 256: keep z in float32.", .z = true)
MIXED_MUTATION("S and z kept in bfloat16",
               "What is added up stays in float32: S, and z as well. A state in bfloat16 made a model in ollama repeat "
               "itself, issue 15865.",
               .state = true, .z = true)
MIXED_MUTATION("S rounded when it is read", "S is a sum in float32 and is multiplied as it is.", .read_S = true)
MIXED_MUTATION("S and z rounded when they are read", "S and z are sums in float32 and are multiplied as they are.",
               .read_S = true, .read_z = true)
MIXED_MUTATION("what a chunk brings rounded before it is added", "Add φ(K)ᵀV to S, and φ(K)ᵀ1 to z, as float32.",
               .added = true)
MIXED_MUTATION("scores rounded", "A is a sum in float32 and goes into A V as it is.", .scores = true)
MIXED_MUTATION("numerator rounded", "A V + φ(Q)S stays in float32 until it is divided.", .numerator = true)
MIXED_MUTATION("normaliser rounded", "The normaliser is a sum: keep it in float32.", .normalizer = true)
MIXED_MUTATION("reciprocal of the normaliser rounded", "Divide in float32: 1/D has 8 bits left in bfloat16.",
               .reciprocal = true)
MIXED_MUTATION("outputs rounded", "The result is float32: round inputs and features only.", .output = true)
MIXED_MUTATION("features left in float32", "Round φ(q) and φ(k) to bfloat16 before they are multiplied.",
               .phi_Q = false, .phi_K = false)
MIXED_MUTATION("features of Q left in float32", "Round φ(q) to bfloat16 as well as φ(k).", .phi_Q = false)
MIXED_MUTATION("features of K left in float32", "Round φ(k) to bfloat16 as well as φ(q).", .phi_K = false)
MIXED_MUTATION("normaliser of features that were not rounded",
               "Numerator and denominator need the same weights: take the rounded features for both.",
               .divisor_from_rounded = false)
MIXED_MUTATION("features truncated instead of rounded", "Take to_bfloat16 for the features: it rounds to the nearest.",
               .features_cut = true)
MIXED_MISTAKE("patterns taken for numbers",
              "A pattern of 16 bits is not a number yet: from_bfloat16 gives the number that it stands for.") {
    const auto taken = [](Numbers16 patterns) {
        Patterns numbers;
        for (const std::uint16_t pattern : patterns)
            numbers.push_back(upper_half(nearest_bfloat16(static_cast<double>(pattern))));
        return numbers;
    };
    return mixed_with(taken(Q), taken(K), taken(V), sizes, chunk, epsilon, {});
}

}  // namespace linattn::testing::chunkwise_mixed_precision_mistakes
