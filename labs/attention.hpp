// The words that the signatures of labs 01 to 04 share: feature maps, masks, and the shapes of Q, K and V.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "contract.hpp"

namespace linattn {

/// A feature map φ with its name: (…, n, d) → (…, n, c), one token at a time; on a single token, (…, d) → (…, c).
/// It is a value, so that a message can say which φ was used and a φ can be sent to another process by name.
class FeatureMap {
public:
    using Function = std::function<Tensor(const Tensor&)>;

    FeatureMap(std::string name, Function function) : name_(std::move(name)), function_(std::move(function)) {}

    const std::string& name() const { return name_; }
    Tensor operator()(const Tensor& x) const { return function_(x); }

private:
    std::string name_;
    Function function_;
};

/// Which tokens an output may look at: every token, or only itself and earlier ones.
enum class Mask { none, causal };

/// What Q, K and V have in common once their shapes are known to belong together.
struct AttentionShape {
    Shape leading;      ///< the axes before the tokens: none, (batch), (batch, heads), …
    std::size_t n;      ///< tokens
    std::size_t d_k;    ///< width of a query and of a key
    std::size_t d_v;    ///< width of a value
};

/// Checks that Q and K are (…, n, d_k) and V is (…, n, d_v) with the same leading axes.
AttentionShape require_attention_shapes(const Tensor& Q, const Tensor& K, const Tensor& V,
                                        const char* caller = __builtin_FUNCTION());
/// The same for one token: q and k are (…, d_k), v is (…, d_v). The n of the result is 1.
AttentionShape require_step_shapes(const Tensor& q, const Tensor& k, const Tensor& v,
                                   const char* caller = __builtin_FUNCTION());

/// leading followed by the given lengths: join({2, 3}, {n, d_v}) is (2, 3, n, d_v).
Shape join(const Shape& leading, const Shape& rest);

}  // namespace linattn
