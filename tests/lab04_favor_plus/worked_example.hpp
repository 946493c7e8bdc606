// The numbers of the chapter's worked example: n = 2 tokens of width d = 16, zero but for their first two entries,
// m = 2 directions, d_v = 3. Features, weights and outputs from Python's decimal module at 50 digits.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

/// The rows, followed by zeros up to width d.
inline Tensor padded(const Tensor& rows, std::size_t d = 16) {
    return concatenate(rows, zeros({length(rows, 0), d - length(rows, 1)}), -1);
}

inline const Tensor W = padded({{1, 0}, {0, -1}});
inline const Tensor Q = padded({{2, 0}, {0, -2}});
inline const Tensor K = padded({{2, 2}, {0, -2}});
inline const Tensor V{{1, 0, 2}, {0, 1, 1}};

inline const Tensor features_of_Q_per_token{{0.7071067811865476, 0.2601300475114445},
                                            {0.2601300475114445, 0.7071067811865476}};
inline const Tensor features_of_K_per_token{{0.7071067811865476, 0.09569649651041093},
                                            {0.2601300475114445, 0.7071067811865476}};
inline const Tensor features_of_K_per_sequence{{0.4288819424803534, 0.05804285916064726},
                                               {0.2601300475114445, 0.7071067811865476}};

inline const Tensor trigonometric_features_of_Q{{0.6298963098602482, 1.165821990798562, 0.9810053787079686, 0},
                                                {1.165821990798562, 0.6298963098602482, 0, 0.9810053787079686}};
inline const Tensor trigonometric_features_of_K{
    {1.03852344440211, 1.03852344440211, 1.6174044345470622, -1.6174044345470622},
    {1.165821990798562, 0.6298963098602482, 0, 0.9810053787079686}};

inline const Tensor output{{0.4639228478721374, 0.5360771521278627, 1.4639228478721373},
                           {0.21187398224437476, 0.7881260177556253, 1.2118739822443747}};
inline const Tensor causal_output{{1, 0, 2}, {0.21187398224437476, 0.7881260177556253, 1.2118739822443747}};

}  // namespace linattn::testing::worked_example
