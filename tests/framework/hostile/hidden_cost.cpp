// class: claims of the runner
// Linear attention over all pairs of tokens: loops that nothing counts, and memory that nothing watches.
// expects: lab02 linear_attention_recurrent=fail|timeout, *=todo
#include <cstdlib>

#include "linear_attention.hpp"

namespace linattn {
__attribute__((no_sanitize("address", "bounds"), no_sanitize_coverage)) static void add_all_pairs(
    const double* q, const double* k, const double* v, double* o, std::size_t n, std::size_t c, std::size_t d) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double weight = 0;
            for (std::size_t a = 0; a < c; ++a) weight += q[i * c + a] * k[j * c + a];
            for (std::size_t b = 0; b < d; ++b) o[i * d + b] += weight * v[j * d + b];
        }
}

Tensor linear_attention_recurrent(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    Tensor O = zeros(shape_of(V));
    const std::size_t heads = shape.n == 0 ? 0 : V.size() / shape.n / shape.d_v;
    std::size_t c = 0;
    double *q = nullptr, *k = nullptr;
    for (std::size_t i = 0; i < shape.n; ++i) {
        const Tensor phi_q = phi(token(Q, i)), phi_k = phi(token(K, i));
        if (i == 0) {
            c = length(phi_q, -1);
            q = static_cast<double*>(std::calloc(heads * shape.n * c + 1, sizeof(double)));
            k = static_cast<double*>(std::calloc(heads * shape.n * c + 1, sizeof(double)));
        }
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t a = 0; a < c; ++a) {
                q[(h * shape.n + i) * c + a] = phi_q.data()[h * c + a];
                k[(h * shape.n + i) * c + a] = phi_k.data()[h * c + a];
            }
    }
    for (std::size_t h = 0; h < heads; ++h)
        add_all_pairs(q + h * shape.n * c, k + h * shape.n * c, V.data() + h * shape.n * shape.d_v,
                      O.data() + h * shape.n * shape.d_v, shape.n, c, shape.d_v);
    std::free(q);
    std::free(k);
    return O;
}
}
