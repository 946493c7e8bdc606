// What the heads of a small model look at, and what their memory holds after the last token.
#include <cstdio>

#include "feature_maps.hpp"
#include "normalized_attention.hpp"
#include "random_model.hpp"
#include "transformer.hpp"

namespace {

using namespace linattn;

constexpr std::size_t n = 18, heads = 2, d = 12;
constexpr std::uint64_t seed = 1;

void print(const char* what, std::size_t head, const Tensor& matrix, bool lower_half) {
    for (std::size_t i = 0; i < length(matrix, 0); ++i)
        for (std::size_t j = 0; j < (lower_half ? i + 1 : length(matrix, 1)); ++j)
            std::printf("%s,%zu,%zu,%zu,%.4f\n", what, head, i, j, matrix(i, j));
}
Tensor of_head(const Tensor& x, std::size_t head) {
    const Tensor part = slice(x, 0, head, head + 1);
    return reshape(part, {length(x, 1), length(x, 2)});
}

}  // namespace

int main() {
    const Model w = random_model({6, n, 1, d, heads}, seed);
    const Block& block = w.blocks.front();
    Tensor ids = zeros({n});
    for (std::size_t i = 0; i < n; ++i) ids(i) = static_cast<double>(i % 6);  // six symbols, three times over
    const Tensor X = rows(w.embedding, ids) + 0.3 * w.positions;

    const Tensor u = layer_norm(X, block.before_attention);
    const Tensor Q = split_heads(matmul(u, block.attention.Q.W), heads);
    const Tensor K = split_heads(matmul(u, block.attention.K.W), heads);
    const FeatureMap phi("elu_plus_one", elu_plus_one);
    const Tensor weights = attention_weights(Q, K, phi, Mask::causal, attention_epsilon);

    Memory memory{zeros({heads, d / heads, d / heads}), zeros({heads, d / heads})};
    for (std::size_t i = 0; i < n; ++i) memory = block_step(token(X, i), block, heads, memory).memory;

    std::printf("# one block, d = %zu, %zu heads, untrained, seed %d; six symbols, three times over\n", d, heads,
                static_cast<int>(seed));
    std::puts("what,head,row,column,value");
    for (std::size_t head = 0; head < heads; ++head) {
        print("weights", head, of_head(weights, head), true);
        print("S", head, of_head(memory.S, head), false);
    }
}
