#include "least_squares_definition.hpp"

#include <cmath>
#include <vector>

#include "forgetting_arguments.hpp"
#include "oracle.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
template <class Real>
using MatrixOf = std::vector<std::vector<Real>>;
using Row = std::vector<double>;

MatrixOf<double> product(const MatrixOf<double>& a, const MatrixOf<double>& b) {
    MatrixOf<double> c(a.size(), Row(b.empty() ? 0 : b[0].size()));
    for (Index i = 0; i < a.size(); ++i)
        for (Index j = 0; j < b.size(); ++j)
            for (Index e = 0; e < c[i].size(); ++e) c[i][e] += a[i][j] * b[j][e];
    return c;
}

// P and S of one head.
class Recursion {
public:
    Recursion(const LeastSquaresSettings& settings, Index d_k, Index d_v, double ridge)
        : s(settings),
          one(settings.ridge_for_one ? ridge : settings.forgets),
          P(d_k, Row(d_k)),
          S(d_k, Row(d_v)),
          sums(S) {
        const double r = ridge * s.ridge_factor;
        for (Index x = 0; x < d_k; ++x)
            P[x][x] = s.begin == Begin::ridge               ? r
                      : s.begin == Begin::one               ? 1.0
                      : s.begin == Begin::inverse_of_square ? 1.0 / (r * r)
                      : s.begin == Begin::inverse_of_root   ? 1.0 / std::sqrt(r)
                                                            : 1.0 / r;
        for (Row& row : P)
            if (s.begin == Begin::inverse_everywhere) row.assign(d_k, 1.0 / r);
    }

    void write(const Row& q, Row k, const double* v) {
        if (s.queries_for_keys) k = q;
        const double size = std::sqrt(dot_product(k.data(), k.data(), k.size()));
        for (double& x : k)
            if (s.keys_normalized && size > 0.0) x /= size;
        const Row Pk = times(P, k);
        P_before = P;
        for (Index x = 0; x < k.size(); ++x)
            for (Index b = 0; b < sums[x].size(); ++b) sums[x][b] += k[x] * v[b];
        const double kPk = dot_product(k.data(), Pk.data(), k.size());
        const Row gain = gain_of(k, Pk, kPk);
        Row error = error_of(s.asks_with_query ? q : k, v);
        if (s.update != Update::never) update(k, kPk, gain);
        const bool of_new = s.gain == Gain::of_new_P_divided || s.gain == Gain::of_new_P_divided_anew;
        const Row used = of_new ? times(P, k) : gain;
        const double by = s.gain == Gain::of_new_P_divided_anew ? dot_product(k.data(), used.data(), k.size()) : kPk;
        if (s.row_by_row) error.assign(v, v + error.size());
        for (Index x = 0; x < k.size(); ++x) {
            if (s.read_for_each_row) error = error_of(k, v);
            for (Index b = 0; b < error.size(); ++b) {
                if (s.row_by_row) error[b] -= k[x] * S[x][b];
                S[x][b] = (s.replaces_S ? 0.0 : S[x][b]) + used[x] / (of_new ? 1.0 + by : 1.0) * error[b];
            }
        }
    }
    Row read(const Row& q) const {
        Row output(S[0].size());
        const MatrixOf<double> state = s.reads_sums_with_P_before && !P_before.empty() ? product(P_before, sums) : S;
        for (Index x = 0; x < q.size(); ++x)
            for (Index b = 0; b < output.size(); ++b) output[b] += q[x] * state[x][b];
        return output;
    }
    void forget_S() {
        for (Row& row : S) row.assign(row.size(), 0.0);
        sums = S;
    }
    void forget_P(const Recursion& fresh) { P = fresh.P; }

private:
    static Row times(const MatrixOf<double>& M, const Row& k) {
        Row result(k.size());
        for (Index x = 0; x < k.size(); ++x) result[x] = dot_product(M[x].data(), k.data(), k.size());
        return result;
    }
    Row gain_of(const Row& k, Row Pk, double kPk) const {
        if (s.gain == Gain::key) return k;
        for (double& x : Pk) x /= s.gain == Gain::undivided ? 1.0 : s.gain == Gain::without_one ? kPk : one + kPk;
        return Pk;
    }
    Row error_of(const Row& asks, const double* v) const {
        Row error(v, v + S[0].size());
        for (Index x = 0; x < asks.size(); ++x)
            for (Index b = 0; b < error.size(); ++b) error[b] -= s.read * asks[x] * S[x][b];
        return error;
    }
    void update(const Row& k, double kPk, const Row& gain) {
        MatrixOf<double> kk(k.size(), Row(k.size()));
        for (Index x = 0; x < k.size(); ++x)
            for (Index y = 0; y < k.size(); ++y) kk[x][y] = k[x] * k[y];
        const MatrixOf<double> PkkP = product(product(P, kk), P);
        double divisor = s.update == Update::undivided ? 1.0 : s.update == Update::without_one ? kPk : one + kPk;
        if (s.update == Update::added) divisor = -divisor;
        for (Index x = 0; x < k.size(); ++x)
            for (Index y = 0; y < k.size(); ++y)
                P[x][y] -= s.update == Update::by_gain_and_gain  ? gain[x] * gain[y]
                           : s.update == Update::by_gain_and_key ? gain[x] * k[y]
                           : s.update == Update::by_key_and_gain ? k[x] * gain[y]
                           : s.update == Update::by_key_and_key  ? kk[x][y] / divisor
                                                                 : PkkP[x][y] / divisor;
        for (Row& row : P)
            for (double& entry : row) entry /= s.forgets;
    }

    const LeastSquaresSettings& s;
    const double one;                       // in the divisors
    MatrixOf<double> P, S, P_before, sums;  // sums of k vᵀ
};

Row row_of(const Tensor& x, Index at) {
    const Index width = length(x, -1);
    return Row(x.data() + at * width, x.data() + (at + 1) * width);
}

// S with (ridge I + Σ k kᵀ) S = Σ k vᵀ, by elimination.
MatrixOf<long double> solved(MatrixOf<long double> A, MatrixOf<long double> S) {
    const Index d = A.size();
    for (Index j = 0; j < d; ++j)
        for (Index r = 0; r < d; ++r) {
            if (r == j) continue;
            const long double factor = A[r][j] / A[j][j];
            for (Index c = j; c < d; ++c) A[r][c] -= factor * A[j][c];
            for (Index b = 0; b < S[r].size(); ++b) S[r][b] -= factor * S[j][b];
        }
    for (Index j = 0; j < d; ++j)
        for (long double& x : S[j]) x /= A[j][j];
    return S;
}

}  // namespace

Tensor least_squares_by_settings(const LeastSquaresSettings& settings, const Tensor& Q, const Tensor& K,
                                 const Tensor& V, double ridge) {
    const AttentionShape shape = require_attention_shapes(Q, K, V);
    require_ridge(ridge);
    const Index H = heads_of(V), n = shape.n;
    Tensor output = zeros(shape_of(V));
    if (shape.d_k == 0) return output;
    const Recursion fresh(settings, shape.d_k, shape.d_v, ridge);
    Recursion state = fresh;
    for (Index h = 0; h < H; ++h) {
        if (!settings.P_carried) state.forget_P(fresh);
        if (!settings.S_carried) state.forget_S();
        for (Index i = h * n; i < (h + 1) * n; ++i) {
            if (settings.first_token_skipped && i == h * n) continue;
            Row q = row_of(Q, i);
            const double size = std::sqrt(dot_product(q.data(), q.data(), q.size()));
            for (double& x : q)
                if (settings.queries_normalized && size > 0.0) x /= size;
            const Row reader = settings.keys_for_queries ? row_of(K, i) : q, before = state.read(reader);
            state.write(q, row_of(K, i), V.data() + i * shape.d_v);
            const Row after = state.read(reader);
            if ((settings.only_first_head && h > 0) || (settings.only_last_token && i + 1 != (h + 1) * n) ||
                (settings.all_but_last_token && i + 1 == (h + 1) * n))
                continue;
            const Row& read = settings.reads_before ? before : after;
            std::copy(read.begin(), read.end(), output.data() + i * shape.d_v);
        }
    }
    for (Index e = shape.d_v; settings.outputs_added_up && e < output.size(); ++e)
        if (e / shape.d_v % n != 0) output.data()[e] += output.data()[e - shape.d_v];
    count_work(H * n * shape.d_k * shape.d_k * shape.d_k);  // so that an answer in O(d_k³) is seen as one
    return output;
}

Expected expected_least_squares(const Tensor& Q, const Tensor& K, const Tensor& V, double ridge) {
    const Index H = heads_of(V), n = length(V, -2), d_k = length(K, -1), d_v = length(V, -1);
    Tensor value = zeros(shape_of(V)), size = value;
    const double root = std::sqrt(ridge);
    for (Index h = 0; h < H; ++h) {
        MatrixOf<long double> A(d_k, std::vector<long double>(d_k)), B(d_k, std::vector<long double>(d_v)), S = B;
        double trace = ridge * static_cast<double>(d_k);
        for (Index x = 0; x < d_k; ++x) A[x][x] = static_cast<long double>(ridge);
        Row local(d_v);  // errors of S so far, in roundings
        for (Index i = h * n; i < (h + 1) * n; ++i) {
            const Row q = row_of(Q, i), k = row_of(K, i);
            const double key = std::sqrt(dot_product(k.data(), k.data(), d_k)),
                         query = std::sqrt(dot_product(q.data(), q.data(), d_k));
            const auto norm = [&](Index b) {
                long double squares = 0.0L;
                for (Index x = 0; x < d_k; ++x) squares += S[x][b] * S[x][b];
                return static_cast<double>(std::sqrt(squares));
            };
            Row error(d_v);
            for (Index b = 0; b < d_v; ++b) error[b] = std::fabs(V.data()[i * d_v + b]) + key * norm(b);
            for (Index x = 0; x < d_k; ++x) {
                for (Index y = 0; y < d_k; ++y) A[x][y] += static_cast<long double>(k[x]) * k[y];
                for (Index b = 0; b < d_v; ++b) B[x][b] += static_cast<long double>(k[x]) * V.data()[i * d_v + b];
            }
            trace += key * key;
            S = solved(A, B);
            const double condition = trace / ridge, tokens = static_cast<double>(i - h * n + 1);
            const double error_of_P = tokens * condition / ridge, error_of_gain = error_of_P * key * (1.0 + key / root);
            for (Index b = 0; b < d_v; ++b) {
                local[b] += (error_of_gain + 1.0 / root) * error[b] + norm(b);
                long double read = 0.0L;
                for (Index x = 0; x < d_k; ++x) read += q[x] * S[x][b];
                value.data()[i * d_v + b] = static_cast<double>(read);
                size.data()[i * d_v + b] = query * std::sqrt(condition) * local[b];
            }
        }
    }
    return to_rounding_of_terms(
        value, size, 4.0 * static_cast<double>(d_k + 8),
        "4 (d_k + 8) 2^-53 times the errors of P and of the gains so far, with the condition of "
        "ridge I + sum k k^T");
}

}  // namespace linattn::testing
