// φ of lab 07 and what people take for it.
#pragma once

#include <algorithm>
#include <cmath>

#include "rounded.hpp"

namespace linattn::testing {

enum class Features {
    elu_plus_one,
    elu,
    one_missing_above,  ///< x above 0, eˣ below
    relu,
    exponential,
    twice,    ///< elu + 1 of elu + 1
    softmax,  ///< over the width: what becomes of a whole row, not of an entry
    none,
};

inline Rounded feature(const Rounded& x, Features kind) {
    switch (kind) {
        case Features::softmax:
        case Features::none: return x;
        case Features::relu: return {std::max(x.value, 0.0), x.error};
        case Features::exponential: return exponential(x);
        case Features::elu: return x.value > 0.0 ? x : Rounded{std::expm1(x.value), x.error};
        case Features::one_missing_above: return x.value > 0.0 ? x : exponential(x);
        case Features::twice: return feature(feature(x, Features::elu_plus_one), Features::elu_plus_one);
        case Features::elu_plus_one: break;
    }
    if (x.value <= 0.0) return exponential(x);
    return rounded(x.value + 1.0, x.error * std::exp(std::max(x.error - x.value, 0.0)));
}

/// x times a power of a width: how queries and keys are scaled where no scale belongs.
inline Rounded scaled(const Rounded& x, std::size_t width, double power) {
    return power == 0.0 ? x : x * Rounded{std::pow(static_cast<double>(width), power)};
}

}  // namespace linattn::testing
