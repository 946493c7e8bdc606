// Lab 01: read labs/lab01_feature_maps/README.md, write the functions below, run: ctest -L lab01
#include "feature_maps.hpp"

namespace linattn {

Tensor elu_plus_one(const Tensor& x) {
    // Two branches that meet at x = 0. Keep the digits of small features, and let nothing overflow.
    // YOUR CODE HERE
    throw NotImplemented("elu_plus_one");
}

Tensor relu(const Tensor& x) {
    // A NaN must stay NaN, so that it can be traced to its source.
    // YOUR CODE HERE
    throw NotImplemented("relu");
}

Tensor identity(const Tensor& x) {
    // No feature map is a feature map, too.
    // YOUR CODE HERE
    throw NotImplemented("identity");
}

Tensor softmax_features(const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)");
    // Which axis holds the entries of a token? What may be subtracted from them before exp so that nothing overflows?
    // YOUR CODE HERE
    throw NotImplemented("softmax_features");
}

Tensor exp_features(const Tensor& x, Stabilizer stabilizer) {
    require_rank(x, "x", 2, "(…, n, d)");
    // First the shift: one number for each token, or one for each head.
    // YOUR CODE HERE
    throw NotImplemented("exp_features");
}

Tensor polynomial_features(const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)");
    // Every product of two entries of a token, in the order that the contract gives.
    // YOUR CODE HERE
    throw NotImplemented("polynomial_features");
}

Tensor feature_map(const Tensor& x, const std::string& method) {
    // The message for an unknown name should list the names that exist.
    // YOUR CODE HERE
    throw NotImplemented("feature_map");
}

}  // namespace linattn
