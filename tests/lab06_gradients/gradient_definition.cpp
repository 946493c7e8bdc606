#include "gradient_definition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
using Row = std::vector<double>;

double dot(const double* a, const double* b, Index width) { return dot_product(a, b, width); }

void add(double* to, double times, const double* row, Index width) {
    for (Index e = 0; e < width; ++e) to[e] += times * row[e];
}

// Running sums along each row, from the front or from the end.
Tensor summed_along_rows(Tensor x, bool from_the_end) {
    const Index width = length(x, -1), rows = width == 0 ? 0 : x.size() / width;
    for (Index r = 0; r < rows; ++r) {
        double* row = x.data() + r * width;
        for (Index a = 1; a < width; ++a) from_the_end ? row[width - 1 - a] += row[width - a] : row[a] += row[a - 1];
    }
    return x;
}

class Gradients {
public:
    Gradients(const GradientCall& asked, const GradientSettings& settings)
        : call(asked),
          s(settings),
          keys_of_S(s.S_along_features ? summed_along_rows(asked.phi_K, false) : asked.phi_K),
          summed_queries(s.R_along_features || s.r_along_features ? summed_along_rows(asked.phi_Q, true) : Tensor()),
          H(heads_of(asked.V)),
          n(length(asked.V, -2)),
          c(length(asked.phi_Q, -1)),
          d_v(length(asked.V, -1)),
          block(s.block != 0       ? s.block
                : asked.chunk != 0 ? asked.chunk
                                   : n),
          epsilon(s.epsilon_fixed.value_or(asked.epsilon)) {
        if (s.D_without_axis) token_of_D = stretched(shape_of(call.V));
        Shape pairs = shape_of(call.V);
        pairs.back() = n;
        if (s.dD_without_axis) token_of_dD = stretched(pairs);
    }

    AttentionGradients result() {
        attend();
        if (s.D_goes_on) add_up_denominators();
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i) {
                dN_of_dQ.push_back(upstream(s.upstream_of_dQ, h, i));
                dN_of_dK.push_back(upstream(s.upstream_of_dK, h, i));
                dN_of_dV.push_back(upstream(s.upstream_of_dV, h, i));
                dD.push_back(normalizer_gradient(h, i));
            }
        for (Index at = 0; s.dD_goes_on && at < H * n; ++at)  // what divides stays the token's own
            if (at % n > 0)
                dD[at] += dD[at - 1] * divisor(at / n, at % n - 1, sums[at - 1], s.epsilon_of_dD) /
                          divisor(at / n, at % n, sums[at], s.epsilon_of_dD);
        if (s.dD_over_heads) {
            const Row own = dD;
            for (Index at = 0; at < H * n; ++at) {
                dD[at] = 0.0;
                for (Index g = 0; g < H; ++g) dD[at] += own[g * n + at % n];
            }
        }
        made = {zeros(shape_of(call.phi_Q)), zeros(shape_of(call.phi_K)), zeros(shape_of(call.V))};
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i) {
                find_query(h, i);
                find_key(h, i);
                find_value(h, i);
            }
        if (s.dV_in_R) add_what_was_written_over();
        if (s.in_r != GradientSettings::InR::dD) add_wrong_r();
        for (const auto& [goes_on, part] :
             {std::pair{s.dQ_goes_on, &made.phi_Q}, {s.dK_goes_on, &made.phi_K}, {s.dV_goes_on, &made.V}})
            if (goes_on) *part = summed_along_rows(*part, false);
        write_wrongly();
        count_work(H * n * n * (c + d_v));  // so that an answer in O(n²) is seen as one
        return made;
    }

private:
    // Which token each entry of `whole` gets, where what has lost its last axis, (…, n), is stretched to it.
    std::vector<Index> stretched(const Shape& whole) const {
        Shape lost = shape_of(call.V);
        lost.pop_back();
        Tensor tokens = zeros(lost);
        for (Index at = 0; at < tokens.size(); ++at) tokens.data()[at] = static_cast<double>(at);
        const Tensor of_entries = tokens + zeros(whole);
        if (shape_of(of_entries) != whole) throw std::invalid_argument("stretches the whole");
        return {of_entries.data(), of_entries.data() + of_entries.size()};
    }

    const double* q(Index h, Index i) const { return call.phi_Q.data() + (h * n + i) * c; }
    const double* k(Index h, Index j) const { return call.phi_K.data() + (h * n + j) * c; }
    const double* k_of_z(Index h, Index j) const { return s.queries_in_forward_S && !s.keys_in_z ? q(h, j) : k(h, j); }
    const double* v(Index h, Index j) const { return call.V.data() + (h * n + j) * d_v; }
    const double* k_of_S(Index h, Index j) const {
        return s.queries_in_forward_S ? q(h, j) : keys_of_S.data() + (h * n + j) * c;
    }
    const double* q_of_r(Index h, Index i) const {
        return s.r_along_features ? summed_queries.data() + (h * n + i) * c : q(h, i);
    }
    const double* q_of_R(Index h, Index i) const {
        return s.R_along_features ? summed_queries.data() + (h * n + i) * c : q(h, i);
    }

    // How many tokens are left beside whole chunks.
    Index rest() const { return n % (s.short_unless_only_one ? std::max<Index>(std::min(block, n), 1) : block); }

    // Which pairs count -----------------------------------------------------------------------------------------------

    // How often the pair of query i and key j counts for head h, when `other` is the head of the one that is summed over.
    double count(const PairSum& sum, Index h, Index other, Index i, Index j) const {
        const bool in = sum.heads == Heads::all || (sum.heads == Heads::first && other == 0) ||
                        (sum.heads == Heads::own_after_earlier && other <= h) ||
                        (sum.heads == Heads::own && other == h);
        if (!in) return 0.0;
        double times = counts(sum.tokens, i, j, n, block);
        if (sum.own_block_again && i / block == j / block) times += 1.0;
        if (sum.over_d_k != 0.0 && (!sum.over_d_k_in_block || i / block == j / block))
            times /= std::pow(static_cast<double>(c), sum.over_d_k);
        if (sum.mean_of_keys) times /= static_cast<double>(i + 1);
        if (sum.mean_of_queries) times /= static_cast<double>(n - j);
        if (sum.without_last_query && i + 1 == n) times = 0.0;
        if (sum.without_short_chunk && i >= n - rest()) times = 0.0;
        if (sum.decay != 1.0) times *= std::pow(sum.decay, std::fabs(static_cast<double>(i) - static_cast<double>(j)));
        if (sum.heads == Heads::own_after_earlier && other < h) times = 1.0;
        return times * sum.factor;
    }
    template <class Function>
    void for_each_key(const PairSum& sum, Index h, Index i, Function function) const {
        for (Index g = 0; g < H; ++g)
            for (Index j = 0; j < n; ++j)
                if (const double times = count(sum, h, g, i, j); times != 0.0) function(g, j, times);
        if (!s.rolled_back) return;
        for (Index j = i + 1; j < n; ++j) function(h, j, sum.factor);
        for (Index j = n; j-- > i + 1;) function(h, j, -sum.factor);
    }
    template <class Function>
    void for_each_query(const PairSum& sum, Index h, Index j, Function function) const {
        for (Index g = 0; g < H; ++g)
            for (Index i = 0; i < n; ++i)
                if (const double times = count(sum, h, g, i, j); times != 0.0) function(g, i, times);
    }

    // Forwards --------------------------------------------------------------------------------------------------------

    void attend() {
        numerators.assign(H * n, Row(d_v));
        sums.assign(H * n, 0.0);
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i) {
                const Index at = h * n + i;
                for_each_key(s.S, h, i, [&](Index g, Index j, double times) {
                    add(numerators[at].data(), times * dot(s.keys_in_A ? k(h, i) : q(h, i), k_of_S(g, j), c), v(g, j),
                        d_v);
                });
                const auto add_weight = [&](const double* query, const double* key, double times) {
                    sums[at] += times * dot(query, key, c);
                };
                if (s.D_of_keys)
                    for_each_query(s.z, h, i, [&](Index g, Index other, double times) {
                        add_weight(q(g, other), k(h, i), times);
                    });
                else
                    for_each_key(s.z, h, i, [&](Index g, Index j, double times) {
                        add_weight(s.keys_in_A ? k(h, i) : q(h, i), k_of_z(g, j), times);
                    });
            }
    }
    void add_up_denominators() {
        for (Index at = 0; at < H * n; ++at)
            if (at % n > 0) sums[at] += sums[at - 1];
    }
    // D_i where ε counts so often; `sum` is that of the weights.
    double divisor(Index h, Index i, double sum, double counts) const {
        double e = counts * epsilon;
        if (s.D_over_features) sum /= static_cast<double>(c);
        double query = 0.0;
        for (Index a = 0; a < c; ++a) query += q(h, i)[a];
        switch (s.epsilon) {
            case Epsilon::per_token: e *= static_cast<double>(i + 1); break;
            case Epsilon::per_token_of_all: e *= static_cast<double>(n); break;
            case Epsilon::per_width: e *= static_cast<double>(c); break;
            case Epsilon::per_feature: e *= query; break;
            case Epsilon::per_token_and_feature: e *= query * static_cast<double>(i + 1); break;
            case Epsilon::squared: e *= e; break;
            case Epsilon::root: e = std::sqrt(e); break;
            case Epsilon::floor: return std::max(sum, e);
            case Epsilon::only_where_zero: return sum == 0.0 ? e : sum;
            case Epsilon::after_division: return sum;
            default: break;
        }
        return sum + e;
    }
    // What divides entry b of token i.
    double divisor_of_entry(Index h, Index i, Index b, double counts) const {
        const Index at = s.D_without_axis ? token_of_D[(h * n + i) * d_v + b] : h * n + i;
        return divisor(at / n, at % n, sums[at], counts);
    }
    Row output(Index h, Index i) const {
        Row row = numerators[h * n + i];
        for (Index b = 0; b < d_v; ++b) row[b] /= divisor_of_entry(h, i, b, s.epsilon_of_O);
        if (s.epsilon == Epsilon::after_division)
            for (double& x : row) x += epsilon;
        return row;
    }
    Row upstream(Upstream what, Index h, Index i) const {
        double own_sum = sums[h * n + i];
        if (s.D_of_dN != Tokens::up_to_own) {
            PairSum other = s.z;
            other.tokens = s.D_of_dN;
            own_sum = 0.0;
            for_each_key(other, h, i,
                         [&](Index g, Index j, double times) { own_sum += times * dot(q(h, i), k_of_z(g, j), c); });
        }
        const double* g = call.dO.data() + (h * n + i) * d_v;
        if (what == Upstream::output) return output(h, i);
        if (what == Upstream::value) return Row(v(h, i), v(h, i) + d_v);
        Row row(g, g + d_v);
        for (Index b = 0; b < d_v; ++b) {
            const double D =
                s.D_without_axis ? divisor_of_entry(h, i, b, s.epsilon_of_dN) : divisor(h, i, own_sum, s.epsilon_of_dN);
            if (what != Upstream::dO) row[b] /= D;
            if (what == Upstream::dN_over_D) row[b] /= D;
            if (what == Upstream::dO_times_D) row[b] *= D * D;
            if (what == Upstream::dN && s.epsilon_after_dN) row[b] += epsilon;
        }
        return row;
    }
    double normalizer_gradient(Index h, Index i) const {
        const double D = divisor(h, i, sums[h * n + i], s.epsilon_of_dD);
        const Row g = upstream(Upstream::dO, h, i), o = output(h, i);
        if (s.D_without_axis || s.epsilon_after_dN) return -dot(upstream(Upstream::dN, h, i).data(), o.data(), d_v);
        double with_output = 0.0, with_numerator = 0.0, of_upstream = 0.0, of_output = 0.0;
        for (Index b = 0; b < d_v; ++b) {
            with_output += g[b] * o[b];
            with_numerator += g[b] * numerators[h * n + i][b];
            of_upstream += g[b];
            of_output += o[b];
        }
        switch (s.dD) {
            case NormalizerGradient::right: return -with_output / D;
            case NormalizerGradient::from_numerator: return -with_numerator / D;
            case NormalizerGradient::undivided: return -with_output;
            case NormalizerGradient::divided_twice: return -with_output / D / D;
            case NormalizerGradient::without_output: return -of_upstream / D;
            case NormalizerGradient::without_upstream: return -of_output / D;
            case NormalizerGradient::mean: return -with_output / D / static_cast<double>(d_v);
            case NormalizerGradient::from_value: return -dot(g.data(), v(h, i), d_v) / D;
        }
        return 0.0;
    }

    // Backwards -------------------------------------------------------------------------------------------------------

    // What each pair's part of dA is multiplied by: 1, if nothing is wrong.
    double factor_of_dA(Index h, Index i, Index g, Index j) const {
        return s.dA_times_A ? dot(q(h, i), k(g, j), c) : 1.0;
    }
    void find_query(Index h, Index i) {  // dφ(q_i) = S_i dN_i + z_i dD_i
        const Index at = h * n + i;
        double* to = made.phi_Q.data() + at * c;
        for_each_key(s.S_of_dQ, h, i, [&](Index g, Index j, double times) {
            const double* value = s.query_token_value ? v(h, i) : v(g, j);
            times *= factor_of_dA(h, i, g, j);
            add(to, times * dot(dN_of_dQ[at].data(), value, d_v), s.queries_in_S ? q(g, j) : k_of_S(g, j), c);
        });
        for_each_key(s.z_of_dQ, h, i, [&](Index g, Index j, double times) {
            times *= factor_of_dA(h, i, g, j);
            const bool of_key = s.key_token_dD_of_dQ && (!s.key_token_dD_in_block || i / block == j / block);
            add(to,
                times * dD[of_key              ? g * n + j
                           : s.dD_without_axis ? token_of_dD[at * n + j]
                                               : at],
                s.queries_in_S ? q(g, j) : k_of_z(g, j), c);
        });
        const double in_z = s.epsilon == Epsilon::per_token_and_feature ? static_cast<double>(i + 1) : 1.0;
        for (Index a = 0; s.z_of_dQ_with_epsilon && a < c; ++a) to[a] += in_z * epsilon * dD[at];
    }
    const double* factor_of_R(Index h, Index j, Index g, Index i, bool keys) const {
        return s.key_token_query ? q(h, j) : keys ? k(g, i) : q_of_R(g, i);
    }
    // The tokens whose sum is one factor where Σ φ(q) Σ dN stands for Σ φ(q) dNᵀ: chunkwise those of the query's chunk, if
    // the key is in an earlier one.
    std::pair<Index, Index> summed_with(Index i, Index j) const {
        if (call.chunk == 0) return {j, n};
        if (i / block == j / block) return {i, i + 1};
        return {i / block * block, std::min(n, (i / block + 1) * block)};
    }
    // What stands for dN_i in R_j; `at` is token j of its head.
    Row row_in_R(const std::vector<Row>& dN, Index g, Index i, Index at) const {
        if (s.key_token_upstream) return dN[at];
        if (s.R_of_sums) {
            Row total(d_v);
            const auto [begin, end] = summed_with(i, at % n);
            for (Index other = begin; other < end; ++other) add(total.data(), 1.0, dN[g * n + other].data(), d_v);
            return total;
        }
        if (s.last_dN) return dN[g * n + n - 1];
        if (s.last_D_in_R) {
            Row row = upstream(Upstream::dO, g, i);
            for (double& x : row) x /= divisor(g, n - 1, sums[g * n + n - 1], s.epsilon_of_dN);
            return row;
        }
        if (s.dO_across_chunks && i / block != at % n / block) return upstream(Upstream::dO, g, i);
        const Index shifted = i + static_cast<Index>(s.upstream_shift);  // wraps below 0, which is beyond n
        return s.upstream_shift == 0 ? dN[g * n + i] : shifted < n ? dN[g * n + shifted] : Row(d_v);
    }
    void find_key(Index h, Index j) {  // dφ(k_j) = R_j v_j + r_j
        const Index at = h * n + j;
        double* to = made.phi_K.data() + at * c;
        Row reader(v(h, j), v(h, j) + d_v);
        if (s.reader_of_dK == Reader::upstream) reader = upstream(Upstream::dO, h, j);
        if (s.reader_of_dK == Reader::dN) reader = upstream(Upstream::dN, h, j);
        if (s.reader_of_dK == Reader::output) reader = output(h, j);
        if (s.dA_not_transposed) {
            for_each_key(s.S_of_dQ, h, j, [&](Index g, Index i, double times) {
                add(to, times * (dot(dN_of_dK[at].data(), v(g, i), d_v) + dD[at]), q(g, i), c);
            });
            return;
        }
        PairSum all;
        all.tokens = Tokens::all;
        if (s.R_begins_with_S)
            for_each_key(all, h, j, [&](Index g, Index i, double times) {
                add(to, times * dot(v(g, i), v(h, j), d_v), k(g, i), c);
            });
        if (s.r_begins_with_z)
            for_each_key(all, h, j, [&](Index g, Index i, double times) { add(to, times, k(g, i), c); });
        if (s.S_for_R)
            for_each_key(s.S, h, j, [&](Index g, Index i, double times) {
                add(to, times * dot(v(g, i), reader.data(), d_v), k(g, i), c);
            });
        else
            for_each_query(s.R_of_dK, h, j, [&](Index g, Index i, double times) {
                times *= factor_of_dA(g, i, h, j);
                const Row dN = row_in_R(dN_of_dK, g, i, at);
                add(to, times * dot(dN.data(), reader.data(), d_v),
                    factor_of_R(h, j, g, i, s.keys_in_R || s.keys_in_dK), c);
            });
        for_each_query(s.r, h, j, [&](Index g, Index i, double times) {
            times *= factor_of_dA(g, i, h, j);
            const bool of_key = s.key_token_dD || (s.key_token_dD_in_block && i / block == j / block);
            double own = dD[of_key              ? at
                            : s.last_dD         ? g * n + n - 1
                            : s.dD_of_last_head ? (H - 1) * n + i
                            : s.dD_without_axis ? token_of_dD[(g * n + i) * n + j]
                                                : g * n + i];
            if (s.r_without_dD && (call.chunk == 0 || i / block != j / block)) own = 1.0;
            if (s.r_of_sums) {
                const auto [begin, end] = summed_with(i, j);
                own = std::accumulate(dD.data() + g * n + begin, dD.data() + g * n + end, 0.0);
            }
            for (Index other = 0; s.r_of_head_totals && other < H; ++other)
                if (other != g) own += dD[other * n + i];
            if (s.r_without_queries && (call.chunk == 0 || i / block != j / block))
                for (Index a = 0; a < c; ++a) to[a] += times * own;
            else
                add(to, times * own, (s.keys_in_R && !s.queries_in_r) || s.keys_in_dK ? k(g, i) : q_of_r(g, i), c);
        });
        if (s.dD_left_in_dK)
            for (Index a = 0; a < c; ++a) to[a] += dD[at];
    }
    void find_value(Index h, Index j) {  // dv_j = R_jᵀφ(k_j)
        const Index at = h * n + j;
        double* to = made.V.data() + at * d_v;
        if (s.A_not_transposed) {
            for_each_key(s.S, h, j, [&](Index g, Index i, double times) {
                add(to, times * dot(q(h, j), k(g, i), c), dN_of_dV[g * n + i].data(), d_v);
            });
            return;
        }
        PairSum all;
        all.tokens = Tokens::all;
        if (s.R_begins_with_S)
            for_each_key(all, h, j, [&](Index g, Index i, double times) {
                add(to, times * dot(k(g, i), k(h, j), c), v(g, i), d_v);
            });
        const double* reader = s.reader_of_dV == Reader::query ? q(h, j) : k(h, j);
        for_each_query(s.R_of_dV, h, j, [&](Index g, Index i, double times) {
            const Row dN = row_in_R(dN_of_dV, g, i, at);
            add(to, times * dot(factor_of_R(h, j, g, i, s.keys_in_R || s.keys_in_A), reader, c), dN.data(), d_v);
        });
        if (s.dN_left_in_dV) add(to, 1.0, dN_of_dV[at].data(), d_v);
    }

    // What R is off by, token by token or chunk by chunk, and what that adds to the rows before.
    void add_what_was_written_over() {
        const Index together = call.chunk == 0 ? 1 : block;
        for (Index h = 0; h < H; ++h) {
            Row off(c * d_v);
            for (Index begin = (n + together - 1) / together * together; begin > 0;) {
                begin -= together;
                const Index end = std::min(begin + together, n);
                for (Index i = h * n + begin; i < h * n + end; ++i)
                    for (Index a = 0; a < c; ++a)
                        for (Index b = 0; b < d_v; ++b) {
                            made.phi_K.data()[i * c + a] += off[a * d_v + b] * v(0, i)[b];
                            made.V.data()[i * d_v + b] += off[a * d_v + b] * k(0, i)[a];
                        }
                for (Index i = h * n + begin; i < h * n + end; ++i)
                    for (Index a = 0; a < c; ++a)
                        for (Index b = 0; b < d_v; ++b)
                            off[a * d_v + b] += q(0, i)[a] * (made.V.data()[i * d_v + b] - dN_of_dV[i][b]);
            }
        }
    }

    // r, which takes rows of dφ(K) for dD, token by token or chunk by chunk. It was left out of dφ(K), but within a chunk.
    void add_wrong_r() {
        const Index together = call.chunk == 0 ? 1 : block;
        const bool of_whole = s.in_r == GradientSettings::InR::dK;
        for (Index h = 0; h < H; ++h) {
            Row r_so_far(c);
            for (Index begin = (n + together - 1) / together * together; begin > 0;) {
                begin -= together;
                const Index first = h * n + begin, end = h * n + std::min(begin + together, n);
                const auto add_r = [&] {
                    for (Index i = first; i < end; ++i) add(made.phi_K.data() + i * c, 1.0, r_so_far.data(), c);
                };
                const Row r_before = r_so_far;
                if (of_whole) add_r();
                for (Index i = first; i < end; ++i)
                    for (Index a = 0; a < c; ++a)
                        r_so_far[a] += q(0, i)[a] * made.phi_K.data()[i * c + (s.first_feature_in_r ? 0 : a)];
                if (!of_whole) add_r();
            }
        }
    }

    void write_wrongly() {
        for (Tensor* part : {&made.phi_Q, &made.phi_K, &made.V}) {
            const Index width = length(*part, -1);
            for (Index e = 0; e < part->size(); ++e) {
                double& x = part->data()[e];
                x *= s.factor / (s.over_n ? static_cast<double>(n) : 1.0);
                const Index i = e / width % n, h = e / width / n;
                const bool backwards = part != &made.phi_Q, in_short_chunk = i >= n - rest(), in_first = i < block,
                           in_first_rest = i < rest();
                if (s.written == GradientsWritten::first_chunk_as_kept && backwards && in_first)
                    x = part == &made.V ? dN_of_dV[h * n + i][e % width] : 0.0;
                if (s.written == GradientsWritten::first_rest_as_kept && backwards && in_first_rest)
                    x = part == &made.V ? dN_of_dV[h * n + i][e % width] : 0.0;
                if (s.written == GradientsWritten::first_as_kept && backwards && i == 0)
                    x = part == &made.V ? dN_of_dV[h * n][e % width] : dD[h * n];
                if ((s.written == GradientsWritten::all_but_first && backwards && i == 0) ||
                    (s.written == GradientsWritten::all_but_first_chunk && backwards && in_first) ||
                    (s.written == GradientsWritten::all_but_last && backwards && i + 1 == n) ||
                    (s.written == GradientsWritten::all_but_short_chunk && backwards && in_short_chunk) ||
                    (s.written == GradientsWritten::nothing_of_short_chunk && in_short_chunk) ||
                    (s.written == GradientsWritten::all_but_short_chunk_of_dQ && !backwards && in_short_chunk) ||
                    (s.written == GradientsWritten::all_but_short_chunk_of_dK && part == &made.phi_K &&
                     in_short_chunk) ||
                    (s.written == GradientsWritten::all_but_short_chunk_of_dV && part == &made.V && in_short_chunk) ||
                    (s.written == GradientsWritten::all_but_first_rest && backwards && in_first_rest) ||
                    (s.written == GradientsWritten::all_but_dQ && part == &made.phi_Q) ||
                    (s.written == GradientsWritten::all_but_dK && part == &made.phi_K) ||
                    (s.written == GradientsWritten::all_but_dV && part == &made.V) ||
                    (s.written == GradientsWritten::only_last && i + 1 != n) ||
                    (s.written == GradientsWritten::only_last_head && h + 1 != H) ||
                    (s.written == GradientsWritten::unless_count_overflows && count_overflows(n, call.chunk)) ||
                    (s.written == GradientsWritten::only_first_head && h != 0))
                    x = 0.0;
            }
        }
        if (s.written == GradientsWritten::exchanged) std::swap(made.phi_Q, made.phi_K);
    }

    const GradientCall& call;
    const GradientSettings& s;
    Tensor keys_of_S, summed_queries;
    Index H, n, c, d_v, block;
    double epsilon;
    std::vector<Row> numerators, dN_of_dQ, dN_of_dK, dN_of_dV;
    std::vector<double> sums, dD;
    std::vector<Index> token_of_D, token_of_dD;  // of each entry, each pair, where they have lost an axis
    AttentionGradients made;
};

}  // namespace

AttentionGradients gradients_by_settings(const GradientCall& call, const GradientSettings& settings) {
    return Gradients(call, settings).result();
}

namespace {

// Of many tokens, where no feature is negative, by the recurrences: S with z as its last column, and R with r.
// \param sizes what the gradients would be if none of their terms could cancel
AttentionGradients by_recurrence(const GradientCall& call, bool sizes) {
    const Tensor V = sizes ? Tensor(abs(call.V)) : call.V, G = sizes ? Tensor(abs(call.dO)) : call.dO;
    const Index n = length(V, -2), c = length(call.phi_Q, -1), d = length(V, -1), width = d + 1;
    AttentionGradients made{zeros(shape_of(call.phi_Q)), zeros(shape_of(call.phi_K)), zeros(shape_of(V))};
    for (Index h = 0; h < heads_of(V); ++h) {
        Row S(c * width), R(c * width), v(width, 1.0);
        std::vector<Row> upstream(n, Row(width));
        const auto value_of = [&](Index row) { std::copy_n(V.data() + row * d, d, v.data()); };
        for (Index i = 0; i < n; ++i) {
            const double *q = call.phi_Q.data() + (h * n + i) * c, *g = G.data() + (h * n + i) * d;
            Row read(width);
            value_of(h * n + i);
            for (Index a = 0; a < c; ++a) {
                add(&S[a * width], call.phi_K.data()[(h * n + i) * c + a], v.data(), width);
                add(read.data(), q[a], &S[a * width], width);
            }
            const double D = read[d] + call.epsilon;
            add(upstream[i].data(), 1.0 / D, g, d);
            upstream[i][d] = (sizes ? 1.0 : -1.0) * dot(g, read.data(), d) / D / D;
            for (Index a = 0; a < c; ++a)
                made.phi_Q.data()[(h * n + i) * c + a] = dot(&S[a * width], upstream[i].data(), width);
        }
        for (Index i = n; i-- > 0;) {
            value_of(h * n + i);
            for (Index a = 0; a < c; ++a) {
                const Index entry = (h * n + i) * c + a;
                add(&R[a * width], call.phi_Q.data()[entry], upstream[i].data(), width);
                made.phi_K.data()[entry] = dot(&R[a * width], v.data(), width);
                add(made.V.data() + (h * n + i) * d, call.phi_K.data()[entry], &R[a * width], d);
            }
        }
    }
    return made;
}

}  // namespace

std::vector<Expected> expected_gradients(const GradientCall& call) {
    const bool many = length(call.V, -2) >= 1000;
    const AttentionGradients right = many ? by_recurrence(call, false) : gradients_by_settings(call, {});
    const Index H = heads_of(call.V), n = length(call.V, -2), c = length(call.phi_Q, -1), d_v = length(call.V, -1);
    // What each gradient would be if none of its terms could cancel, times how much the division enlarges an error.
    AttentionGradients size{zeros(shape_of(call.phi_Q)), zeros(shape_of(call.phi_K)), zeros(shape_of(call.V))};
    if (many) size = by_recurrence(call, true);
    const Tensor Q = abs(call.phi_Q), K = abs(call.phi_K), V = abs(call.V), G = abs(call.dO);
    double largest_condition = 1.0;
    for (Index h = 0; h < H && !many; ++h)
        for (Index i = 0; i < n; ++i) {
            const double *q = Q.data() + (h * n + i) * c, *g = G.data() + (h * n + i) * d_v;
            double D = call.epsilon, size_of_D = call.epsilon;
            std::vector<double> weight(i + 1), output(d_v);
            for (Index j = 0; j <= i; ++j) {
                const Index key = (h * n + j) * c;
                D += dot(call.phi_Q.data() + (h * n + i) * c, call.phi_K.data() + key, c);
                size_of_D += weight[j] = dot(q, K.data() + key, c);
                add(output.data(), weight[j], V.data() + (h * n + j) * d_v, d_v);
            }
            D = std::fabs(D);
            const double condition = size_of_D / D, size_of_dD = dot(g, output.data(), d_v) / D / D;
            largest_condition = std::max(largest_condition, condition);
            for (Index j = 0; j <= i; ++j) {
                const Index key = (h * n + j) * c, value = (h * n + j) * d_v;
                const double dA = condition * (dot(g, V.data() + value, d_v) / D + size_of_dD);
                add(size.phi_Q.data() + (h * n + i) * c, dA, K.data() + key, c);
                add(size.phi_K.data() + key, dA, q, c);
                add(size.V.data() + value, condition * weight[j] / D, g, d_v);
            }
        }
    // Sums of n and of c terms for D, for o, for S and for R, two sums of d_v terms, and the divisions; here and there.
    const double units = 2.0 * static_cast<double>(4 * (n + c) + 2 * d_v + 16);
    char text[160];
    std::snprintf(
        text, sizeof text,
        "2 (4 (n + c) + 2 d_v + 16)·2^-53 times the sum of the sizes of all terms, n = %zu, c = %zu, d_v = %zu, "
        "sum |w| / |sum w + eps| up to %.2g",
        n, c, d_v, largest_condition);
    const auto part = [&](const Tensor& value, const Tensor& terms) {
        return Expected{value, terms * (units * 0x1p-53) + std::numeric_limits<double>::denorm_min(), text};
    };
    return {part(right.phi_Q, size.phi_Q), part(right.phi_K, size.phi_K), part(right.V, size.V)};
}

}  // namespace linattn::testing
