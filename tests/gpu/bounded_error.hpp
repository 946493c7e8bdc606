// How far causal attention in float32 may be from its definition in double.
#pragma once

#include <algorithm>
#include <cmath>

#include "arrays.hpp"

namespace linattn::testing {

/// The largest error of any output, as a part of what is allowed: 1 at most. Sums of `terms` numbers are off by
/// 2⁻²⁴ min(terms, 7√terms) of their size, and products by `roundings` times 2⁻²⁴; twice all that, for the numerator and
/// for the normaliser. NaN if an output is.
inline double part_of_bound(const Arrays& in, Values got, float epsilon, double terms, double roundings) {
    std::vector<float> sizes_of_V = in.V;
    for (float& v : sizes_of_V) v = std::fabs(v);
    const Tensor expected = output_by_definition(in.Q, in.K, in.V, in.sizes, epsilon);
    const Tensor magnitude = output_by_definition(in.Q, in.K, sizes_of_V, in.sizes, epsilon);
    const double bound = 2.0 * (roundings + std::min(terms, 7.0 * std::sqrt(terms))) * 0x1p-24;
    REQUIRE(got.size() == expected.size());
    double worst = 0.0;
    for (std::size_t e = 0; e < expected.size(); ++e) {
        const double error = std::fabs(static_cast<double>(got[e]) - expected.data()[e]);
        const double part = error / (bound * magnitude.data()[e] + 1e-37);
        if (part > worst || std::isnan(part)) worst = part;  // a NaN stays
    }
    return worst;
}

}  // namespace linattn::testing
