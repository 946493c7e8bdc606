#include "shifted_exponentials.hpp"

namespace linattn::testing {
namespace {

// The check that stands in the stub already.
void check(const Tensor& x) { require_rank(x, "x", 1, "(…, d)", "softmax_features"); }

MISTAKE(softmax_features, (const Tensor& x), "no maximum subtracted", "§1.4",
        "Subtract the token's maximum before exp: the features stay the same, and nothing overflows or vanishes.") {
    check(x);
    const Tensor e = exp(x);
    return e / total(e, same_token(x));
}
MISTAKE(softmax_features, (const Tensor& x), "softmax over the tokens", "§1.4",
        "Reduce along the last axis, -1: each token sums to 1 over its channels, not each channel over the tokens.") {
    check(x);
    const Tensor e = exp(x - largest(x, same_channel(x)));
    return e / total(e, same_channel(x));
}
MISTAKE(softmax_features, (const Tensor& x), "softmax over the whole array", "§1.4",
        "Every token has a sum of its own: reduce along the last axis only, with keep_dims.") {
    check(x);
    const Tensor e = exp(x - largest(x, whole_array()));
    return e / total(e, whole_array());
}
MISTAKE(softmax_features, (const Tensor& x), "exp without normalisation", "§1.4",
        "One step is missing: divide each token by its own sum.") {
    check(x);
    return exp(x - largest(x, same_token(x)));
}

}  // namespace
}  // namespace linattn::testing
