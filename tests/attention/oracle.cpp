#include "oracle.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "array_view.hpp"
#include "random_inputs.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

// How far a sum of products of this length may be off, in either order: twice γ(length), since the oracle rounds too.
double rounding(std::size_t terms) { return 2.0 * static_cast<double>(terms) * 0x1p-53; }

// What so many products may lose below the smallest normal number, when they are then weighted with entries of V.
double underflow(std::size_t products, const Tensor& V) {
    double largest = 1.0;
    for (std::size_t i = 0; i < V.size(); ++i)
        if (std::isfinite(V.data()[i])) largest = std::max(largest, std::fabs(V.data()[i]));
    return (static_cast<double>(products) + 1.0) * largest * std::numeric_limits<double>::denorm_min();
}

}  // namespace

FeatureMap oracle_feature_map(const std::string& name) {
    const auto each = [](double (*f)(double)) {
        return [f](const Tensor& x) {
            Tensor y = x;
            for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] = f(y.data()[i]);
            return y;
        };
    };
    if (name == "elu_plus_one") return {name, each([](double x) { return x > 0.0 ? x + 1.0 : std::exp(x); })};
    if (name == "relu") return {name, each([](double x) { return x > 0.0 ? x : 0.0; })};
    if (name == "identity") return {name, [](const Tensor& x) { return x; }};
    if (name == "elu_plus_one_times_0.001")
        return {name, [phi = oracle_feature_map("elu_plus_one")](const Tensor& x) { return phi(x) * 0.001; }};
    if (name == "pairs")
        return {"pairs (c = d_k^2)", [](const Tensor& x) {
                    Shape shape = shape_of(x);
                    const std::size_t d = shape.back(), rows = d == 0 ? 0 : x.size() / d;
                    shape.back() = d * d;
                    Tensor y = zeros(shape);
                    for (std::size_t r = 0; r < rows; ++r)
                        for (std::size_t a = 0; a < d; ++a)
                            for (std::size_t b = 0; b < d; ++b)
                                y.data()[(r * d + a) * d + b] = x.data()[r * d + a] * x.data()[r * d + (a + b) % d];
                    return y;
                }};
    throw std::invalid_argument("the oracle knows no feature map '" + name + "'");
}

double dot_product(const double* a, const double* b, std::size_t width) {
    double total = 0.0;
    for (std::size_t i = 0; i < width; ++i) total += a[i] * b[i];
    return total;
}

bool everywhere(std::size_t, std::size_t) { return true; }
bool causal(std::size_t i, std::size_t j) { return j <= i; }
Allowed allowed_by(Mask mask) { return mask == Mask::causal ? causal : everywhere; }

Weights weights_by_definition(const Tensor& phi_Q, const Tensor& phi_K, const Allowed& allowed, const Score& score) {
    if (shape_of(phi_Q) != shape_of(phi_K))
        throw std::invalid_argument("the rows of " + to_string(shape_of(phi_Q)) + " and " + to_string(shape_of(phi_K)) +
                                    " have no dot product");
    const RowExtents rows(phi_Q);
    Shape shape = shape_of(phi_Q);
    shape.back() = rows.n;
    Weights weights = zeros(shape);
    for (std::size_t h = 0; h < rows.leading; ++h)
        for (std::size_t i = 0; i < rows.n; ++i)
            for (std::size_t j = 0; j < rows.n; ++j)
                if (allowed(i, j))
                    weights.data()[(h * rows.n + i) * rows.n + j] =
                        score(phi_Q.data() + (h * rows.n + i) * rows.width,
                              phi_K.data() + (h * rows.n + j) * rows.width, rows.width);
    count_work(rows.leading * rows.n * rows.n * rows.width);  // so that a mistake built on this is seen to cost O(n²)
    return weights;
}

Tensor weighted_sum(const Weights& weights, const Tensor& V) {
    const RowExtents rows(V);
    Tensor output = zeros(shape_of(V));
    for (std::size_t h = 0; h < rows.leading; ++h)
        for (std::size_t i = 0; i < rows.n; ++i)
            for (std::size_t j = 0; j < rows.n; ++j) {
                const double weight = weights.data()[(h * rows.n + i) * rows.n + j];
                if (weight == 0.0) continue;  // a token that is not looked at may hold anything, NaN included
                for (std::size_t a = 0; a < rows.width; ++a)
                    output.data()[(h * rows.n + i) * rows.width + a] +=
                        weight * V.data()[(h * rows.n + j) * rows.width + a];
            }
    count_work(rows.leading * rows.n * rows.n * rows.width);
    return output;
}

namespace {

// Σ_j w_ij v_j and Σ_j w_ij for w_ij = φ(q_i)·φ(k_j), and the same for the sizes of all factors, a row at a time: sequences
// are long and the matrix of weights is not kept.
struct Sums {
    Tensor value, total, magnitude, total_magnitude;
};
Sums sums_by_definition(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Allowed& allowed) {
    if (shape_of(phi_Q) != shape_of(phi_K))
        throw std::invalid_argument("the rows of " + to_string(shape_of(phi_Q)) + " and " + to_string(shape_of(phi_K)) +
                                    " have no dot product");
    const RowExtents keys(phi_K), values(V);
    Shape one = shape_of(V);
    one.back() = 1;
    Sums sums{zeros(shape_of(V)), zeros(one), zeros(shape_of(V)), zeros(one)};
    for (std::size_t h = 0; h < keys.leading; ++h)
        for (std::size_t i = 0; i < keys.n; ++i) {
            const std::size_t row = h * keys.n + i;
            const double* q = phi_Q.data() + row * keys.width;
            for (std::size_t j = 0; j < keys.n; ++j) {
                if (!allowed(i, j)) continue;
                const double* k = phi_K.data() + (h * keys.n + j) * keys.width;
                const double* v = V.data() + (h * keys.n + j) * values.width;
                double weight = 0.0, size = 0.0;
                for (std::size_t a = 0; a < keys.width; ++a) {
                    weight += q[a] * k[a];
                    size += std::fabs(q[a] * k[a]);
                }
                sums.total.data()[row] += weight;
                sums.total_magnitude.data()[row] += size;
                if (size == 0.0) continue;  // a token without weight may hold anything, NaN included
                for (std::size_t b = 0; b < values.width; ++b) {
                    sums.value.data()[row * values.width + b] += weight * v[b];
                    sums.magnitude.data()[row * values.width + b] += size * std::fabs(v[b]);
                }
            }
        }
    return sums;
}

// The same by the recurrence, in O(n): each token is added to the sums S = Σ φ(k) vᵀ and z = Σ φ(k), of sizes too.
Sums sums_by_recurrence(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, bool is_causal) {
    const RowExtents keys(phi_K), values(V);
    const std::size_t n = keys.n, c = keys.width, d = values.width;
    Shape one = shape_of(V);
    one.back() = 1;
    Sums sums{zeros(shape_of(V)), zeros(one), zeros(shape_of(V)), zeros(one)};
    for (std::size_t h = 0; h < keys.leading; ++h) {
        std::vector<double> S(c * d), z(c), size_of_S(c * d), size_of_z(c);
        const auto add = [&](std::size_t j) {
            for (std::size_t a = 0; a < c; ++a) {
                const double k = phi_K.data()[(h * n + j) * c + a];
                z[a] += k;
                size_of_z[a] += std::fabs(k);
                for (std::size_t b = 0; b < d; ++b) {
                    const double v = V.data()[(h * n + j) * d + b];
                    S[a * d + b] += k * v;
                    size_of_S[a * d + b] += std::fabs(k * v);
                }
            }
        };
        for (std::size_t j = 0; j < n && !is_causal; ++j) add(j);
        for (std::size_t row = h * n; row < (h + 1) * n; ++row) {
            if (is_causal) add(row - h * n);
            for (std::size_t a = 0; a < c; ++a) {
                const double q = phi_Q.data()[row * c + a];
                sums.total.data()[row] += q * z[a];
                sums.total_magnitude.data()[row] += std::fabs(q) * size_of_z[a];
                for (std::size_t b = 0; b < d; ++b) {
                    sums.value.data()[row * d + b] += q * S[a * d + b];
                    sums.magnitude.data()[row * d + b] += std::fabs(q) * size_of_S[a * d + b];
                }
            }
        }
    }
    return sums;
}

// Where the definition would take long, by the recurrence.
Sums sums_of(const Tensor& phi_Q, const Tensor& phi_K, const Tensor& V, const Allowed& allowed) {
    const auto* known = allowed.target<bool (*)(std::size_t, std::size_t)>();
    if (length(V, -2) < 1000 || known == nullptr) return sums_by_definition(phi_Q, phi_K, V, allowed);
    return sums_by_recurrence(phi_Q, phi_K, V, *known == &causal);
}

Expected quotient(const Sums& sums, const Tensor& V, double epsilon, std::size_t c);

}  // namespace

Expected expected_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                            const Allowed& allowed) {
    const Tensor phi_Q = phi(Q), phi_K = phi(K);
    const std::size_t n = length(V, -2), c = length(phi_Q, -1);
    const Sums sums = sums_of(phi_Q, phi_K, V, allowed);
    return {sums.value, sums.magnitude * rounding(n + c) + underflow(n * c, V),
            "2 (n + c)·2^-53 sum |phi(q)| |phi(k)| |v| with n = " + std::to_string(n) + ", c = " + std::to_string(c)};
}

namespace {

Expected quotient(const Sums& sums, const Tensor& V, double epsilon, std::size_t c) {
    const std::size_t n = length(V, -2);
    const Tensor denominator = sums.total + epsilon, largest = sums.total_magnitude;
    const Tensor value = sums.value / denominator;
    // The sums of n + c products, then ε, the division, and a factor 1/denominator that may have been taken inside.
    const double unit = rounding(n + c + 4);
    const Tensor wrong = (sums.magnitude + abs(value) * largest) * unit + (abs(value) + 1.0) * underflow(n * c, V);
    double condition = 1.0;
    for (std::size_t i = 0; i < denominator.size(); ++i)
        condition = std::max(condition, largest.data()[i] / std::fabs(denominator.data()[i]));
    char text[160];
    std::snprintf(text, sizeof text,
                  "2 (n + c + 4)·2^-53 sum |w| (|v| + |o|) / |sum w + eps|, w = phi(q)·phi(k), n = %zu, c = %zu, "
                  "sum |w| / |sum w + eps| up to %.2g",
                  n, c, condition);
    return {value, wrong / maximum(abs(denominator) - largest * unit, 0.0), text};
}

}  // namespace

Expected normalized_sum(const Weights& weights, const Weights& magnitude, const Tensor& V, double epsilon,
                        std::size_t c) {
    return quotient({weighted_sum(weights, V), sum(weights, -1, keep_dims), weighted_sum(magnitude, abs(V)),
                     sum(magnitude, -1, keep_dims)},
                    V, epsilon, c);
}

Expected expected_normalized_attention(const Tensor& Q, const Tensor& K, const Tensor& V, const FeatureMap& phi,
                                       const Allowed& allowed, double epsilon) {
    const Tensor phi_Q = phi(Q), phi_K = phi(K);
    return quotient(sums_of(phi_Q, phi_K, V, allowed), V, epsilon, length(phi_Q, -1));
}

Expected expected_weights(const Tensor& Q, const Tensor& K, const FeatureMap& phi, const Allowed& allowed,
                          double epsilon) {
    const Tensor phi_Q = phi(Q), phi_K = phi(K);
    const Weights weights = weights_by_definition(phi_Q, phi_K, allowed),
                  magnitude = weights_by_definition(abs(phi_Q), abs(phi_K), allowed);
    // What averages of values 0 and 1 would be.
    return quotient({weights, sum(weights, -1, keep_dims), magnitude, sum(magnitude, -1, keep_dims)},
                    ones(shape_of(weights)), epsilon, length(phi_Q, -1));
}

Expected expected_state(const Tensor& K, const Tensor& V, const FeatureMap& phi) {
    const Tensor phi_K = phi(K);
    const RowExtents keys(phi_K), values(V);
    Shape shape = shape_of(phi_K);
    shape[shape.size() - 2] = keys.width;
    shape.back() = values.width;
    Tensor state = zeros(shape), magnitude = zeros(shape);
    for (std::size_t h = 0; h < keys.leading; ++h)
        for (std::size_t j = 0; j < keys.n; ++j)
            for (std::size_t a = 0; a < keys.width; ++a)
                for (std::size_t b = 0; b < values.width; ++b) {
                    const double term =
                        phi_K.data()[(h * keys.n + j) * keys.width + a] * V.data()[(h * keys.n + j) * values.width + b];
                    state.data()[(h * keys.width + a) * values.width + b] += term;
                    magnitude.data()[(h * keys.width + a) * values.width + b] += std::fabs(term);
                }
    return {state, magnitude * rounding(keys.n) + underflow(keys.n, V),
            "2n·2^-53 sum |phi(k)| |v| with n = " + std::to_string(keys.n), false};
}

Weights softmax_rows(const Weights& scores, const Allowed& allowed) {
    const RowExtents rows(scores);
    Weights weights = zeros(shape_of(scores));
    for (std::size_t h = 0; h < rows.leading; ++h)
        for (std::size_t i = 0; i < rows.n; ++i) {
            const double* from = scores.data() + (h * rows.n + i) * rows.width;
            double* to = weights.data() + (h * rows.n + i) * rows.width;
            double largest = -infinity, total = 0.0;  // nothing allowed: 0 / 0
            for (std::size_t j = 0; j < rows.width; ++j)
                if (allowed(i, j)) largest = std::max(largest, from[j]);
            for (std::size_t j = 0; j < rows.width; ++j)
                if (allowed(i, j)) total += to[j] = std::exp(from[j] - largest);
            for (std::size_t j = 0; j < rows.width; ++j)
                if (allowed(i, j) || total == 0.0) to[j] /= total;
        }
    return weights;
}

std::size_t heads_of(const Tensor& x) { return RowExtents(x).leading; }

}  // namespace linattn::testing
