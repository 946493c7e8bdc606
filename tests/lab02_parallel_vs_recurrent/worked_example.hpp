// The numbers of the chapter's worked example: φ is the identity, n = 4, d_k = 2, d_v = 3.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

inline const Tensor Q{{1, 0}, {0, 1}, {1, 1}, {2, 1}};
inline const Tensor K{{1, 1}, {0, 2}, {1, 0}, {2, 1}};
inline const Tensor V{{1, 0, 2}, {0, 1, 1}, {3, 0, 1}, {1, 2, 0}};

inline const Tensor causal_output{{1, 0, 2}, {1, 2, 4}, {5, 2, 7}, {14, 12, 10}};
inline const Tensor bidirectional_output{{6, 4, 3}, {2, 4, 4}, {8, 8, 7}, {14, 12, 10}};

/// S_1 to S_4, one after the other.
inline const Tensor states{
    {{1, 0, 2}, {1, 0, 2}}, {{1, 0, 2}, {1, 2, 4}}, {{4, 0, 3}, {1, 2, 4}}, {{6, 4, 3}, {2, 4, 4}}};

inline const Tensor softmax_output{{1.333304598437296, 1.0062185002160178, 0.77260048341376919},
                                   {0.76953433564981621, 0.89094256569686991, 1},
                                   {0.99693385223604702, 1.1183420822831007, 0.77260048341376919},
                                   {1.0808390465845785, 1.4295810972857022, 0.48957985612971938}};
inline const Tensor causal_softmax_output{{1, 0, 2},
                                          {0.33023845067334312, 0.66976154932665688, 1.3302384506733431},
                                          {0.99443953660107054, 0.40111209267978593, 1.401112092679786},
                                          {1.0808390465845785, 1.4295810972857022, 0.48957985612971938}};

}  // namespace linattn::testing::worked_example
