// Lab 06, exercise 6.8: tests of causal_attention_backward; see labs/lab06_gradients/README.md, section 6.8
#include "gradients.hpp"
#include "random.hpp"

// BEGIN SOLUTION
#include <stdexcept>
// END SOLUTION

namespace linattn {
// BEGIN SOLUTION
namespace {

// The loss Σ dO·O, in plain loops: it is called twice for each entry.
double loss(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Tensor& dO, double epsilon) {
    const std::size_t n = length(dO, -2), d_v = length(dO, -1), c = length(phi_K, -1);
    double total = 0.0;
    for (std::size_t row = 0; row < V.size() / d_v; ++row) {
        double dot_O = 0.0, D = epsilon;  // dO·N and the denominator of this row
        for (std::size_t other = row - row % n; other <= row; ++other) {
            double weight = 0.0, dot_v = 0.0;
            for (std::size_t a = 0; a < c; ++a) weight += phi_Q.data()[row * c + a] * phi_K.data()[other * c + a];
            for (std::size_t b = 0; b < d_v; ++b) dot_v += dO.data()[row * d_v + b] * V.data()[other * d_v + b];
            D += weight;
            dot_O += weight * dot_v;
        }
        total += dot_O / D;
    }
    return total;
}

bool near(const Tensor& gradient, Tensor x, const ScalarFunction& f) {
    if (shape_of(gradient) != shape_of(x)) return false;
    const std::size_t stride = x.size() > 50 ? 11 : 1;  // some entries of a long sequence are enough
    for (std::size_t e = 0; e < x.size(); e += stride) {
        const double at = x.data()[e], h = 1e-5;
        x.data()[e] = at + h;
        const double up = f(x);
        x.data()[e] = at - h;
        const double slope = (up - f(x)) / (2.0 * h);
        x.data()[e] = at;
        if (!(abs(gradient.data()[e] - slope) <= 1e-7 * (1.0 + abs(slope)))) return false;
    }
    return true;
}

bool rejects(const AttentionBackward& backward, const Tensor& phi_Q, const Tensor& phi_K, double epsilon) {
    try {
        backward(phi_Q, phi_K, phi_Q, phi_Q, epsilon);
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

}  // namespace
// END SOLUTION

std::vector<std::string> test_causal_attention_backward(const AttentionBackward& backward) {
    // Call backward(phi_Q, phi_K, V, dO, epsilon) on inputs whose gradients you know, or find out by differences, and add a
    // sentence for each gradient that is wrong. normal(shape, seed) gives random inputs.
    // BEGIN SOLUTION
    const double epsilon = 0.5;
    for (const Shape& shape : {Shape{2, 2, 0}, Shape{2, 2, 1}, Shape{2, 2, 6}, Shape{40}}) {
        // Features of both signs, but for two: they keep the denominators away from 0.
        const Tensor ones_and_more = 2.0 + 0.1 * normal(join(shape, {1}), 1);
        const Tensor Q = concatenate(0.5 * normal(join(shape, {3}), 2), ones_and_more, -1);
        const Tensor K = concatenate(0.5 * normal(join(shape, {3}), 3), 2.0 * ones_and_more, -1);
        const Tensor V = normal(join(shape, {2}), 4), dO = normal(join(shape, {2}), 5);
        const AttentionGradients d = backward(Q, K, V, dO, epsilon);
        const std::string tokens = " for n = " + std::to_string(shape.back());
        if (!near(d.phi_Q, Q, {"Q", [&](const Tensor& x) { return loss(x, K, V, dO, epsilon); }}))
            return {"wrong gradient of phi_Q" + tokens};
        if (!near(d.phi_K, K, {"K", [&](const Tensor& x) { return loss(Q, x, V, dO, epsilon); }}))
            return {"wrong gradient of phi_K" + tokens};
        if (!near(d.V, V, {"V", [&](const Tensor& x) { return loss(Q, K, x, dO, epsilon); }}))
            return {"wrong gradient of V" + tokens};
    }
    const Tensor three = ones({3, 2});
    if (!rejects(backward, three, ones({4, 2}), epsilon)) return {"takes phi_K of another length"};
    if (!rejects(backward, three, three, -1.0)) return {"takes a negative epsilon"};
    return {};
    // END SOLUTION
}

}  // namespace linattn
