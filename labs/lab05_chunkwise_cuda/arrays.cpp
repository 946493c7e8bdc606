// The checks of chunkwise.hpp and mixed_precision.hpp. Given.
#include <algorithm>

#include "chunkwise.hpp"
#include "contract.hpp"
#include "mixed_precision.hpp"

namespace linattn {
namespace {

// Q, K and V of float32, or of patterns of bfloat16.
template <class Number>
void require_attention(std::span<const Number> Q, std::span<const Number> K, std::span<const Number> V,
                       const Sizes& sizes, int chunk, const char* caller) {
    require_tokens_in_chunk(chunk, caller);
    require_entries(Q.size(), "Q", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_entries(K.size(), "K", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_entries(V.size(), "V", "(heads, n, d_v)", {sizes.heads, sizes.n, sizes.d_v}, caller);
}

}  // namespace

void require_attention_arrays(std::span<const float> Q, std::span<const float> K, std::span<const float> V,
                              const Sizes& sizes, int chunk, const char* caller) {
    require_attention(Q, K, V, sizes, chunk, caller);
}

void require_bfloat16_arrays(std::span<const std::uint16_t> Q, std::span<const std::uint16_t> K,
                             std::span<const std::uint16_t> V, const Sizes& sizes, int chunk, const char* caller) {
    require_attention(Q, K, V, sizes, chunk, caller);
}

void require_states(std::span<const float> S, std::span<const float> z, const Sizes& sizes, int chunk,
                    const char* caller) {
    require_tokens_in_chunk(chunk, caller);
    const int chunks = chunks_of(sizes, chunk);
    require_array(S, "S", "(heads, chunks, d_k, d_v)", {sizes.heads, chunks, sizes.d_k, sizes.d_v}, caller);
    require_array(z, "z", "(heads, chunks, d_k)", {sizes.heads, chunks, sizes.d_k}, caller);
}

void require_borders(std::span<const int> borders, const Sizes& sizes, const char* caller) {
    if (borders.empty() || borders.front() != 0 || borders.back() != sizes.n || !std::ranges::is_sorted(borders)) {
        std::string got;
        for (const int border : borders) got += (got.empty() ? "" : ", ") + std::to_string(border);
        reject(caller, "borders", "0, …, n = " + std::to_string(sizes.n) + ", none less than the one before",
               "(" + got + ")");
    }
}

}  // namespace linattn
