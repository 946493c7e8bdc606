// Lab 05: read labs/lab05_chunkwise_cuda/README.md, write the function below, then run
//     ctest -R lab05.chunkwise_linear_attention
// The kernels are in lab05_chunkwise_kernel.cu.
#include "chunkwise.hpp"
#include "contract.hpp"
#include "matrix.hpp"

// BEGIN SOLUTION
#include <algorithm>
#include <numeric>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

// x·y. Sixteen sums side by side: in one alone, every addition would wait for the one before it.
float dot(const float* x, const float* y, std::size_t count) {
    float sums[16] = {};
    std::size_t e = 0;
    for (; e + 16 <= count; e += 16)
        for (std::size_t lane = 0; lane < 16; ++lane) sums[lane] += x[e + lane] * y[e + lane];
    for (; e < count; ++e) sums[0] += x[e] * y[e];
    return std::accumulate(std::begin(sums), std::end(sums), 0.0f);
}

}  // namespace
// END SOLUTION

Array chunkwise_linear_attention(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                                 const Sizes& sizes, int chunk, float epsilon) {
    require_attention_arrays(Q, K, V, sizes, chunk);
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v),
               C = static_cast<std::size_t>(chunk);
    Array output{{heads, n, d_v}, std::vector<float>(V.size())};
    // For each head S = 0; for each chunk: A = φQ φKᵀ with zeros above the diagonal, O = A V + φQ S, then S += φKᵀV.
    // z grows next to S, or is the last column of S when V gets a column of ones.
    // BEGIN SOLUTION
    const std::size_t longest = std::min(C, n);
    std::vector<float> phi_Q(longest * d_k), phi_K(longest * d_k), scores(longest * longest), state(d_k * d_v), z(d_k);
    for (std::size_t h = 0; h < heads; ++h) {
        const Matrix S{state.data(), d_k, d_v};
        std::fill(state.begin(), state.end(), 0.0f);
        std::fill(z.begin(), z.end(), 0.0f);
        for (std::size_t start = 0; start < n; start += C) {
            const std::size_t rows = std::min(C, n - start), token = h * n + start;
            elu_plus_one(Q.subspan(token * d_k, rows * d_k), {phi_Q.data(), rows * d_k});
            elu_plus_one(K.subspan(token * d_k, rows * d_k), {phi_K.data(), rows * d_k});
            const ConstMatrix q{phi_Q.data(), rows, d_k}, k{phi_K.data(), rows, d_k},
                v{V.data() + token * d_v, rows, d_v};

            const Matrix A{scores.data(), rows, rows}, O{output.values.data() + token * d_v, rows, d_v};
            std::fill(scores.begin(), scores.end(), 0.0f);
            add_product(A, q, transpose(k));
            for (std::size_t i = 0; i < rows; ++i) std::fill(&A(i, i) + 1, &A(i, 0) + rows, 0.0f);
            add_product(O, A, v);
            add_product(O, q, S);
            for (std::size_t i = 0; i < rows; ++i) {
                const float normalizer =
                    std::accumulate(&A(i, 0), &A(i, i) + 1, epsilon) + dot(&phi_Q[i * d_k], z.data(), d_k);
                const float factor = 1.0f / normalizer;
                for (std::size_t b = 0; b < d_v; ++b) O(i, b) *= factor;
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
