// class: hollow results
// An array of floats whose shape promises more numbers than there are, and one whose product overflows.
// expects: lab05 chunkwise_linear_attention=fail|crash, *=todo
#include "chunkwise.hpp"
#include "contract.hpp"
#include "matrix.hpp"

namespace linattn {
Array chunkwise_linear_attention(std::span<const float>, std::span<const float>, std::span<const float> V,
                                 const Sizes& sizes, int, float) {
    static int calls = 0;
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n);
    if (++calls % 2 == 0) return {{std::size_t{1} << 32, std::size_t{1} << 32}, {}};
    return {{heads, n, V.size() / (heads * n)}, std::vector<float>(1)};
}
}
