#include "random_inputs.hpp"

#include <cstdlib>
#include <random>

namespace linattn::testing {
namespace {
std::string latest;
}

std::uint64_t master_seed() {
    static const std::uint64_t seed = [] {
        const char* given = std::getenv("LINATTN_SEED");
        return given == nullptr ? 1u : std::strtoull(given, nullptr, 10);
    }();
    return seed;
}

const std::string& last_seed() { return latest; }

Tensor random_tensor(const Shape& shape, std::uint64_t stream, double low, double high) {
    latest = std::to_string(master_seed()) + " (LINATTN_SEED)";
    std::seed_seq mix{static_cast<std::uint32_t>(master_seed()), static_cast<std::uint32_t>(master_seed() >> 32),
                      static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)};
    std::mt19937_64 bits(mix);
    Tensor x = zeros(shape);
    for (std::size_t i = 0; i < x.size(); ++i)  // not std::uniform_real_distribution: libraries differ in it
        x.data()[i] = low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53;
    return x;
}

}  // namespace linattn::testing
