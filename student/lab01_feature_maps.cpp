// Lab 01: read labs/lab01_feature_maps/README.md, write the functions below, run: ctest -L lab01
#include "feature_maps.hpp"

namespace linattn {

Tensor elu_plus_one(const Tensor& x) {
    // Return eˣ itself for x ≤ 0: forming eˣ - 1 first loses every digit of a small feature.
    // `where` picks, so an infinity in the branch that is not picked does no harm.
    // YOUR CODE HERE
    throw NotImplemented("elu_plus_one");
}

Tensor relu(const Tensor& x) {
    // The larger of 0 and x, entry by entry. A NaN must stay one, so that it can be traced to where it came from.
    // YOUR CODE HERE
    throw NotImplemented("relu");
}

Tensor identity(const Tensor& x) {
    // One statement.
    // YOUR CODE HERE
    throw NotImplemented("identity");
}

Tensor softmax_features(const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)");
    // Shift by the token's maximum, exponentiate, divide by the token's sum. Both have shape (…, 1).
    // YOUR CODE HERE
    throw NotImplemented("softmax_features");
}

Tensor exp_features(const Tensor& x, Stabilizer stabilizer) {
    require_rank(x, "x", 2, "(…, n, d)");
    // The shift first: (…, n, 1) for Stabilizer::per_token, (…, 1, 1) for Stabilizer::per_sequence.
    // YOUR CODE HERE
    throw NotImplemented("exp_features");
}

Tensor polynomial_features(const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)");
    // Each token's outer product with itself, (…, d, d), written in one row, (…, d²).
    // YOUR CODE HERE
    throw NotImplemented("polynomial_features");
}

Tensor feature_map(const Tensor& x, const std::string& method) {
    // Call the function of that name. Whoever reaches the end asked for a name that does not exist: reject it, with the
    // names that do.
    // YOUR CODE HERE
    throw NotImplemented("feature_map");
}

}  // namespace linattn
