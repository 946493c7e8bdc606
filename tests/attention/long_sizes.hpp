// Claims at the long sizes (sizes.hpp), of what works on a sequence.
#pragma once

#include <functional>

#include "attention_claims.hpp"

namespace linattn::testing {

/// Makes claims with long calls (LongCalls). To be the last case of a suite: an answer that failed before makes none, since it
/// may take O(n²) or longer, and the time limit would hide what is wrong with it.
void with_long_calls(const std::function<void()>& claims);

using ClaimAt = std::function<void(const Size& size, std::uint64_t stream)>;
/// With 300 heads, and with widths of 300.
void at_long_widths(const ClaimAt& claim);
/// With so many tokens, too: fewer for what takes O(n²).
void at_long_sizes(const ClaimAt& claim, std::size_t n = many_tokens);

void equals_the_definition_at_long_sizes(const Form& form, std::size_t n = many_tokens);

}  // namespace linattn::testing
