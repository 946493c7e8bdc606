// The chapter's two tokens, and what each map makes of them. Digits from Python's decimal module, 60 digits rounded to
// 17: [D(v).exp() for v in …].
#pragma once

#include "feature_maps.hpp"
#include "suite.hpp"

namespace linattn::testing::worked_example {

inline const Tensor x{{-1, 0, 2}, {1, 0, -1}};

inline const Tensor elu_plus_one{{0.36787944117144233, 1, 3}, {2, 1, 0.36787944117144233}};
inline const Tensor relu{{0, 0, 2}, {1, 0, 0}};
inline const Tensor softmax{{0.042010066134066049, 0.11419519938459448, 0.84379473448133946},
                            {0.6652409557748219, 0.24472847105479764, 0.090030573170380462}};
inline const Tensor exp_per_token{{0.049787068367863944, 0.1353352832366127, 1},
                                  {1, 0.36787944117144233, 0.1353352832366127}};
inline const Tensor exp_per_sequence{{0.049787068367863944, 0.1353352832366127, 1},
                                     {0.36787944117144233, 0.1353352832366127, 0.049787068367863944}};
inline const Tensor polynomial{{1, 0, -2, 0, 0, 0, -2, 0, 4}, {1, 0, -1, 0, 0, 0, -1, 0, 1}};

}  // namespace linattn::testing::worked_example
