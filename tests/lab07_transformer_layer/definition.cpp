#include "definition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "array_view.hpp"
#include "rounded.hpp"
#include "weights.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Rows = RowsOf<Rounded>;

Rows rows_of(const Tensor& x, std::size_t leading, std::size_t n, std::size_t width) {
    Rows rows(leading, n, width);
    for (std::size_t i = 0; i < x.size(); ++i) rows.entries[i].value = x.data()[i];
    return rows;
}
Rows rows_of(const Tensor& x) {
    const RowExtents extents(x);
    return rows_of(x, extents.leading, extents.n, extents.width);
}

Expected as_expected(const Rows& rows, const Shape& shape, const Settings& settings, bool has_tokens = true) {
    Expected expected{zeros(shape), zeros(shape), carried_error, has_tokens};
    for (std::size_t i = 0; i < rows.entries.size(); ++i) {
        expected.value.data()[i] = rows.entries[i].value * settings.factor;
        expected.tolerance.data()[i] = rows.entries[i].error;
    }
    return expected;
}

// Behind a projection every column is made of all columns before it.
Expected of_mixed_columns(Expected expected) {
    expected.has_columns = false;
    return expected;
}

// Heads --------------------------------------------------------------------------------------------------------------

struct Place {
    std::size_t token, column;
};
Place place_of(Layout layout, std::size_t t, std::size_t i, std::size_t a, std::size_t h, std::size_t n,
               std::size_t e) {
    const std::size_t read_on = (t * n + i) * e + a;
    switch (layout) {
        case Layout::side_by_side:
        case Layout::sequences_overlap:
        case Layout::heads_before_batch:
        case Layout::tokens_before_batch: break;
        case Layout::reshaped_only: return {read_on / (h * e), read_on % (h * e)};
        case Layout::transposed_and_reshaped: return {read_on % n, read_on / n};
        case Layout::strided: return {i, a * h + t};
        case Layout::reversed_heads: return {i, (h - 1 - t) * e + a};
        case Layout::reversed_columns: return {i, t * e + (e - 1 - a)};
        case Layout::next_head: return {i, (t + 1) % h * e + a};
        case Layout::first_head_only: return {i, a};
        case Layout::last_head_only: return {i, (h - 1) * e + a};
        case Layout::begins_at_heads:
            if (t * h + e > h * e) throw std::out_of_range("the columns of a head end before the last one");
            return {i, t * h + a};
        case Layout::begins_at_number: return {i, t + a};
        case Layout::width_before_tokens: {
            const std::size_t written = (t * e + a) * n + i;
            return {written / (h * e), written % (h * e)};
        }
    }
    return {i, t * e + a};
}

Rows split(const Rows& X, std::size_t h, Layout layout) {
    const std::size_t e = X.width / h;
    Rows heads(X.leading * h, X.n, e);
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t t = 0; t < h; ++t)
            for (std::size_t i = 0; i < X.n; ++i)
                for (std::size_t a = 0; a < e; ++a) {
                    if (layout == Layout::sequences_overlap) {
                        heads(b * h + t, i, a) = X.entries[b * X.n * e + (i * h + t) * e + a];
                        continue;
                    }
                    const Place from = place_of(layout, t, i, a, h, X.n, e);
                    if (from.token < X.n) heads(b * h + t, i, a) = X(b, from.token, from.column);
                }
    return heads;
}

Rows merge(const Rows& heads, std::size_t h, Layout layout) {
    const std::size_t e = heads.width;
    Rows X(h == 0 ? 0 : heads.leading / h, heads.n, h * e);
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t t = 0; t < h; ++t)
            for (std::size_t i = 0; i < X.n; ++i)
                for (std::size_t a = 0; a < e; ++a) {
                    if (layout == Layout::tokens_before_batch) {
                        X.entries[((i * X.leading + b) * h + t) * e + a] = heads(b * h + t, i, a);
                        continue;
                    }
                    if (layout == Layout::heads_before_batch || layout == Layout::sequences_overlap) {
                        X(b, i, t * e + a) =
                            heads(layout == Layout::sequences_overlap ? b + t : t * X.leading + b, i, a);
                        continue;
                    }
                    const Place to = place_of(layout, t, i, a, h, X.n, e);
                    if (to.token < X.n) X(b, to.token, to.column) = heads(b * h + t, i, a);
                }
    return X;
}

// x with two of its axes exchanged, entry by entry.
Tensor exchanged(const Tensor& x, std::size_t first, std::size_t second) {
    const Shape from = shape_of(x);
    Shape to = from;
    std::swap(to[first], to[second]);
    Tensor result = zeros(to);
    Shape index(from.size(), 0);
    for (std::size_t entry = 0; entry < x.size(); ++entry) {
        std::size_t rest = entry;
        for (std::size_t axis = from.size(); axis-- > 0; rest /= from[axis]) index[axis] = rest % from[axis];
        std::swap(index[first], index[second]);
        std::size_t at = 0;
        for (std::size_t axis = 0; axis < to.size(); ++axis) at = at * to[axis] + index[axis];
        result.data()[at] = x.data()[entry];
    }
    return result;
}

// Entry by entry -----------------------------------------------------------------------------------------------------

// Without erf: x φ(x) (1 + x²/3 + x⁴/15 + …) is the probability between 0 and x, all its terms above 0.
double normal_below(double x) {
    if (std::fabs(x) > 9.0) return x > 0.0 ? 1.0 : 0.0;
    const long double square = static_cast<long double>(x) * static_cast<long double>(x);
    long double term = 1.0L, total = 1.0L, before = 0.0L;
    for (int k = 1; k < 200 && total != before; ++k) {
        before = total;
        total += term *= square / static_cast<long double>(2 * k + 1);
    }
    const long double density = std::exp(-square / 2.0L) / std::sqrt(2.0L * std::numbers::pi_v<long double>);
    return static_cast<double>(0.5L + static_cast<long double>(x) * density * total);
}

// x/2 (1 + tanh(factor (x + c x³)))
double gelu_by_tanh(double x, double factor, double c) {
    return x / 2.0 * (1.0 + std::tanh(factor * (x + c * x * x * x)));
}

double gelu_of(double x, Gelu kind, double number) {
    const double root = std::sqrt(2.0 / std::numbers::pi);
    switch (kind) {
        case Gelu::right: break;
        case Gelu::tanh_approximation: return gelu_by_tanh(x, root, 0.044715);
        case Gelu::logistic_approximation: return x / (1.0 + std::exp(-1.702 * x));
        case Gelu::without_x: return normal_below(x);
        case Gelu::without_root: return x * (1.0 + std::erf(x)) / 2.0;
        case Gelu::root_outside: return x * (1.0 + std::erf(x) / std::numbers::sqrt2) / 2.0;
        case Gelu::times_root: return x * (1.0 + std::erf(x * std::numbers::sqrt2)) / 2.0;
        case Gelu::not_halved: return x * (1.0 + std::erf(x / std::numbers::sqrt2));
        case Gelu::without_one: return x * std::erf(x / std::numbers::sqrt2) / 2.0;
        case Gelu::two_sided: return x * std::erf(std::fabs(x) / std::numbers::sqrt2);
        case Gelu::half_argument: return x * (1.0 + std::erf(x / 2.0)) / 2.0;
        case Gelu::erf_halved_only: return x * (1.0 + std::erf(x / std::numbers::sqrt2) / 2.0);
        case Gelu::plus_x: return x + normal_below(x);
        case Gelu::without_erf: return x * (1.0 + x / std::numbers::sqrt2) / 2.0;
        case Gelu::upside_down: return x * normal_below(-x);
        case Gelu::relu: return std::max(x, 0.0);
        case Gelu::silu: return x / (1.0 + std::exp(-x));
        case Gelu::identity: return x;
        case Gelu::elu: return x > 0.0 ? x : std::expm1(x);
        case Gelu::density: return x * std::exp(-x * x / 2.0) / std::sqrt(2.0 * std::numbers::pi);
        case Gelu::erf_of_0: return x / 2.0;
        case Gelu::tanh_without_cube: return gelu_by_tanh(x, root, 0.0);
        case Gelu::tanh_of_whole_cube: return gelu_by_tanh(x, root, 1.0);
        case Gelu::tanh_without_root: return gelu_by_tanh(x, 2.0 / std::numbers::pi, 0.044715);
        case Gelu::tanh_without_factor: return gelu_by_tanh(x, 1.0, 0.044715);
        case Gelu::logistic_with_number: return x / (1.0 + std::exp(-number * x));
        case Gelu::erf_with_number: return x * (1.0 + std::erf(number * x)) / 2.0;
    }
    return x * normal_below(x);
}

Rows gelu_of(Rows X, Gelu kind, double number = 1.0) {
    for (Rounded& x : X.entries) {
        const double value = gelu_of(x.value, kind, number);
        // The slope is at most 1.13. 1 + erf rounds as 1 does, so an error is one of x, not of the result.
        x = {value, 1.13 * x.error + 8.0 * two_roundings * std::fabs(x.value) + 0x1p-1074};
    }
    return X;
}

// φ of rows that are first multiplied by a power of their width.
Rows features(Rows X, Features kind, double power = 0.0) {
    for (Rounded& x : X.entries) x = feature(scaled(x, X.width, power), kind);
    for (std::size_t row = 0; kind == Features::softmax && row < X.leading * X.n; ++row) {
        Rounded* entries = &X.entries[row * X.width];
        SumOfTerms all;
        for (std::size_t a = 0; a < X.width; ++a) all.add(entries[a] = exponential(entries[a]));
        for (std::size_t a = 0; a < X.width; ++a) entries[a] = entries[a] / all.total();
    }
    return X;
}

Rows operator+(const Rows& a, const Rows& b) {
    Rows result = a;
    for (std::size_t i = 0; i < a.entries.size(); ++i) result.entries[i] = a.entries[i] + b.entries[i];
    return result;
}
Rows operator-(Rows X) {
    for (Rounded& x : X.entries) x = -x;
    return X;
}

// Layer norm ---------------------------------------------------------------------------------------------------------

Rounded mean_of(const std::vector<Rounded>& entries) {
    SumOfTerms sum;
    for (const Rounded& x : entries) sum.add(x);
    return sum.total() / Rounded{static_cast<double>(entries.size())};
}
std::vector<Rounded> squares_of(const std::vector<Rounded>& entries) {
    std::vector<Rounded> squares;
    squares.reserve(entries.size());
    for (const Rounded& x : entries) squares.push_back(x * x);
    return squares;
}

Rounded spread_of(const std::vector<Rounded>& x, const std::vector<Rounded>& centred, const Settings& settings) {
    const auto d = static_cast<double>(x.size());
    const Rounded variance = mean_of(squares_of(centred));
    switch (settings.spread) {
        case Spread::over_d_minus_1: return {variance.value * d / (d - 1.0)};
        case Spread::not_centred: return mean_of(squares_of(x));
        case Spread::not_averaged: return {variance.value * d};
        case Spread::difference_of_squares: {
            const double m = mean_of(x).value;
            return {mean_of(squares_of(x)).value - m * m};
        }
        case Spread::absolute:
        case Spread::largest: {
            double total = 0.0, largest = 0.0;
            for (const Rounded& c : centred) {
                total += std::fabs(c.value);
                largest = std::max(largest, std::fabs(c.value));
            }
            const double spread = settings.spread == Spread::absolute ? total / d : largest;
            return {spread * spread};
        }
        case Spread::from_mean_so_far:
        case Spread::from_mean_before: {
            const bool with_own = settings.spread == Spread::from_mean_so_far;
            SumOfTerms so_far, squares;
            for (std::size_t a = 0; a < x.size(); ++a) {
                if (with_own) so_far.add(x[a]);
                const double seen = static_cast<double>(with_own ? a + 1 : std::max<std::size_t>(a, 1));
                const Rounded off = x[a] - so_far.total() / Rounded{seen};
                squares.add(off * off);
                if (!with_own) so_far.add(x[a]);
            }
            return squares.total() / Rounded{d};
        }
        case Spread::nothing: return {1.0};
        case Spread::not_squared: return {0.0};
        case Spread::root_of_variance:
        case Spread::so_far:
        case Spread::variance: break;
    }
    return variance;
}

Rounded divisor_of(const Rounded& spread, std::size_t d, const Settings& settings) {
    if (settings.spread == Spread::nothing) return {1.0};
    Rounded epsilon{settings.norm_epsilon_value.value_or(norm_epsilon)};
    const NormEpsilon at = settings.norm_epsilon_at;
    if (at == NormEpsilon::over_d) epsilon = epsilon / Rounded{static_cast<double>(d)};
    const bool inside = at == NormEpsilon::inside || at == NormEpsilon::both || at == NormEpsilon::above_too ||
                        at == NormEpsilon::over_d;
    const Rounded squared = at == NormEpsilon::subtracted                      ? spread - epsilon
                            : settings.norm_epsilon_at == NormEpsilon::squared ? spread + epsilon * epsilon
                            : inside                                           ? spread + epsilon
                                                                               : spread;
    if (settings.norm_epsilon_at == NormEpsilon::floor) return root({std::max(spread.value, epsilon.value)});
    const Rounded divisor = settings.spread == Spread::variance ? squared : root(squared);
    const bool outside =
        settings.norm_epsilon_at == NormEpsilon::outside || settings.norm_epsilon_at == NormEpsilon::both;
    return outside ? divisor + epsilon : divisor;
}

Rounded scaled_and_shifted(const Rounded& x, std::size_t a, const Norm& w, const Settings& settings) {
    const bool exchanged = settings.bias == Bias::exchanged_with_gain;
    const Rounded gain{(exchanged ? w.bias : w.gain).data()[settings.gain == Gain::first_only ? 0 : a]};
    const Rounded bias{(exchanged ? w.gain : w.bias).data()[a]};
    if (settings.gain == Gain::after_bias) return (x + bias) * gain;
    const Rounded scaled = settings.gain == Gain::missing        ? x
                           : settings.gain == Gain::added_to_one ? x * (Rounded{1.0} + gain)
                           : settings.gain == Gain::divided      ? x / gain
                           : settings.gain == Gain::added        ? x + gain
                           : settings.gain == Gain::squared      ? x * gain * gain
                           : settings.gain == Gain::before_norm || settings.gain == Gain::on_x ? x
                                                                                               : x * gain;
    if (settings.bias == Bias::missing) return scaled;
    return settings.bias == Bias::subtracted ? scaled - bias : scaled + bias;
}

Rows norm(const Rows& X, const Norm& w, const Settings& settings) {
    Rows result = X;
    const bool over_tokens = settings.centre == Centre::over_tokens, over_all = settings.centre == Centre::over_all;
    const std::size_t d = X.width,
                      groups = X.leading * (over_all      ? 1
                                            : over_tokens ? d
                                                          : X.n),
                      size = groups == 0 ? 0 : X.entries.size() / groups;
    Rounded kept{0.0}, squares_kept{0.0}, first_mean{0.0}, first_divisor{0.0};
    for (std::size_t group = 0; group < groups; ++group) {
        // Entry k of those that share a mean and a variance: those of a token.
        const auto entry = [&](std::size_t k) {
            return over_tokens ? (group / d * X.n + k) * d + group % d : group * size + k;
        };
        std::vector<Rounded> x;
        const auto gain = [&](std::size_t k) { return Rounded{w.gain.data()[entry(k) % d]}; };
        for (std::size_t k = 0; k < size; ++k)
            x.push_back(settings.gain == Gain::before_norm ? X.entries[entry(k)] * gain(k) : X.entries[entry(k)]);
        Rounded m = settings.centre == Centre::sum ? mean_of(x) * Rounded{static_cast<double>(size)} : mean_of(x);
        if (settings.sum_kept) m = kept = kept + m;
        if (group == 0) first_mean = m;
        if (settings.first_norm_for_all) m = first_mean;
        std::vector<Rounded> centred = x;
        for (Rounded& each : centred) each = settings.centre == Centre::nothing ? each : each - m;
        Rounded spread = spread_of(x, centred, settings);
        if (settings.squares_kept) spread = squares_kept = squares_kept + spread;
        Rounded divisor = divisor_of(spread, size, settings);
        if (group == 0) first_divisor = divisor;
        if (settings.first_norm_for_all) divisor = first_divisor;
        std::vector<Rounded> counted;  // where only those up to the own one are
        const std::vector<Rounded>& above = settings.centre == Centre::from_variance_only ? x : centred;
        for (std::size_t k = 0; k < size; ++k) {
            if (settings.spread == Spread::so_far) {
                counted.resize(size, Rounded{0.0});
                counted[k] = centred[k];
                divisor = divisor_of(spread_of(x, counted, settings), size, settings);
            }
            Rounded top = settings.gain == Gain::on_x ? x[k] * gain(k) - m : above[k];
            if (settings.norm_epsilon_at == NormEpsilon::above_too) top = top + Rounded{norm_epsilon};
            if (settings.bias == Bias::before_division) top = top * gain(k) + Rounded{w.bias.data()[entry(k) % d]};
            result.entries[entry(k)] = settings.bias == Bias::before_division
                                           ? top / divisor
                                           : scaled_and_shifted(top / divisor, entry(k) % d, w, settings);
        }
    }
    return result;
}

// Projections --------------------------------------------------------------------------------------------------------

// X W + `biases` times b. The weights are never copied: a model's are larger than what is read with them.
Rows affine(const Rows& X, const Tensor& W, const Tensor& b, double biases = 1.0, bool transposed = false) {
    const std::size_t in = length(W, 0), out = length(W, 1);
    const std::size_t along = transposed ? 1 : out, across = transposed ? out : 1;
    Rows result(X.leading, X.n, out);
    for (std::size_t row = 0; row < X.leading * X.n; ++row)
        for (std::size_t column = 0; column < out; ++column) {
            const Rounded* x = X.entries.data() + row * in;
            SumOfTerms sum;
            for (std::size_t a = 0; a < in; ++a) sum.add(x[a] * Rounded{W.data()[a * along + column * across]});
            if (biases != 0.0) sum.add({biases * b.data()[column]});
            result.entries[row * out + column] = sum.total();
        }
    count_work(X.leading * X.n * in * out);
    return result;
}
Rows affine(const Rows& X, const Affine& w, double biases = 1.0, bool transposed = false) {
    return affine(X, w.W, w.b, biases, transposed);
}

// Attention ----------------------------------------------------------------------------------------------------------

bool counts(Seen seen, std::size_t i, std::size_t j) {
    switch (seen) {
        case Seen::up_to_own: break;
        case Seen::before_own: return j < i;
        case Seen::all: return true;
        case Seen::own_only: return j == i;
        case Seen::from_own_on: return j >= i;
    }
    return j <= i;
}

// Keys and values of all tokens that a block has read, (batch · heads, n, e): what a memory sums up.
struct History {
    std::vector<Rows> K, V;  // one token each
};

struct Past {
    const Memory* memory = nullptr;
    History* history = nullptr;
};

Rows joined(const std::vector<Rows>& tokens) {
    Rows result(tokens.front().leading, tokens.size(), tokens.front().width);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        for (std::size_t b = 0; b < result.leading; ++b)
            for (std::size_t a = 0; a < result.width; ++a) result(b, i, a) = tokens[i](b, 0, a);
    return result;
}
Rows one_token(const Rows& X, std::size_t i) {
    Rows result(X.leading, 1, X.width);
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t a = 0; a < X.width; ++a) result(b, 0, a) = X(b, i, a);
    return result;
}

double times_added(bool twice) { return twice ? 2.0 : 1.0; }

// (X + b) W is X W + b W: of a square W.
Affine with_bias_before_product(Affine w) {
    const Tensor b = w.b;
    for (std::size_t o = 0; o < b.size(); ++o) {
        w.b(o) = 0.0;
        for (std::size_t i = 0; i < b.size(); ++i) w.b(o) += b(i) * w.W(i, o);
    }
    return w;
}

struct Projected {
    Rows Q, K, V;  // (batch · heads, n, e), features taken
};
// `raw`: what X is the norm of.
// A layer without what crosses heads.
Affine within_heads(Affine w, std::size_t heads) {
    const std::size_t rows = length(w.W, 0), columns = length(w.W, 1);
    for (std::size_t e = 0; e < w.W.size(); ++e)
        if (e / columns / (rows / heads) != e % columns / (columns / heads)) w.W.data()[e] = 0.0;
    return w;
}
Projected projected(const Rows& X, const Attention& w, std::size_t heads, const Settings& settings, const Rows& raw) {
    const AttentionMistakes& wrong = settings.attention;
    const auto through = [&](const Rows& x, const Affine& layer, const Affine& bias_of, bool with_bias) {
        const double biases = with_bias ? times_added(wrong.biases_twice) : 0.0;
        if (!wrong.each_head_from_its_columns && !wrong.biases_before_products)
            return affine(x, layer.W, bias_of.b, biases, wrong.transposed);
        Affine changed{layer.W, bias_of.b};
        if (wrong.each_head_from_its_columns) changed = within_heads(changed, heads);
        if (wrong.biases_before_products) changed = with_bias_before_product(changed);
        return affine(x, changed, biases, wrong.transposed);
    };
    const bool early = wrong.features_before_projection;
    const Rows from = early ? features(X, Features::elu_plus_one) : X;
    const Affine& own_keys = wrong.keys_from_values ? w.V : wrong.keys_from_queries ? w.Q : w.K;
    const Affine& own_values = wrong.values_from_keys ? w.K : w.V;
    Rows Q = wrong.queries_from_keys ? through(from, w.K, w.K, wrong.bias_k)
                                     : through(wrong.raw_queries ? raw : from, w.Q, w.Q, wrong.bias_q);
    Rows K = through(wrong.raw_keys ? raw : from, own_keys, wrong.bias_of_q_for_k ? w.Q : own_keys, wrong.bias_k);
    if (wrong.q_and_k_exchanged) std::swap(Q, K);
    Rows V = wrong.values_not_projected ? X
                                        : through(wrong.raw_values ? raw : X, own_values,
                                                  wrong.bias_of_q_for_v   ? w.Q
                                                  : wrong.bias_of_k_for_v ? w.K
                                                                          : own_values,
                                                  wrong.bias_v);
    if (wrong.k_and_v_exchanged) std::swap(K, V);
    const auto in_heads = [&](const Rows& rows, Features kind, double power) {
        return features(split(rows, heads, settings.split), early ? Features::none : kind, power);
    };
    return {in_heads(Q, wrong.softmax ? Features::none : wrong.q, wrong.power_of_q),
            in_heads(K, wrong.softmax ? Features::none : wrong.k, wrong.power_of_k), in_heads(V, wrong.v, 0.0)};
}

bool take_turns(Carried carried) { return carried == Carried::in_turn || carried == Carried::in_turn_in_entry; }

// One head of one batch entry, or what it reads in its place.
struct SumsOfHead {
    std::vector<SumOfTerms> numerator;
    SumOfTerms denominator;
};

Rows attention(const Rows& X, const Attention& w, std::size_t heads, const Settings& settings, const Past& past,
               const Rows& raw) {
    const AttentionMistakes& wrong = settings.attention;
    if (wrong.one_head) heads = 1;
    Projected now = projected(X, w, heads, settings, raw);
    const std::size_t e = now.V.width;
    if (past.history != nullptr) {
        for (std::size_t i = 0; i < X.n; ++i) {
            past.history->K.push_back(one_token(now.K, i));
            past.history->V.push_back(one_token(now.V, i));
        }
        now.K = joined(past.history->K);
        now.V = joined(past.history->V);
    }
    const std::size_t before = now.K.n - X.n;
    Settings without_features = settings;
    without_features.attention.k = Features::none;
    const bool some_plain = wrong.plain_keys_above || wrong.plain_keys_below;
    const Rows plain_K = some_plain ? projected(X, w, heads, without_features, raw).K : Rows(0, 0, 0);
    Rows O(now.Q.leading, X.n, e);
    std::vector<double> left(now.K.n, 1.0);  // of each token in S, where that is divided at every token
    // What head `from` adds to the sums of token i of head `own`.
    const auto add = [&](SumsOfHead& sums, std::size_t from, std::size_t own, std::size_t i) {
        const auto counted = [&](Seen seen, Carried carried, std::size_t j) {
            if (from == own || (wrong.carried_above == Carried::no && wrong.carried_below == Carried::no))
                return counts(seen, before + i, j);
            const bool whole_batch = carried == Carried::all_before || carried == Carried::in_turn;
            if (carried == Carried::no || (!whole_batch && from / heads != own / heads)) return false;
            if (!take_turns(carried)) return from < own;
            return j < before + i || (j == before + i && from < own);
        };
        const bool causal = from == own && wrong.above == Seen::up_to_own && wrong.below == Seen::up_to_own;
        for (std::size_t j = 0; j < (causal ? before + i + 1 : now.K.n); ++j) {
            const bool above = counted(wrong.above, wrong.carried_above, j),
                       below = counted(wrong.below, wrong.carried_below, j);
            if (!above && !below) continue;
            const auto weight_with = [&](const Rows& K, bool query) {
                SumOfTerms dot;
                for (std::size_t a = 0; a < e; ++a) dot.add(query ? now.Q(own, i, a) * K(from, j, a) : K(from, j, a));
                const Rounded weight = wrong.scaled ? dot.total() / root({static_cast<double>(e)}) : dot.total();
                return wrong.softmax ? exponential(weight) : weight;
            };
            const Rounded weight = weight_with(wrong.plain_keys_above ? plain_K : now.K, true);
            const bool alike = wrong.plain_keys_above == wrong.plain_keys_below && wrong.query_below;
            const Rounded divides = wrong.divided_by_count ? Rounded{1.0}
                                    : alike                ? weight
                                            : weight_with(wrong.plain_keys_below ? plain_K : now.K, wrong.query_below);
            if (below) sums.denominator.add(divides);
            const Rounded above_weight = wrong.S_transposed   ? weight_with(now.V, true)
                                         : wrong.S_divided_on ? weight * Rounded{left[j]}
                                                              : weight;
            for (std::size_t a = 0; above && a < e; ++a)
                sums.numerator[a].add(above_weight * (wrong.S_transposed ? now.K : now.V)(from, j, a));
        }
        if (past.memory == nullptr || settings.step.past_ignored || settings.step.past_not_read) return;
        const std::size_t remembered = settings.step.batch_shares ? from % heads : from,
                          of_S = settings.step.S_of_first_head ? 0 : remembered,
                          of_z = settings.step.z_of_first_head ? 0 : remembered;
        for (std::size_t c = 0; c < e; ++c) {
            const Rounded q = now.Q(own, i, c) * Rounded{settings.step.kept};
            const Rounded z{past.memory->z.data()[of_z * e + c]};
            if (!wrong.divided_by_count) sums.denominator.add(wrong.query_below ? q * z : z);
            for (std::size_t a = 0; a < e; ++a) {
                const std::size_t entry = settings.step.past_S_transposed ? a * e + c : c * e + a;
                sums.numerator[a].add(q * Rounded{past.memory->S.data()[of_S * e * e + entry]});
            }
        }
    };
    SumsOfHead kept{std::vector<SumOfTerms>(e), {}};
    for (std::size_t own = 0; own < O.leading; ++own)
        for (std::size_t i = 0; i < X.n; ++i) {
            SumsOfHead sums{std::vector<SumOfTerms>(e), {}};
            if (i == 0) kept = sums;
            const std::size_t first = own / heads * heads;
            const bool carried = wrong.carried_above != Carried::no || wrong.carried_below != Carried::no,
                       turns = take_turns(wrong.carried_above) || take_turns(wrong.carried_below);
            for (std::size_t t = 0; t < O.leading; ++t) {
                const bool counts_for_it = wrong.heads_add_up         ? t / heads == own / heads
                                           : wrong.first_head_for_all ? t == first
                                                                      : t == own || (carried && (t < own || turns));
                if (counts_for_it) add(sums, t, own, i);
            }
            if (wrong.first_head_divides || wrong.all_heads_divide) {
                SumsOfHead other{std::vector<SumOfTerms>(e), {}};
                for (std::size_t t = first; t < first + (wrong.all_heads_divide ? heads : 1); ++t) add(other, t, t, i);
                sums.denominator = other.denominator;
            }
            kept.denominator.add(sums.denominator.total());
            if (wrong.denominators_kept) sums.denominator = kept.denominator;
            for (std::size_t a = 0; a < e; ++a) kept.numerator[a].add(sums.numerator[a].total());
            if (wrong.numerators_kept) sums.numerator = kept.numerator;
            const auto count = static_cast<double>(before + i + 1);
            double times = wrong.epsilon_per_token     ? count
                           : wrong.epsilon_per_feature ? static_cast<double>(e)
                                                       : wrong.epsilon_counts;
            if (wrong.epsilon_in_z) times = 0.0;
            for (std::size_t a = 0; wrong.epsilon_in_z && a < e; ++a) times += now.Q(own, i, a).value;
            const Rounded epsilon{attention_epsilon * times};
            const Rounded sum = wrong.mean_of_features ? sums.denominator.total() / Rounded{static_cast<double>(e)}
                                                       : sums.denominator.total();
            const Rounded divisor = wrong.epsilon_after_division || wrong.softmax ? sum : sum + epsilon;
            for (std::size_t j = 0; wrong.S_divided_on && j < left.size(); ++j)
                left[j] = i + 1 == X.n ? 1.0 : j <= before + i ? left[j] / divisor.value : left[j];
            for (std::size_t a = 0; a < e; ++a) {
                O(own, i, a) = sums.numerator[a].total();
                if (wrong.multiplied_by_sum)
                    O(own, i, a) = O(own, i, a) * divisor;
                else if (wrong.divided)
                    O(own, i, a) = O(own, i, a) / divisor;
                if (wrong.count_divides_too) O(own, i, a) = O(own, i, a) / Rounded{count};
                if (wrong.epsilon_after_division) O(own, i, a) = O(own, i, a) + epsilon;
            }
        }
    for (std::size_t own = 0; own < O.leading; ++own)
        if ((wrong.only_first_head && own % heads != 0) || (wrong.only_last_head && own % heads + 1 != heads))
            std::fill_n(O.row(own, 0), X.n * e, Rounded{0.0});
    count_work(O.leading * X.n * now.K.n * e);
    const Rows merged = merge(O, heads, settings.merge);
    if (!wrong.output_projection) return merged;
    if (wrong.bias_o_for_each_head) return affine(merged, w.O, static_cast<double>(heads), wrong.transposed);
    if (wrong.bias_of_v_for_o) return affine(merged, w.O.W, w.V.b, 1.0, wrong.transposed);
    if (wrong.bias_o_before_product) return affine(merged, with_bias_before_product(w.O));
    return affine(merged, w.O, wrong.bias_o ? times_added(wrong.biases_twice) : 0.0, wrong.transposed);
}

// A block and a model ------------------------------------------------------------------------------------------------

Rows block(const Rows& X, const Block& w, std::size_t heads, const Settings& settings, const Past& past = {}) {
    const BlockMistakes& wrong = settings.block;
    const Norm& first = wrong.norms_exchanged ? w.before_feed_forward : w.before_attention;
    const Norm& second = wrong.norms_exchanged || wrong.first_norm_twice ? w.before_attention : w.before_feed_forward;
    const auto attended = [&](const Rows& x) {
        const Rows result = attention(x, w.attention, heads, settings, past, X);
        if (wrong.second_norm_of_attention) return norm(result, second, settings);
        return wrong.attention_subtracted ? -result : result;
    };
    const auto fed_forward = [&](const Rows& x) {
        const Gelu between =
            wrong.gelu_after_down || wrong.gelu_in_front || wrong.gelu_missing ? Gelu::identity : settings.gelu;
        const Rows in = wrong.gelu_in_front ? gelu_of(x, settings.gelu) : x;
        const Affine &up = w.feed_forward.up, &down = w.feed_forward.down;
        const bool bias_up = wrong.bias_up && !wrong.bias_up_after_gelu;
        Rows inner = gelu_of(affine(in, up, bias_up ? times_added(wrong.bias_up_twice) : 0.0), between);
        for (std::size_t a = 0; wrong.bias_up_after_gelu && a < inner.entries.size(); ++a)
            inner.entries[a] = inner.entries[a] + Rounded{up.b(a % inner.width)};
        const Rows result = affine(inner, down, wrong.bias_down ? times_added(wrong.bias_down_twice) : 0.0);
        return wrong.gelu_after_down ? gelu_of(result, settings.gelu) : result;
    };
    if (wrong.post_norm) {
        const Rows Y = norm(X + attended(X), first, settings);
        return norm(Y + fed_forward(Y), second, settings);
    }
    const auto half = [&](const Rows& x, const Norm& own, bool normed, NormAt at, bool skip, bool skip_from_norm,
                          const auto& part, const Rows* other_skip) {
        const Rows in = normed && at != NormAt::behind ? norm(x, own, settings) : x;
        const Rows made = at != NormAt::in_front ? norm(part(in), own, settings) : part(in);
        if (!skip) return made;
        return (other_skip != nullptr ? *other_skip : skip_from_norm ? in : x) + made;
    };
    const auto attention_half = [&](const Rows& x) {
        return wrong.attention_missing ? x
                                       : half(x, first, wrong.norm_first, wrong.first_norm_at, wrong.skip_first,
                                              wrong.skip_from_norm_first, attended, nullptr);
    };
    const auto feed_forward_half = [&](const Rows& x) {
        return wrong.feed_forward_missing
                   ? x
                   : half(x, second, wrong.norm_second, wrong.second_norm_at, wrong.skip_second,
                          wrong.skip_from_norm_second, fed_forward, wrong.second_skip_from_input ? &X : nullptr);
    };
    if (wrong.feed_forward_first) return attention_half(feed_forward_half(X));
    const Rows Y = wrong.post_norm_first ? norm(X + attended(X), first, settings) : attention_half(X);
    if (wrong.post_norm_second) return norm(Y + fed_forward(Y), second, settings);
    if (wrong.feed_forward_from_input) return Y + fed_forward(norm(X, second, settings));
    if (wrong.feed_forward_from_attention) return Y + fed_forward(norm(Y + -X, second, settings));
    const Rows Z = feed_forward_half(Y);
    return wrong.norm_at_the_end ? norm(Z, second, settings) : Z;
}

// One row of the embedding for each id, plus positions; the ids stand in rows of n. `first`: the position of the first.
Rows embedded(const Tensor& ids, std::size_t n, std::size_t first, const Model& w, const Settings& settings) {
    const ModelMistakes& wrong = settings.model;
    const std::size_t d = length(w.embedding, 1), symbols = length(w.embedding, 0), longest = length(w.positions, 0);
    Rows X(n == 0 ? 0 : ids.size() / n, n, d);
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t i = 0; i < n; ++i) {
            const auto id = static_cast<std::size_t>(ids.data()[b * n + i]);
            const std::size_t row = wrong.ids_shifted ? (id + 1) % symbols : id;
            std::size_t position = first + i;
            if (wrong.positions == Positions::from_one) position = std::min(position + 1, longest - 1);
            if (wrong.positions == Positions::backwards) position = n - 1 - i;
            if (wrong.positions == Positions::by_id) position = std::min(id, longest - 1);
            if (wrong.positions == Positions::first_only) position = 0;
            if (wrong.positions == Positions::of_the_sequence) position = b;
            if (wrong.positions == Positions::run_on) position = (b * n + i) % longest;
            if (wrong.positions == Positions::run_on_to_last) position = b * n + i;
            if (wrong.positions == Positions::run_on_by_batch) position = (b * n + i) % X.leading;
            for (std::size_t a = 0; a < d; ++a) {
                Rounded x{w.embedding(row, a) * (wrong.embedding_scaled ? std::sqrt(static_cast<double>(d)) : 1.0)};
                const Rounded p{w.positions(std::min(position, longest - 1), a)};
                if (wrong.positions == Positions::times)
                    x = x * p;
                else if (wrong.positions != Positions::missing && wrong.positions != Positions::behind_blocks &&
                         wrong.positions != Positions::before_each_block)
                    x = x + p;
                X(b, i, a) = x;
            }
        }
    return X;
}

Rows head_of(const Rows& X, const Model& w, const Settings& settings) {
    const ModelMistakes& wrong = settings.model;
    const Rows normed = wrong.last_norm ? norm(X, w.last, settings) : X;
    if (!wrong.tied) return affine(normed, w.head, wrong.head_bias ? 1.0 : 0.0);
    Affine tied = w.head;
    for (std::size_t symbol = 0; symbol < length(w.embedding, 0); ++symbol)
        for (std::size_t a = 0; a < X.width; ++a) tied.W(a, symbol) = w.embedding(symbol, a);
    return affine(normed, tied, wrong.head_bias ? 1.0 : 0.0);
}

Rows softmax_of(Rows X) {
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t i = 0; i < X.n; ++i) {
            double total = 0.0;
            for (std::size_t a = 0; a < X.width; ++a) total += std::exp(X(b, i, a).value);
            for (std::size_t a = 0; a < X.width; ++a) X(b, i, a) = {std::exp(X(b, i, a).value) / total};
        }
    return X;
}

void add_positions(Rows& X, std::size_t first, const Model& w) {
    for (std::size_t b = 0; b < X.leading; ++b)
        for (std::size_t i = 0; i < X.n; ++i)
            for (std::size_t a = 0; a < X.width; ++a) X(b, i, a) = X(b, i, a) + Rounded{w.positions(first + i, a)};
}

// The blocks, with the tokens that each has read before if it is asked to remember them.
Rows through_blocks(Rows X, std::size_t first, const Model& w, const Settings& settings,
                    std::vector<History>* histories = nullptr) {
    const ModelMistakes& wrong = settings.model;
    const std::size_t heads = wrong.one_head ? 1 : w.heads, count = w.blocks.size();
    const Rows input = X;
    Rows total(X.leading, X.n, X.width);
    for (std::size_t l = 0; l < count; ++l) {
        if (wrong.blocks == Blocks::none || (wrong.blocks == Blocks::first_only && l > 0) ||
            (wrong.blocks == Blocks::all_but_first && l == 0) ||
            (wrong.blocks == Blocks::all_but_last && l + 1 == count))
            continue;
        const std::size_t which = wrong.blocks == Blocks::first_for_all ? 0
                                  : wrong.blocks == Blocks::backwards   ? count - 1 - l
                                                                        : l;
        const GenerateMistakes& generation = settings.generate;
        History* history = histories == nullptr                             ? nullptr
                           : generation.one_memory_for_all_blocks           ? &histories->front()
                           : generation.memory_of_first_block_only && l > 0 ? nullptr
                                                                            : &(*histories)[l];
        if (wrong.positions == Positions::before_each_block) add_positions(X, first, w);
        const bool from_input = wrong.blocks == Blocks::each_from_input || wrong.blocks == Blocks::summed;
        X = block(from_input ? input : X, w.blocks[which], heads, settings, {nullptr, history});
        if (wrong.blocks == Blocks::summed) total = total + X;
        if (wrong.norm_after_each_block) X = norm(X, w.last, settings);
    }
    return wrong.blocks == Blocks::summed && count > 0 ? total : X;
}

Shape with_last_axis(Shape shape, std::size_t length) {
    shape.push_back(length);
    return shape;
}

Rows logits_of(const Tensor& ids, std::size_t n, std::size_t first, const Model& w, const Settings& settings,
               std::vector<History>* histories = nullptr) {
    Rows X = embedded(ids, n, first, w, settings);
    if (settings.model.norm_of_embedding) X = norm(X, w.last, settings);
    X = through_blocks(X, first, w, settings, histories);
    if (settings.model.blocks == Blocks::twice) X = through_blocks(X, first, w, settings, histories);
    if (settings.model.positions == Positions::behind_blocks) add_positions(X, first, w);
    return head_of(X, w, settings);
}

// Which symbol follows, for one row of logits; `margin` becomes how clear that is.
std::size_t chosen(const Rounded* logits, std::size_t symbols, Choice choice, double* margin) {
    std::vector<std::size_t> order(symbols);
    for (std::size_t s = 0; s < symbols; ++s) order[s] = s;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return logits[a].value > logits[b].value; });
    if (margin != nullptr && symbols > 1) {
        const Rounded &best = logits[order[0]], &next = logits[order[1]];
        *margin = std::min(*margin, best.value - next.value - best.error - next.error);
    }
    if (choice == Choice::smallest) return order.back();
    if (choice == Choice::second && symbols > 1) return order[1];
    if (choice == Choice::above_zero && !(logits[order.front()].value > 0.0)) return 0;
    std::size_t result = order.front();
    for (std::size_t s = 0; choice == Choice::last_of_largest && s < symbols; ++s)
        if (logits[s].value == logits[order.front()].value) result = s;
    return result;
}

}  // namespace

// The last of these indices is what is left of them, in the place of the first.
void write_over_the_first(Tensor& x, std::size_t leading) {
    if (x.size() == 0) return;
    const auto block = static_cast<std::ptrdiff_t>(x.size() / leading);
    std::copy_backward(x.end() - block, x.end(), x.begin() + block);
    std::fill(x.begin() + block, x.end(), 0.0);
}

Expected expected_split_heads(const Tensor& X, std::size_t heads, const Settings& settings) {
    require_rank(X, "X", 2, "(…, n, d)");
    const std::size_t e = require_heads(length(X, -1), heads), n = length(X, -2);
    Shape leading = shape_of(X);
    leading.resize(leading.size() - 2);
    const std::size_t at = leading.size();
    Expected right = as_expected(split(rows_of(X), heads, settings.split), join(leading, {heads, n, e}), settings);
    right.tolerance = zeros(shape_of(right.value));
    right.derivation = "copied, not computed";
    Tensor& value = right.value;
    switch (settings.split_axes) {
        case Axes::right:
        case Axes::summed:
        case Axes::averaged:
        case Axes::below_each_other: break;
        case Axes::not_exchanged: value = exchanged(value, at, at + 1); break;
        case Axes::front: value = exchanged(exchanged(value, at, at + 1), 1, std::min<std::size_t>(2, at + 2)); break;
        case Axes::width_before_tokens: value = exchanged(value, at + 1, at + 2); break;
        case Axes::heads_last: value = exchanged(exchanged(value, at, at + 1), at + 1, at + 2); break;
        case Axes::heads_first:
        case Axes::heads_first_reshaped: {
            const Shape due = shape_of(value);
            for (std::size_t axis = at; axis-- > 0;) value = exchanged(value, axis, axis + 1);
            if (settings.split_axes == Axes::heads_first_reshaped) value = reshape(value, due);
            break;
        }
        case Axes::over_the_first: write_over_the_first(value, RowExtents(X).leading); break;
        case Axes::first_axis_as_tokens: {
            if (X.size() == 0) break;
            const std::size_t first = length(X, 0);
            value = reshape(exchanged(reshape(X, {first, X.size() / (first * e), e}), 0, 1), shape_of(value));
            break;
        }
    }
    return right;
}

Expected expected_merge_heads(const Tensor& X, const Settings& settings) {
    require_rank(X, "X", 3, "(…, h, n, e)");
    const std::size_t h = length(X, -3), n = length(X, -2), e = length(X, -1);
    Shape leading = shape_of(X);
    leading.resize(leading.size() - 3);
    const std::size_t at = leading.size();
    const Rows heads = rows_of(X);
    Expected right = as_expected(merge(heads, h, settings.merge), join(leading, {n, h * e}), settings);
    right.tolerance = zeros(shape_of(right.value));
    right.derivation = "copied, not computed";
    switch (settings.merge_axes) {
        case Axes::right:
        case Axes::width_before_tokens:
        case Axes::heads_first:
        case Axes::heads_first_reshaped:
        case Axes::first_axis_as_tokens: break;
        case Axes::not_exchanged: right.value = exchanged(X, at, at + 1); break;
        case Axes::front:
            right.value = reshape(exchanged(X, 1, std::min<std::size_t>(2, at + 2)), join(leading, {n, h * e}));
            break;
        case Axes::heads_last: right.value = reshape(exchanged(X, at, at + 2), join(leading, {e, n * h})); break;
        case Axes::below_each_other: right.value = reshape(X, join(leading, {h * n, e})); break;
        case Axes::summed:
        case Axes::averaged: {
            Tensor total = zeros(join(leading, {n, e}));
            for (std::size_t i = 0; i < X.size(); ++i)
                total.data()[i / (h * n * e) * n * e + i % (n * e)] +=
                    X.data()[i] / (settings.merge_axes == Axes::summed ? 1.0 : static_cast<double>(h));
            right.value = total;
            break;
        }
        case Axes::over_the_first: write_over_the_first(right.value, RowExtents(X).leading / h); break;
    }
    return right;
}

Expected expected_layer_norm(const Tensor& X, const Norm& w, const Settings& settings) {
    require_rank(X, "X", 1, "(…, d)");
    require_norm(w, "w", length(X, -1));
    const Shape shape = shape_of(X);
    const std::size_t axes = shape.size(), n = axes > 1 ? shape[axes - 2] : 1;
    const std::size_t batch = axes > 2 ? RowExtents(X).leading : 1;
    const Rows rows = rows_of(X, batch, n, shape.back());
    Rows made = rows;
    for (std::size_t a = 0; a < rows.width; ++a) {  // a column by itself
        const Rows normed = norm(rows, w, settings);
        for (std::size_t e = a; e < made.entries.size(); e += rows.width) made.entries[e] = normed.entries[e];
    }
    return as_expected(made, shape, settings);
}

Expected expected_gelu(const Tensor& X, const Settings& settings) {
    return as_expected(gelu_of(rows_of(X, 1, 1, X.size()), settings.gelu, settings.gelu_number), shape_of(X), settings);
}

Expected expected_multi_head_attention(const Tensor& X, const Attention& w, std::size_t heads,
                                       const Settings& settings) {
    require_rank(X, "X", 2, "(…, n, d)");
    require_heads(length(X, -1), heads);
    require_attention(w, "w", length(X, -1));
    const Rows rows = rows_of(X);
    return of_mixed_columns(as_expected(attention(rows, w, heads, settings, {}, rows), shape_of(X), settings));
}

Expected expected_transformer_block(const Tensor& X, const Block& w, std::size_t heads, const Settings& settings) {
    require_rank(X, "X", 2, "(…, n, d)");
    require_heads(length(X, -1), heads);
    require_block(w, "w", length(X, -1));
    return of_mixed_columns(as_expected(block(rows_of(X), w, heads, settings), shape_of(X), settings));
}

Expected expected_logits(const Tensor& ids, const Model& w, const Settings& settings) {
    require_model(w, "w");
    require_ids(ids, "ids", length(w.embedding, 0));
    require_positions(w, "ids", length(ids, -1));
    const Rows made = logits_of(ids, length(ids, -1), 0, w, settings);
    return of_mixed_columns(as_expected(settings.model.softmax ? softmax_of(made) : made,
                                        with_last_axis(shape_of(ids), length(w.embedding, 0)), settings));
}

namespace {

// S and z after the tokens of X and those of the memory, as the block's attention sees them.
std::vector<Expected> sums_after(const Rows& X, const Block& w, std::size_t heads, const Memory& before,
                                 const Settings& settings) {
    const BlockMistakes& order = settings.block;
    const bool norm_comes_first = order.norm_first && !order.post_norm && order.first_norm_at != NormAt::behind;
    const Rows in = norm_comes_first ? norm(X, w.before_attention, settings) : X;
    Settings without_features = settings;
    without_features.attention.k = Features::none;
    const Projected now = projected(in, w.attention, heads, settings, X);
    const Projected plain = projected(in, w.attention, heads, without_features, X);
    const StepMistakes& wrong = settings.step;
    const bool plain_below = wrong.no_features_in_z || settings.attention.plain_keys_below;
    const std::size_t e = now.V.width;
    Rows S(now.K.leading, e, e), z(now.K.leading, 1, e);
    for (std::size_t own = 0; own < now.K.leading; ++own) {
        const auto counted = [&](std::size_t t) { return wrong.heads_share ? t / heads == own / heads : t == own; };
        const auto add = [&](Rounded& to, double old, const auto& term, Returned what) {
            SumOfTerms sum;
            if (what != Returned::of_new_token_only && !wrong.past_ignored) sum.add({old * wrong.kept});
            const int times = what == Returned::twice ? 2 : what == Returned::as_it_came ? 0 : 1;
            for (int time = 0; time < times; ++time)
                for (std::size_t i = 0; i < X.n; ++i)
                    for (std::size_t t = 0; t < now.K.leading; ++t)
                        if (counted(t)) sum.add(term(t, i));
            to = sum.total();
        };
        for (std::size_t c = 0; c < e; ++c) {
            add(
                z(own, 0, c), before.z.data()[(wrong.z_of_first_head ? 0 : own) * e + c],
                [&](std::size_t t, std::size_t i) { return (plain_below ? plain : now).K(t, i, c); }, wrong.z);
            if (wrong.epsilon_in_z) z(own, 0, c) = z(own, 0, c) + Rounded{attention_epsilon};
            for (std::size_t a = 0; a < e; ++a)
                add(
                    S(own, c, a), before.S.data()[((wrong.S_of_first_head ? 0 : own) * e + c) * e + a],
                    [&](std::size_t t, std::size_t i) {
                        const Rows& K = settings.attention.plain_keys_above ? plain.K : now.K;
                        return wrong.S_transposed ? K(t, i, a) * now.V(t, i, c) : K(t, i, c) * now.V(t, i, a);
                    },
                    wrong.S);
        }
        for (std::size_t c = 0; wrong.S_divided && c < e; ++c)
            for (std::size_t a = 0; a < e; ++a) S(own, c, a) = S(own, c, a) / z(own, 0, c);
    }
    return {as_expected(S, shape_of(before.S), Settings{}, false),
            as_expected(z, shape_of(before.z), Settings{}, false)};
}

}  // namespace

std::vector<Expected> expected_block_step(const Tensor& x, const Block& w, std::size_t heads, const Memory& memory,
                                          const Settings& settings) {
    require_rank(x, "x", 1, "(…, d)");
    const std::size_t d = length(x, -1), e = require_heads(d, heads);
    require_block(w, "w", d);
    Shape leading = shape_of(x);
    leading.pop_back();
    require_shape(memory.S, "memory.S", join(leading, {heads, e, e}), "(…, h, e, e)");
    require_shape(memory.z, "memory.z", join(leading, {heads, e}), "(…, h, e)");
    const Rows X = rows_of(x, d == 0 ? 0 : x.size() / d, 1, d);
    std::vector<Expected> parts = sums_after(X, w, heads, memory, settings);
    Expected output =
        of_mixed_columns(as_expected(block(X, w, heads, settings, {&memory, nullptr}), shape_of(x), settings, false));
    parts.insert(parts.begin(), output);
    return parts;
}

std::vector<Expected> expected_memory(const Tensor& X, const Block& w, std::size_t heads) {
    Shape leading = shape_of(X);
    leading.resize(leading.size() - 2);
    return sums_after(rows_of(X), w, heads, no_memory(leading, heads, length(X, -1) / heads), {});
}

Tensor generated_by_recomputing(const Tensor& prompt, std::size_t count, const Model& w, double& margin) {
    const std::size_t n = length(prompt, -1), batch = prompt.size() / n, symbols = length(w.embedding, 0);
    Shape shape = shape_of(prompt);
    shape.back() = count;
    Tensor result = zeros(shape);
    margin = infinity;
    for (std::size_t b = 0; b < batch; ++b) {
        std::vector<double> sequence(prompt.data() + b * n, prompt.data() + (b + 1) * n);
        for (std::size_t i = 0; i < count; ++i) {
            Tensor ids = zeros({sequence.size()});
            std::copy(sequence.begin(), sequence.end(), ids.data());
            const Rows all = logits_of(ids, ids.size(), 0, w, {});
            sequence.push_back(
                static_cast<double>(chosen(&all(0, ids.size() - 1, 0), symbols, Choice::smallest_of_largest, &margin)));
            result.data()[b * count + i] = sequence.back();
        }
    }
    return result;
}

Tensor generated_by_settings(const Tensor& prompt, std::size_t count, const Model& w, const Settings& settings,
                             double* margin) {
    if (margin != nullptr) *margin = infinity;
    require_model(w, "w");
    const std::size_t symbols = length(w.embedding, 0), n = length(prompt, -1);
    require_ids(prompt, "prompt", symbols);
    if (n == 0) reject("generate", "prompt", "at least one id long", to_string(shape_of(prompt)));
    if (count == 0) reject("generate", "count", "at least 1", "0");
    require_positions(w, "count", count);
    require_positions(w, "prompt and count", n + count - 1);
    const GenerateMistakes& wrong = settings.generate;
    Shape shape = shape_of(prompt);
    const std::size_t made = count + (wrong.one_too_many ? 1 : 0) - (wrong.one_too_few && count > 1 ? 1 : 0);
    shape.back() = made + (wrong.prompt_included ? n : 0);
    Tensor result = zeros(shape);
    const std::size_t batch = n == 0 ? 0 : prompt.size() / n;
    Tensor first_row;
    std::vector<std::pair<double, double>> largest_so_far(made, {-infinity, 0.0});
    std::vector<History> shared;
    for (std::size_t b = 0; b < batch; ++b) {
        std::vector<History> own(std::max<std::size_t>(w.blocks.size(), 1));
        std::vector<History>& histories = wrong.batch_shares_memory ? shared : own;
        if (histories.empty()) histories = own;
        Rows last(1, 1, symbols);
        const auto read = [&](double id, std::ptrdiff_t position) {
            if (wrong.nothing_remembered) histories = std::vector<History>(histories.size());
            last = logits_of(full({1}, id), 1, static_cast<std::size_t>(std::max<std::ptrdiff_t>(position, 0)), w,
                             settings, &histories);
        };
        const auto at = [&](std::size_t i) { return prompt.data()[b * n + i]; };
        for (std::size_t i = wrong.only_last_of_prompt ? n - 1 : 0; i < n; ++i) {
            read(at(i), static_cast<std::ptrdiff_t>(wrong.positions_from_one     ? i + 1
                                                    : wrong.position_always_zero ? 0
                                                                                 : i));
            if (wrong.from_first_token && i == 0) i = n - 1;
        }
        std::vector<History> after_prompt;
        if (wrong.back_to_prompt) after_prompt = histories;
        if (wrong.prompt_forgotten) histories = std::vector<History>(histories.size());
        const auto new_position = [&](std::size_t i) {
            if (wrong.position_always_zero) return std::ptrdiff_t{0};
            return static_cast<std::ptrdiff_t>((wrong.positions_start_again ? 0 : n) +
                                               (wrong.positions_from_one ? 1 : 0) + (wrong.position_stuck ? 0 : i)) +
                   wrong.position_of_new;
        };
        if (wrong.last_of_prompt_twice) read(at(n - 1), static_cast<std::ptrdiff_t>(n - 1));
        std::vector<double> row;
        if (wrong.prompt_included)
            for (std::size_t i = 0; i < n; ++i) row.push_back(at(i));
        const std::size_t steps = made + (wrong.one_late ? 1 : 0);
        double first_id = 0.0, before = n == 0 ? 0.0 : at(n - 1);
        std::optional<double> end, newest;
        std::pair<double, double> largest_of_symbols{-infinity, 0.0};
        for (std::size_t i = 0; i < steps; ++i) {
            double id = static_cast<double>(chosen(last.entries.data(), symbols, wrong.choice, margin));
            if (i == 0) first_id = id;
            if (wrong.chosen_once) id = first_id;
            if (wrong.choice == Choice::largest_so_far && i < made) {
                const double logit = last.entries[static_cast<std::size_t>(id)].value;
                if (logit > largest_so_far[i].first) largest_so_far[i] = {logit, id};
                id = largest_so_far[i].second;
            }
            if (wrong.choice == Choice::largest_of_symbols) {
                const double logit = last.entries[static_cast<std::size_t>(id)].value;
                if (logit > largest_of_symbols.first) largest_of_symbols = {logit, id};
                id = largest_of_symbols.second;
            }
            if (end) id = wrong.end_repeated ? *end : 0.0;
            const double last_symbol = static_cast<double>(symbols - 1);
            if ((wrong.ends == TextEnds::at_symbol_0 && id == 0.0) ||
                (wrong.ends == TextEnds::at_last_symbol && id == last_symbol) ||
                (wrong.ends == TextEnds::at_repeated_symbol && newest == id))
                end = end.value_or(id);
            newest = id;
            if (!(wrong.one_late && i == 0)) row.push_back(id);
            if (i + 1 == steps) break;
            if (wrong.back_to_prompt) histories = after_prompt;
            if (wrong.feeds_prompt_again)
                for (std::size_t j = 0; j < n; ++j) read(at(j), static_cast<std::ptrdiff_t>(j));
            read(wrong.reads_one_behind ? before : id, new_position(i));
            before = id;
        }
        if (b == 0) first_row = zeros({row.size()});
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (b == 0) first_row(i) = row[i];
            result.data()[b * row.size() + i] = wrong.choice == Choice::first_batch_entry ? first_row(i) : row[i];
        }
    }
    return result;
}

}  // namespace linattn::testing
