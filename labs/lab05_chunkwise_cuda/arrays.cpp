// The checks of chunkwise.hpp and mixed_precision.hpp, and what a launch throws when its kernel is not written. Given.
#include "chunkwise.hpp"
#include "contract.hpp"
#include "launch.hpp"
#include "mixed_precision.hpp"

namespace linattn {
namespace {

void require_entries(std::size_t entries, const char* argument, const char* meaning, std::initializer_list<int> shape,
                     const char* caller) {
    Shape lengths;
    std::size_t expected = 1;
    for (const int length : shape) {
        if (length < 0) reject(caller, "sizes", "lengths that are not negative", std::to_string(length));
        lengths.push_back(static_cast<std::size_t>(length));
        expected *= lengths.back();
    }
    if (entries != expected)
        reject(caller, argument,
               std::string(meaning) + " = " + to_string(lengths) + ", " + std::to_string(expected) + " entries",
               std::to_string(entries) + " entries");
}

// Q, K and V of float32, or of patterns of bfloat16.
template <class Number>
void require_attention(std::span<const Number> Q, std::span<const Number> K, std::span<const Number> V,
                       const Sizes& sizes, int chunk, const char* caller) {
    if (chunk < 1) reject(caller, "chunk", "at least 1", std::to_string(chunk));
    require_entries(Q.size(), "Q", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_entries(K.size(), "K", "(heads, n, d_k)", {sizes.heads, sizes.n, sizes.d_k}, caller);
    require_entries(V.size(), "V", "(heads, n, d_v)", {sizes.heads, sizes.n, sizes.d_v}, caller);
}

}  // namespace

void require_array(std::span<const float> values, const char* argument, const char* meaning,
                   std::initializer_list<int> shape, const char* caller) {
    require_entries(values.size(), argument, meaning, shape, caller);
}

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
    if (chunk < 1) reject(caller, "chunk", "at least 1", std::to_string(chunk));
    const int chunks = chunks_of(sizes, chunk);
    require_array(S, "S", "(heads, chunks, d_k, d_v)", {sizes.heads, chunks, sizes.d_k, sizes.d_v}, caller);
    require_array(z, "z", "(heads, chunks, d_k)", {sizes.heads, chunks, sizes.d_k}, caller);
}

void throw_not_implemented(const gpu::NotWritten& kernel) {
    throw NotImplemented(kernel.what(), kernel.file().c_str());
}

}  // namespace linattn
