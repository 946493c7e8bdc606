#include "attention_definition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

#include "array_view.hpp"
#include "random_inputs.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;

using Rows = RowsOf<double>;

Rows mapped(Tensor x, const FeatureMap& phi, int times) {
    for (int t = 0; t < times; ++t) x = phi(x);
    return Rows(x);
}

void add_up_along_rows(Rows& x) {
    for (Index r = 0; r < x.leading * x.n; ++r)
        for (Index a = 1; a < x.width; ++a) x.entries[r * x.width + a] += x.entries[r * x.width + a - 1];
}

class Attention {
public:
    Attention(const AttentionCall& asked, const AttentionSettings& settings)
        : call(asked),
          s(settings),
          v(values()),
          S{s.S, queries(s.S), keys(s.S), {}, {}},
          z{s.z, queries(s.z), keys(s.z), {}, {}},
          H(v.leading),
          n(v.n),
          c(S.k.width),
          d_v(v.width) {
        if (S.q.width != c || z.q.width != z.k.width || d_v != length(call.V, -1) ||
            (call.S != nullptr && length(*call.S, -2) != c) || (call.z != nullptr && z.k.width != c))
            throw std::invalid_argument("the features have different widths");
        const Shape shape = shape_of(call.V);
        heads_of_batch_entry = shape.size() > 2 ? shape[shape.size() - 3] : 1;
        heads_of_first_axis = shape.size() > 2 && shape[0] > 0 ? H / shape[0] : 0;
        for (Part* part : {&S, &z}) {
            if (part->settings.where != Where::everywhere) {
                part->right_q.emplace(mapped(call.Q, call.phi, 1));
                part->right_k.emplace(mapped(call.K, call.phi, 1));
            }
            if (part->settings.negative_features_cut_off)
                for (Rows* rows : {&part->q, &part->k})
                    for (double& x : rows->entries) x = std::max(x, 0.0);
            if (part->settings.along == Along::features) add_up_along_rows(part->k);
            if (part->settings.first_d_k_features)
                for (Rows* rows : {&part->q, &part->k})
                    for (Index e = 0; e < rows->entries.size(); ++e)
                        if (e % c >= length(call.Q, -1)) rows->entries[e] = 0.0;
            if (part->settings.padding == Padding::keys_after_phi_times_zero ||
                part->settings.padding == Padding::keys_and_values_times_zero)
                multiply_by_padding(part->k);
        }
        if (s.S.along == Along::values) add_up_along_rows(v);
        if (s.values_of_first_head) repeat_first_head(v);
        if (s.last_value_again) repeat_before_last(v);
        for (Part* part : {&S, &z}) {
            if (s.queries_of_first_head) repeat_first_head(part->q);
            if (s.keys_of_first_head) repeat_first_head(part->k);
            if (s.last_query_again) repeat_before_last(part->q);
            if (s.last_key_again) repeat_before_last(part->k);
        }
        epsilon = s.epsilon_fixed.value_or(call.epsilon);
        if (s.epsilon == Epsilon::squared) epsilon *= epsilon;
        if (s.epsilon == Epsilon::root) epsilon = std::sqrt(epsilon);
        for (Part* part : {&S, &z}) {
            for (double& x : part->q.entries) x += s.epsilon_in_q ? epsilon : 0.0;
            for (double& x : part->k.entries) x += s.epsilon_in_k ? epsilon : 0.0;
        }
        scale = scale_of_scores() * s.factor_of_scores;
        if (s.kernel == Kernel::exponentials) find_running_maxima();
        divided_on.assign(H * (n + 1), 1.0);
        if (s.delta_rule) correct_values();
        if (s.at_writing != AttentionSettings::AtWriting::nothing) divide_values();
        if (s.phi_of_scores) phi_of_scores.emplace(mapped_scores());
        if (s.scores_left != Left::nothing) add_up_scores();
        numerators_left.assign(rows_at_a_time() * d_v, 0.0);
        denominators_left.assign(rows_at_a_time(), 0.0);
    }

    AttentionResult result() {
        AttentionResult made{zeros(shape_of(call.V)), {}, {}};
        for (Index h = 0; h < H; ++h) {
            find_shifts_along(h);
            if (divides_by_key()) find_divisors_of_keys(h);
            for (Index i = 0; i < n; ++i) {
                const std::vector<double> row = output_row(h, i);
                std::copy(row.begin(), row.end(), made.output.data() + (h * n + i) * d_v);
            }
        }
        write_wrongly(made.output);
        if (call.S != nullptr) return_state(made);
        count_work(H * n * n * (c + d_v));  // so that an answer in O(n²) is seen as one
        return made;
    }

private:
    struct Part {  // one of the two sums, with its own view of the inputs
        const TokenSum& settings;
        Rows q, k;
        std::optional<Rows> right_q, right_k;  // where the changes apply to some tokens only
    };
    struct Denominator {
        double sum = 0.0, tokens = 0.0, query_features = 0.0, largest_exponent = 0.0;
    };
    struct Weighted {
        Index g, j;
        double times, weight;
    };

    // Inputs ----------------------------------------------------------------------------------------------------------

    Tensor without_padding(const Tensor& x) const {
        return call.padding == nullptr ? x : where(expand_dims(*call.padding, -1), x, 0.0);
    }
    Rows values() const {
        Rows rows = mapped(s.S.padding == Padding::keys_and_values_before_phi ? without_padding(call.V) : call.V,
                           call.phi, s.phi_v);
        if (s.S.padding == Padding::keys_and_values_times_zero) multiply_by_padding(rows);
        return rows;
    }
    static void repeat_first_head(Rows& rows) {
        const Index size = rows.n * rows.width;
        for (Index e = size; e < rows.entries.size(); ++e) rows.entries[e] = rows.entries[e - size];
    }
    static void repeat_before_last(Rows& rows) {
        for (Index e = rows.width; rows.n > 1 && e < rows.entries.size(); ++e)
            if (e / rows.width % rows.n == rows.n - 1) rows.entries[e] = rows.entries[e - rows.width];
    }
    static void make_unit(Rows& rows, Unit unit) {
        for (Index r = 0; r < rows.leading * rows.n; ++r) {
            double* row = &rows.entries[r * rows.width];
            const double size = unit == Unit::length ? std::sqrt(dot_product(row, row, rows.width))
                                                     : std::accumulate(row, row + rows.width, 0.0);
            for (Index a = 0; a < rows.width; ++a) row[a] /= size;
        }
    }
    double over_d_k(double power) const { return std::pow(static_cast<double>(length(call.Q, -1)), -power); }
    Rows queries(const TokenSum& sum) const {
        const Tensor& from = sum.query == From::query ? call.Q : call.K;
        Rows rows = mapped(s.inputs_over_d_k == 0.0 ? from : from * over_d_k(s.inputs_over_d_k), call.phi, sum.phi_q);
        if (sum.unit_q != Unit::none) make_unit(rows, sum.unit_q);
        if (sum.q_over_d_k != 0.0)
            for (double& x : rows.entries) x *= over_d_k(sum.q_over_d_k);
        return rows;
    }
    // What the delta rule writes: each value less what the state before returns for its key.
    void correct_values() {
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i)
                for (Index b = 0; b < d_v; ++b) {
                    double known = 0.0;
                    for (Index a = 0; call.S != nullptr && a < c; ++a)
                        known += S.k.row(h, i)[a] * call.S->data()[(h * c + a) * d_v + b];
                    for (Index j = 0; j < i; ++j)
                        known += dot_product(S.k.row(h, i), S.k.row(h, j), c) * v.row(h, j)[b];
                    v.entries[(h * n + i) * d_v + b] -= known;
                }
    }
    // Each value divided by what its own token, with its key or its query, makes of z.
    void divide_values() {
        const Rows& readers = s.at_writing == AttentionSettings::AtWriting::by_key ? z.k : z.q;
        const Rows right = v;
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i) {
                const double* reader = readers.row(h, i);
                double sum = epsilon;
                for_each_token(s.z, h, i, [&](Index g, Index j, double times) {
                    sum += times * dot_product(reader, z.k.row(g, j), c);
                });
                for (Index a = 0; call.z != nullptr && a < c; ++a) sum += reader[a] * call.z->data()[h * c + a];
                for (Index b = 0; b < d_v; ++b) v.entries[(h * n + i) * d_v + b] = right.row(h, i)[b] / sum;
            }
    }
    // The weights within each chunk, one after the other in a buffer that is added to. What is above the diagonal is set to 0.
    void add_up_scores() {
        std::vector<double> buffer(s.block * s.block);
        for (Index h = 0; h < H; ++h) {
            if (s.scores_left == Left::of_head) std::fill(buffer.begin(), buffer.end(), 0.0);
            for (Index begin = 0; begin < n; begin += s.block) {
                const Index rows = std::min(s.block, n - begin);
                for (Index i = 0; i < rows; ++i)
                    for (Index j = 0; j < rows; ++j) {
                        double& score = buffer[i * rows + j];
                        score += dot_product(S.q.row(h, begin + i), S.k.row(h, begin + j), c);
                        if (j > i) score = 0.0;
                        scores.push_back(score);
                    }
                scores.resize(h * n * s.block + (begin + rows) * s.block);
            }
        }
    }
    // φ of the n×n scores, row by row.
    Rows mapped_scores() const {
        Tensor products = zeros({H, n, n});
        for (Index e = 0; e < products.size(); ++e)
            products.data()[e] =
                dot_product(call.Q.data() + e / n * length(call.Q, -1),
                            call.K.data() + (e / n / n * n + e % n) * length(call.K, -1), length(call.Q, -1));
        const Rows rows = mapped(products, call.phi, 1);
        if (rows.width != n) throw std::invalid_argument("φ changes the number of columns");
        return rows;
    }
    Rows keys(const TokenSum& sum) const {
        const Tensor& from = sum.key == From::key ? call.K : call.Q;
        const bool before_phi =
            sum.padding == Padding::keys_and_values_before_phi || sum.padding == Padding::keys_before_phi;
        const Tensor left = before_phi ? without_padding(from) : from;
        Rows rows = mapped(s.scaled_before_phi_k ? left * over_d_k(s.inputs_over_d_k) : left, call.phi, sum.phi_k);
        if (sum.unit_k != Unit::none) make_unit(rows, sum.unit_k);
        return sum.keys_reshaped ? rows.reshaped(s.block) : rows;
    }
    void multiply_by_padding(Rows& x) const {
        if (call.padding == nullptr) return;
        for (Index e = 0; e < x.entries.size(); ++e) x.entries[e] *= call.padding->data()[e / x.width];
    }

    // Which tokens count ----------------------------------------------------------------------------------------------

    bool is_causal(Index h) const {
        switch (s.mask) {
            case MaskHandling::given: return call.causal;
            case MaskHandling::never: return false;
            case MaskHandling::always: return true;
            case MaskHandling::exchanged: return !call.causal;
            case MaskHandling::only_in_first_head: return call.causal && h == 0;
        }
        return call.causal;
    }
    double times_allowed(const TokenSum& sum, Index h, Index i, Index j) const {
        const bool causal = is_causal(h) || (s.divisor_always_causal && &sum == &s.z);
        if (!causal) return s.running_sum_on_total && j <= i ? 2.0 : 1.0;
        return counts(sum.tokens, i, j, n, s.block);
    }
    bool allowed(const TokenSum& sum, Index h, Index i, Index j) const { return times_allowed(sum, h, i, j) != 0.0; }
    Index rows_at_a_time() const { return std::max<Index>(s.block, 1); }
    // Whether token j of another head came first where the outer loop is that over tokens, or over blocks.
    bool came_before(Index h, Index i, Index g, Index j) const {
        const Index own = i / rows_at_a_time(), other = j / rows_at_a_time();
        return other < own || (other == own && g < h);
    }
    // How often token j of head g counts for token i of head h.
    double count(const TokenSum& sum, Index h, Index i, Index g, Index j) const {
        const double times_of_pair = forbidden_counts() ? 1.0 : times_allowed(sum, h, i, j);
        const bool pair = times_of_pair != 0.0;
        bool in = false;
        switch (sum.heads) {
            case Heads::own: in = g == h && pair; break;
            case Heads::all:
            case Heads::mean_of_all: in = pair; break;
            case Heads::own_after_earlier: in = g < h || (g == h && pair); break;
            case Heads::own_after_earlier_here:
                in = (g < h && g / heads_of_batch_entry == h / heads_of_batch_entry) || (g == h && pair);
                break;
            case Heads::up_to_own: in = g <= h && pair; break;
            case Heads::in_turn: in = g == h ? pair : came_before(h, i, g, j); break;
            case Heads::along_first_axis:
                in = heads_of_first_axis == 0 ? g == h && pair : j == i && g <= h && (h - g) % heads_of_first_axis == 0;
                break;
            case Heads::first: in = g == 0 && pair; break;
            case Heads::last: in = g + 1 == H && pair; break;
        }
        if (!in) return 0.0;
        double times = sum.write * kept_by_padding(sum.padding, g, i, j) * (pair ? times_of_pair : 1.0);
        if (sum.heads == Heads::mean_of_all) times /= static_cast<double>(H);
        if (j == 0) times *= sum.first_counts;
        if (j == i) times *= sum.own_counts;
        if (sum.decay != 1.0 && j < i) times *= std::pow(sum.decay, static_cast<double>(i - j));
        return times;
    }
    double kept_by_padding(Padding padding, Index h, Index i, Index j) const {
        if (call.padding == nullptr) return 1.0;
        const double* mask = call.padding->data() + h * n;
        const auto none_padded = [&](Index begin, Index end) {
            return std::find(mask + begin, mask + end, 0.0) == mask + end ? 1.0 : 0.0;
        };
        switch (padding) {
            case Padding::removed:
            case Padding::outputs_too:
            case Padding::output_repeated: return mask[j];
            case Padding::inverted: return 1.0 - mask[j];
            case Padding::mask_of_first_head: return call.padding->data()[j];
            case Padding::stops_at_first: return none_padded(0, i + 1);
            case Padding::as_many_from_first:
                return static_cast<double>(j) < std::accumulate(mask, mask + n, 0.0) ? 1.0 : 0.0;
            case Padding::nothing_after_first: return none_padded(0, j + 1);
            case Padding::state_starts_anew: return none_padded(j, std::max(i, j) + 1);
            default: return 1.0;
        }
    }
    // Whether a token counts as often as `tokens` says, and nothing else matters.
    bool is_plain(const TokenSum& sum) const {
        return sum.heads == Heads::own && sum.first_counts == 1.0 && sum.own_counts == 1.0 && sum.decay == 1.0 &&
               sum.write == 1.0 && call.padding == nullptr && !forbidden_counts();
    }
    template <class Function>
    void for_each_token(const TokenSum& sum, Index h, Index i, Function function) const {
        const bool own = sum.heads == Heads::own, plain = is_plain(sum);
        const Index end = plain && sum.tokens == Tokens::up_to_own && is_causal(h) ? i + 1 : n;
        for (Index g = own ? h : 0; g < (own ? h + 1 : H); ++g)
            for (Index j = 0; j < end; ++j)
                if (const double times = plain ? times_allowed(sum, h, i, j) : count(sum, h, i, g, j); times != 0.0)
                    function(g, j, times);
    }
    bool forbidden_counts() const {
        return s.forbidden_weight || s.mask_added != 0.0 ||
               (s.kernel == Kernel::exponential && s.forbidden != Forbidden::minus_infinity);
    }

    // Whether token j is where something applies, seen from token i.
    bool applies(Where where, Index i, Index j) const {
        return where == Where::everywhere || (where == Where::own_block) == (i / s.block == j / s.block);
    }

    // The same row of the block after that of token i, unless that is the last one. May be beyond n.
    Index in_next_block(Index i) const {
        if (i / s.block == (n - 1) / s.block || (s.rest_of_own_block && i + s.block >= n)) return i;
        return i + s.block;
    }

    // Weights, before any division ------------------------------------------------------------------------------------

    double weight(const Part& part, Index h, Index i, Index g, Index j) const {
        if (s.mirrored && j > i) std::swap(i, j);
        if (s.forbidden_weight && !allowed(part.settings, h, i, j)) return *s.forbidden_weight;
        if (s.kernel == Kernel::exponential)
            return (s.scale_after && &part == &S ? scale : 1.0) *
                   (s.forbidden == Forbidden::weight_times_zero && !allowed(part.settings, h, i, j) ? 0.0 : 1.0) *
                   std::exp(score(h, i, j) - shift_of_score(part.settings, h, i, j));
        if (s.kernel == Kernel::exponentials) return sum_of_exponentials(part.settings, h, i, j);
        if (s.phi_of_scores) return phi_of_scores->row(h, i)[j];
        if (s.scores_left != Left::nothing && applies(Where::own_block, i, j)) {
            const Index begin = i / s.block * s.block, rows = std::min(s.block, n - begin);
            return scores[(h * n + begin) * s.block + (i - begin) * rows + j - begin];
        }
        const bool right = !applies(part.settings.where, i, j);
        const Rows &queries = right ? *part.right_q : part.q, &keys = right ? *part.right_k : part.k;
        const Index of_q = part.settings.query_of_next_block && !right ? in_next_block(i) : i,
                    of_k = part.settings.key_of_next_block && !right ? in_next_block(j) : j;
        if (of_q >= n || of_k >= n) return 0.0;
        const double* q = part.settings.query_of_token_j ? queries.row(g, j) : queries.row(h, of_q);
        const double* k = part.settings.key_of_token_i ? keys.row(h, i) : keys.row(g, of_k);
        const double product = dot_product(q, k, part.q.width) * scale + added_by_mask(part.settings, h, i, j);
        if (s.in_block == AttentionSettings::InBlock::product || !applies(Where::own_block, i, j)) return product;
        const double d_k = static_cast<double>(length(call.Q, -1));
        return std::exp(s.in_block == AttentionSettings::InBlock::softmax ? product / std::sqrt(d_k) : product);
    }
    double added_by_mask(const TokenSum& sum, Index h, Index i, Index j) const {
        return s.mask_added != 0.0 && is_causal(h) && allowed(sum, h, i, j) ? s.mask_added : 0.0;
    }
    double scale_of_scores() const {
        const double d_k = static_cast<double>(length(call.Q, -1));
        switch (s.scale) {
            case Scale::one: return 1.0;
            case Scale::over_root_d_k: return 1.0 / std::sqrt(d_k);
            case Scale::over_d_k: return 1.0 / d_k;
            case Scale::over_root_d_v: return 1.0 / std::sqrt(static_cast<double>(d_v));
            case Scale::over_root_n: return 1.0 / std::sqrt(static_cast<double>(n));
            case Scale::over_root_c: return 1.0 / std::sqrt(static_cast<double>(c));
            case Scale::over_c: return 1.0 / static_cast<double>(c);
            case Scale::times_root_d_k: return std::sqrt(d_k);
            case Scale::over_rounded_root_d_k: return 1.0 / std::floor(std::sqrt(d_k));
            case Scale::zero: return 0.0;
        }
        return 1.0;
    }
    double score(Index h, Index i, Index j) const {
        const bool is_multiplied = s.forbidden == Forbidden::infinity_times_zero ||
                                   (s.forbidden == Forbidden::infinity_times_zero_if_causal && call.causal);
        if (is_multiplied) return not_a_number;
        if (s.forbidden != Forbidden::minus_infinity && s.forbidden != Forbidden::weight_times_zero &&
            !allowed(s.S, h, i, j))
            return s.forbidden == Forbidden::zero ? 0.0 : s.forbidden == Forbidden::number ? s.forbidden_score : -1.0;
        return dot_product(S.q.row(h, i), S.k.row(h, j), c) * (s.scale_after ? 1.0 : scale) +
               added_by_mask(s.S, h, i, j);
    }
    void find_shift_of_scores(Index h, Index i) {
        if (s.kernel != Kernel::exponential) return;
        const bool whole = s.shift == Shift::whole_matrix, smallest = s.shift == Shift::smallest_of_row,
                   all = whole || s.shift == Shift::row_before_mask || forbidden_counts();
        const bool from_zero = s.shift == Shift::none || s.shift == Shift::from_zero_on;
        shift_of_scores = from_zero ? 0.0 : smallest ? infinity : -infinity;
        running_shift.clear();
        if (s.shift == Shift::none) return;
        for (Index r = whole ? 0 : i; r < (whole ? n : i + 1); ++r)
            for (Index j = 0; j < n; ++j) {
                if (all || allowed(s.S, h, r, j) || allowed(s.z, h, r, j)) {
                    const double x = score(h, r, j);
                    shift_of_scores = smallest ? std::min(shift_of_scores, x) : std::max(shift_of_scores, x);
                }
                running_shift.push_back(shift_of_scores);
            }
        if (s.shift == Shift::row_added) shift_of_scores = -shift_of_scores;
    }
    // The largest scores of all columns, or of all rows, where they are subtracted along the columns.
    void find_shifts_along(Index h) {
        if (s.shift != Shift::column && s.shift != Shift::row_along_columns) return;
        shift_of_key.assign(n, -infinity);
        for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j)
                if (forbidden_counts() || allowed(s.S, h, i, j)) {
                    double& shift = shift_of_key[s.shift == Shift::column ? j : i];
                    shift = std::max(shift, score(h, i, j));
                }
    }
    double shift_of_score(const TokenSum& sum, Index h, Index i, Index j) const {
        if (s.shift == Shift::column || s.shift == Shift::row_along_columns) return shift_of_key[j];
        if (sum.rescale == Rescale::right) return shift_of_scores;
        return rescaled(sum.rescale, score(h, i, j), shift_of_scores, shift_of_scores, running_shift[j],
                        j == 0 ? -infinity : running_shift[j - 1]);
    }
    // What is subtracted in the end from the exponent x of a token: `then` is the maximum with it, `before` without it.
    static double rescaled(Rescale rescale, double x, double shift, double now, double then, double before) {
        switch (rescale) {
            case Rescale::right: return shift;
            case Rescale::none: return shift - (now - then);
            case Rescale::after_adding: return shift - (before - then);
            case Rescale::inverted_from_second: return shift - 2.0 * (now - then);
            case Rescale::inverted: return shift - (2.0 * (now - then) + 0.0 * (then - before));
            case Rescale::weight_left_out: return shift + (x - then);
            case Rescale::anew: return now > then ? infinity : shift;
        }
        return shift;
    }
    void find_running_maxima() {  // of each channel of the keys, over tokens 0 to i
        running_maximum.assign(H * n * c, -infinity);
        const bool goes_on = s.shift == Shift::over_earlier_heads;
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i)
                for (Index j = 0; j <= i; ++j)
                    for (Index a = 0; a < c; ++a) {
                        double& largest = running_maximum[(h * n + i) * c + a];
                        largest = std::max(largest, S.k.row(h, j)[a]);
                        if (goes_on && h > 0) largest = std::max(largest, running_maximum[(h * n - 1) * c + a]);
                    }
    }
    // Σ_a exp(q_a + m_a - g) exp(k_a - m_a): m is the running maximum of the keys, g the query's largest exponent.
    double sum_of_exponentials(const TokenSum& sum, Index h, Index i, Index j) const {
        const double *q = S.q.row(h, i), *k = S.k.row(h, j);
        const double *now = &running_maximum[(h * n + i) * c], *then = &running_maximum[(h * n + j) * c],
                     *last = &running_maximum[(h * n + n - 1) * c];
        std::vector<double> m(now, now + c), exponent(q, q + c);
        if (s.shift == Shift::whole_sequence || s.shift == Shift::whole_sequence_one_for_all_channels)
            m.assign(last, last + c);
        if (s.shift == Shift::one_for_all_channels || s.shift == Shift::whole_sequence_one_for_all_channels)
            m.assign(c, *std::max_element(m.begin(), m.end()));
        if (s.shift == Shift::first_key) m.assign(S.k.row(h, 0), S.k.row(h, 0) + c);
        if (s.shift == Shift::latest_key) m.assign(S.k.row(h, i), S.k.row(h, i) + c);
        for (Index t = 0; s.shift == Shift::smallest_key && t <= i; ++t)
            for (Index a = 0; a < c; ++a) m[a] = t == 0 ? S.k.row(h, 0)[a] : std::min(m[a], S.k.row(h, t)[a]);
        if (s.shift == Shift::from_zero_on)
            for (double& x : m) x = std::max(x, 0.0);
        const bool given_to_query = s.shift != Shift::none && s.shift != Shift::each_key &&
                                    s.shift != Shift::not_given_to_query && s.shift != Shift::keys_only;
        for (Index a = 0; a < c; ++a)
            if (given_to_query) exponent[a] += s.shift == Shift::taken_from_query ? -m[a] : m[a];
        for (Index a = 0; s.shift == Shift::query_given_maximum_before && i > 0 && a < c; ++a)
            exponent[a] += running_maximum[(h * n + i - 1) * c + a] - m[a];
        double g = *std::max_element(exponent.begin(), exponent.end());
        if (s.shift == Shift::none || s.shift == Shift::query_unshifted || s.shift == Shift::keys_only) g = 0.0;
        if (s.shift == Shift::query_by_two_maxima)
            g = *std::max_element(q, q + c) + *std::max_element(m.begin(), m.end());
        if (s.shift == Shift::query_by_itself) g = *std::max_element(q, q + c);
        double total = 0.0;
        for (Index a = 0; a < c; ++a) {
            double shift = m[a];
            if (s.shift == Shift::none) shift = 0.0;
            if (s.shift == Shift::each_key) shift = *std::max_element(k, k + c);
            const double before = j == 0 ? -infinity : running_maximum[(h * n + j - 1) * c + a];
            total += std::exp(exponent[a] - g) *
                     std::exp(k[a] - rescaled(sum.rescale, k[a], shift, now[a], then[a], before));
        }
        return total;
    }

    // An output -------------------------------------------------------------------------------------------------------

    // Whether a token's weight in the denominator is its weight in the numerator, too.
    bool same_weights() const {
        return s.S == s.z && !s.divisor_always_causal && !s.scale_after && s.divisor != Divisor::none &&
               !divides_by_keys() && !divides_each_weight();
    }
    // Whether each weight above the line is divided by a sum of its own.
    bool divides_each_weight() const {
        return divides_by_feature() || divides_by_pair() || s.divisor == Divisor::key_features || divides_up_to_key();
    }
    bool divides_by_pair() const { return s.divisor == Divisor::lengths_of_pair; }
    bool divides_up_to_key() const { return s.divisor == Divisor::sum_up_to_key; }
    bool divides_by_feature() const {
        return s.divisor == Divisor::each_feature || s.divisor == Divisor::average_of_features;
    }
    // Adds sums to those that their row of the chunk before left, where they stay.
    void add_what_is_left(Left left, std::vector<double>& rows, Index h, Index i, double* sums, Index count) const {
        if (left == Left::nothing) return;
        if (i == 0 && (h == 0 || left == Left::of_head)) std::fill(rows.begin(), rows.end(), 0.0);
        for (Index b = 0; b < count; ++b) sums[b] = rows[i % rows_at_a_time() * count + b] += sums[b];
    }
    void move_average(Index h, Index i, const Denominator& below, std::vector<double>& row) {
        if (i == 0) average.assign(d_v, 0.0);
        const double share = divided(weight(S, h, i, h, i), below);
        for (Index b = 0; b < d_v; ++b) row[b] = average[b] += share * (v.row(h, i)[b] - average[b]);
    }
    // A sum that begins with what the same variable held before, unless this is where it is set back.
    static double gone_on(GoesOn how, double& so_far, Index h, Index i, Index b, double own) {
        if (b == 0 && (how == GoesOn::in_token || (i == 0 && (h == 0 || how == GoesOn::in_head)))) so_far = 0.0;
        return so_far += own;
    }
    std::vector<double> sum_of_divided_blocks(Index h, Index i, double tokens) const {
        std::vector<double> row(d_v);
        const bool with_empty = s.blocks_divided == BlocksDivided::apart_if_empty_too ||
                                s.blocks_divided == BlocksDivided::averaged_if_empty_too,
                   both = i >= s.block;
        for (const Where where : {Where::own_block, Where::earlier_blocks}) {
            const bool earlier = where == Where::earlier_blocks;
            const std::vector<double> part = numerator(h, i, earlier, where);
            const Denominator below = denominator(h, i, earlier, where);
            const bool empty = below.tokens == 0.0 && !(earlier && call.S != nullptr);
            double share = 1.0;
            if (s.blocks_divided == BlocksDivided::averaged_if_empty_too ||
                (s.blocks_divided == BlocksDivided::averaged && both))
                share = 0.5;
            if (s.blocks_divided == BlocksDivided::averaged_by_tokens) share = below.tokens / tokens;
            for (Index b = 0; b < d_v && (with_empty || !empty); ++b) row[b] += share * divided(part[b], below);
        }
        return row;
    }
    std::vector<double> output_row(Index h, Index i) {
        find_shift_of_scores(h, i);
        weights_below.clear();
        Denominator below =
            s.divisor == Divisor::none ? Denominator{} : denominator(h, i, true, Where::everywhere, &weights_below);
        if (s.divisor == Divisor::sums_so_far || s.divisor == Divisor::sums_of_block) {
            if (i % (s.divisor == Divisor::sums_of_block ? s.block : n) > 0) below.sum += sums_so_far;
            sums_so_far = below.sum;
        }
        if (s.divisor == Divisor::all_heads) {
            below.sum = 0.0;
            for (Index g = 0; g < H; ++g) below.sum += denominator(g, i, true).sum;
        }
        std::vector<double> row = numerator(h, i, true, Where::everywhere, same_weights() ? &weights_below : nullptr);
        add_what_is_left(s.numerators_left, numerators_left, h, i, row.data(), d_v);
        add_what_is_left(s.denominators_left, denominators_left, h, i, &below.sum, 1);
        if (s.divisor == Divisor::last_numerator && d_v > 0) below.sum = row[d_v - 1];
        if (s.divisor == Divisor::length_of_output || s.divisor == Divisor::size_of_output) {
            below.sum = std::sqrt(dot_product(row.data(), row.data(), d_v));
            if (s.divisor == Divisor::size_of_output) below.sum /= std::sqrt(static_cast<double>(d_v));
        }
        if (s.numerator_goes_on != GoesOn::never)
            for (Index b = 0; b < d_v; ++b) row[b] = gone_on(s.numerator_goes_on, numerator_so_far, h, i, b, row[b]);
        if (s.blocks_divided != BlocksDivided::no) {
            row = sum_of_divided_blocks(h, i, below.tokens);
        } else if (s.denominator_goes_on != GoesOn::never) {
            Denominator of_channel = below;
            for (Index b = 0; b < d_v; ++b) {
                of_channel.sum = gone_on(s.denominator_goes_on, denominator_so_far, h, i, b, below.sum);
                row[b] = divided(row[b], of_channel);
            }
        } else if (s.pieces_divided) {
            const std::vector<double> piece = numerator(h, i, false);
            const double piece_below = denominator(h, i, false).sum;
            for (Index b = 0; b < d_v; ++b)
                row[b] =
                    ((row[b] - piece[b]) / (below.sum - piece_below + epsilon) + piece[b] / (piece_below + epsilon)) /
                    (s.pieces_averaged ? 2.0 : 1.0);
        } else if (s.divided != Where::everywhere) {
            const std::vector<double> part = numerator(h, i, true, s.divided);
            for (Index b = 0; b < d_v; ++b) row[b] += divided(part[b], below) - part[b];
        } else if (!divides_by_key() && !divides_each_weight()) {
            for (double& x : row) x = divided(x, below);
        }
        if (s.average_moved) move_average(h, i, below, row);
        for (double& x : row) x *= s.numerator_over_c ? s.factor / static_cast<double>(c) : s.factor;
        for (Index j = 0; s.S_divided_on && j < n + 1; ++j)
            if (j <= i || j == n) divided_on[h * (n + 1) + j] /= below.sum + epsilon;
        return row;
    }
    std::vector<double> numerator(Index h, Index i, bool with_state, Where of = Where::everywhere,
                                  const std::vector<Weighted>* known = nullptr) const {
        std::vector<double> sums(d_v), sum_of_values(d_v);
        const Index end = s.S.tokens == Tokens::all ? n : i + 1;
        const std::vector<double> of_features = divides_by_feature() ? sums_of_features(h, i) : std::vector<double>();
        double up_to_key = 0.0;
        for (Index j = 0; s.values_summed && j < end; ++j)
            for (Index b = 0; b < d_v; ++b) sum_of_values[b] += v.row(h, j)[b];
        const auto add = [&](Index g, Index j, double times, const double* known_weight) {
            if (!applies(of, i, j)) return;
            if (s.entries_of_S && applies(Where::earlier_blocks, i, j)) {
                for (Index e = 0; e < std::min(*s.entries_of_S, c * d_v); ++e)
                    sums[e % d_v] += times * S.q.row(h, i)[e / d_v] * S.k.row(g, j)[e / d_v] * v.row(g, j)[e % d_v];
                return;
            }
            if (s.S_divided_on && is_causal(h)) times *= divided_on[h * (n + 1) + j];
            if (s.S_reshaped) {
                for (Index e = 0; e < c * d_v; ++e)
                    sums[e % d_v] += times * S.q.row(h, i)[e / d_v] * S.k.row(g, j)[e % c] * v.row(g, j)[e / c];
                return;
            }
            if (s.S_read_reshaped) {
                for (Index e = 0; e < c * d_v; ++e)
                    sums[e / c] += times * S.q.row(h, i)[e % c] * S.k.row(g, j)[e / d_v] * v.row(g, j)[e % d_v];
                return;
            }
            double w = times * (divides_by_feature()                 ? weight_by_feature(of_features, h, i, g, j)
                                : s.divisor == Divisor::key_features ? weight_by_key(h, i, g, j)
                                : known_weight != nullptr            ? *known_weight
                                                                     : weight(S, h, i, g, j));
            if (divides_by_key()) w = divided(w, {divisor_of_key[j]});
            if (divides_by_pair()) w = divided(w, {length_of(S.q.row(h, i)) * length_of(S.k.row(g, j))});
            if (divides_up_to_key()) w = divided(w, {up_to_key += w});
            const Index of_v = s.value_of_next_block && applies(Where::earlier_blocks, i, j) ? in_next_block(j) : j;
            if (of_v >= n) return;
            const double* value = s.values_summed ? sum_of_values.data()
                                  : s.value_of_token_i || (s.value_of_token_i_in_block && i / s.block == j / s.block)
                                      ? v.row(h, i)
                                      : v.row(g, of_v);
            for (Index b = 0; b < d_v; ++b) sums[b] += w * value[b];
        };
        if (known != nullptr)
            for (const Weighted& each : *known) add(each.g, each.j, each.times, &each.weight);
        else
            for_each_token(s.S, h, i, [&](Index g, Index j, double times) { add(g, j, times, nullptr); });
        const bool reads_state = call.S != nullptr && with_state && s.S.read != 0.0;
        if (s.S.begins == 0.0 && !reads_state) return sums;
        const double* q = S.q.row(h, s.state_read_by_first ? 0 : i);
        double left = std::pow(s.S.decay, static_cast<double>(i + 1));
        if (s.S_divided_on) left *= divided_on[h * (n + 1) + n];
        for (Index a = 0; a < c; ++a)
            for (Index b = 0; b < d_v; ++b) {
                if (s.S.begins != 0.0) sums[b] += q[a] * s.S.begins * left;
                const Index e = a * d_v + b;
                if (reads_state)
                    sums[s.S_read_reshaped ? e / c : b] += times_read(s.S, i) * left *
                                                           q[s.S_read_reshaped ? e % c : a] *
                                                           state_entry(*call.S, s.S, h, e, c * d_v);
            }
        return sums;
    }
    double length_of(const double* features) const { return std::sqrt(dot_product(features, features, c)); }
    // z_a + ε
    std::vector<double> sums_of_features(Index h, Index i) const {
        const bool without = s.epsilon == Epsilon::missing || s.epsilon == Epsilon::with_query;
        std::vector<double> sums(c, without ? 0.0 : epsilon);
        for_each_token(s.z, h, i, [&](Index of, Index t, double times) {
            for (Index a = 0; a < c; ++a) sums[a] += times * z.k.row(of, t)[a];
        });
        return sums;
    }
    // Σ_a φ(q)_a φ(k)_a / (z_a + ε)
    double weight_by_feature(const std::vector<double>& sums, Index h, Index i, Index g, Index j) const {
        double w = 0.0, query = s.epsilon == Epsilon::with_query || s.epsilon == Epsilon::twice ? epsilon : 0.0;
        for (Index a = 0; a < c; ++a) {
            w += S.q.row(h, i)[a] * S.k.row(g, j)[a] / sums[a];
            query += S.q.row(h, i)[a];
        }
        return s.divisor == Divisor::average_of_features ? w / query : w;
    }
    double weight_by_key(Index h, Index i, Index g, Index j) const {
        double features = s.epsilon == Epsilon::missing ? 0.0 : epsilon;
        for (Index a = 0; a < c; ++a) features += S.k.row(g, j)[a];
        return weight(S, h, i, g, j) / features;
    }
    Denominator denominator(Index h, Index i, bool with_state, Where of = Where::everywhere,
                            std::vector<Weighted>* weights = nullptr) const {
        Denominator found;
        double largest = -infinity;
        for_each_token(s.z, h, i, [&](Index g, Index j, double times) {
            if (!applies(of, i, j)) return;
            found.tokens += times;
            double w = 0.0;
            if (divides_by_keys())
                for (Index a = 0; a < z.k.width; ++a) w += z.k.row(g, j)[a];
            else
                w = weight(z, h, i, g, j);
            if (weights != nullptr) weights->push_back({g, j, times, w});
            largest = std::max(largest, w);
            if (s.divisor == Divisor::length) w *= w;
            if (s.divisor == Divisor::absolute_terms) w = std::fabs(w);
            found.sum += times * w;
        });
        const double* q = z.q.row(h, s.state_read_by_first ? 0 : i);
        const double left = std::pow(s.z.decay, static_cast<double>(i + 1));
        for (Index a = 0; a < z.q.width; ++a) {
            found.query_features += q[a];
            const double factor = (divides_by_keys() ? 1.0 : q[a]) * left;
            found.sum += factor * s.z.begins;
            if (call.z != nullptr && with_state && s.z.read != 0.0)
                found.sum += times_read(s.z, i) * factor * state_entry(*call.z, s.z, h, a, c);
        }
        if (s.epsilon == Epsilon::unshifted) {
            found.largest_exponent = -infinity;
            for (Index a = 0; a < c; ++a)
                found.largest_exponent = std::max(found.largest_exponent, q[a] + running_maximum[(h * n + i) * c + a]);
        }
        switch (s.divisor) {
            case Divisor::length: found.sum = std::sqrt(found.sum); break;
            case Divisor::count: found.sum = found.tokens; break;
            case Divisor::count_before: found.sum = found.tokens - 1.0; break;
            case Divisor::n: found.sum = static_cast<double>(n); break;
            case Divisor::query_alone: found.sum = found.query_features; break;
            case Divisor::product_of_sums: found.sum *= found.query_features; break;
            case Divisor::absolute_sum: found.sum = std::fabs(found.sum); break;
            case Divisor::sum_cut_off_at_zero: found.sum = std::max(found.sum, 0.0); break;
            case Divisor::mean: found.sum /= found.tokens; break;
            case Divisor::mean_of_row: found.sum /= static_cast<double>(n); break;
            case Divisor::root: found.sum = std::sqrt(found.sum); break;
            case Divisor::mean_of_features: found.sum /= static_cast<double>(c); break;
            case Divisor::largest_weight: found.sum = largest; break;
            default: break;
        }
        return found;
    }
    bool divides_by_keys() const { return s.divisor == Divisor::keys_alone || s.divisor == Divisor::product_of_sums; }
    bool divides_by_key() const { return s.divisor == Divisor::column || s.divisor == Divisor::row_along_columns; }
    void find_divisors_of_keys(Index h) {
        divisor_of_key.assign(n, 0.0);
        for (Index i = 0; i < n; ++i) {
            find_shift_of_scores(h, i);
            for (Index j = 0; j < n; ++j)
                if (allowed(s.z, h, i, j))
                    divisor_of_key[s.divisor == Divisor::column ? j : i] += weight(z, h, i, h, j);
        }
    }
    double divided(double above, const Denominator& below) const {
        if (s.divisor == Divisor::none) return above;
        double e = epsilon;
        if (s.epsilon == Epsilon::per_token || s.epsilon == Epsilon::per_token_and_feature) e *= below.tokens;
        if (s.epsilon == Epsilon::per_token_of_all) e *= static_cast<double>(n);
        if (s.epsilon == Epsilon::per_feature || s.epsilon == Epsilon::per_token_and_feature) e *= below.query_features;
        if (s.epsilon == Epsilon::per_width) e *= static_cast<double>(c);
        if (s.epsilon == Epsilon::twice) e *= 2.0;
        if (s.epsilon == Epsilon::subtracted) e = -e;
        if (s.epsilon == Epsilon::unshifted) e *= std::exp(-below.largest_exponent);
        if (s.divisor == Divisor::times_sum) return above * (below.sum + e);
        if (s.least_divisor) return above / (std::max(std::fabs(below.sum), *s.least_divisor) + e);
        switch (s.epsilon) {
            case Epsilon::missing: e = 0.0; break;
            case Epsilon::after_division: return above / below.sum + e;
            case Epsilon::floor: return above / std::max(below.sum, e);
            case Epsilon::above_too: return (above + e) / (below.sum + e);
            case Epsilon::factor: return above / (below.sum * e);
            case Epsilon::only_where_zero: return above / (below.sum == 0.0 ? e : below.sum);
            default: break;
        }
        const double once = above / (below.sum + e);
        if (s.divisor == Divisor::sum_and_count) return once / below.tokens;
        return s.divisor == Divisor::sum_twice ? once / (below.sum + e) : once;
    }
    void add_up_outputs(Tensor& output) const {
        for (Index b = 0; b < d_v; ++b) {
            double sum = 0.0;
            for (Index i = 0; i < n; ++i)
                for (Index h = 0; h < H; ++h) {
                    double& o = output.data()[(h * n + i) * d_v + b];
                    o = sum += o;
                }
        }
    }
    void write_wrongly(Tensor& output) const {
        if (s.written == OutputsWritten::running_sum_over_all) add_up_outputs(output);
        for (Index e = 0, size = n * d_v; s.written == OutputsWritten::over_first_head && e < output.size(); ++e)
            output.data()[e] = e < size ? output.data()[output.size() - size + e] : 0.0;
        const bool padded_are_zero =
            call.padding != nullptr && (s.S.padding == Padding::outputs_too || s.S.padding == Padding::outputs_only);
        for (Index h = 0; h < H; ++h)
            for (Index i = 0; i < n; ++i)
                for (Index b = 0; b < d_v; ++b) {
                    double& o = output.data()[(h * n + i) * d_v + b];
                    if (padded_are_zero && call.padding->data()[h * n + i] == 0.0) o = 0.0;
                    if (s.S.padding == Padding::stops_at_first && call.padding != nullptr &&
                        kept_by_padding(s.S.padding, h, i, i) == 0.0)
                        o = 0.0;
                    if (s.S.padding == Padding::output_repeated && call.padding != nullptr && i > 0 &&
                        call.padding->data()[h * n + i] == 0.0)
                        o = output.data()[(h * n + i - 1) * d_v + b];
                    if (s.written == OutputsWritten::none) o = 0.0;
                    if (s.written == OutputsWritten::only_last && i + 1 < n) o = 0.0;
                    if (s.written == OutputsWritten::all_but_first && i == 0) o = 0.0;
                    if (s.written == OutputsWritten::all_but_last && i + 1 == n) o = 0.0;
                    if (s.written == OutputsWritten::only_first_head && h > 0) o = 0.0;
                    if (s.written == OutputsWritten::whole_blocks && i >= n / s.block * s.block) o = 0.0;
                    if ((s.written == OutputsWritten::running_sum && i > 0) ||
                        (s.written == OutputsWritten::running_sum_over_heads && h + i > 0))
                        o += output.data()[(h * n + i - 1) * d_v + b];
                    if (s.written == OutputsWritten::value_added) o += v.row(h, i)[b];
                }
    }

    // The state -------------------------------------------------------------------------------------------------------

    double state_entry(const Tensor& state, const TokenSum& sum, Index h, Index at, Index size) const {
        if (sum.heads == Heads::first || sum.of_first_head) return state.data()[at];
        if (sum.heads != Heads::all && sum.heads != Heads::mean_of_all) return state.data()[h * size + at];
        double total = 0.0;
        for (Index g = 0; g < H; ++g) total += state.data()[g * size + at];
        return sum.heads == Heads::all ? total : total / static_cast<double>(H);
    }
    // How often the state that came in is there after so many tokens, besides the first time; and how often token i reads it.
    static double times_again(const TokenSum& sum, Index tokens) {
        return tokens == 0 ? 0.0 : sum.again * static_cast<double>(tokens - 1);
    }
    static double times_read(const TokenSum& sum, Index i) { return sum.read + times_again(sum, i + 1); }
    // How often token j of head g is in the returned state of head h.
    double returned_count(const TokenSum& sum, Index h, Index g, Index j) const {
        const bool in = sum.heads == Heads::own ? g == h : sum.heads == Heads::first ? g == 0 : true;
        if (!in || (s.written == OutputsWritten::only_first_head && h > 0)) return 0.0;
        const bool last = j + 1 == n;
        double times = j == 0 ? sum.first_counts : 1.0;
        if (sum.heads == Heads::mean_of_all) times /= static_cast<double>(H);
        times *= sum.write * std::pow(sum.decay, static_cast<double>(n - 1 - j));
        switch (sum.returned) {
            case Returned::all: return times;
            case Returned::none: return 0.0;
            case Returned::first: return j == 0 ? times : 0.0;
            case Returned::last: return last ? 1.0 : 0.0;
            case Returned::all_twice: return 2.0 * times;
            case Returned::all_but_last: return last ? 0.0 : times;
            case Returned::whole_blocks: return j < n / s.block * s.block ? times : 0.0;
        }
        return 0.0;
    }
    // An entry of a returned sum; `term` is what token j of head g adds to it.
    template <class Term>
    double returned_entry(const TokenSum& sum, const Tensor& before, Index h, Index at, Index size, Term term) const {
        const double* divided = s.S_divided_on && &sum == &s.S ? &divided_on[h * (n + 1)] : nullptr;
        const double left = std::pow(sum.decay, static_cast<double>(n)) * (divided == nullptr ? 1.0 : divided[n]);
        double total = sum.begins * left;
        if (sum.kept != 0.0) total += (sum.kept + times_again(sum, n)) * left * state_entry(before, sum, h, at, size);
        for (Index g = 0; g < H; ++g)
            for (Index j = 0; j < n; ++j)
                if (const double times = returned_count(sum, h, g, j); times != 0.0)
                    total += times * (divided == nullptr ? 1.0 : divided[j]) * term(g, j);
        return total;
    }
    // The keys that a sum returns: those of its own block may be changed within it alone.
    static const Rows& in_state(const Part& part) {
        return part.settings.where == Where::own_block ? *part.right_k : part.k;
    }
    void return_state(AttentionResult& made) const {
        made.S = zeros(shape_of(*call.S));
        if (call.z != nullptr) made.z = zeros(shape_of(*call.z));
        for (Index h = 0; h < H; ++h) {
            const double divisor = s.returned_divided && n > 0 ? denominator(h, n - 1, true).sum + epsilon : 1.0;
            for (Index a = 0; a < c; ++a) {
                for (Index b = 0; b < d_v; ++b)
                    made.S.data()[(h * c + a) * d_v + b] =
                        returned_entry(s.S, *call.S, h, a * d_v + b, c * d_v,
                                       [&](Index g, Index j) {
                                           const Index e = a * d_v + b;
                                           return s.S_reshaped ? in_state(S).row(g, j)[e % c] * v.row(g, j)[e / c]
                                                               : in_state(S).row(g, j)[a] * v.row(g, j)[b];
                                       }) /
                        divisor;
                if (call.z == nullptr) continue;
                double total =
                    returned_entry(s.z, *call.z, h, a, c, [&](Index g, Index j) { return in_state(z).row(g, j)[a]; });
                if (s.filled != 0 && n % s.filled != 0)
                    total +=
                        static_cast<double>(s.filled - n % s.filled) * call.phi(zeros({length(call.K, -1)})).data()[a];
                if (s.epsilon_returned)
                    total += epsilon * (s.epsilon == Epsilon::per_feature ? 1.0 : static_cast<double>(n));
                made.z.data()[h * c + a] = total / divisor;
            }
        }
    }

    const AttentionCall& call;
    const AttentionSettings& s;
    Rows v;
    Part S, z;
    Index H, n, c, d_v, heads_of_batch_entry = 1, heads_of_first_axis = 0;
    double epsilon = 0.0, scale = 1.0, shift_of_scores = 0.0, sums_so_far = 0.0, numerator_so_far = 0.0,
           denominator_so_far = 0.0;
    std::optional<Rows> phi_of_scores;
    std::vector<double> scores;                              // of each chunk, where a buffer holds several
    std::vector<double> average;                             // of the values so far, where that moves
    std::vector<double> numerators_left, denominators_left;  // of a chunk's rows
    std::vector<double> running_maximum, divisor_of_key, shift_of_key, running_shift;
    std::vector<double> divided_on;       // what is left of each token, and of the state that came in, in S_divided_on
    std::vector<Weighted> weights_below;  // of one row
};

}  // namespace

namespace {
// How often token j is in entry i after rounds that add the entry 1, 2, 4, … back, from the front and in place.
double counts_of_scan(Index i, Index j) {
    static std::vector<std::vector<double>> times;  // of each entry before the last round that is known to reach it
    if (times.size() <= i) {
        const Index n = std::max<Index>(i + 1, 16);
        times.assign(n, std::vector<double>(n));
        for (Index t = 0; t < n; ++t) times[t][t] = 1.0;
        for (Index back = 1; back < n; back *= 2)
            for (Index t = back; t < n; ++t)
                for (Index other = 0; other < n; ++other) times[t][other] += times[t - back][other];
    }
    return j < times[i].size() ? times[i][j] : 0.0;
}
// Of the halves of halves … that end with token i alone: whether j is in the one before the last right half that i is in.
bool is_in_half_before(Index i, Index j, Index n) {
    Index begin = 0, end = n, before = 0;
    while (end - begin > 1) {
        const Index middle = begin + (end - begin) / 2;
        if (i < middle) {
            end = middle;
        } else {
            before = begin;
            begin = middle;
        }
    }
    return before <= j && j < begin;
}
}  // namespace

double counts(Tokens tokens, Index i, Index j, Index n, Index block) {
    const auto same_block = [&] { return i / block == j / block; };
    switch (tokens) {
        case Tokens::all: return true;
        case Tokens::up_to_own: return j <= i;
        case Tokens::before_own: return j < i;
        case Tokens::from_own_on: return j >= i;
        case Tokens::after_own: return j > i;
        case Tokens::one_too_many: return j <= i + 1;
        case Tokens::all_but_next: return j != i + 1;
        case Tokens::own_only: return j == i;
        case Tokens::all_but_own: return j != i;
        case Tokens::up_to_own_without_first: return 0 < j && j <= i;
        case Tokens::all_but_last: return j + 1 < n;
        case Tokens::whole_blocks_only: return j < n / block * block;
        case Tokens::own_block: return j <= i && same_block();
        case Tokens::first_block: return j <= i && j < block;
        case Tokens::up_to_row_of_block: return j <= i % block;
        case Tokens::without_block_ends: return j <= i && (same_block() || (j + 1) % block != 0);
        case Tokens::earlier_blocks: return j / block < i / block;
        case Tokens::earlier_blocks_or_own: return i < block ? j <= i : j / block < i / block;
        case Tokens::whole_blocks: return j / block <= i / block;
        case Tokens::whole_blocks_but_first: return i < block ? j <= i : j / block <= i / block;
        case Tokens::whole_blocks_but_next: return j / block <= i / block && j != i + 1;
        case Tokens::own_block_and_later: return same_block() ? j <= i : j > i;
        case Tokens::own_block_from_own_on: return same_block() ? j >= i : j < i;
        case Tokens::own_block_once_more: return (j <= i ? 1.0 : 0.0) + (same_block() ? 1.0 : 0.0);
        case Tokens::earlier_of_block_once_more: return (j <= i ? 1.0 : 0.0) + (j < i && same_block() ? 1.0 : 0.0);
        case Tokens::up_to_own_of_block_once_more: return j > i ? 0.0 : same_block() ? 2.0 : 1.0;
        case Tokens::own_block_and_last: return j <= i && i / block <= j / block + 1;
        case Tokens::last_of_all: return j + 1 == n;
        case Tokens::first_of_all: return j == 0;
        case Tokens::no_token: return false;
        case Tokens::last_block_moved_back: {
            const Index begin = n - std::min(n, block),
                        whole = (n - 1) / block * block;  // of the last block, and as it should
            return i < begin ? j <= i : (j < whole) + (begin <= j && j <= i);
        }
        case Tokens::last_ones: return j <= i && i - j < block;
        case Tokens::up_to_own_and_block_end: return j <= i || (same_block() && (j + 1 == n || (j + 1) % block == 0));
        case Tokens::scan_in_place: return counts_of_scan(i, j);
        case Tokens::half_before: return j == i || is_in_half_before(i, j, n);
        case Tokens::blocks_one_later:
            return (j <= i && same_block() ? 1.0 : 0.0) + (0 < j / block && j / block <= i / block ? 1.0 : 0.0);
        case Tokens::blocks_one_earlier:
            return (j <= i && same_block() ? 1.0 : 0.0) +
                   (j / block <= i / block && i / block < (n - 1) / block ? 1.0 : 0.0);
        case Tokens::without_block_before: return j <= i && (same_block() || j / block + 1 < i / block);
    }
    return 0.0;
}

AttentionResult attention_by_settings(const AttentionCall& call, const AttentionSettings& settings) {
    return Attention(call, settings).result();
}

}  // namespace linattn::testing
