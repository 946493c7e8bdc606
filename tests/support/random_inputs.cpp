#include "random_inputs.hpp"

#include <cstdlib>

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
    std::uint64_t state = master_seed() * 0x9E3779B97F4A7C15u + stream;
    const auto next = [&state] {  // SplitMix64: the same bits everywhere, which the standard's distributions are not
        std::uint64_t z = state += 0x9E3779B97F4A7C15u;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    };
    state = next();  // so that neighbouring streams share nothing
    Tensor x = zeros(shape);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
    return x;
}

}  // namespace linattn::testing
