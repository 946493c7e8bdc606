// The gated delta rule's arguments as a kernel takes them: float32 arrays of (heads, n, …).
#pragma once

#include "delta_inputs.hpp"
#include "delta_kernel.hpp"
#include "kernel_claims.hpp"

namespace linattn::testing {

struct DeltaArrays {
    Sizes sizes;
    std::vector<float> Q, K, V, beta, log_decay;

    explicit DeltaArrays(const DeltaInputs& in);

    /// The same numbers in double, in the shapes of `in`.
    DeltaInputs in_double(const DeltaInputs& in) const;
};

/// The right outputs of these numbers, (heads, n, d_v), and how far float32 may be off: the bound of expected_delta with
/// 2⁻²⁴ in the place of 2⁻⁵³. It counts m = n + d_k + 8 roundings of each sum, all in one direction; m independent ones add up to
/// 7√m at most (7 standard deviations: below 1e-11).
std::vector<Expected> expected_in_float(const DeltaInputs& in);

}  // namespace linattn::testing
