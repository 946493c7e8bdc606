// The numbers of the chapter's worked example: n = 3, d = 4, two heads of width 2. No projected entry is below 0, so
// φ(x) = x + 1.
#pragma once

#include "suite.hpp"
#include "transformer.hpp"

namespace linattn::testing::worked_example {

inline const Tensor X{{1, 0, 0, 1}, {0, 1, 2, 0}, {1, 1, 0, 0}};
inline const std::size_t heads = 2;

/// X in heads.
inline const Tensor split{{{1, 0}, {0, 1}, {1, 1}}, {{0, 1}, {2, 0}, {0, 0}}};

inline const Tensor unit{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
/// Queries and values are X itself, the first entry of each key is one larger; the output exchanges the heads.
inline const Attention w{{unit, zeros({4})},
                         {unit, {1, 0, 0, 0}},
                         {unit, zeros({4})},
                         {{{0, 0, 1, 0}, {0, 0, 0, 1}, {1, 0, 0, 0}, {0, 1, 0, 0}}, {0, 0, 1, 0}}};

/// φ(q_i)·φ(k_j) for j ≤ i and their sums, head by head, and the values weighted with them.
inline const Tensor rows_of_weights{{{7, 0, 0}, {5, 6, 0}, {8, 8, 10}}, {{5, 0, 0}, {5, 10, 0}, {3, 4, 2}}};
inline const Tensor sums = expand_dims(Tensor{{7, 11, 26}, {5, 15, 9}}, -1);
inline const Tensor numerators{{{7, 0}, {5, 6}, {18, 18}}, {{0, 5}, {20, 5}, {8, 3}}};

/// A token of mean 2 and variance 1.
inline const Tensor token_of_variance_1{1, 3, 3, 1};
inline const Norm norm{{1, 1, 2, 1}, {0, 0, 0, 5}};

/// Three symbols, no block: the head sends each symbol to the next, and the last one to the first.
inline const Model in_a_circle{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                               zeros({6, 3}),
                               {},
                               {ones({3}), zeros({3})},
                               {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, zeros({3})},
                               1};

/// Hybrid attention with d_k = 1 and a window of 2: all queries are 0, so that the softmax weights are equal.
inline const Tensor hybrid_Q = expand_dims(Tensor{0, 0, 0}, -1);
inline const Tensor hybrid_K = expand_dims(Tensor{0, 1, 2}, -1);
inline const Tensor hybrid_V{{6, 0}, {0, 6}, {12, 6}};
inline const Tensor gate{0.5, 0.5, 0.25};
inline const std::size_t window = 2;
/// Weights 1, 2 and 3 for the linear part.
inline const Tensor local{{6, 0}, {3, 3}, {6, 6}};
inline const Tensor linear_numerators{{6, 0}, {6, 12}, {42, 30}};
inline const Tensor linear_sums = expand_dims(Tensor{1, 3, 6}, -1);

}  // namespace linattn::testing::worked_example
