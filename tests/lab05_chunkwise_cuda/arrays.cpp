#include "arrays.hpp"

#include <algorithm>
#include <cmath>

#include "oracle.hpp"
#include "sizes.hpp"

namespace linattn {

testing::Parts parts_of(const States& states) {
    return {{"S", parts_of(states.S)[0].value, true}, {"z", parts_of(states.z)[0].value, true}};
}

}  // namespace linattn

namespace linattn::testing {
namespace {

std::size_t size(int length) { return static_cast<std::size_t>(length); }

double phi(double x) { return x > 0.0 ? x + 1.0 : std::exp(x); }

// How far a sum of so many terms in float32 may be off, as a part of the sum of their sizes. φ itself takes a few
// roundings.
double rounding(double terms) {
    const double count = terms + 8.0;
    return std::min(count, 7.0 * std::sqrt(count)) * 0x1p-24;
}

std::vector<double> features(Values x, bool mapped) {
    std::vector<double> result;
    result.reserve(x.size());
    for (const float entry : x) result.push_back(mapped ? phi(static_cast<double>(entry)) : static_cast<double>(entry));
    return result;
}

}  // namespace

Arrays::Arrays(const Sizes& s, std::uint64_t stream)
    : sizes(s),
      Q(rounded(random_tensor({size(s.heads), size(s.n), size(s.d_k)}, 3 * stream))),
      K(rounded(random_tensor({size(s.heads), size(s.n), size(s.d_k)}, 3 * stream + 1))),
      V(rounded(random_tensor({size(s.heads), size(s.n), size(s.d_v)}, 3 * stream + 2, -1.0, 1.0))) {}

Tensor output_by_definition(Values Q, Values K, Values V, const Sizes& sizes, float epsilon, bool mapped,
                            const Borders& borders) {
    Tensor output = zeros({size(sizes.heads), size(sizes.n), size(sizes.d_v)});
    const std::size_t n = size(sizes.n), d_k = size(sizes.d_k), d_v = size(sizes.d_v);
    const std::vector<double> phi_Q = features(Q, mapped), phi_K = features(K, mapped);
    std::vector<double> S(d_k * (d_v + 1));
    for (std::size_t h = 0; h < size(sizes.heads); ++h)
        for (std::size_t i = 0; i < n; ++i) {
            double* row = output.data() + (h * n + i) * d_v;
            double normalizer = static_cast<double>(epsilon);
            const auto after = std::upper_bound(borders.begin(), borders.end(), static_cast<int>(i));
            if (n >= 1000) {  // by the recurrence: S, and z as its last column
                if (i == 0 || std::binary_search(borders.begin(), borders.end(), static_cast<int>(i)))
                    std::fill(S.begin(), S.end(), 0.0);
                for (std::size_t a = 0; a < d_k; ++a) {
                    double* sums = &S[a * (d_v + 1)];
                    for (std::size_t b = 0; b <= d_v; ++b) {
                        const double v = b < d_v ? static_cast<double>(V[(h * n + i) * d_v + b]) : 1.0;
                        sums[b] += phi_K[(h * n + i) * d_k + a] * v;
                        (b < d_v ? row[b] : normalizer) += phi_Q[(h * n + i) * d_k + a] * sums[b];
                    }
                }
                for (std::size_t b = 0; b < d_v; ++b) row[b] /= normalizer;
                continue;
            }
            for (std::size_t j = borders.empty() ? 0 : size(after[-1]); j <= i; ++j) {
                const double weight =
                    dot_product(phi_Q.data() + (h * n + i) * d_k, phi_K.data() + (h * n + j) * d_k, d_k);
                normalizer += weight;
                for (std::size_t b = 0; b < d_v; ++b) row[b] += weight * static_cast<double>(V[(h * n + j) * d_v + b]);
            }
            for (std::size_t b = 0; b < d_v; ++b) row[b] /= normalizer;
        }
    return output;
}

Expected expected_output(const Arrays& in, float epsilon, bool mapped, const Borders& borders) {
    std::vector<float> sizes_of_V = in.V;
    for (float& v : sizes_of_V) v = std::fabs(v);
    const Tensor value = output_by_definition(in.Q, in.K, in.V, in.sizes, epsilon, mapped, borders);
    const Tensor magnitude = output_by_definition(in.Q, in.K, sizes_of_V, in.sizes, epsilon, mapped, borders);
    const double terms = in.sizes.n + in.sizes.d_k;
    return {value, magnitude * (2.0 * rounding(terms)) + 1e-37,
            "2 min(m, 7 sqrt(m)) 2^-24 sum w |v| / sum w with m = n + d_k + 8 = " +
                std::to_string(static_cast<int>(terms) + 8)};
}

ChunkSums sums_of_chunks(Values K, Values V, const Sizes& sizes, int chunk) {
    const std::size_t chunks = size(chunks_of(sizes, chunk)), n = size(sizes.n), d_k = size(sizes.d_k),
                      d_v = size(sizes.d_v);
    ChunkSums sums{zeros({size(sizes.heads), chunks, d_k, d_v}), zeros({size(sizes.heads), chunks, d_k}),
                   zeros({size(sizes.heads), chunks, d_k, d_v})};
    for (std::size_t h = 0; h < size(sizes.heads); ++h)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t a = 0; a < d_k; ++a) {
                const std::size_t token = h * n + j, entry = (h * chunks + j / size(chunk)) * d_k + a;
                const double feature = phi(static_cast<double>(K[token * d_k + a]));
                sums.z.data()[entry] += feature;
                for (std::size_t b = 0; b < d_v; ++b) {
                    const double term = feature * static_cast<double>(V[token * d_v + b]);
                    sums.S.data()[entry * d_v + b] += term;
                    sums.size_of_S.data()[entry * d_v + b] += std::fabs(term);
                }
            }
    return sums;
}

Tensor sums_before(const Tensor& x) {
    const Shape shape = shape_of(x);
    Tensor result = zeros(shape);
    if (x.size() == 0) return result;
    const std::size_t chunks = shape[1], width = x.size() / shape[0] / chunks;
    for (std::size_t h = 0; h < shape[0]; ++h)
        for (std::size_t e = 0; e < width; ++e) {
            double sum = 0.0;
            for (std::size_t m = 0; m < chunks; ++m) {
                const std::size_t at = (h * chunks + m) * width + e;
                result.data()[at] = sum;
                sum += x.data()[at];
            }
        }
    return result;
}

std::vector<Expected> expected_states(const Arrays& in, int chunk, bool before) {
    const Sizes& sizes = in.sizes;
    ChunkSums sums = sums_of_chunks(in.K, in.V, sizes, chunk);
    if (before) sums = {sums_before(sums.S), sums_before(sums.z), sums_before(sums.size_of_S)};
    const double terms = before ? sizes.n : chunk;
    const std::string why =
        "min(m, 7 sqrt(m)) 2^-24 sum |phi(k)| |v| with m = " + std::to_string(static_cast<int>(terms) + 8);
    return {{sums.S, sums.size_of_S * rounding(terms) + 1e-37, why, false},
            {sums.z, sums.z * rounding(terms) + 1e-37, why, false}};
}

std::vector<Sizes> every_size() {
    std::vector<Sizes> result;
    for (const Size& size : sizes_around_borders()) {
        Sizes sizes{1, static_cast<int>(size.n), static_cast<int>(size.d_k), static_cast<int>(size.d_v)};
        for (const std::size_t length : size.leading) sizes.heads *= static_cast<int>(length);
        result.push_back(sizes);
    }
    return result;
}

}  // namespace linattn::testing
