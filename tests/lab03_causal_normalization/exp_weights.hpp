// The weights of exponential features, term by term: what streaming_exp_attention is compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "normalized_attention.hpp"
#include "oracle.hpp"
#include "suite.hpp"
#include "work_counter.hpp"

namespace linattn::testing {

/// The queries and keys of one head.
struct Head {
    const double *q, *k;
    std::size_t n, d;
    double query(std::size_t i, std::size_t a) const { return q[i * d + a]; }
    double key(std::size_t j, std::size_t a) const { return k[j * d + a]; }
};

/// In each channel, over tokens 0 to i.
inline std::vector<double> largest_keys_until(const Head& head, std::size_t i) {
    std::vector<double> largest(head.d, -infinity);
    for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t a = 0; a < head.d; ++a) largest[a] = std::max(largest[a], head.key(j, a));
    return largest;
}
/// max (q_ia + k_ja) over j ≤ i and all channels.
inline double largest_exponent(const Head& head, std::size_t i) {
    const std::vector<double> keys = largest_keys_until(head, i);
    double largest = -infinity;
    for (std::size_t a = 0; a < head.d; ++a) largest = std::max(largest, head.query(i, a) + keys[a]);
    return largest;
}

/// What channel a adds to the weight of key j; one such function for each query i.
using Term = std::function<double(std::size_t j, std::size_t a)>;
using TermsOfRow = std::function<Term(const Head& head, std::size_t i)>;

/// w_ij = Σ_a term(j, a) for j ≤ i, 0 elsewhere, for every leading index.
inline Weights exp_weights(const Tensor& Q, const Tensor& K, const TermsOfRow& terms_of_row) {
    const std::size_t n = length(Q, -2), d = length(Q, -1), heads = heads_of(Q);
    Shape shape = shape_of(Q);
    shape.back() = n;
    Weights weights = zeros(shape);
    for (std::size_t h = 0; h < heads; ++h) {
        const Head head{Q.data() + h * n * d, K.data() + h * n * d, n, d};
        for (std::size_t i = 0; i < n; ++i) {
            const Term term = terms_of_row(head, i);
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t a = 0; a < d; ++a) weights.data()[(h * n + i) * n + j] += term(j, a);
        }
    }
    count_work(heads * n * n * d);  // the definition costs O(n²)
    return weights;
}

/// exp(q_ia + k_ja - g_i): the definition.
inline Term terms_by_definition(const Head& head, std::size_t i) {
    return [head, i, shift = largest_exponent(head, i)](std::size_t j, std::size_t a) {
        return std::exp(head.query(i, a) + head.key(j, a) - shift);
    };
}

}  // namespace linattn::testing
