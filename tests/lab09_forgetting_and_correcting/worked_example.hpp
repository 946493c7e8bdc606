// The numbers of the chapter's worked example: n = 3, d_k = 2, d_v = 1, with q = k, β = 1 and a = 1/2 for every token.
#pragma once

#include "suite.hpp"

namespace linattn::testing::worked_example {

inline const Tensor K{{1, 0}, {0.6, 0.8}, {1, 0}}, Q = K;
/// (n, 1). xtensor takes {{1}, {2}} for two things at once.
inline Tensor column(const Tensor& x) { return expand_dims(x, -1); }

inline const Tensor V = column({1, 2, 4});
inline const Tensor beta{1, 1, 1};
inline const Tensor log_decay = log(Tensor{0.5, 0.5, 0.5});

inline const Tensor gated = column({1, 2.3, 4.85});
inline const Tensor delta = column({1, 2, 4});  // and both

/// A few roundings of numbers below 10, and those of log 1/2.
inline Expected about(const Tensor& value, bool has_tokens = true) {
    return {value, full(shape_of(value), 64.0 * 0x1p-53 * 10.0), "64 roundings of numbers below 10", has_tokens};
}

}  // namespace linattn::testing::worked_example
