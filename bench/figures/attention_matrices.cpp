// The weights of one head by softmax, by elu + 1, and by FAVOR+ with few and with many features. Attention whose values
// are the rows of the identity matrix returns its weights.
#include <cmath>
#include <cstdio>

#include "favor.hpp"
#include "feature_maps.hpp"
#include "linear_attention.hpp"
#include "normalized_attention.hpp"

namespace {

using linattn::Tensor;

constexpr std::size_t n = 20, d = 16, few = 32, many = 1024, lag = 4;
constexpr std::uint64_t seed = 1;

Tensor unit_matrix() {
    Tensor I = linattn::zeros({n, n});
    for (std::size_t i = 0; i < n; ++i) I(i, i) = 1.0;
    return I;
}

// Every token at the given length: ‖x̂‖² = ‖x‖²/√d is then `square`.
Tensor with_square(const Tensor& x, double square) {
    const Tensor norms = linattn::sqrt(linattn::sum(x * x, -1, linattn::keep_dims));
    return x / norms * std::sqrt(square * std::sqrt(static_cast<double>(d)));
}

void print(const char* method, const Tensor& weights) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) std::printf("%s,%zu,%zu,%.4f\n", method, i, j, weights(i, j));
}

}  // namespace

int main() {
    const linattn::Mask causal = linattn::Mask::causal;
    const double square = 2.0;
    // A head that looks back: the query of token i resembles the key of token i - lag.
    const Tensor K = with_square(linattn::normal({n, d}, seed), square);
    Tensor Q = 0.5 * linattn::normal({n, d}, seed + 1);
    for (std::size_t i = 0; i < n; ++i)
        linattn::set_token(Q, i, linattn::token(Q, i) + linattn::token(K, i < lag ? 0 : i - lag));
    Q = with_square(Q, square);

    std::printf("# n = %zu, d = %zu, causal, |q|^2 = |k|^2 = %g after scaling by d^(-1/4), seeds %d to %d\n", n, d,
                square, static_cast<int>(seed), static_cast<int>(seed + 2));
    std::puts("method,query,key,weight");
    print("softmax", linattn::softmax_attention(Q, K, unit_matrix(), causal));
    const linattn::FeatureMap elu_plus_one("elu_plus_one", linattn::elu_plus_one);
    print("elu + 1", linattn::attention_weights(Q, K, elu_plus_one, causal, 0.0));
    for (const std::size_t m : {few, many}) {
        const Tensor W = linattn::orthogonal_projection(m, d, seed + 2);
        const std::string name = "FAVOR+ m = " + std::to_string(m);
        print(name.c_str(), linattn::favor_attention(Q, K, unit_matrix(), W, causal, 0.0));
    }
}
