// An untrained model, for figures that need weights and nothing that they know.
#pragma once

#include <cmath>

#include "model.hpp"
#include "random.hpp"

namespace linattn {

struct SizeOfModel {
    std::size_t symbols, longest, blocks, d, heads;
};

inline Affine random_affine(std::size_t in, std::size_t out, std::uint64_t seed) {
    return {normal({in, out}, seed) / std::sqrt(static_cast<double>(in)), zeros({out})};
}

/// Projections that keep a token's size, and four times as wide in between.
inline Model random_model(const SizeOfModel& size, std::uint64_t seed) {
    const std::size_t d = size.d, f = 4 * d;
    const Norm plain{ones({d}), zeros({d})};
    Model w{normal({size.symbols, d}, seed),
            normal({size.longest, d}, seed + 1),
            {},
            plain,
            random_affine(d, size.symbols, seed + 2),
            size.heads};
    for (std::size_t l = 0; l < size.blocks; ++l) {
        const std::uint64_t own = seed + 10 * (l + 1);
        w.blocks.push_back({plain,
                            {random_affine(d, d, own), random_affine(d, d, own + 1), random_affine(d, d, own + 2),
                             random_affine(d, d, own + 3)},
                            plain,
                            {random_affine(d, f, own + 4), random_affine(f, d, own + 5)}});
    }
    return w;
}

}  // namespace linattn
