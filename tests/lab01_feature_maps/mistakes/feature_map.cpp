#include "shifted_exponentials.hpp"

namespace linattn::testing {
namespace {

// The map of that name, right for entries of moderate size; nothing for an unknown one.
std::optional<Tensor> by_definition(const Tensor& x, const std::string& method) {
    const Tensor e = exp(x);
    if (method == "softmax") return e / total(e, same_token(x));
    if (method == "exp") return exp(x - largest(x, same_head(x)));
    for (const char* name : {"elu_plus_one", "relu", "identity"})
        if (method == name) return oracle_feature_map(name)(x);
    if (method == "polynomial") return oracle_feature_map("pairs")(x);
    return std::nullopt;
}

Tensor by_definition_or_reject(const Tensor& x, const std::string& method) {
    const std::optional<Tensor> result = by_definition(x, method);
    if (!result) reject("feature_map", "method", "elu_plus_one, relu, identity, softmax, exp or polynomial", method);
    return *result;
}

MISTAKE(feature_map, (const Tensor& x, const std::string& method), "unknown name falls back to identity", "§1.7",
        "A name that nobody knows is an error: end with reject, which throws, not with return x.") {
    return by_definition(x, method).value_or(x);
}
MISTAKE(feature_map, (const Tensor& x, const std::string& method), "exp uses the per-token shift", "§1.7",
        "The caller uses one map for queries and keys: pass Stabilizer::per_sequence, which alone cancels for keys.") {
    if (method == "exp") return exp(x - largest(x, same_token(x)));
    return by_definition_or_reject(x, method);
}
MISTAKE(feature_map, (const Tensor& x, const std::string& method), "relu and identity exchanged", "§1.7",
        "\"relu\" must call relu and \"identity\" must call identity.") {
    return by_definition_or_reject(x, method == "relu" ? "identity" : method == "identity" ? "relu" : method);
}

}  // namespace
}  // namespace linattn::testing
