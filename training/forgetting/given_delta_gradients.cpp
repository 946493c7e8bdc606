#include "memories.hpp"

namespace linattn {
namespace {

Tensor outer(const Tensor& a, const Tensor& b) { return matmul(matrix_transpose(a), b); }  // of two rows

// Of one number for each token that of token i, as a factor of rows and of states \shape{(…, 1, 1)}.
Tensor factor(const Tensor& x, std::size_t i) { return expand_dims(slice(x, -1, i, i + 1), -1); }

}  // namespace

GatedDeltaGradients given_delta_gradients(const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& beta,
                                          const Tensor& log_decay, const Tensor& dO) {
    const std::size_t n = length(K, -2);
    const Tensor a = exp(log_decay);
    const auto row = [](const Tensor& x, std::size_t i) { return tokens(x, i, i + 1); };
    std::vector<Tensor> faded, errors;  // what each token finds, and its value less what that returns for its key
    Tensor S = zeros(shape_of(matmul(matrix_transpose(K), V)));
    for (std::size_t i = 0; i < n; ++i) {
        S *= factor(a, i);
        faded.push_back(S);
        errors.push_back(row(V, i) - matmul(row(K, i), S));
        S += outer(row(K, i), factor(beta, i) * errors[i]);
    }
    const Shape numbers = join(shape_of(beta), {1});
    GatedDeltaGradients d{zeros(shape_of(Q)), zeros(shape_of(K)), zeros(shape_of(V)), zeros(numbers), zeros(numbers)};
    Tensor R = zeros(shape_of(S));
    for (std::size_t i = n; i-- > 0;) {
        const Tensor k = row(K, i), b = factor(beta, i), o = row(dO, i);
        set_tokens(d.Q, i, matmul(o, matrix_transpose(faded[i] + outer(k, b * errors[i]))));
        R += outer(row(Q, i), o);
        const Tensor written = matmul(k, R), dv = b * written;
        set_tokens(d.V, i, dv);
        set_tokens(d.beta, i, sum(written * errors[i], -1, keep_dims));
        set_tokens(d.K, i, matmul(b * errors[i], matrix_transpose(R)) - matmul(dv, matrix_transpose(faded[i])));
        R -= outer(k, dv);
        set_tokens(d.log_decay, i, sum(sum(R * faded[i], -1, keep_dims), -2, keep_dims));
        R *= factor(a, i);
    }
    d.beta = sum(d.beta, -1);
    d.log_decay = sum(d.log_decay, -1);
    return d;
}

}  // namespace linattn
