// The sizes at which suites call what works on tokens: on both sides of the borders that people's blocks have, with all
// lengths of a call unequal. tests/framework/gates/border_matrix.py tries that nothing gets through between them.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

struct Size {
    Shape leading;
    std::size_t n, d_k, d_v;
};

/// Around 16, 32, 64 and 128 tokens, in narrow arrays: an O(n²) definition is quick there.
/// \param longest the longest sequence wanted: 913, or 200 for what is O(n²) itself or goes token by token
inline std::vector<Size> lengths_around_borders(std::size_t longest = 913) {
    std::vector<Size> sizes;
    // The shortest come last: what is wrong with an empty result says little.
    for (const Size& size : {Size{{2}, 2, 3, 5},
                             {{3}, 15, 5, 2},
                             {{}, 16, 2, 3},
                             {{2}, 17, 3, 1},
                             {{1, 2}, 31, 1, 3},
                             {{}, 33, 4, 2},
                             {{}, 63, 2, 1},
                             {{}, 64, 3, 2},
                             {{2}, 65, 1, 2},
                             {{}, 127, 2, 3},
                             {{1}, 128, 3, 1},
                             {{}, 129, 2, 1},
                             {{}, 200, 1, 2},
                             {{}, 913, 2, 1},
                             {{3, 2}, 1, 3, 2},
                             {{2, 3}, 0, 4, 5}})
        if (size.n <= longest) sizes.push_back(size);
    return sizes;
}

/// The same borders in the widths and in the leading axes, with few tokens.
inline std::vector<Size> widths_around_borders() {
    return {{{}, 3, 33, 17},  {{}, 2, 131, 128},   {{}, 3, 128, 130},  {{130}, 2, 3, 1},
            {{128}, 2, 4, 3}, {{130, 2}, 3, 2, 1}, {{128, 1}, 3, 2, 4}};
}

/// Beyond the round numbers that a buffer may have: 4 100 tokens, 300 heads, widths of 300, one at a time and all else small.
/// border_matrix.py tries that entries from 256, 512, … on count.
constexpr std::size_t many_tokens = 4100, long_width = 300;
inline std::vector<Size> long_sizes(std::size_t n = many_tokens) {
    return {{{long_width}, 2, 1, 2}, {{}, 2, long_width, 1}, {{}, 2, 1, long_width}, {{}, n, 2, 1}};
}

/// Both lists.
inline std::vector<Size> sizes_around_borders(std::size_t longest = 913) {
    std::vector<Size> sizes = lengths_around_borders(longest);
    for (const Size& size : widths_around_borders()) sizes.push_back(size);
    return sizes;
}

/// And the long ones: for what treats each entry, or each token, by itself.
inline std::vector<Size> all_sizes() {
    std::vector<Size> sizes = sizes_around_borders(200);
    for (const Size& size : long_sizes()) sizes.push_back(size);
    return sizes;
}

}  // namespace linattn::testing
