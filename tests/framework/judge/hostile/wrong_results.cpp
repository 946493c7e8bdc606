#include <bit>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

/// hollow [relu=fail|crash, identity=fail|crash, elu_plus_one=fail|crash]: A result of the right shape whose storage
// was emptied, another that was never filled, a third with a forged shape.
Tensor linattn::relu(const Tensor& x) {
    Tensor y = maximum(x, 0);
    y.storage().resize(0);
    return y;
}
Tensor linattn::identity(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = 0;
    return y;
}
Tensor linattn::elu_plus_one(const Tensor& x) {
    Tensor y = x;
    for (auto& each : const_cast<Tensor::shape_type&>(y.shape())) each = std::size_t{1} << 40;
    return y;
}
/// short_array [lab05 chunkwise_linear_attention=fail|crash]: An array of floats whose shape promises more numbers than
// there are, and one whose product overflows.
linattn::Array linattn::chunkwise_linear_attention(std::span<const float>, std::span<const float>,
                                                   std::span<const float> V, const Sizes& sizes, int, float) {
    static int calls = 0;
    const auto heads = static_cast<std::size_t>(sizes.heads), n = static_cast<std::size_t>(sizes.n);
    if (++calls % 2 == 0) return {{std::size_t{1} << 32, std::size_t{1} << 32}, {}};
    return {{heads, n, V.size() / (heads * n)}, std::vector<float>(1)};
}
/// nan_everywhere [relu=fail, identity=fail, elu_plus_one=fail]: NaN, which differs from nothing when compared.
namespace linattn {
static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
Tensor relu(const Tensor& x) { return full(shape_of(x), nothing); }
Tensor identity(const Tensor& x) { return x * nothing; }
Tensor elu_plus_one(const Tensor& x) { return full(shape_of(x), std::numeric_limits<double>::infinity()); }
}
/// huge_message [relu=fail|crash, softmax_features=fail|crash]: A hundred million letters, none of which ends a line.
Tensor linattn::relu(const Tensor&) { throw std::runtime_error(std::string(100'000'000, 'x')); }
Tensor linattn::softmax_features(const Tensor&) { throw std::invalid_argument(std::string(100'000'000, '\\')); }
/// huge_reply [relu=fail|crash|timeout]: Half a gigabyte of numbers comes back for every call.
Tensor linattn::relu(const Tensor&) { return zeros({std::size_t{1} << 26}); }
/// changes_its_argument [relu=fail, identity=fail]: The argument becomes zeros, for which zeros would be right.
Tensor linattn::relu(const Tensor& x) {
    for (double& each : const_cast<Tensor&>(x).storage()) each = 0;
    return x;
}
Tensor linattn::identity(const Tensor& x) {
    const_cast<Tensor&>(x) = zeros({1});
    return x;
}
/// says_it_is_missing [*=fail, feature_map=fail|todo]: Says of all maps but one that they are not written yet, which they
// are.
namespace linattn {
Tensor elu_plus_one(const Tensor& x) { return x * 2; }
Tensor relu(const Tensor& x) { return x * 2; }
Tensor identity(const Tensor& x) { return x * 2; }
Tensor softmax_features(const Tensor& x) { return x * 2; }
Tensor exp_features(const Tensor& x, Stabilizer) { return x * 2; }
Tensor polynomial_features(const Tensor& x) { return x * 2; }
Tensor feature_map(const Tensor& x, const std::string& method) {
    if (method == "exp") {
        require_rank(x, "x", 2, "(…, n, d)");
        return exp(x - amax(amax(x, -1, keep_dims), -2, keep_dims));
    }
    for (const char* name : {"elu_plus_one", "relu", "identity"})
        if (method == name) throw NotImplemented(name);
    if (method == "softmax") throw NotImplemented("softmax_features");
    if (method == "polynomial") throw NotImplemented("polynomial_features");
    throw std::invalid_argument("method " + method + ": elu_plus_one relu identity softmax exp polynomial");
}
}
