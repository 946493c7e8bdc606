// Our functions for peers.py and rule_peers.py, which call them beside those of others in one process. Arrays are
// (heads, n, d), contiguous.
#include <algorithm>
#include <span>

#include "forgetting.hpp"
#include "token_loops.hpp"

namespace {

std::size_t size(int x) { return static_cast<std::size_t>(x); }

// Arguments of lab 09 as Tensors, which takes a copy.
struct OfLab09 {
    linattn::Tensor Q, K, V, beta, log_decay;

    OfLab09(const double* q, const double* k, const double* v, const double* b, const double* a, int heads, int n,
            int d)
        : Q(copy(q, {size(heads), size(n), size(d)})),
          K(copy(k, {size(heads), size(n), size(d)})),
          V(copy(v, {size(heads), size(n), size(d)})),
          beta(copy(b, {size(heads), size(n)})),
          log_decay(copy(a, {size(heads), size(n)})) {}

    static linattn::Tensor copy(const double* from, const linattn::Shape& shape) {
        linattn::Tensor x = linattn::zeros(shape);
        std::copy_n(from, x.size(), x.begin());
        return x;
    }
};

}  // namespace

extern "C" {

void openblas_set_num_threads(int threads) __attribute__((weak));  // another BLAS does not have it

void use_blas_threads(int threads) {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

/// As lab 05 asks for it: it allocates its output. \return where that is, until the next call
const float* chunkwise(const float* Q, const float* K, const float* V, int heads, int n, int d, int chunk) {
    static linattn::Array output;
    const std::size_t count = size(heads) * size(n) * size(d);
    output = {};
    output = linattn::chunkwise_linear_attention({Q, count}, {K, count}, {V, count}, {heads, n, d, d}, chunk, 1e-6f);
    return output.values.data();
}

void fused(const float* Q, const float* K, const float* V, float* O, int heads, int n, int d, int threads) {
    const std::size_t count = size(heads) * size(n) * size(d);
    linattn::chunkwise_fused({Q, count}, {K, count}, {V, count}, {heads, n, d, d}, 1e-6f, {O, count}, threads);
}

/// The quickest of the plain loops, head by head.
void tokens(const float* Q, const float* K, const float* V, float* O, int heads, int n, int d) {
    const std::size_t head = size(n) * size(d);
    for (std::size_t at = 0; at < head * size(heads); at += head)
        linattn::token_recurrence<linattn::one_sweep, linattn::features_by_vectors>(Q + at, K + at, V + at, O + at,
                                                                                    size(n), size(d), 1e-6f);
}

/// Lab 09's gated delta rule.
void fused_delta(const float* q, const float* k, const float* v, const float* b, const float* a, float* o, int heads,
                 int n, int d) {
    const std::size_t tokens = size(heads) * size(n), count = tokens * size(d);
    linattn::gated_delta_fused({q, count}, {k, count}, {v, count}, {b, tokens}, {a, tokens}, {heads, n, d, d},
                               {o, count}, 1);
}

#define LAB09(name, call)                                                                                     \
    void name(const double* q, const double* k, const double* v, const double* b, const double* a, double* o, \
              int heads, int n, int d, int chunk) {                                                           \
        const OfLab09 x(q, k, v, b, a, heads, n, d);                                                          \
        const std::size_t C = size(chunk);                                                                    \
        const linattn::Tensor output = call;                                                                  \
        std::copy(output.begin(), output.end(), o);                                                           \
    }
LAB09(lab09_gated, linattn::gated_attention_chunkwise(x.Q, x.K, x.V, x.log_decay, C))
LAB09(lab09_delta, linattn::delta_rule_chunkwise(x.Q, x.K, x.V, x.beta, C))
LAB09(lab09_both, linattn::gated_delta_rule_chunkwise(x.Q, x.K, x.V, x.beta, x.log_decay, C))
}
