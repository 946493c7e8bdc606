#include "gradient_arguments.hpp"

#include <cmath>

namespace linattn {

AttentionShape require_gradient_arguments(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO,
                                          double epsilon, const char* caller) {
    require_rank(phi_Q, "phi_Q", 2, "(…, n, c)", caller);
    require_rank(V, "V", 2, "(…, n, d_v)", caller);
    const Shape shape = shape_of(phi_Q);
    require_shape(phi_K, "phi_K", shape, "(…, n, c), the shape of phi_Q,", caller);
    const Shape leading(shape.begin(), shape.end() - 2);
    const std::size_t n = length(phi_Q, -2), c = length(phi_Q, -1), d_v = length(V, -1);
    require_shape(V, "V", join(leading, {n, d_v}), "(…, n, d_v), with the leading axes and the n of phi_Q,", caller);
    require_shape(dO, "dO", shape_of(V), "(…, n, d_v), the shape of V,", caller);
    if (!(epsilon >= 0.0) || std::isinf(epsilon))
        reject(caller, "epsilon", "a finite number ≥ 0", std::to_string(epsilon));
    return {leading, n, c, d_v};
}

void require_chunk(std::size_t chunk, const char* caller) {
    if (chunk == 0) reject(caller, "chunk", "at least 1 token", "0");
}

void require_axis(const Tensor& x, std::ptrdiff_t axis, const char* caller) {
    if (on_check != nullptr) on_check(caller);
    const auto count = static_cast<std::ptrdiff_t>(x.dimension());
    if (axis < -count || axis >= count)
        reject(caller, "axis", "an axis of x, whose shape is " + to_string(shape_of(x)), std::to_string(axis));
}

void require_step(double h, const char* caller) {
    if (on_check != nullptr) on_check(caller);
    if (!(h > 0.0) || std::isinf(h)) reject(caller, "h", "a finite number above 0", std::to_string(h));
}

}  // namespace linattn
