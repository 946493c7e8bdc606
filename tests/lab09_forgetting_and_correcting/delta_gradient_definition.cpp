#include "delta_gradient_definition.hpp"

#include <cmath>
#include <cstdio>

#include "gated_definition.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
using Row = std::vector<double>;

void add(double* to, double times, const double* row, Index width) {
    for (Index e = 0; e < width; ++e) to[e] += times * row[e];
}

class DeltaBackward {
public:
    DeltaBackward(const DeltaCall& asked, const Tensor& upstream, const DeltaGradientSettings& settings)
        : call(asked),
          dO(upstream),
          s(settings),
          H(heads_of(asked.V)),
          n(length(asked.V, -2)),
          d_k(length(asked.Q, -1)),
          d_v(length(asked.V, -1)),
          block(std::max<Index>(1, std::min(asked.chunk, n))),
          last(s.written == DeltaGradientsWritten::all_but_short_chunk  ? n - n % block
               : s.written == DeltaGradientsWritten::all_but_last_chunk ? (n == 0 ? 0 : (n - 1) / block * block)
                                                                        : n),
          forward(delta_by_settings(asked, settings.forward)) {}

    GatedDeltaGradients result() {
        made = {zeros(shape_of(call.Q)), zeros(shape_of(call.K)), zeros(shape_of(call.V)), zeros(shape_of(call.beta)),
                zeros(shape_of(call.beta))};
        for (h = 0; h < H; ++h) {
            Row a(n);
            for (Index i = 0; i < n; ++i) a[i] = decay_of(i);
            decays = {std::move(a), block};
            if (s.forward.sums_along != SumAxis::tokens)
                decays.along_axis = decays_along(*call.log_decay, h, s.forward.sums_along, decays);
            find_writes();
            for (Index i = 0; i < last; ++i) {
                find_query(i);
                find_key(i);
                find_beta(i);
            }
            find_decays();
        }
        write_wrongly();
        count_work(H * n * n * (d_k + d_v));  // so that an answer in O(n²) is seen as one
        return made;
    }

private:
    double decay_of(Index i) const {
        const double log = call.log_decay->data()[h * n + i];
        switch (s.forward.decay) {
            case Decay::forgotten: return 1.0;
            case Decay::the_logarithm: return log;
            default: return std::exp(log);
        }
    }
    const double* q(Index i) const { return call.Q.data() + (h * n + i) * d_k; }
    const double* k(Index i) const { return call.K.data() + (h * n + i) * d_k; }
    const double* v(Index i) const { return call.V.data() + (h * n + i) * d_v; }
    const double* g(Index i) const { return dO.data() + (h * n + i) * d_v; }
    const double* u(Index i) const { return forward.u.data() + (h * n + i) * d_v; }
    double beta(Index i) const { return call.beta.data()[h * n + i]; }
    double dot_k(const double* a, const double* b) const { return dot_product(a, b, d_k); }
    double dot_v(const double* a, const double* b) const { return dot_product(a, b, d_v); }

    double weight(const Reading& reading, Index i, Index j) const {
        const double times = counts(reading.tokens, i, j, n, block);
        return times == 0.0 ? 0.0 : times * decays.between(reading, i, j);
    }

    // The gradient of the score of query i and key j, and of the product of keys i and j, is multiplied by this.
    double weight_of_score(const Reading& reading, Index i, Index j) const {
        if (s.dscores_unmasked && i / block == j / block) return 1.0;
        return j > i ? 0.0 : s.dscores_undecayed && i / block == j / block ? 1.0 : weight(reading, i, j);
    }
    double weight_of_M(const Reading& reading, Index i, Index j) const {
        return s.dM_undecayed && i / block == j / block ? 1.0 : weight(reading, i, j);
    }
    // Besides what R should hold where token j's chunk reads it: the chunk's own queries, and the chunk's decays.
    double too_early(Index i, Index j) const {
        if (!s.queries_in_R_too_early || i / block < j / block) return 0.0;
        if (i / block == j / block) return decays.until_end(s.R_of_outputs, j) * decays.since_begin(s.R_of_outputs, i);
        return weight(s.R_of_outputs, i, j) *
               (decays.product(decays.begin_of(j / block), decays.end_of(j / block)) - 1.0);
    }

    // du_j and e_j, from the last token on.
    void find_writes() {
        du.assign(n, Row(d_v));
        e = du;
        for (Index end = last; end > 0;) {
            const Index begin = (end - 1) / block * block;
            for (Index step = 0; step < end - begin; ++step) {
                // The wrong way round, a chunk's system is solved from its first row on.
                const Index j = s.system_not_transposed ? begin + step : end - 1 - step;
                Reading of_outputs = s.R_of_outputs, of_errors = s.R_of_errors;
                if (s.du_reads_R_undecayed) of_outputs.until_end = of_errors.until_end = UntilEnd::none;
                for (Index i = s.scores_not_transposed ? end : j; i < last; ++i)
                    add(du[j].data(), weight(of_outputs, i, j) * dot_k(q(i), k(j)), g(i), d_v);
                for (Index i = begin; s.scores_not_transposed && i <= j; ++i)
                    add(du[j].data(), weight(of_outputs, j, i) * dot_k(q(j), k(i)), g(i), d_v);
                for (Index i = begin; s.queries_in_R_too_early && i < last; ++i) {
                    add(du[j].data(), too_early(i, j) * dot_k(q(i), k(j)), g(i), d_v);
                    if (i >= end) add(du[j].data(), -too_early(i, j) * dot_k(k(i), k(j)), e[i].data(), d_v);
                }
                for (Index i = 0; i < last; ++i) {
                    const bool own_chunk = i >= begin && i < end,
                               counted = own_chunk && s.system_not_transposed ? i < j : i > j;
                    if (!counted) continue;
                    const double D = i > j ? weight(of_errors, i, j) : weight(of_errors, j, i);
                    const double strength = i > j && !(own_chunk && s.beta_of_own_row) ? beta(i) : beta(j);
                    add(du[j].data(), -s.errors_in_du * D * strength * dot_k(k(i), k(j)), du[i].data(), d_v);
                }
                for (Index b = 0; b < d_v; ++b) e[j][b] = beta(j) * du[j][b];
                add(made.V.data() + (h * n + j) * d_v, s.beta_in_dv ? beta(j) : 1.0, du[j].data(), d_v);
            }
            end = begin;
        }
    }
    void find_query(Index i) {
        for (Index j = 0; j < decays.end_of(i / block); ++j)
            add(made.Q.data() + (h * n + i) * d_k, weight_of_score(s.forward.query, i, j) * dot_v(g(i), u(j)), k(j),
                d_k);
    }
    void find_key(Index j) {
        double* to = made.K.data() + (h * n + j) * d_k;
        for (Index i = j / block * block; i < last; ++i) {
            if (s.dscores_not_transposed && i / block == j / block) {
                if (i <= j) add(to, weight(s.R_of_outputs, j, i) * dot_v(g(j), u(i)), q(i), d_k);
            } else {
                add(to, s.outputs_in_dk * weight_of_score(s.R_of_outputs, i, j) * dot_v(g(i), u(j)), q(i), d_k);
            }
            add(to, too_early(i, j) * dot_v(g(i), u(j)), q(i), d_k);
            if (i / block != j / block) add(to, -too_early(i, j) * dot_v(e[i].data(), u(j)), k(i), d_k);
            if (i > j && (s.column_of_M_in_dk || i / block != j / block))
                add(to, -s.errors_in_dk * weight_of_M(s.R_of_errors, i, j) * dot_v(e[i].data(), u(j)), k(i), d_k);
        }
        for (Index i = j / block * block; s.dk_reads_R_carried_on && i < last; ++i) {
            const bool own_chunk = i / block == j / block;
            // Of the R after the chunk its decays; and what its own tokens read is in R already.
            const double times = own_chunk
                                     ? decays.until_end(s.R_of_outputs, j) * decays.since_begin(s.R_of_outputs, i)
                                     : weight(s.R_of_outputs, i, j) *
                                           (decays.product(decays.begin_of(j / block), decays.end_of(j / block)) - 1.0);
            add(to, times * dot_v(g(i), u(j)), q(i), d_k);
            add(to, -times * dot_v(e[i].data(), u(j)), k(i), d_k);
        }
        for (Index l = 0; l < (s.row_of_M_in_dk ? j : j / block * block); ++l)
            add(to, -s.own_error_in_dk * weight_of_M(s.forward.key, j, l) * dot_v(e[j].data(), u(l)), k(l), d_k);
    }
    void find_beta(Index i) {
        Row with(v(i), v(i) + d_v);
        if (s.beta == BetaGradient::written) with.assign(u(i), u(i) + d_v);
        if (s.beta == BetaGradient::error || s.beta == BetaGradient::error_before_chunk)
            for (Index j = 0; j < i; ++j)
                if (s.beta == BetaGradient::error || j / block != i / block)
                    add(with.data(), -weight(s.forward.key, i, j) * dot_k(k(i), k(j)) * s.forward.state.factor, u(j),
                        d_v);
        made.beta.data()[h * n + i] = dot_v(du[i].data(), with.data());
    }
    // The pair of a write j and a later output i, and of a later error: how the loss changes with the logarithm of D_ij.
    double pair(Index i, Index j) const {
        const bool one_chunk = i / block == j / block;
        if (s.log_decay == DecayGradient::of_one_chunk ? !one_chunk
                                                       : s.log_decay == DecayGradient::of_states && one_chunk)
            return 0.0;
        return weight(s.forward.query, i, j) * dot_k(q(i), k(j)) * dot_v(g(i), u(j)) -
               s.forward.state.factor * weight(s.forward.key, i, j) * dot_k(k(i), k(j)) * dot_v(e[i].data(), u(j));
    }
    double of_token(Index t) const {
        const Index at = h * n + t;
        const double queries = dot_k(q(t), made.Q.data() + at * d_k), values = dot_v(v(t), made.V.data() + at * d_v);
        switch (s.log_decay) {
            case DecayGradient::queries_only: return queries;
            case DecayGradient::values_added: return queries + values;
            case DecayGradient::keys_for_values: return queries - dot_k(k(t), made.K.data() + at * d_k);
            case DecayGradient::keys_too: return queries - values - dot_k(k(t), made.K.data() + at * d_k);
            case DecayGradient::queries_twice: return 2.0 * queries - values;
            case DecayGradient::values_only: return -values;
            default: return queries - values;
        }
    }
    void find_decays() {
        std::vector<Row> pairs(n, Row(n));
        for (Index i = 0; i < last; ++i)
            for (Index j = 0; j < i; ++j) pairs[i][j] = pair(i, j);
        for (Index t = 0; t < n; ++t) {
            double sum = 0.0;
            switch (s.log_decay) {
                case DecayGradient::of_pairs:
                case DecayGradient::of_one_chunk:
                case DecayGradient::of_states:
                    for (Index i = t; i < n; ++i)
                        for (Index j = 0; j < t; ++j) sum += pairs[i][j];
                    break;
                case DecayGradient::not_summed: sum = of_token(t); break;
                case DecayGradient::from_the_front:
                    for (Index i = 0; i <= t; ++i) sum += of_token(i);
                    break;
                default:
                    for (Index i = s.log_decay == DecayGradient::without_own ? t + 1 : t; i < n; ++i)
                        sum += of_token(i);
            }
            made.log_decay.data()[h * n + t] = s.decay_factor * sum / (s.of_decay_itself ? decays.a[t] : 1.0);
        }
    }

    void write_wrongly() {
        if (s.decay_along != SumAxis::tokens) made.log_decay = summed_from_the_end(made.log_decay, s.decay_along);
        sum_decays_over_heads(made.log_decay, s.heads_of_decay);
        for (Tensor* part : {&made.Q, &made.K, &made.V, &made.beta, &made.log_decay}) {
            const Index width = part == &made.beta || part == &made.log_decay ? 1 : length(*part, -1);
            for (Index at = 0; at < part->size(); ++at) {
                const Index i = at / width % n, head = at / width / n;
                if ((s.written == DeltaGradientsWritten::all_but_first_chunk && i < block) ||
                    (s.written == DeltaGradientsWritten::unless_count_overflows && count_overflows(n, call.chunk)) ||
                    (s.written == DeltaGradientsWritten::only_last_head && head + 1 != H) ||
                    (s.written == DeltaGradientsWritten::only_first_head && head != 0))
                    part->data()[at] = 0.0;
                part->data()[at] *= s.factor;
            }
        }
        if (s.written == DeltaGradientsWritten::exchanged) std::swap(made.Q, made.K);
    }

    const DeltaCall& call;
    const Tensor& dO;
    const DeltaGradientSettings& s;
    const Index H, n, d_k, d_v, block, last;  ///< last: where the way back begins
    const DeltaResult forward;
    Index h = 0;
    DecayProducts decays;
    std::vector<Row> du, e;
    GatedDeltaGradients made;
};

// How large the rounding errors of one head's gradients may be, in units.
class GradientSizes {
public:
    /// \param du_of_all with V as the gradients of what is written
    GradientSizes(const DeltaCall& call, const Tensor& dO, const DeltaResult& forward,
                  const GatedDeltaGradients& du_of_all, Index head)
        : sizes(call, head),
          n(sizes.n),
          u(n),
          v(n),
          g(n),
          du(n),
          e(n),
          error_of_u(n),
          held(n),
          error_of_du(n),
          Q(n),
          K(n),
          V(n),
          beta(n),
          log_decay(n) {
        const Index d_v = length(call.V, -1);
        const auto norm = [&](const Tensor& x, Index i) {
            const double* row = x.data() + (head * n + i) * d_v;
            return std::sqrt(dot_product(row, row, d_v));
        };
        for (Index i = 0; i < n; ++i) {
            u[i] = norm(forward.u, i);
            v[i] = norm(call.V, i);
            g[i] = norm(dO, i);
            du[i] = norm(du_of_all.V, i);
            e[i] = sizes.betas[i] * du[i];
        }
        forwards();
        backwards();
    }

    const DeltaSizes sizes;
    const Index n;
    Row u, v, g, du, e, error_of_u, held, error_of_du, Q, K, V, beta, log_decay;

private:
    double key(Index i) const { return sizes.keys[i]; }
    void forwards() {
        Row own(n);
        for (Index j = 0; j < n; ++j) {
            held[j] = v[j];
            for (Index l = 0; l < j; ++l) held[j] += key(j) * sizes.between(j, l) * key(l) * u[l];
            own[j] = u[j] + sizes.betas[j] * held[j];
            error_of_u[j] = own[j];
            for (Index l = 0; l < j; ++l)
                error_of_u[j] += sizes.betas[j] * key(j) * sizes.between(j, l) * key(l) * own[l];
        }
    }
    void backwards() {
        Row own(n);
        for (Index j = n; j-- > 0;) {
            own[j] = du[j];
            for (Index i = j; i < n; ++i) {
                own[j] += sizes.between(i, j) * key(j) * sizes.queries[i] * g[i];
                if (i > j) own[j] += sizes.between(i, j) * key(j) * key(i) * e[i];
            }
            error_of_du[j] = own[j];
            for (Index i = j + 1; i < n; ++i)
                error_of_du[j] += key(j) * sizes.between(i, j) * key(i) * sizes.betas[i] * own[i];
            V[j] = sizes.betas[j] * error_of_du[j];
        }
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j <= i; ++j) {
                const double D = sizes.between(i, j), output = D * g[i] * error_of_u[j];
                Q[i] += output * key(j);
                K[j] += output * sizes.queries[i];
                if (j == i) continue;
                const double error = D * (e[i] * error_of_u[j] + V[i] * u[j]);
                K[j] += error * key(i);
                K[i] += error * key(j);
            }
        double after = 0.0;
        for (Index i = n; i-- > 0;) {
            double error_of_held = held[i];
            for (Index l = 0; l < i; ++l) error_of_held += key(i) * sizes.between(i, l) * key(l) * error_of_u[l];
            beta[i] = error_of_du[i] * held[i] + du[i] * error_of_held;
            after += sizes.queries[i] * Q[i] + key(i) * K[i] + v[i] * V[i] + sizes.betas[i] * beta[i];
            log_decay[i] = after;
        }
    }
};

}  // namespace

GatedDeltaGradients delta_gradients_by_settings(const DeltaCall& call, const Tensor& dO,
                                                const DeltaGradientSettings& settings) {
    return DeltaBackward(call, dO, settings).result();
}

std::vector<Expected> expected_delta_gradients(const DeltaCall& call, const Tensor& dO) {
    const GatedDeltaGradients right = delta_gradients_by_settings(call, dO, {});
    const Index H = heads_of(call.V), n = length(call.V, -2), d_k = length(call.Q, -1), d_v = length(call.V, -1);
    // Sums of n, d_k and d_v terms on the way forwards and back, and the decays; here and there.
    const double units = 4.0 * static_cast<double>(n + d_k + d_v + 8);
    char text[160];
    std::snprintf(text, sizeof text,
                  "4 (n + d_k + d_v + 8) 2^-53 times the sum of the sizes of all terms, n = %zu, d_k = %zu, d_v = %zu",
                  n, d_k, d_v);
    const auto none = [&](const Tensor& value) { return Expected{value, zeros(shape_of(value)), text}; };
    std::vector<Expected> parts{none(right.Q), none(right.K), none(right.V), none(right.beta), none(right.log_decay)};
    parts[3].has_tokens = parts[4].has_tokens = false;
    DeltaGradientSettings without_beta;
    without_beta.beta_in_dv = false;
    const GatedDeltaGradients du = delta_gradients_by_settings(call, dO, without_beta);
    const DeltaResult forward = delta_by_settings(call, {});
    for (Index h = 0; h < H; ++h) {
        const GradientSizes sizes(call, dO, forward, du, h);
        const auto fill = [&](Expected& part, const Row& size, Index width) {
            for (Index at = 0; at < n * width; ++at)
                part.tolerance.data()[h * n * width + at] = size[at / width] * units * 0x1p-53 + 1e-290;
        };
        fill(parts[0], sizes.Q, d_k);
        fill(parts[1], sizes.K, d_k);
        fill(parts[2], sizes.V, d_v);
        fill(parts[3], sizes.beta, 1);
        fill(parts[4], sizes.log_decay, 1);
    }
    return parts;
}

}  // namespace linattn::testing
