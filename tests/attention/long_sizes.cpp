#include "long_sizes.hpp"

#include <algorithm>

namespace linattn::testing {

void with_long_calls(const std::function<void()>& claims) {
    if (std::ranges::any_of(all_cases(), [](const Case& each) { return !each.failures.empty(); })) return;
    const LongCalls scope;
    claims();
}

void at_long_sizes(const ClaimAt& claim, std::size_t n) {
    with_long_calls([&] {
        std::uint64_t stream = 2000;
        for (const Size& size : long_sizes(n)) claim(size, ++stream);
    });
}

void at_long_widths(const ClaimAt& claim) {
    at_long_sizes([&](const Size& size, std::uint64_t stream) {
        if (size.n < many_tokens) claim(size, stream);
    });
}

void equals_the_definition_at_long_sizes(const Form& form, std::size_t n) {
    const FeatureMap phi = oracle_feature_map("elu_plus_one");
    const auto claim = [&](const Size& size, std::uint64_t stream) {
        const Inputs in(size, stream);
        form.run(in.Q, in.K, in.V, phi).equals(form.expected(in.Q, in.K, in.V, phi));
    };
    at_long_sizes(claim, n);
}

}  // namespace linattn::testing
