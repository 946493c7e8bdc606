#include "gated_definition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "array_view.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
using Place = std::ptrdiff_t;
using Row = std::vector<double>;
using Rows = RowsOf<double>;

Tensor with_channels(const Tensor& log_decay, bool each_channel) {
    return each_channel ? log_decay : expand_dims(log_decay, -1);
}

// Which pairs (i, j) count, and what is left between them, by some settings.
class Pairs {
public:
    Pairs(const Tensor& log_decay, bool each_channel, Index chunk, const PairSettings& settings)
        : logs(with_channels(log_decay, each_channel)),
          leading(shape_of(log_decay)),
          s(settings.decay),
          pairs(settings),
          H(logs.leading),
          n(logs.n),
          channels(logs.width),
          block(chunk == 0 ? std::max(n, Index{1}) : chunk) {
        leading.resize(leading.size() - (each_channel ? 2 : 1));
        if (s.reshaped) logs = logs.reshaped();
        for (Index row = 0; s.cumulated && row < H * n; ++row)
            for (Index a = 0; row % n > 0 && a < channels; ++a)
                logs.entries[row * channels + a] += logs.entries[(row - 1) * channels + a];
    }

    bool own_heads() const { return pairs.heads == Heads::own; }
    // How often token j of head g counts for token i of head h.
    double times(Index h, Index g, Index i, Index j) const {
        switch (pairs.heads) {
            case Heads::all: break;
            case Heads::first: return g == 0 ? of_tokens(i, j) : 0.0;
            case Heads::own_after_earlier: return g < h ? 1.0 : g == h ? of_tokens(i, j) : 0.0;
            default: return g == h ? of_tokens(i, j) : 0.0;
        }
        return of_tokens(i, j);
    }

    // What is left of it, for each channel.
    Row left(Index h, Index g, Index i, Index j) const {
        Row row(channels);
        for (Index a = 0; a < channels; ++a)
            row[a] = g < h && pairs.heads == Heads::own_after_earlier ? across_heads(h, g, i, j, a)
                     : j > i                                          ? above(g, i, j, a)
                     : i / block != j / block                         ? across_chunks(g, i, j, a)
                     : s.inside_decayed                               ? inside(g, i, j, a)
                                                                      : 1.0;
        return row;
    }

    // The same where the state that token i reads has all of its chunk already: of a token of that chunk, and by what
    // less of earlier ones.
    Row left_in_updated_state(Index h, Index i, Index j) const {
        const Place end = end_of_chunk(i), I = static_cast<Place>(i), J = static_cast<Place>(j);
        const Place begin = static_cast<Place>(i / block * block);
        Row row(channels);
        for (Index a = 0; a < channels; ++a) row[a] = std::exp(sum(h, J + 1, end, a) + sum(h, begin, I, a));
        return row;
    }
    double left_after_chunk_of(Index h, Index i, Index a) const {
        return std::exp(sum(h, static_cast<Place>(i / block * block), end_of_chunk(i), a));
    }

    double logarithms_between(Index head, Index i, Index j) const {
        return sum(head, static_cast<Place>(j) + 1, static_cast<Place>(i), 0);
    }

    double logarithm(Index head, Place t, Index a) const {
        if (t < 0 || t >= static_cast<Place>(n)) return 0.0;
        const double all = own_logarithm(head, t, a);
        return s.sigmoid ? -std::log1p(std::exp(-all)) : all;
    }
    double own_logarithm(Index head, Place t, Index a) const {
        const double* row =
            logs.row(s.heads == Heads::first ? 0 : head, static_cast<Index>(t) % (s.of_first_chunk ? block : n));
        double all = 0.0;
        switch (s.channels) {
            case Channels::first: return s.times * row[0];
            case Channels::mean:
            case Channels::sum:
                for (Index c = 0; c < channels; ++c) all += row[c];
                return s.times * (s.channels == Channels::mean ? all / static_cast<double>(channels) : all);
            default: return s.times * row[a];
        }
    }

private:
    Place end_of_chunk(Index i) const { return static_cast<Place>(std::min((i / block + 1) * block, n)) - 1; }
    double of_tokens(Index i, Index j) const {
        if (i == j && !s.diagonal) return 0.0;
        if (s.above == Above::transposed) return j >= i;
        if (j > i && s.above != Above::zero) return i / block == j / block;
        return counts(pairs.tokens, i, j, n, block);
    }

    // Σ log_decay_t over first ≤ t ≤ last. All t are looked at, so that nobody pastes this for an answer.
    double sum(Index head, Place first, Place last, Index a) const {
        double total = 0.0;
        for (Place t = 0; t < static_cast<Place>(n); ++t)
            if (t >= first && t <= last) total += logarithm(head, t, a);
        return total;
    }
    // The same of a running sum along another axis, where it holds token t of several heads.
    double sum_over_heads(Index head, Place t, Index a, SumAxis axis) const {
        double total = 0.0;
        for (const Index other : summed_heads(leading, head, axis)) total += logarithm(other, t, a);
        return total;
    }
    // What the columns of a head's mask, or its rows, leave in a sum that is never set back to 0.
    double left_by_heads_before(Index head, Index a, bool columns) const {
        double total = 0.0;
        for (Index other = 0; s.carried_to_next_head && other < head; ++other)
            for (Index t = 1; t < n; ++t)  // 0 times -∞ would be NaN
                total += static_cast<double>(columns ? t : n - t) * logarithm(other, static_cast<Place>(t), a);
        return total;
    }
    double product_of_logarithms(Index head, Place first, Place last, Index a) const {
        double total = 1.0;
        for (Place t = first; t <= last; ++t) total *= logarithm(head, t, a);
        return total;
    }

    double inside(Index head, Index i, Index j, Index a) const {
        const Place I = static_cast<Place>(i), J = static_cast<Place>(j), first = J + s.from, last = I + s.to;
        const Place begin = i / block == j / block ? static_cast<Place>(i / block * block) : 0;
        const double again = s.read_again ? std::exp(logarithm(head, I, a)) : 1.0, apart = static_cast<double>(i - j);
        if (i == j && s.one_on_diagonal) return 1.0;
        switch (s.by) {
            case DecayBy::sum: return again * std::exp(std::max(sum(head, first, last, a), s.least));
            case DecayBy::sum_times_zero: return again * std::exp(sum(head, first, last, a) + 0.0 * sum(head, 0, J, a));
            case DecayBy::nothing: return again;
            case DecayBy::product_of_logarithms:
                return product_of_logarithms(head, first, last, a) +
                       (s.empty_state_too ? 0.0 * logarithm(head, 0, a) : 0.0);
            case DecayBy::sum_itself: return sum(head, first, last, a);
            case DecayBy::last_one: return i == j ? 1.0 : std::exp(logarithm(head, I, a));
            case DecayBy::power_of_last: return std::exp(i == j ? 0.0 : apart * logarithm(head, I, a));
            case DecayBy::power_of_first_token: return std::exp(i == j ? 0.0 : apart * logarithm(head, 0, a));
            case DecayBy::difference: return std::exp(sum(head, begin, I, a) - sum(head, begin, J, a));
            case DecayBy::ratio_cut_off:
                return std::exp(sum(head, begin, I, a)) * std::exp(std::min(-sum(head, begin, J, a), 80.0));
            case DecayBy::sum_below_zero:
                return i == j || sum(head, first, last, a) < 0.0 ? std::exp(sum(head, first, last, a)) : 0.0;
            case DecayBy::ratio: return std::exp(sum(head, begin, I, a)) * std::exp(-sum(head, begin, J, a));
            case DecayBy::along_rows:
                return I == 0 ? 1.0 : std::exp(static_cast<double>(std::min(J + 1, I)) * logarithm(head, I, a));
            case DecayBy::power_of_writer: return std::exp(i == j ? 0.0 : apart * logarithm(head, J, a));
            case DecayBy::power_of_next: return std::exp(i == j ? 0.0 : apart * logarithm(head, J + 1, a));
            case DecayBy::carried_from_row_to_row:
            case DecayBy::carried_from_row_to_row_own_left_out: {
                double carried = left_by_heads_before(head, a, false);  // token t is in rows t to I - 1
                for (Place t = s.by == DecayBy::carried_from_row_to_row ? 0 : 1; t < I; ++t)
                    carried += static_cast<double>(I - t) * logarithm(head, t, a);
                return std::exp(carried + sum(head, first, last, a));
            }
            case DecayBy::carried_from_column_to_column: {
                double carried = left_by_heads_before(head, a, true);       // and in columns 0 to t - 1
                for (Place t = 1; J > 0 && t < static_cast<Place>(n); ++t)  // 0 times -∞ would be NaN
                    carried += static_cast<double>(std::min(t, J)) * logarithm(head, t, a);
                return std::exp(carried + sum(head, first, last, a));
            }
            case DecayBy::difference_along_first_axis:
                return leading.empty() ? std::exp(sum(head, begin, I, a) - sum(head, begin, J, a))
                                       : std::exp(sum_over_heads(head, I, a, SumAxis::first) -
                                                  sum_over_heads(head, J, a, SumAxis::first));
            case DecayBy::along_first_axis:
                if (leading.empty()) return std::exp(sum(head, first, last, a));
                return i == j ? 1.0 : std::exp(sum_over_heads(head, I, a, SumAxis::first));
        }
        return 0.0;
    }
    double above(Index head, Index i, Index j, Index a) const {
        const Place I = static_cast<Place>(i), J = static_cast<Place>(j), begin = static_cast<Place>(i / block * block);
        switch (s.above) {
            case Above::zero_times_exponential: return 0.0 * std::exp(sum(head, begin, I, a) - sum(head, begin, J, a));
            case Above::one: return 1.0;
            case Above::inverse: return std::exp(-sum(head, I + 1, J, a));
            default: return inside(head, j, i, a);
        }
    }
    double from_chunk_to_chunk(Index head, Index chunk, Index a) const {
        const Place first = static_cast<Place>(chunk * block), last = static_cast<Place>((chunk + 1) * block) - 1;
        if (!goes_along_tokens(leading, s.between_along)) return sum_over_heads(head, last, a, s.between_along);
        switch (s.between) {
            case Between::nothing: return 0.0;
            case Between::last_decay: return logarithm(head, last, a);
            case Between::first_decay: return logarithm(head, first, a);
            case Between::all_but_first_decay: return sum(head, first + 1, last, a);
            case Between::next_chunk: return sum(head, last + 1, last + static_cast<Place>(block), a);
            case Between::of_sequence: return sum(head, 0, last, a);
            case Between::decay_twice: return 2.0 * sum(head, first, last, a);
            default: return sum(head, first, last, a);
        }
    }
    double where_the_state_is_read(Index head, Place begin, Place i, Index a) const {
        if (!goes_along_tokens(leading, s.read_along)) return sum_over_heads(head, i, a, s.read_along);
        switch (s.read) {
            case ReadBy::nothing: return 0.0;
            case ReadBy::decays_before_own: return sum(head, begin, i - 1, a);
            case ReadBy::decays_without_first: return sum(head, begin + 1, i, a);
            case ReadBy::decays_of_chunk: return sum(head, begin, begin + static_cast<Place>(block) - 1, a);
            case ReadBy::decays_from_sequence_begin: return sum(head, 0, i, a);
            case ReadBy::decays_after_own: return sum(head, i + 1, begin + static_cast<Place>(block) - 1, a);
            default: return sum(head, begin, i + s.to, a);
        }
    }
    double of_keys(Index head, Index j, Index a) const {
        const Place first = static_cast<Place>(j / block * block), J = static_cast<Place>(j);
        const Place end = first + static_cast<Place>(block) - 1;
        switch (s.keys_by) {
            case PartOfD::last_column: return J == end ? 1.0 : 0.0;
            case PartOfD::first_row: return J == first ? 1.0 : 0.0;
            case PartOfD::first_column: return std::exp(sum(head, first + 1, J, a));
            case PartOfD::last_row: break;
        }
        if (s.by == DecayBy::ratio) return std::exp(sum(head, first, end, a)) * std::exp(-sum(head, first, J, a));
        if (s.keys_from_begin) return std::exp(sum(head, first, J, a));
        const double all = s.keys_and_state ? std::exp(sum(head, first, end, a)) : 1.0;
        return all * (s.keys_decayed ? std::exp(sum(head, J + (s.keys_own_decay ? 0 : s.from), end, a)) : 1.0);
    }
    double across_chunks(Index head, Index i, Index j, Index a) const {
        if (s.by != DecayBy::sum && s.by != DecayBy::difference && s.by != DecayBy::ratio) return inside(head, i, j, a);
        double total = 0.0;
        for (Index c = j / block + 1; c < i / block; ++c) total += from_chunk_to_chunk(head, c, a);
        total += where_the_state_is_read(head, static_cast<Place>(i / block * block), static_cast<Place>(i), a);
        if (s.read_again) total += logarithm(head, static_cast<Place>(i), a);
        return of_keys(head, j, a) * std::exp(total);
    }
    // The state of head g was not set back to zero.
    double across_heads(Index h, Index g, Index i, Index j, Index a) const {
        const Place last = static_cast<Place>(n) - 1, I = static_cast<Place>(i), J = static_cast<Place>(j);
        double total =
            pairs.from_the_end ? sum(g, 0, I, a) + sum(h, J + 1, last, a) : sum(g, J + 1, last, a) + sum(h, 0, I, a);
        for (Index other = g + 1; other < h; ++other) total += sum(other, 0, last, a);
        return std::exp(total);
    }

    Rows logs;
    Shape leading;
    DecaySettings s;
    PairSettings pairs;

public:
    const Index H, n, channels, block;
};

bool is_written(GatedWritten written, Index h, Index i, Index H, Index n, Index block, Index chunk) {
    switch (written) {
        case GatedWritten::all_but_short_chunk: return i < n - n % block;
        case GatedWritten::unless_count_overflows: return !count_overflows(n, chunk);
        case GatedWritten::only_last_head: return h + 1 == H;
        case GatedWritten::all_but_first: return i != 0;
        case GatedWritten::all_but_last: return i + 1 != n;
        case GatedWritten::only_last: return i + 1 == n;
        case GatedWritten::only_first_head: return h == 0;
        default: return true;
    }
}

class Attention {
public:
    Attention(const GatedCall& call, const GatedSettings& settings)
        : s(settings),
          q(settings.keys_for_queries ? call.K : call.Q),
          k(settings.queries_for_keys ? call.Q
            : settings.mask_as_matrix ? matmul(matrix_transpose(decay_mask_by_settings(call.log_decay, {})), call.K)
                                      : call.K),
          v(call.V),
          chunk(call.chunk),
          pairs(call.log_decay, call.log_decay.dimension() == call.Q.dimension(), call.chunk,
                {settings.tokens, settings.heads, settings.decay}) {
        if (s.decay.channels == Channels::of_values && k.width != v.width)
            throw std::invalid_argument("the decays of a key do not fit a value");
        if (s.keys_reshaped) k = k.reshaped();
        if (s.keys_normalized) normalize(k);
        if (s.queries_normalized) normalize(q);
    }

    void find(Tensor& output) const {
        for (Index h = 0; h < pairs.H; ++h)
            for (Index i = 0; i < pairs.n; ++i)
                if (is_written(s.written, h, i, pairs.H, pairs.n, pairs.block, chunk))
                    add_row(h, i, output.data() + (h * pairs.n + i) * v.width);
        for (Index e = v.width; s.written == GatedWritten::running_sum && e < output.size(); ++e)
            if (e / v.width % pairs.n != 0) output.data()[e] += output.data()[e - v.width];
    }

private:
    static void normalize(Rows& rows) {
        for (Index row = 0; row < rows.leading * rows.n; ++row) {
            double* x = rows.entries.data() + row * rows.width;
            const double size = std::sqrt(dot_product(x, x, rows.width));
            for (Index a = 0; a < rows.width && size > 0.0; ++a) x[a] /= size;
        }
    }
    void add_row(Index h, Index i, double* to) const {
        double weights = 0.0;
        for (Index g = pairs.own_heads() ? h : 0; g < (pairs.own_heads() ? h + 1 : pairs.H); ++g)
            for (Index j = 0; j < pairs.n; ++j) {
                const double times = pairs.times(h, g, i, j);
                if (times != 0.0) weights += add_pair(h, g, i, j, times, left(h, g, i, j), to);
                if (s.updated_first && g == h && i / pairs.block == j / pairs.block)
                    add_pair(h, g, i, j, 1.0, pairs.left_in_updated_state(h, i, j), to);
            }
        for (Index b = 0; (s.normalized || s.softmax) && b < v.width; ++b) to[b] /= weights;
        for (Index b = 0; s.averaged && b < v.width; ++b) to[b] /= static_cast<double>(i + 1);
    }
    Row left(Index h, Index g, Index i, Index j) const {
        Row row = pairs.left(h, g, i, j);
        for (Index a = 0; s.updated_first && i / pairs.block != j / pairs.block && a < row.size(); ++a)
            row[a] *= pairs.left_after_chunk_of(h, i, a);
        return row;
    }
    double add_pair(Index h, Index g, Index i, Index j, double times, const Row& left, double* to) const {
        const bool of_values = s.decay.channels == Channels::of_values, raised = s.softmax || s.exponential,
                   added = (s.decay_added || s.logarithms_added) && i / pairs.block == j / pairs.block;
        double weight = 0.0;
        for (Index a = 0; a < k.width; ++a) {
            const double decay = of_values || added || raised ? 1.0 : left[left.size() == 1 ? 0 : a];
            const double written =
                s.complement ? 1.0 - std::exp(pairs.logarithm(g, static_cast<Place>(j), pairs.channels == 1 ? 0 : a))
                             : 1.0;
            weight += q(h, i, a) * k(g, j, a) * decay * written;
        }
        if (s.scaled) weight /= std::sqrt(static_cast<double>(k.width));
        if (raised) weight = std::exp(weight) * left[0];
        if (added) weight += s.decay_added ? left[0] : pairs.logarithms_between(g, i, j);
        for (Index b = 0; b < v.width; ++b)
            to[b] += times * weight * (of_values ? left[b] : 1.0) * v(g, s.value_of_token_i ? i : j, b);
        return times * weight;
    }

    GatedSettings s;
    Rows q, k, v;
    Index chunk;
    Pairs pairs;
};

// The gradients, from the pairs (i, j) that each of them sums over.
class Gradients {
public:
    Gradients(const GatedCall& call, const Tensor& upstream, const GatedGradientSettings& settings)
        : s(settings),
          q(call.Q),
          k(call.K),
          v(call.V),
          g(upstream),
          S(call.log_decay, false, 0, settings.S),
          R_of_dK(call.log_decay, false, 0, settings.R_of_dK),
          R_of_dV(call.log_decay, false, 0, settings.R_of_dV) {}

    void find(GatedGradients& d) const {
        const bool own = S.own_heads() && R_of_dK.own_heads() && R_of_dV.own_heads();
        for (Index h = 0; h < S.H; ++h)
            for (Index other = own ? h : 0; other < (own ? h + 1 : S.H); ++other)
                for (Index i = 0; i < S.n; ++i)
                    for (Index j = 0; j < S.n; ++j) {
                        add_query(d, h, other, i, j);
                        add_key(d, h, other, i, j);
                    }
        for (Index h = 0; h < S.H; ++h)
            for (Index i = 0; i < S.n; ++i) d.log_decay.data()[h * S.n + i] = of_log_decay(d, h, i);
        if (s.decay_along != SumAxis::tokens) d.log_decay = summed_from_the_end(d.log_decay, s.decay_along);
        sum_decays_over_heads(d.log_decay, s.heads_of_decay);
        for (Index at = 0; at < S.H * S.n; ++at) {
            if (is_written(s.written, at / S.n, at % S.n, S.H, S.n, S.n, S.n)) continue;
            std::fill_n(d.K.data() + at * k.width, k.width, 0.0);
            std::fill_n(d.V.data() + at * v.width, v.width, 0.0);
            if (s.written != GatedWritten::only_first_head) continue;
            std::fill_n(d.Q.data() + at * k.width, k.width, 0.0);
            d.log_decay.data()[at] = 0.0;
        }
        if (s.exchanged) std::swap(d.Q, d.K);
    }

private:
    void add_query(GatedGradients& d, Index h, Index other, Index i, Index j) const {
        const double times = S.times(h, other, i, j);
        if (times == 0.0) return;
        const Index of_value = s.query_token_value ? i : j;
        const double weight =
            times * S.left(h, other, i, j)[0] * dot_product(g.row(h, i), v.row(other, of_value), v.width);
        for (Index a = 0; a < k.width; ++a) d.Q.data()[(h * S.n + i) * k.width + a] += weight * k(other, j, a);
    }
    // The pairs of token j's key and value: queries i that read them.
    void add_key(GatedGradients& d, Index h, Index other, Index i, Index j) const {
        if (s.last_not_in_R && i + 1 == S.n) return;
        const double* upstream = g.row(other, s.upstream_of_key ? j : i);
        if (s.R_begins_with_S && other == h) {
            const double left = S.left(h, h, S.n - 1, i)[0] * S.left(h, h, S.n - 1, j)[0];
            const double of_values = left * dot_product(v.row(h, i), v.row(h, j), v.width);
            const double of_keys = left * dot_product(k.row(h, i), k.row(h, j), k.width);
            for (Index a = 0; a < k.width; ++a) d.K.data()[(h * S.n + j) * k.width + a] += of_values * k(h, i, a);
            for (Index b = 0; b < v.width; ++b) d.V.data()[(h * S.n + j) * v.width + b] += of_keys * v(h, i, b);
        }
        if (s.S_in_dK) {
            const double times = S.times(h, other, j, i);
            const double weight =
                times == 0.0 ? 0.0
                             : times * S.left(h, other, j, i)[0] * dot_product(v.row(other, i), v.row(h, j), v.width);
            for (Index a = 0; a < k.width; ++a) d.K.data()[(h * S.n + j) * k.width + a] += weight * k(other, i, a);
        } else if (const double times = R_of_dK.times(h, other, i, j); times != 0.0) {
            const double weight = times * R_of_dK.left(h, other, i, j)[0] * dot_product(upstream, v.row(h, j), v.width);
            for (Index a = 0; a < k.width; ++a) d.K.data()[(h * S.n + j) * k.width + a] += weight * q(other, i, a);
        }
        if (const double times = R_of_dV.times(h, other, i, j); times != 0.0) {
            const double weight =
                times * R_of_dV.left(h, other, i, j)[0] * dot_product(q.row(other, i), k.row(h, j), k.width);
            for (Index b = 0; b < v.width; ++b) d.V.data()[(h * S.n + j) * v.width + b] += weight * upstream[b];
        }
    }
    bool is_summed(Index i, Index t) const {
        switch (s.sum) {
            case LogDecaySum::own_only: return t == i;
            case LogDecaySum::up_to_own: return t <= i;
            case LogDecaySum::after_own: return t > i;
            case LogDecaySum::all: return true;
            default: return t >= i;
        }
    }
    double of_log_decay(const GatedGradients& d, Index h, Index i) const {
        double total = 0.0;
        for (Index t = 0; t < S.n; ++t) {
            const Index at = h * S.n + t;
            if (!is_summed(i, t) || (s.last_not_in_sum && t + 1 == S.n)) continue;
            total += s.queries * dot_product(q.row(h, t), d.Q.data() + at * k.width, k.width);
            total += s.keys * dot_product(k.row(h, t), d.K.data() + at * k.width, k.width);
            total += s.values * dot_product(v.row(h, t), d.V.data() + at * v.width, v.width);
        }
        const Index own = h * S.n + i;
        if (s.own_write_counted) total += dot_product(k.row(h, i), d.K.data() + own * k.width, k.width);
        if (s.own_read_left_out)
            total += dot_product(q.row(h, i), k.row(h, i), k.width) * dot_product(g.row(h, i), v.row(h, i), v.width) -
                     dot_product(q.row(h, i), d.Q.data() + own * k.width, k.width);
        const double decay = std::exp(S.logarithm(h, static_cast<Place>(i), 0));
        if (s.averaged) total /= static_cast<double>(k.width);
        return s.of_decay ? total / decay : s.times_decay ? total * decay : total;
    }

    GatedGradientSettings s;
    Rows q, k, v, g;
    Pairs S, R_of_dK, R_of_dV;
};

}  // namespace

namespace {

// So that an answer in O(n²) or O(n³) is seen as one.
void count_pairs(const GatedCall& call) {
    const Index n = length(call.V, -2);
    count_work(heads_of(call.V) * n * n * (n + length(call.Q, -1) * length(call.V, -1)));
}

}  // namespace

Tensor decay_mask_by_settings(const Tensor& log_decay, const DecaySettings& settings) {
    const Pairs pairs(log_decay, false, 0, {Tokens::up_to_own, Heads::own, settings});
    Shape shape = shape_of(log_decay);
    shape.push_back(pairs.n);
    Tensor mask = zeros(shape);
    for (Index h = 0; h < pairs.H; ++h)
        for (Index i = 0; i < pairs.n; ++i)
            for (Index j = 0; j < pairs.n; ++j)
                if (pairs.times(h, h, i, j) != 0.0)
                    mask.data()[(settings.masks_overlap ? h + i : h * pairs.n + i) * pairs.n + j] =
                        pairs.left(h, h, i, j)[0];
    count_work(pairs.H * pairs.n * pairs.n * pairs.n);  // so that an answer in O(n³) is seen as one
    return mask;
}

Tensor gated_attention_by_settings(const GatedCall& call, const GatedSettings& settings) {
    Tensor output = zeros(shape_of(call.V));
    Attention(call, settings).find(output);
    count_pairs(call);
    return output;
}

void sum_decays_over_heads(Tensor& gradient, Heads heads) {
    const Index n = length(gradient, -1);
    if (heads == Heads::own || n == 0) return;
    const Tensor right = gradient;
    for (Index h = 0; h < gradient.size() / n; ++h)
        for (Index g = 0; g < (heads == Heads::all ? gradient.size() / n : h); ++g)
            for (Index t = 0; t < n; ++t)
                if (g != h) gradient.data()[h * n + t] += right.data()[g * n + (heads == Heads::all ? t : 0)];
}

GatedGradients gated_gradients_by_settings(const GatedCall& call, const Tensor& dO,
                                           const GatedGradientSettings& settings) {
    GatedGradients d{zeros(shape_of(call.Q)), zeros(shape_of(call.K)), zeros(shape_of(call.V)),
                     zeros(shape_of(call.log_decay))};
    Gradients(call, dO, settings).find(d);
    count_pairs(call);
    return d;
}

namespace {

// D, and D times 1 + the sum of its logarithms' sizes, on which the error of its exponent depends.
struct SizedMask {
    Tensor D, size;
    explicit SizedMask(const Tensor& log_decay)
        : D(length(log_decay, -1) < 500 ? decay_mask_by_settings(log_decay, {}) : of_many(log_decay, true)),
          size(length(log_decay, -1) < 500 ? decay_mask_by_settings(log_decay, {.by = DecayBy::sum_itself})
                                           : of_many(log_decay, false)) {
        for (Index e = 0; e < D.size(); ++e)
            size.data()[e] = D.data()[e] == 0.0 ? 0.0 : D.data()[e] * (1.0 - size.data()[e]);
    }
    // The sums, or e to them, of one head: each row adds a logarithm to the one above it.
    static Tensor of_many(const Tensor& log_decay, bool exponentials) {
        const Index n = length(log_decay, -1);
        Tensor made = zeros({n, n});
        Row sums(n);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j <= i; ++j) {
                if (j < i) sums[j] += log_decay(i);
                made(i, j) = exponentials ? std::exp(sums[j]) : sums[j];
            }
        return made;
    }
};
constexpr double underflow = 1e-300;  // what is below may have lost digits, or be 0

}  // namespace

Expected expected_decay_mask(const Tensor& log_decay) {
    const SizedMask mask(log_decay);
    Tensor tolerance = mask.size;
    const Index n = length(log_decay, -1);
    for (Index e = 0; e < tolerance.size(); ++e) {
        const Index i = e / n % n, j = e % n;
        tolerance.data()[e] =
            j < i ? tolerance.data()[e] * 3.0 * static_cast<double>(i - j + 2) * 0x1p-53 + underflow : 0.0;
    }
    return {mask.D, tolerance,
            "2 (i - j + 2) 2^-53 D_ij (1 + the sum of |log_decay| over its own terms), and half as much for the "
            "definition"};
}

namespace {

// Σ_j |q_i|·|k_j| size_ij |v_j|, as the three sums that the output and the gradients are made of.
struct GatedSizes {
    Tensor Q, K, V, dO;
    std::vector<Tensor> masks;  // one for each channel, or one
    Index H, n, d_k, d_v;

    GatedSizes(const GatedCall& call, const Tensor& upstream)
        : Q(abs(call.Q)),
          K(abs(call.K)),
          V(abs(call.V)),
          dO(abs(upstream)),
          H(heads_of(V)),
          n(length(V, -2)),
          d_k(length(Q, -1)),
          d_v(length(V, -1)) {
        const bool each_channel = call.log_decay.dimension() == Q.dimension();
        for (Index a = 0; a < (each_channel ? d_k : 1); ++a)
            masks.push_back(
                SizedMask(each_channel ? sum(slice(call.log_decay, -1, a, a + 1), -1) : call.log_decay).size);
    }
    double of_channel(Index h, Index i, Index j, Index a) const {
        return masks[masks.size() == 1 ? 0 : a].data()[(h * n + i) * n + j];
    }
    // Calls add(h, i, j, a, b, size of the term) for every term of Σ q k D v dO.
    template <class Add>
    void for_each_term(Add add) const {
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j <= i; ++j)
                    for (Index a = 0; a < d_k; ++a)
                        if (const double size = of_channel(h, i, j, a); size != 0.0)
                            for (Index b = 0; b < d_v; ++b) add((h * n + i), (h * n + j), a, b, size);
    }
};

}  // namespace

Expected expected_gated_attention(const GatedCall& call) {
    const GatedSizes sizes(call, call.V);
    Tensor terms = zeros(shape_of(call.V));
    const Index d_k = sizes.d_k, d_v = sizes.d_v;
    sizes.for_each_term([&](Index i, Index j, Index a, Index b, double size) {
        terms.data()[i * d_v + b] +=
            sizes.Q.data()[i * d_k + a] * sizes.K.data()[j * d_k + a] * size * sizes.V.data()[j * d_v + b];
    });
    const double units = 2.0 * static_cast<double>(d_k + 4 * sizes.n + 16);
    return {gated_attention_by_settings(call, {}), terms * (units * 0x1p-53) + underflow,
            "2 (d_k + 4 n + 16) 2^-53 times the sum of the sizes of all terms, each times 1 + the sum of |log_decay| "
            "in it"};
}

std::vector<Expected> expected_gated_gradients(const GatedCall& call, const Tensor& dO) {
    const GatedSizes x(call, dO);
    GatedGradients size{zeros(shape_of(call.Q)), zeros(shape_of(call.K)), zeros(shape_of(call.V)),
                        zeros(shape_of(call.log_decay))};
    const Index d_k = x.d_k, d_v = x.d_v;
    x.for_each_term([&](Index i, Index j, Index a, Index b, double times) {
        const double q = x.Q.data()[i * d_k + a], k = x.K.data()[j * d_k + a],
                     pair = times * x.dO.data()[i * d_v + b] * x.V.data()[j * d_v + b];
        size.Q.data()[i * d_k + a] += k * pair;
        size.K.data()[j * d_k + a] += q * pair;
        size.V.data()[j * d_v + b] += q * k * times * x.dO.data()[i * d_v + b];
    });
    for (Index at = 0; at < x.H * x.n; ++at)
        for (Index i = at / x.n * x.n; i <= at; ++i) {  // from own on: of token i, all of token `at`
            double& total = size.log_decay.data()[i];
            for (Index a = 0; a < d_k; ++a)
                total += x.Q.data()[at * d_k + a] * size.Q.data()[at * d_k + a] +
                         x.K.data()[at * d_k + a] * size.K.data()[at * d_k + a];
            for (Index b = 0; b < d_v; ++b) total += x.V.data()[at * d_v + b] * size.V.data()[at * d_v + b];
        }
    const double units = 2.0 * static_cast<double>(6 * x.n + d_k + d_v + 16);
    const std::string why =
        "2 (6 n + d_k + d_v + 16) 2^-53 times the sum of the sizes of all terms, each times 1 + the sum of |log_decay| "
        "in it";
    const GatedGradients right = gated_gradients_by_settings(call, dO, {});
    const auto part = [&](const Tensor& value, const Tensor& terms, bool has_tokens = true) {
        return Expected{value, terms * (units * 0x1p-53) + underflow, why, has_tokens};
    };
    return {part(right.Q, size.Q), part(right.K, size.K), part(right.V, size.V),
            part(right.log_decay, size.log_decay, false)};
}

}  // namespace linattn::testing
