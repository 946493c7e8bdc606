// The numbers of the chapter's worked example: n = 4, d_k = 2, d_v = 3; φ = elu + 1 on entries ≥ 0, so φ(x) = x + 1.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

inline const Tensor Q{{1, 0}, {0, 2}, {0, 0}, {1, 2}};  // φ: (2, 1), (1, 3), (1, 1), (2, 3)
inline const Tensor K{{0, 1}, {1, 0}, {0, 0}, {2, 1}};  // φ: (1, 2), (2, 1), (1, 1), (3, 2)
inline const Tensor V{{1, 0, 2}, {0, 1, 1}, {3, 0, 1}, {1, 2, 0}};

// Rows of weights before they are divided, and what they sum to. A numerator is a row times V.
inline const Tensor causal_rows{{4, 0, 0, 0}, {7, 5, 0, 0}, {3, 3, 2, 0}, {8, 7, 5, 12}};
inline const Tensor causal_sums = expand_dims(Tensor{4, 12, 8, 32}, -1);
inline const Tensor causal_numerators{{4, 0, 8}, {7, 5, 19}, {9, 3, 11}, {35, 31, 28}};

inline const Tensor rows{{4, 5, 3, 8}, {7, 5, 4, 9}, {3, 3, 2, 5}, {8, 7, 5, 12}};
inline const Tensor sums = expand_dims(Tensor{20, 25, 13, 32}, -1);
inline const Tensor numerators{{21, 21, 16}, {28, 23, 23}, {14, 13, 11}, {35, 31, 28}};

/// The largest product of one feature of a query and the same feature of a key that it sees: what ε is measured in
/// when the features are exponentials.
inline const Tensor largest_terms = expand_dims(Tensor{2, 6, 2, 6}, -1);

/// S and z after each token.
inline const Tensor S[] = {
    {{1, 0, 2}, {2, 0, 4}}, {{1, 2, 4}, {2, 1, 5}}, {{4, 2, 5}, {5, 1, 6}}, {{7, 8, 5}, {7, 5, 6}}};
inline const Tensor z[] = {{1, 2}, {3, 3}, {4, 4}, {7, 6}};

/// The second token is padding.
inline const Tensor key_padding_mask{1, 0, 1, 1};
inline const Tensor masked_sums = expand_dims(Tensor{4, 7, 5, 25}, -1);
inline const Tensor masked_numerators{{4, 0, 8}, {7, 0, 14}, {9, 0, 8}, {35, 24, 21}};

/// The third token begins another sequence.
inline const Tensor begins{1, 0, 1, 0};
inline const Tensor packed_sums = expand_dims(Tensor{4, 12, 2, 17}, -1);
inline const Tensor packed_numerators{{4, 0, 8}, {7, 5, 19}, {6, 0, 2}, {27, 24, 5}};

/// Every sum is a small integer: one division is all that rounds, or a weight and its products where they come first.
inline Expected divided(const Tensor& numerator, const Tensor& sum, double epsilon, bool has_tokens = true) {
    return to_rounding(numerator / (sum + epsilon), 8, "integers, divided once or weight by weight", has_tokens);
}

}  // namespace linattn::testing::worked_example
