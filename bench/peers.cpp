// Our functions for peers.py, which calls them beside PyTorch's. Arrays are (heads, n, d), contiguous.
#include <algorithm>

#include "token_loops.hpp"

namespace {

using namespace linattn;

struct Arrays {
    Sizes sizes;
    std::size_t tokens = static_cast<std::size_t>(sizes.heads) * static_cast<std::size_t>(sizes.n),
                count = tokens * static_cast<std::size_t>(sizes.d_k);

    Arrays(int heads, int n, int d) : sizes{heads, n, d, d} {}
};

}  // namespace

extern "C" {

void openblas_set_num_threads(int threads) __attribute__((weak));  // another BLAS does not have it

void use_blas_threads(int threads) {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

void chunkwise(const float* Q, const float* K, const float* V, float* O, int heads, int n, int d) {
    const Arrays x(heads, n, d);
    const Array output = chunkwise_linear_attention({Q, x.count}, {K, x.count}, {V, x.count}, x.sizes, 16, 1e-6f);
    std::ranges::copy(output.values, O);
}

void fused(const float* Q, const float* K, const float* V, float* O, int heads, int n, int d, int threads) {
    const Arrays x(heads, n, d);
    chunkwise_fused({Q, x.count}, {K, x.count}, {V, x.count}, x.sizes, 1e-6f, {O, x.count}, threads);
}

/// Lab 09's gated delta rule.
void fused_delta(const float* q, const float* k, const float* v, const float* b, const float* a, float* o, int heads,
                 int n, int d, int threads) {
    const Arrays x(heads, n, d);
    gated_delta_fused({q, x.count}, {k, x.count}, {v, x.count}, {b, x.tokens}, {a, x.tokens}, x.sizes, {o, x.count},
                      threads);
}
}
