#include <algorithm>
#include <cmath>

#include "random.hpp"
#include "suite.hpp"
#include "transformer.hpp"

namespace linattn::testing::dropout_mistakes {

#define DROPOUT_MISTAKE(name, explanation) \
    MISTAKE(dropout, (const Tensor& X, double p, [[maybe_unused]] std::uint64_t seed), name, "§7.5", explanation)

void require_probability(double p) {
    if (!(p >= 0.0 && p < 1.0)) reject("dropout", "p", "at least 0 and below 1", std::to_string(p));
}

// Entry i times `factor` where the uniform number of `group(i)` says that it is kept.
template <class Group>
Tensor masked(const Tensor& X, double dropped, double factor, std::uint64_t seed, const Group& group) {
    std::size_t groups = 1;
    for (std::size_t i = 0; i < X.size(); ++i) groups = std::max(groups, group(i) + 1);
    std::vector<double> uniform(groups);
    SplitMix64 random(seed);
    for (double& each : uniform) each = random.uniform();
    Tensor result = zeros(shape_of(X));
    for (std::size_t i = 0; i < X.size(); ++i)
        if (uniform[group(i)] >= dropped) result.data()[i] = X.data()[i] * factor;
    return result;
}
std::size_t itself(std::size_t i) { return i; }

DROPOUT_MISTAKE("kept entries not scaled",
                "Divide the kept entries by 1 - p, so that the expectation stays the same.") {
    require_probability(p);
    return masked(X, p, 1.0, seed, itself);
}
DROPOUT_MISTAKE("no number drawn for an entry that is 0",
                "The seed alone decides which entries become 0: draw a number for every entry, whatever it is.") {
    require_probability(p);
    SplitMix64 random(seed);
    Tensor result = zeros(shape_of(X));
    for (std::size_t i = 0; i < X.size(); ++i)
        if (X.data()[i] != 0.0 && random.uniform() >= p) result.data()[i] = X.data()[i] / (1.0 - p);
    return result;
}
DROPOUT_MISTAKE("scaled by 1/p", "An entry is kept with probability 1 - p, so kept entries are divided by 1 - p.") {
    require_probability(p);
    return masked(X, p, p == 0.0 ? 1.0 : 1.0 / p, seed, itself);
}
DROPOUT_MISTAKE("multiplied by 1 - p", "Kept entries are divided by 1 - p, not multiplied by it.") {
    require_probability(p);
    return masked(X, p, 1.0 - p, seed, itself);
}
DROPOUT_MISTAKE("multiplied by p", "Kept entries are divided by 1 - p.") {
    require_probability(p);
    return masked(X, p, p == 0.0 ? 1.0 : p, seed, itself);
}
DROPOUT_MISTAKE("kept with probability p", "p is the probability of being dropped.") {
    require_probability(p);
    return masked(X, p == 0.0 ? 0.0 : 1.0 - p, 1.0 / (1.0 - p), seed, itself);
}
// The same of those who do nothing else where p is 0.
DROPOUT_MISTAKE("scaled by 1/p, also where p is 0",
                "An entry is kept with probability 1 - p, so kept entries are divided by 1 - p.") {
    require_probability(p);
    return masked(X, p, 1.0 / p, seed, itself);
}
DROPOUT_MISTAKE("multiplied by p, also where p is 0", "Kept entries are divided by 1 - p.") {
    require_probability(p);
    return masked(X, p, p, seed, itself);
}
DROPOUT_MISTAKE("kept with probability p, also where p is 0", "p is the probability of being dropped.") {
    require_probability(p);
    return masked(X, 1.0 - p, 1.0 / (1.0 - p), seed, itself);
}
DROPOUT_MISTAKE(
    "p taken for the probability of keeping",
    "p is the probability of being dropped: an entry is kept with probability 1 - p, and divided by that.") {
    require_probability(p);
    return masked(X, p == 0.0 ? 0.0 : 1.0 - p, p == 0.0 ? 1.0 : 1.0 / p, seed, itself);
}
DROPOUT_MISTAKE(
    "p taken for the probability of keeping, also where p is 0",
    "p is the probability of being dropped: an entry is kept with probability 1 - p, and divided by that.") {
    require_probability(p);
    return masked(X, 1.0 - p, p == 0.0 ? 1.0 : 1.0 / p, seed, itself);
}
DROPOUT_MISTAKE("seed ignored", "Seed the generator with the argument: another step must drop other entries.") {
    require_probability(p);
    return masked(X, p, 1.0 / (1.0 - p), 0, itself);
}
DROPOUT_MISTAKE("seed cut to 32 bits", "The seed has 64 bits: keep it in a std::uint64_t.") {
    require_probability(p);
    return masked(X, p, 1.0 / (1.0 - p), static_cast<std::uint32_t>(seed), itself);
}
DROPOUT_MISTAKE("neighbouring seeds share their masks",
                "Use one generator for all entries, not one seeded with seed + i for each.") {
    require_probability(p);
    Tensor result = zeros(shape_of(X));
    for (std::size_t i = 0; i < X.size(); ++i)
        if (SplitMix64(seed + i).uniform() >= p) result.data()[i] = X.data()[i] / (1.0 - p);
    return result;
}
DROPOUT_MISTAKE("whole tokens dropped", "Draw a number for each entry, not for each token.") {
    require_probability(p);
    const std::size_t d = X.dimension() == 0 ? 1 : length(X, -1);
    return masked(X, p, 1.0 / (1.0 - p), seed, [d](std::size_t i) { return i / d; });
}
DROPOUT_MISTAKE("one number for all entries",
                "Create the generator once, before the loop: a new one gives the same first number every time.") {
    require_probability(p);
    return masked(X, p, 1.0 / (1.0 - p), seed, [](std::size_t) { return std::size_t{0}; });
}
DROPOUT_MISTAKE("one mask for all tokens", "Draw a number for each entry of each token.") {
    require_probability(p);
    const std::size_t d = X.dimension() == 0 ? 1 : length(X, -1);
    return masked(X, p, 1.0 / (1.0 - p), seed, [d](std::size_t i) { return i % d; });
}
DROPOUT_MISTAKE("one mask for the whole batch", "Draw a number for each entry of each sequence in the batch.") {
    require_probability(p);
    const std::size_t n = X.dimension() < 2 ? 1 : length(X, -2), d = X.dimension() == 0 ? 1 : length(X, -1);
    return masked(X, p, 1.0 / (1.0 - p), seed, [n, d](std::size_t i) { return i % (n * d); });
}
DROPOUT_MISTAKE("the same number dropped every time",
                "Each entry is dropped with probability p, independently of the others: their number varies.") {
    require_probability(p);
    const auto count = static_cast<std::size_t>(std::lround(p * static_cast<double>(X.size())));
    Tensor result = X / (1.0 - p);
    SplitMix64 random(seed);
    std::vector<std::size_t> order(X.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(order[i], order[i + random.bits() % (order.size() - i)]);
        result.data()[order[i]] = 0.0;
    }
    return result;
}
DROPOUT_MISTAKE("divided by the share of entries that was kept",
                "Divide by 1 - p, whatever the draws were: the expectation is over all of them.") {
    require_probability(p);
    const Tensor kept = masked(full(shape_of(X), 1.0), p, 1.0, seed, itself);
    const double share = total(kept) / static_cast<double>(X.size());
    return masked(X, p, share > 0.0 ? 1.0 / share : 1.0, seed, itself);
}
DROPOUT_MISTAKE("p outside [0, 1) accepted", "A p of 1 leaves nothing and divides by 0: reject it.") {
    return masked(X, p, 1.0 / (1.0 - p), seed, itself);
}

}  // namespace linattn::testing::dropout_mistakes
