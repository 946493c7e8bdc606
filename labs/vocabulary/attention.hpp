// The words that the signatures of labs 01 to 04 share: feature maps, masks, stabilizers, and the shapes
// of Q, K and V.
#pragma once

#include "contract.hpp"
#include "named.hpp"

namespace linattn {

/// Which tokens the output of a token may look at.
enum class Mask {
    none,    ///< every token
    causal,  ///< itself and earlier tokens
};

/// Which maximum is subtracted from the exponents of features before they are exponentiated.
enum class Stabilizer {
    per_token,     ///< each token its own maximum: cancels for queries, reweights keys
    per_sequence,  ///< one maximum for all tokens of a head: the only choice that cancels for keys
};

/// What Q, K and V have in common once their shapes are known to belong together.
struct AttentionShape {
    Shape leading;    ///< the axes before the tokens: none, (batch), (batch, heads), …
    std::size_t n;    ///< tokens
    std::size_t d_k;  ///< width of a query and of a key
    std::size_t d_v;  ///< width of a value
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
