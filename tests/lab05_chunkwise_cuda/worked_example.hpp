// The numbers of the chapter's worked example: one head, n = 4, d_k = 2, d_v = 3, chunks of 2 tokens, ε = 0.
#pragma once

#include "chunkwise.hpp"

namespace linattn::testing::worked_example {

inline const Sizes sizes{1, 4, 2, 3};
inline constexpr int chunk = 2;

inline const std::vector<float> Q{0, 1, 1, 0, 0, 0, 2, 0};  // φ(Q) = (1,2) (2,1) (1,1) (3,1)
inline const std::vector<float> K{0, 0, 0, 1, 1, 0, 0, 0};  // φ(K) = (1,1) (1,2) (2,1) (1,1)
inline const std::vector<float> V{1, 0, 2, 0, 3, 1, 3, 0, 0, 1, 2, 1};

inline const Tensor output{
    {{1, 0, 2}, {3. / 7, 12. / 7, 10. / 7}, {11. / 8, 9. / 8, 7. / 8}, {29. / 20, 23. / 20, 17. / 20}}};

/// Two sequences, of one token and of three: the second has a chunk of two tokens and one of one.
inline const std::vector<int> borders{0, 1, 4};
inline const Tensor packed_output{{{1, 0, 2}, {0, 3, 1}, {3. / 2, 3. / 2, 1. / 2}, {25. / 16, 23. / 16, 9. / 16}}};

/// What each of the two chunks adds.
inline const Tensor S{{{{1, 3, 3}, {1, 6, 4}}, {{7, 2, 1}, {4, 2, 1}}}};
inline const Tensor z{{{2, 3}, {3, 2}}};
/// The sums over the chunks before.
inline const Tensor S_before{{{{0, 0, 0}, {0, 0, 0}}, {{1, 3, 3}, {1, 6, 4}}}};
inline const Tensor z_before{{{0, 0}, {2, 3}}};

}  // namespace linattn::testing::worked_example
