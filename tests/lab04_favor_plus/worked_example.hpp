// The numbers of the chapter's worked example: n = 2 tokens of width d = 16, zero but for their first two entries,
// m = 3 directions, d_v = 3. Features, weights and outputs from Python's decimal module at 50 digits.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

/// The rows, followed by zeros up to width d.
inline Tensor padded(const Tensor& rows, std::size_t d = 16) {
    return concatenate(rows, zeros({length(rows, 0), d - length(rows, 1)}), -1);
}

inline const Tensor W = padded({{1, 0}, {0, -1}, {1, 1.5}});
inline const Tensor Q = padded({{2, 0}, {0, -2}});
inline const Tensor K = padded({{2, 2}, {0, -2}});
inline const Tensor V{{1, 0, 2}, {0, 1, 1}};

inline const Tensor features_of_Q_per_token{{0.5773502691896257, 0.21239529438966132, 0.5773502691896257},
                                            {0.21239529438966132, 0.5773502691896257, 0.04739179605193803}};
inline const Tensor features_of_K_per_token{{0.12882425802602027, 0.01743446744769793, 0.5773502691896257},
                                            {0.21239529438966132, 0.5773502691896257, 0.04739179605193803}};
inline const Tensor features_of_K_per_sequence{{0.12882425802602027, 0.01743446744769793, 0.5773502691896257},
                                               {0.07813586220751259, 0.21239529438966132, 0.01743446744769793}};

inline const Tensor trigonometric_features_of_Q{
    {0.5143081833398842, 0.9518896694573808, 0.5143081833398842, 0.8009875375867653, 0, 0.8009875375867653},
    {0.9518896694573808, 0.5143081833398842, 0.06733401151380981, 0, 0.8009875375867653, -0.9495051730839279}};
inline const Tensor trigonometric_features_of_K{
    {0.8479508415676084, 0.8479508415676084, -1.2573153874070804, 1.3206051907850185, -1.3206051907850185,
     0.9392426290543533},
    {0.9518896694573808, 0.5143081833398842, 0.06733401151380981, 0, 0.8009875375867653, -0.9495051730839279}};

inline const Tensor output{{0.8040084964720146, 0.19599150352798542, 1.8040084964720147},
                           {0.3162951699665734, 0.6837048300334265, 1.3162951699665735}};
inline const Tensor causal_output{{1, 0, 2}, {0.3162951699665734, 0.6837048300334265, 1.3162951699665735}};

}  // namespace linattn::testing::worked_example
