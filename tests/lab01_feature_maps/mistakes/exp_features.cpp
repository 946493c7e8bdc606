#include "shifted_exponentials.hpp"

namespace linattn::testing {
namespace {

#define EXP_MISTAKE(name, explanation) \
    MISTAKE(exp_features, (const Tensor& x, [[maybe_unused]] Stabilizer stabilizer), name, "§1.5", explanation)

// The check that stands in the stub already.
void check(const Tensor& x) { require_rank(x, "x", 2, "(…, n, d)", "exp_features"); }

Together block_of(const Tensor& x, Stabilizer stabilizer) {
    return stabilizer == Stabilizer::per_token ? same_token(x) : same_head(x);
}

EXP_MISTAKE("per-token shift for every stabilizer",
            "Stabilizer::per_sequence wants one shift for all tokens of a head: otherwise each key is reweighted.") {
    check(x);
    return exp(x - largest(x, same_token(x)));
}
EXP_MISTAKE("per-sequence shift for every stabilizer",
            "Stabilizer::per_token wants each token's own maximum, so that its largest feature is 1.") {
    check(x);
    return exp(x - largest(x, same_head(x)));
}
EXP_MISTAKE("one shift for all heads",
            "Take the maximum within a head, not over leading axes: one large head would push the others to 0.") {
    check(x);
    return exp(x - largest(x, stabilizer == Stabilizer::per_token ? same_token(x) : whole_array()));
}
EXP_MISTAKE(
    "one shift for each channel",
    "per_sequence means one number for a whole head: take the maximum over the tokens and over their channels.") {
    check(x);
    return exp(x - largest(x, stabilizer == Stabilizer::per_token ? same_token(x) : same_channel(x)));
}
EXP_MISTAKE("no shift at all", "Subtract the maximum before exp: entries of about 710 overflow without it.") {
    check(x);
    return exp(x);
}
EXP_MISTAKE("shift added instead of subtracted", "Subtract the shift: no feature may exceed 1.") {
    check(x);
    return exp(x + largest(x, block_of(x, stabilizer)));
}

}  // namespace
}  // namespace linattn::testing
