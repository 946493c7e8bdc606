// What a state is made of: each token's outer product φ(k)vᵀ alone, and S, their sum, as lab 02's step writes it.
#include <cstdio>
#include <string>

#include "feature_maps.hpp"
#include "linear_attention.hpp"
#include "random.hpp"

namespace {

constexpr std::size_t tokens = 4, d_k = 8, d_v = 6;
constexpr std::uint64_t seed = 5;

void print(const std::string& matrix, const linattn::Tensor& S) {
    for (std::size_t row = 0; row < d_k; ++row)
        for (std::size_t column = 0; column < d_v; ++column)
            std::printf("%s,%zu,%zu,%.4f\n", matrix.c_str(), row, column, S(row, column));
}

}  // namespace

int main() {
    const linattn::FeatureMap phi("elu_plus_one", linattn::elu_plus_one);
    const linattn::Tensor K = linattn::normal({tokens, d_k}, seed), V = linattn::normal({tokens, d_v}, seed + 1);
    const linattn::Tensor nothing = linattn::zeros({d_k, d_v});
    std::printf("# %zu tokens, d_k = %zu, d_v = %zu, elu + 1, entries of K and V from N(0, 1), seeds %d and %d\n",
                tokens, d_k, d_v, static_cast<int>(seed), static_cast<int>(seed + 1));
    std::puts("matrix,row,column,value");
    linattn::Tensor S = nothing;
    for (std::size_t i = 0; i < tokens; ++i) {
        const linattn::Tensor k = linattn::token(K, i), v = linattn::token(V, i);
        print("token " + std::to_string(i + 1), linattn::linear_attention_step(k, k, v, nothing, phi).S);
        S = linattn::linear_attention_step(k, k, v, S, phi).S;
    }
    print("S", S);
}
