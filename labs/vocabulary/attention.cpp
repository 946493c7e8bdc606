#include "attention.hpp"

namespace linattn {

AttentionShape require_attention_shapes(const Tensor& Q, const Tensor& K, const Tensor& V, const char* caller) {
    require_rank(Q, "Q", 2, "(…, n, d_k)", caller);
    require_rank(V, "V", 2, "(…, n, d_v)", caller);
    const Shape shape = shape_of(Q);
    require_shape(K, "K", shape, "(…, n, d_k), the shape of Q,", caller);
    const Shape leading(shape.begin(), shape.end() - 2);
    const std::size_t n = length(Q, -2), d_k = length(Q, -1), d_v = length(V, -1);
    require_shape(V, "V", join(leading, {n, d_v}), "(…, n, d_v), with the leading axes and the n of Q,", caller);
    return {leading, n, d_k, d_v};
}

AttentionShape require_step_shapes(const Tensor& q, const Tensor& k, const Tensor& v, const char* caller) {
    require_rank(q, "q", 1, "(…, d_k)", caller);
    require_rank(v, "v", 1, "(…, d_v)", caller);
    const Shape shape = shape_of(q);
    require_shape(k, "k", shape, "(…, d_k), the shape of q,", caller);
    const Shape leading(shape.begin(), shape.end() - 1);
    const std::size_t d_k = length(q, -1), d_v = length(v, -1);
    require_shape(v, "v", join(leading, {d_v}), "(…, d_v), with the leading axes of q,", caller);
    return {leading, 1, d_k, d_v};
}

Shape join(const Shape& leading, const Shape& rest) {
    Shape result = leading;
    result.insert(result.end(), rest.begin(), rest.end());
    return result;
}

}  // namespace linattn
