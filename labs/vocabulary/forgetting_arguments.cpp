#include "forgetting_arguments.hpp"

#include <algorithm>

namespace linattn {
namespace {

void require_logarithms(const Tensor& log_decay, const char* caller) {
    const double* end = log_decay.data() + log_decay.size();
    const double* bad = std::find_if(log_decay.data(), end, [](double x) { return !(x <= 0.0); });
    if (bad != end)
        reject(caller, "log_decay", "0 or below everywhere (-inf forgets all): pass log a, not a",
               std::to_string(*bad));
}

const char* const of_tokens = "(…, n), with the leading axes and the n of Q,";

}  // namespace

void require_decays(const Tensor& log_decay, const char* caller) {
    require_rank(log_decay, "log_decay", 1, "(…, n)", caller);
    require_logarithms(log_decay, caller);
}

void require_decays(const Tensor& log_decay, const AttentionShape& shape, const char* caller) {
    require_shape(log_decay, "log_decay", join(shape.leading, {shape.n}), of_tokens, caller);
    require_logarithms(log_decay, caller);
}

void require_channel_decays(const Tensor& log_decay, const AttentionShape& shape, const char* caller) {
    require_shape(log_decay, "log_decay", join(shape.leading, {shape.n, shape.d_k}), "(…, n, d_k), the shape of Q,",
                  caller);
    require_logarithms(log_decay, caller);
}

void require_strengths(const Tensor& beta, const AttentionShape& shape, const char* caller) {
    require_shape(beta, "beta", join(shape.leading, {shape.n}), of_tokens, caller);
}

void require_state(const Tensor& S, const AttentionShape& shape, const char* caller) {
    require_shape(S, "S", join(shape.leading, {shape.d_k, shape.d_v}),
                  "(…, d_k, d_v), with the leading axes and the widths of Q and V,", caller);
}

void require_upstream(const Tensor& dO, const Tensor& V, const char* caller) {
    require_shape(dO, "dO", shape_of(V), "(…, n, d_v), the shape of V,", caller);
}

void require_system(const Tensor& A, const Tensor& B, const char* caller) {
    require_rank(A, "A", 2, "(…, C, C)", caller);
    require_rank(B, "B", 2, "(…, C, m)", caller);
    Shape square = shape_of(A);
    square.back() = length(A, -2);
    require_shape(A, "A", square, "(…, C, C)", caller);
    square.back() = length(B, -1);
    require_shape(B, "B", square, "(…, C, m), with the leading axes and the C of A,", caller);
}

void require_ridge(double ridge, const char* caller) {
    if (!(ridge > 0.0) || std::isinf(ridge)) reject(caller, "ridge", "a finite number above 0", std::to_string(ridge));
}

}  // namespace linattn
