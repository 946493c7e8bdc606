// Arrays of kernels that are read, or written, in another layout: mistakes of every exercise that takes Q, K and V as float32
// arrays.
#pragma once

#include <limits>

#include "faults.hpp"
#include "kernel_claims.hpp"
#include "mutations.hpp"

namespace linattn::testing {

/// How an array of (heads, n, width) is read, or written.
enum class Layout {
    as_it_lies,
    first_head,           ///< the first head in the place of each
    tokens_before_heads,  ///< as (n, heads, width)
    columns,              ///< as (heads, width, n)
    first_chunk,          ///< the first chunk in the place of each
    rows_of_d_k,          ///< where a chunk begins, rows of width d_k are counted
    token_before,         ///< the row of the token before, the first one's its own
    token_after,          ///< the row of the token after, the last one's its own
};

/// The settings of a definition with these mistakes derive from this.
struct Layouts {
    Layout Q = Layout::as_it_lies, K = Layout::as_it_lies, V = Layout::as_it_lies, O = Layout::as_it_lies;
    bool operator==(const Layouts&) const = default;
};

/// \param stride_confused what an exercise must have for rows of d_v to be taken for rows of d_k
template <class Settings>
Mutations<Settings> layout_mutations(unsigned stride_confused) {
    return {
        {"the layout", "row stride confused", "Rows of Q and K are d_k long, rows of V and the output d_v.",
         stride_confused, SET(s.V = Layout::rows_of_d_k)},
        {"the rows", "query of the token before", "Row i of a chunk is token start + i, not the one before it.", 0,
         SET(s.Q = Layout::token_before)},
        {"the rows", "query of the token after", "Row i of a chunk is token start + i, not the one after it.", 0,
         SET(s.Q = Layout::token_after)},
        {"the rows", "key of the token before", "Row j of a chunk is token start + j, not the one before it.", 0,
         SET(s.K = Layout::token_before)},
        {"the rows", "key of the token after", "Row j of a chunk is token start + j, not the one after it.", 0,
         SET(s.K = Layout::token_after)},
        {"the rows", "value of the token before", "Row j of a chunk is token start + j, not the one before it.", 0,
         SET(s.V = Layout::token_before)},
        {"the rows", "value of the token after", "Row j of a chunk is token start + j, not the one after it.", 0,
         SET(s.V = Layout::token_after)},
        {"the layout", "Q of the first head for all", "Head h of Q begins at entry h·n·d_k.", 0,
         SET(s.Q = Layout::first_head)},
        {"the layout", "K of the first head for all", "Head h of K begins at entry h·n·d_k.", 0,
         SET(s.K = Layout::first_head)},
        {"the layout", "V of the first head for all", "Head h of V begins at entry h·n·d_v.", 0,
         SET(s.V = Layout::first_head)},
        {"the layout", "Q, K and V of the first head for all", "Head h of an array begins at entry h·n·width.", 0,
         SET(s.Q = s.K = s.V = Layout::first_head)},
        {"the layout", "Q of the first chunk for all", "Chunk m of Q begins m·chunk rows into its head.", 0,
         SET(s.Q = Layout::first_chunk)},
        {"the layout", "K of the first chunk for all", "Chunk m of K begins m·chunk rows into its head.", 0,
         SET(s.K = Layout::first_chunk)},
        {"the layout", "V of the first chunk for all", "Chunk m of V begins m·chunk rows into its head.", 0,
         SET(s.V = Layout::first_chunk)},
        {"the layout", "arrays read as (n, heads, width)", "The head is the first axis: (heads, n, width).", 0,
         SET(s.Q = s.K = s.V = s.O = Layout::tokens_before_heads)},
        {"the layout", "Q read by columns", "Arrays lie row by row: entry a of token i is at i·d_k + a.", 0,
         SET(s.Q = Layout::columns)},
        {"the layout", "K read by columns", "Arrays lie row by row: entry a of token j is at j·d_k + a.", 0,
         SET(s.K = Layout::columns)},
        {"the layout", "V read by columns", "Arrays lie row by row: entry b of token j is at j·d_v + b.", 0,
         SET(s.V = Layout::columns)},
        {"the layout", "output written by columns", "Arrays lie row by row: entry b of token i is at i·d_v + b.", 0,
         SET(s.O = Layout::columns)},
    };
}

// Where entry a of token i of head h lies in the array `name`.
inline std::size_t place(Layout layout, const char* name, const Sizes& sizes, int width, int chunk, int h, int i,
                         int a) {
    const int n = sizes.n, start = i / chunk * chunk;
    int at = (h * n + i) * width + a;
    if (layout == Layout::first_head) at = i * width + a;
    if (layout == Layout::token_before && i > 0) at -= width;
    if (layout == Layout::token_after && i + 1 < n) at += width;
    if (layout == Layout::tokens_before_heads) at = (i * sizes.heads + h) * width + a;
    if (layout == Layout::columns) at = (h * width + a) * n + i;
    if (layout == Layout::first_chunk) at = (h * n + i - start) * width + a;
    if (layout == Layout::rows_of_d_k) at = h * n * width + start * sizes.d_k + (i - start) * width + a;
    if (at >= sizes.heads * n * width) fault({{Fault::read_outside, name}});
    return static_cast<std::size_t>(at);
}
template <class Function>
void for_each_entry(const Sizes& sizes, int width, Function function) {
    for (int h = 0; h < sizes.heads; ++h)
        for (int i = 0; i < sizes.n; ++i)
            for (int a = 0; a < width; ++a) function(h, i, a);
}
inline Tensor read(Layout layout, const char* name, Values values, const Sizes& sizes, int width, int chunk) {
    Tensor x = zeros(
        {static_cast<std::size_t>(sizes.heads), static_cast<std::size_t>(sizes.n), static_cast<std::size_t>(width)});
    std::size_t e = 0;
    for_each_entry(sizes, width, [&](int h, int i, int a) {
        x.data()[e++] = static_cast<double>(values[place(layout, name, sizes, width, chunk, h, i, a)]);
    });
    return x;
}

/// The output (heads, n, d_v), rounded; 0 from token `whole` on.
inline Array written(Layout layout, const Tensor& made, const Sizes& sizes, int chunk, int whole) {
    Array output = array_of(made);
    std::size_t e = 0;
    for_each_entry(sizes, sizes.d_v, [&](int h, int i, int b) {
        const double entry = i < whole ? made.data()[e] : 0.0;
        output.values[place(layout, "O", sizes, sizes.d_v, chunk, h, i, b)] = static_cast<float>(entry);
        ++e;
    });
    return output;
}

/// Nobody has written the entries of a chunk of an output from `end(entries)` on, where the chunk has so many.
template <class End>
void only_entries_before(Array& output, const Sizes& sizes, int chunk, End end) {
    std::size_t e = 0;
    for_each_entry(sizes, sizes.d_v, [&](int, int i, int b) {
        const int entries = std::min(chunk, sizes.n - i / chunk * chunk) * sizes.d_v;
        if (i % chunk * sizes.d_v + b >= end(entries)) output.values[e] = std::numeric_limits<float>::quiet_NaN();
        ++e;
    });
}
/// Nobody has written the tokens of an output from `end` on.
inline void only_tokens_before(Array& output, const Sizes& sizes, int end) {
    std::size_t e = 0;
    for_each_entry(sizes, sizes.d_v, [&](int, int i, int) {
        if (i >= end) output.values[e] = std::numeric_limits<float>::quiet_NaN();
        ++e;
    });
}
/// One entry for each thread.
inline void only_first_entries(Array& output, const Sizes& sizes, int chunk) {
    only_entries_before(output, sizes, chunk, [](int) { return kernels::threads_per_block; });
}
/// As many for each thread as for any other.
inline void only_whole_shares(Array& output, const Sizes& sizes, int chunk) {
    only_entries_before(output, sizes, chunk,
                        [](int entries) { return entries / kernels::threads_per_block * kernels::threads_per_block; });
}

}  // namespace linattn::testing
