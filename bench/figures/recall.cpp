// What comes back from a memory of n pairs: each is asked for by its own key, and the answer is held against its value.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "feature_maps.hpp"
#include "linear_algebra.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"
#include "random.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t d = 64, draws = 20, most = 512;

Tensor of_length_one(const Tensor& x) { return x / linattn::sqrt(linattn::sum(x * x, -1, linattn::keep_dims)); }

double relative_error(const Tensor& recalled, const Tensor& V) {
    double missed = 0.0, whole = 0.0;
    for (std::size_t e = 0; e < V.size(); ++e) {
        missed += std::pow(recalled.data()[e] - V.data()[e], 2);
        whole += std::pow(V.data()[e], 2);
    }
    return std::sqrt(missed / whole);
}

// What the memory of that name answers to the keys themselves. K has entries from N(0, 1).
Tensor recalled(const std::string& memory, const Tensor& K, const Tensor& V) {
    if (memory == "softmax") return linattn::softmax_attention(K, K, V, linattn::Mask::none);
    if (memory == "elu + 1") {
        const linattn::FeatureMap phi("elu_plus_one", linattn::elu_plus_one);
        return linattn::normalized_linear_attention(K, K, V, phi, 0.0);
    }
    if (memory == "products") {
        const linattn::FeatureMap phi("polynomial", linattn::polynomial_features);
        const Tensor keys = of_length_one(K);
        return linattn::linear_attention_bidirectional(keys, keys, V, phi);
    }
    const linattn::FeatureMap phi("identity", linattn::identity);
    const Tensor keys =
        memory == "sum" ? of_length_one(K) : linattn::matrix_transpose(linattn::qr(linattn::matrix_transpose(K)).Q);
    return linattn::linear_attention_bidirectional(keys, keys, V, phi);
}

}  // namespace

int main() {
    std::printf("# d_k = d_v = %zu; median of %zu draws of K and V, entries from N(0, 1), seeds 0 to %zu\n", d, draws,
                2 * draws - 1);
    std::puts("memory,pairs,error");
    for (const char* memory : {"softmax", "products", "orthonormal", "sum", "elu + 1"})
        for (std::size_t n = 1; n <= most; n *= 2) {
            if (std::string(memory) == "orthonormal" && n > d) break;  // there are no more of them
            std::vector<double> errors;
            for (std::size_t draw = 0; draw < draws; ++draw) {
                const Tensor K = linattn::normal({n, d}, 2 * draw), V = linattn::normal({n, d}, 2 * draw + 1);
                errors.push_back(relative_error(recalled(memory, K, V), V));
            }
            std::sort(errors.begin(), errors.end());
            std::printf("%s,%zu,%.4g\n", memory, n, (errors[draws / 2 - 1] + errors[draws / 2]) / 2);
        }
}
