// Mistakes that return the right symbols but cost too much.
#include "definition.hpp"
#include "weights.hpp"

namespace linattn::testing::generate_mistakes {

#define GENERATE_MISTAKE(name, explanation) \
    MISTAKE(generate, (const Tensor& prompt, std::size_t count, const Model& w), name, "§7.10", explanation)

GENERATE_MISTAKE("everything recomputed for each symbol",
                 "Each block's memory holds all that is needed of earlier tokens: read each token once.") {
    generated_by_settings(prompt, count, w, {});  // rejects what must be rejected
    double margin = 0.0;
    return generated_by_recomputing(prompt, count, w, margin);
}
GENERATE_MISTAKE("keys and values of all tokens kept", "S and z are sums: nothing needs to grow with the tokens.") {
    return generated_by_settings(prompt, count, w, {});
}

}  // namespace linattn::testing::generate_mistakes
