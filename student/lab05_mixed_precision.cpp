// Lab 05: read labs/lab05_chunkwise_cuda/README.md from 5.7 on, write the functions below, then run
//     ctest -R "lab05.(to_bfloat16|chunkwise_mixed_precision)"
#include "mixed_precision.hpp"

#include "contract.hpp"
#include "matrix.hpp"

namespace linattn {

std::vector<std::uint16_t> to_bfloat16(std::span<const float> x) {
    std::vector<std::uint16_t> patterns(x.size());
    // std::bit_cast<std::uint32_t>(x[i]) is the pattern of a float. Its upper half is a bfloat16, rounded towards 0.
    // YOUR CODE HERE
    throw NotImplemented("to_bfloat16");
}

Array chunkwise_mixed_precision(std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                                std::span<const std::uint16_t> V, const Sizes& sizes, int chunk, float epsilon) {
    require_bfloat16_arrays(Q, K, V, sizes, chunk);
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n),
               d_k = static_cast<std::size_t>(sizes.d_k), d_v = static_cast<std::size_t>(sizes.d_v),
               C = static_cast<std::size_t>(chunk);
    Array output{{heads, n, d_v}, std::vector<float>(V.size())};
    // As in 5.1, on each chunk of φ(Q), φ(K) and V as floats that are numbers of bfloat16. Nothing else is rounded.
    // YOUR CODE HERE
    throw NotImplemented("chunkwise_mixed_precision");
}

}  // namespace linattn
