// Arrays in float32, as kernels and what is compared with them take and return them: contiguous, row by row. Plain C++, since
// nvcc reads it too.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace linattn::kernels {
inline constexpr int threads_per_block = 128;  // what the launch code launches
}

namespace linattn {

struct Sizes {
    int heads, n, d_k, d_v;
};

/// An array in float32 with its shape.
struct Array {
    std::vector<std::size_t> shape;
    std::vector<float> values;
};

/// Zeros of this shape.
Array make_array(std::initializer_list<int> lengths);

/// Throws what the suites report as TODO: NotImplemented, which nvcc cannot read.
[[noreturn]] void throw_not_implemented(const std::string& function, const std::string& file);

// Checks at the head of a function; they throw std::invalid_argument.

/// An argument has as many entries as `shape` says; `meaning` spells it, as in "(heads, n, d_k)".
void require_entries(std::size_t entries, const char* argument, const char* meaning, std::initializer_list<int> shape,
                     const char* caller);
inline void require_array(std::span<const float> values, const char* argument, const char* meaning,
                          std::initializer_list<int> shape, const char* caller = __builtin_FUNCTION()) {
    require_entries(values.size(), argument, meaning, shape, caller);
}
/// A chunk has at least one token.
void require_tokens_in_chunk(int chunk, const char* caller);

}  // namespace linattn
