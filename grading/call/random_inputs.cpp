#include "random_inputs.hpp"

#include <cstdlib>

#include "random.hpp"

namespace linattn::testing {
namespace {

std::string latest;

SplitMix64 generator(std::uint64_t stream) {
    latest = std::to_string(master_seed()) + " (LINATTN_SEED)";
    return SplitMix64(master_seed() * 0x9E3779B97F4A7C15u + stream);
}

}  // namespace

std::uint64_t master_seed() {
    static const std::uint64_t seed = [] {
        const char* given = std::getenv("LINATTN_SEED");
        return given == nullptr ? 1u : std::strtoull(given, nullptr, 10);
    }();
    return seed;
}

const std::string& last_seed() { return latest; }
void forget_seed() { latest.clear(); }

Tensor random_tensor(const Shape& shape, std::uint64_t stream, double low, double high) {
    SplitMix64 random = generator(stream);
    Tensor x = zeros(shape);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = low + (high - low) * random.uniform();
    return x;
}

std::uint64_t random_seed(std::uint64_t stream) { return generator(stream).bits(); }

}  // namespace linattn::testing
