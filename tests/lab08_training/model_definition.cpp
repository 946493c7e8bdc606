#include "model_definition.hpp"

#include <algorithm>

namespace linattn::testing {
namespace {

std::size_t columns_of(const Tensor& x) { return x.dimension() == 0 ? 1 : length(x, -1); }

Dual still(Dual x) {
    x.slope = x.slope_terms = Slope{};
    return x;
}

// y moves as x does, times a factor.
void moves(Dual& y, const Dual& x, double factor) {
    y.slope += factor * x.slope;
    y.slope_terms += std::fabs(factor) * x.slope_terms;
}

// x as it moves, with another slope.
Dual with_slope(Dual x, const Slope& slope) {
    x.slope = slope;
    x.slope_terms = size_of(slope);
    return x;
}

// The values of one with the slopes of another.
Matrix moving_as(Matrix X, const Matrix& other) {
    for (std::size_t e = 0; e < X.entries.size(); ++e) X.entries[e] = with_slope(X.entries[e], other.entries[e].slope);
    return X;
}

Matrix still(Matrix X) {
    for (Dual& x : X.entries) x = still(x);
    return X;
}

// Where a reshape from (h, n, e) to (n, d) puts entry c of a head's token.
std::size_t place_by_reshape(std::size_t row, std::size_t head, std::size_t c, const Sequences& in, std::size_t d) {
    const std::size_t i = row % in.n;
    return (row - i) * d + (head * in.n + i) * (d / in.heads) + c;
}

Matrix merged_by_reshape(const Matrix& O, const Sequences& in) {
    Matrix made = O;
    const std::size_t e = O.columns / in.heads;
    for (std::size_t row = 0; row < O.rows; ++row)
        for (std::size_t column = 0; column < O.columns; ++column)
            made.entries[place_by_reshape(row, column / e, column % e, in, O.columns)] = O(row, column);
    return made;
}

AffineNumbers unmoved(AffineNumbers w) {
    w.W = still(w.W);
    w.b = still(w.b);
    return w;
}

// φ′(x)
double slope_at(const Dual& x) { return std::exp(std::min(x.value, 0.0)); }

// One that moves as the other does, besides its own movement.
Matrix moving_too(Matrix X, const Matrix& other) {
    for (std::size_t e = 0; e < X.entries.size(); ++e) moves(X.entries[e], other.entries[e], 1.0);
    return X;
}

}  // namespace

Matrix::Matrix(std::size_t row_count, std::size_t column_count)
    : rows(row_count), columns(column_count), shape{row_count, column_count}, entries(row_count * column_count) {}

Matrix::Matrix(const Tensor& x)
    : rows(columns_of(x) == 0 ? 0 : x.size() / columns_of(x)),
      columns(columns_of(x)),
      shape(shape_of(x)),
      entries(x.begin(), x.end()) {}

bool ModelDefinition::used(std::size_t row, std::size_t rows, std::size_t n) const {
    switch (settings_.uses) {
        case Uses::first_sequence: return row < n;
        case Uses::last_sequence: return row + n >= rows;
        case Uses::last_token: return row + 1 == rows;
        case Uses::later_than_first: return row % n != 0;
        case Uses::all: break;
    }
    return true;
}

bool ModelDefinition::in_whole_block(std::size_t row, std::size_t rows, std::size_t n,
                                     std::size_t WholeBlocks::*size) const {
    const std::size_t block = settings_.blocks.*size;
    if ((settings_.blocks.last_of_weights && size == &WholeBlocks::of_weights) ||
        (settings_.blocks.last_of_biases && size == &WholeBlocks::of_biases))
        return row + 1 == rows;
    return settings_.blocks.of_sequence ? row % n < n - n % block : row < rows - rows % block;
}

// What the slope of a weight is multiplied by, in `rows` tokens of sequences of n.
double ModelDefinition::share_of_token(std::size_t rows, std::size_t n) const {
    switch (settings_.mean_over) {
        case MeanOver::tokens: return 1.0 / static_cast<double>(rows);
        case MeanOver::sequences: return static_cast<double>(n) / static_cast<double>(rows);
        case MeanOver::tokens_of_sequence: return 1.0 / static_cast<double>(n);
        case MeanOver::nothing: break;
    }
    return 1.0;
}

Matrix ModelDefinition::affine(const Matrix& X, const AffineNumbers& w, std::size_t n) const {
    if (settings_.by_transposed && w.W.rows != w.W.columns)
        throw std::invalid_argument("matmul: the shapes do not belong together");
    Matrix Y(X.rows, w.W.columns);
    const double share = share_of_token(X.rows, n);
    for (std::size_t r = 0; r < X.rows; ++r)
        for (std::size_t o = 0; o < Y.columns; ++o) {
            const double counted = used(r, X.rows, n) ? share : 0.0;
            const auto weight = [&](Path path, Dual x, double share_of_it = 1.0) {
                x.slope *= counted * share_of_it;
                x.slope_terms *= counted * share_of_it;
                return along(path, x);
            };
            const auto whole = [&](std::size_t WholeBlocks::*size) {
                return in_whole_block(r, X.rows, n, size) ? 1.0 : 0.0;
            };
            Y(r, o) = weight(Path::affine_bias, w.b(0, o),
                             whole(&WholeBlocks::of_biases) *
                                 (settings_.bias_mean ? 1.0 / static_cast<double>(X.rows) : 1.0) *
                                 (settings_.bias_for_each_input ? static_cast<double>(X.columns) : 1.0));
            for (std::size_t i = 0; i < X.columns; ++i) {
                const Dual& moved = settings_.weights_as_out_in ? w.W.entries[o * X.columns + i] : w.W(i, o);
                const Dual& read = settings_.input_reshaped ? X.entries[i * X.rows + r] : X(r, i);
                Y(r, o) += still(read) * weight(Path::affine_weights, with_slope(w.W(i, o), moved.slope),
                                                whole(&WholeBlocks::of_weights));
                const Dual& back = settings_.by_transposed            ? w.W(o, i)
                                   : settings_.weights_read_as_out_in ? w.W.entries[o * X.columns + i]
                                                                      : w.W(i, o);
                moves(Y(r, o), along(Path::affine_input, X(r, i)) * still(back), whole(&WholeBlocks::of_input));
            }
        }
    return Y;
}

Matrix ModelDefinition::layer_norm(const Matrix& X, const NormNumbers& w, std::size_t n) const {
    Matrix Y(X.rows, X.columns);
    const Dual d = static_cast<double>(X.columns);
    const Dual variance_of = settings_.sample_variance ? d - 1.0 : d;
    const bool over_axis_0 = settings_.mean_over_axis_0 && X.shape.size() > 1;
    std::vector<double> deviations;
    for (std::size_t r = 0; r < X.rows; ++r) {
        Dual sum = 0.0, squares = 0.0;
        for (std::size_t i = 0; i < X.columns; ++i) sum += X(r, i);
        const auto summed = [&](bool as_sum, const Dual& x) { return as_sum ? with_slope(x, x.slope * d.value) : x; };
        const Dual mean =
            over_axis_0 ? still(sum / d) : along(Path::norm_mean, summed(settings_.sum_for_mean, sum / d));
        for (std::size_t i = 0; i < X.columns; ++i) squares += (X(r, i) - mean) * (X(r, i) - mean);
        const Dual deviation =
            along(Path::norm_deviation,
                  summed(settings_.sum_for_deviation, square_root(squares / variance_of + settings_.norm_epsilon))) +
            settings_.outside_root;
        deviations.push_back(deviation.value);
        const auto whole = [&](std::size_t WholeBlocks::*size) {
            return in_whole_block(r, X.rows, n, size) ? 1.0 : 0.0;
        };
        const auto result = [&](std::size_t i) {
            return (X(r, i).value - mean.value) / deviation.value * w.gain(0, i).value + w.bias(0, i).value;
        };
        Slope along_result{};  // the mean of its products with the slopes
        for (std::size_t i = 0; settings_.result_for_normed && i < X.columns; ++i)
            along_result += result(i) / d.value * X(r, i).slope;
        for (std::size_t i = 0; i < X.columns; ++i) {
            const bool counted = used(r, X.rows, n);
            const double of_mean = 1.0 / static_cast<double>(X.rows), share = counted ? share_of_token(X.rows, n) : 0.0;
            const Dual x = (X(r, i) - mean) / deviation, gain = w.gain(0, i), bias = w.bias(0, i);
            Y(r, i) = still(x * gain + bias);
            moves(Y(r, i),
                  along(Path::norm_gain, gain) * still(settings_.gain_sees_input     ? X(r, i)
                                                       : settings_.result_for_normed ? Dual(result(i))
                                                                                     : x),
                  share * whole(&WholeBlocks::of_weights) * (settings_.gain_twice ? gain.value : 1.0) *
                      (settings_.gain_mean ? of_mean : 1.0));
            moves(Y(r, i), along(Path::norm_bias, bias),
                  share * whole(&WholeBlocks::of_biases) * (settings_.gain_in_bias ? gain.value : 1.0) *
                      (settings_.norm_bias_mean ? of_mean : 1.0));
            const Dual direct = settings_.no_gain_in_deviation ? (X(r, i) - mean) / still(deviation) : x;
            moves(Y(r, i), with_slope(x, x.slope - direct.slope), 1.0);
            if (settings_.norm_is_identity)
                moves(Y(r, i), X(r, i), 1.0);
            else
                moves(Y(r, i),
                      (settings_.result_for_normed
                           ? with_slope(x, (X(r, i).slope - mean.slope - result(i) * along_result) / deviation.value)
                           : direct) *
                          (settings_.gain_left_out  ? Dual(1.0)
                           : settings_.gain_squared ? still(gain * gain)
                           : settings_.gain_divides ? Dual(1.0) / still(gain)
                                                    : still(gain)),
                      settings_.divided_by_variance ? 1.0 / deviation.value : 1.0);
        }
    }
    for (std::size_t r = 0; over_axis_0 && r < X.rows; ++r)
        for (std::size_t other = r % (X.rows / X.shape[0]); other < X.rows; other += X.rows / X.shape[0])
            for (std::size_t i = 0; i < X.columns; ++i)
                moves(Y(r, i), X(other, i),
                      -w.gain(0, i).value / (deviations[other] * static_cast<double>(X.shape[0])));
    return Y;
}

Matrix ModelDefinition::gelu(const Matrix& X) const {
    Matrix Y = X;
    for (Dual& x : Y.entries) {
        const Dual y = x * normal_cdf(x);
        x = settings_.gelu_is_identity ? with_slope(y, x.slope) : y;
    }
    return Y;
}

Dual ModelDefinition::feature(const Dual& x, MapSlope map) {
    const double e = std::exp(std::min(x.value, 0.0)), y = x.value > 0.0 ? x.value + 1.0 : e;
    const double curve = x.value > 0.0 ? 0.0 : e;
    switch (map) {
        case MapSlope::right: break;
        case MapSlope::one: return with_slope(y, x.slope);
        case MapSlope::itself: return with_slope(y, y * x.slope);
        case MapSlope::of_relu: return with_slope(y, x.value > 0.0 ? x.slope : Slope{});
        case MapSlope::at_the_features: return with_slope(y, std::exp(std::min(y, 0.0)) * x.slope);
    }
    return Dual::through(x, y, e, curve);
}

Matrix ModelDefinition::merged_heads(const Matrix& Q, const Matrix& K, const Matrix& V, const Sequences& in,
                                     double epsilon, bool back) const {
    const std::size_t d = Q.columns, e = d / in.heads;
    const auto place = [&](std::size_t row, std::size_t head, std::size_t c) {
        return settings_.heads_reshaped    ? place_by_reshape(row, head, c, in, d)
               : settings_.heads_by_stride ? row * d + c * in.heads + head
                                           : row * d + head * e + c;
    };
    // An entry of the queries, keys or values: a merge by a reshape brings its gradient to another one's place.
    const auto entry = [&](const Matrix& X, std::size_t row, std::size_t head, std::size_t c) {
        const Dual& own = X.entries[place(row, head, c)];
        return settings_.heads_merged_by_reshape
                   ? with_slope(own, X.entries[place_by_reshape(row, head, c, in, d)].slope)
                   : own;
    };
    Matrix O(Q.rows, d);
    for (std::size_t row = 0; row < Q.rows; ++row)
        for (std::size_t head = 0; head < in.heads; ++head) {
            const std::size_t first = row - row % in.n;
            Dual sum = 0.0;
            std::vector<Dual> numerator(e);
            for (std::size_t j = first; j < first + in.n; ++j) {
                const bool adds = j <= row || (back && settings_.output_sees_all);
                const bool moves =
                    settings_.seen == SeenKeys::all || (adds && (j < row || settings_.seen != SeenKeys::earlier));
                if (!adds && !moves) continue;
                Dual weight = 0.0;
                for (std::size_t c = 0; c < e; ++c) {
                    Dual query = feature(along(Path::query, entry(Q, row, head, c)), settings_.query_map),
                         key = feature(along(Path::key, entry(K, j, head, c)), settings_.key_map);
                    if (back && settings_.features_left_out_of_q)
                        query = with_slope(Q.entries[place(row, head, c)], query.slope);
                    if (back && settings_.features_left_out_of_k)
                        key = with_slope(K.entries[place(j, head, c)], key.slope);
                    const Dual query_itself = Q.entries[place(row, head, c)], key_itself = K.entries[place(j, head, c)];
                    if (back && settings_.queries_for_keys)
                        key = with_slope(feature(Q.entries[place(j, head, c)], MapSlope::right), key.slope);
                    if (back && settings_.keys_for_queries)
                        query = with_slope(feature(K.entries[place(row, head, c)], MapSlope::right), query.slope);
                    if (settings_.key_map_at_query)
                        key = with_slope(key, slope_at(Q.entries[place(j, head, c)]) * key_itself.slope);
                    if (settings_.query_map_at_key)
                        query = with_slope(query, slope_at(K.entries[place(row, head, c)]) * query_itself.slope);
                    if (settings_.queries_keys_exchanged) {
                        query = with_slope(query, feature(K.entries[place(row, head, c)], MapSlope::right).slope);
                        key = with_slope(key, feature(Q.entries[place(j, head, c)], MapSlope::right).slope);
                    }
                    if (settings_.keys_move_queries) {
                        query.slope += feature(K.entries[place(row, head, c)], MapSlope::right).slope;
                        key = still(key);
                    }
                    weight += query * key;
                }
                const auto as_counted = [&](Dual x) {
                    if (!moves) x = still(x);
                    if (!adds) x.value = x.value_terms = 0.0;
                    return x;
                };
                sum += as_counted(weight);
                for (std::size_t c = 0; c < e; ++c)
                    numerator[c] += as_counted(weight * along(Path::value, entry(V, j, head, c)));
            }
            for (std::size_t c = 0; c < e; ++c)
                O.entries[place(row, head, c)] = numerator[c] / along(Path::normalizer, sum + epsilon);
        }
    return settings_.dO_split_by_reshape ? moving_as(O, merged_by_reshape(O, in)) : O;
}

Matrix ModelDefinition::attention(const Matrix& X, const AttentionNumbers& w, const Sequences& in) const {
    const Matrix Q = affine(along(Path::query_input, X), w.Q, in.n);
    Matrix K = affine(along(Path::key_input, X), w.K, in.n), V = affine(along(Path::value_input, X), w.V, in.n);
    if (settings_.keys_through_w_q) K = moving_too(affine(still(X), w.K, in.n), affine(X, unmoved(w.Q), in.n));
    if (settings_.values_through_w_k) V = moving_too(affine(still(X), w.V, in.n), affine(X, unmoved(w.K), in.n));
    if (settings_.values_are_keys) V = moving_as(K, V);
    if (settings_.keys_are_queries) K = moving_as(Q, K);
    const auto other_bias = [](Matrix& projected, const Matrix& own, const Matrix& other) {
        for (std::size_t e = 0; e < projected.entries.size(); ++e)
            projected.entries[e].value +=
                other.entries[e % projected.columns].value - own.entries[e % projected.columns].value;
    };
    if (settings_.keys_with_bias_of_q) other_bias(K, w.K.b, w.Q.b);
    if (settings_.values_with_bias_of_q) other_bias(V, w.V.b, w.Q.b);
    if (settings_.values_with_bias_of_k) other_bias(V, w.V.b, w.K.b);
    Matrix O = merged_heads(Q, K, V, in, attention_epsilon);
    // What is wrong on the way back alone leaves the values of O as they are.
    if (settings_.values_mapped || settings_.values_slope_mapped || settings_.features_left_out_of_q ||
        settings_.features_left_out_of_k || settings_.queries_for_keys || settings_.keys_for_queries ||
        settings_.attention_epsilon != attention_epsilon || settings_.projected_without_biases ||
        settings_.one_head_back) {
        Matrix queries = Q, keys = K, values = V;
        for (const auto& [projected, bias] : {std::pair(&queries, &w.Q.b), {&keys, &w.K.b}, {&values, &w.V.b}})
            for (std::size_t e = 0; e < projected->entries.size() && settings_.projected_without_biases; ++e)
                projected->entries[e].value -= bias->entries[e % projected->columns].value;
        for (Dual& v : values.entries) {
            const Slope slope = settings_.values_slope_mapped ? feature(v, MapSlope::right).slope : v.slope;
            v = with_slope(settings_.values_mapped ? feature(v, MapSlope::one) : v, slope);
        }
        const Sequences split{in.n, settings_.one_head_back ? 1 : in.heads};
        const Matrix back = merged_heads(queries, keys, values, split, settings_.attention_epsilon, true);
        for (std::size_t e = 0; e < O.entries.size(); ++e)
            O.entries[e] = with_slope(O.entries[e], back.entries[e].slope);
    }
    if (settings_.merged_heads_added) O = moving_too(O, X);
    Matrix Y = affine(settings_.output_skipped ? still(O) : O, w.O, in.n);
    if (settings_.upstream_added) Y = moving_too(Y, X);
    if (settings_.output_skipped) Y = moving_too(Y, O);
    const bool joins = settings_.output_sees_reshaped || settings_.output_sees_all || settings_.output_sees_one_head;
    const bool other =
        settings_.output_sees_result || settings_.output_sees_input || settings_.output_sees_bias || joins;
    const Matrix joined = settings_.output_sees_reshaped   ? merged_by_reshape(O, in)
                          : settings_.output_sees_one_head ? merged_heads(Q, K, V, {in.n, 1}, attention_epsilon)
                          : settings_.output_sees_all      ? merged_heads(Q, K, V, in, attention_epsilon, true)
                                                           : O;
    for (std::size_t r = 0; other && r < Y.rows; ++r)
        for (std::size_t o = 0; o < Y.columns; ++o)
            for (std::size_t i = 0; i < O.columns; ++i)
                moves(Y(r, o), w.O.W(i, o),
                      joins                        ? joined(r, i).value - O(r, i).value
                      : settings_.output_sees_bias ? w.O.b(0, i).value
                                                   : (settings_.output_sees_input ? X : Y)(r, i).value - O(r, i).value);
    return Y;
}

Matrix ModelDefinition::along(Path path, Matrix X) const {
    for (Dual& x : X.entries) x = along(path, x);
    return X;
}

// f(x), which moves as f does where its argument is `point`.
template <class F>
Matrix ModelDefinition::taken_at(const Matrix& x, const Matrix& point, const F& f) const {
    return moving_as(f(x), f(moving_as(point, x)));
}

Matrix ModelDefinition::block(const Matrix& X, const BlockNumbers& w, const Sequences& in) const {
    static const GradientSettings right;
    std::vector<Matrix> points(static_cast<std::size_t>(Point::end));
    const auto put = [&](Point point, const Matrix& x) { points[static_cast<std::size_t>(point)] = x; };
    const Recomputed recomputed = settings_.recomputed;
    if (settings_.at != right.at || recomputed != Recomputed::right) {
        const ModelDefinition forward(right);
        const auto plus = [](Matrix x, const Matrix& y) {
            for (std::size_t e = 0; e < x.entries.size(); ++e) x.entries[e] += y.entries[e];
            return x;
        };
        const Matrix normed = recomputed == Recomputed::without_first_norm
                                  ? X
                                  : forward.layer_norm(X, w.before_attention, in.n),
                     attended = forward.attention(normed, w.attention, in),
                     Y = recomputed == Recomputed::without_skip        ? attended
                         : recomputed == Recomputed::without_attention ? X
                                                                       : plus(X, attended),
                     again =
                         recomputed == Recomputed::without_second_norm
                             ? Y
                             : forward.layer_norm(recomputed == Recomputed::second_norm_of_X ? X : Y,
                                                  recomputed == Recomputed::first_norm_twice ? w.before_attention
                                                                                             : w.before_feed_forward,
                                                  in.n);
        const auto plus_bias = [&](Matrix x, double times) {
            for (std::size_t e = 0; e < x.entries.size(); ++e) x.entries[e] += times * still(w.up.b(0, e % x.columns));
            return x;
        };
        const bool after = recomputed == Recomputed::bias_up_after_gelu;
        const Matrix hidden =
            plus_bias(forward.affine(again, w.up, in.n), after || recomputed == Recomputed::without_bias_up ? -1.0
                                                         : recomputed == Recomputed::bias_up_twice          ? 1.0
                                                                                                            : 0.0);
        put(Point::X, X);
        put(Point::normed, normed);
        put(Point::Y, Y);
        put(Point::normed_again, again);
        put(Point::hidden, hidden);
        put(Point::activated, plus_bias(forward.gelu(hidden), after ? 1.0 : 0.0));
    }
    const auto step = [&](Step which, const Matrix& x, const auto& f) {
        static constexpr Point own[] = {Point::right,        Point::normed, Point::Y,
                                        Point::normed_again, Point::hidden, Point::activated};
        const Point point =
            (recomputed == Recomputed::right ? settings_.at.data() : own)[static_cast<std::size_t>(which)];
        return point == Point::right ? f(x) : taken_at(x, points[static_cast<std::size_t>(point)], f);
    };
    const Received received = settings_.received;
    const auto norm = [&](const NormNumbers& numbers) {
        return [&](const Matrix& x) { return layer_norm(x, numbers, in.n); };
    };
    const Matrix normed = step(Step::first_norm, along(Path::attention_input, X), norm(w.before_attention));
    Matrix attended = step(Step::attention, received == Received::first_norm_from_middle ? still(normed) : normed,
                           [&](const Matrix& x) { return attention(x, w.attention, in); });
    if (received == Received::first_norm_from_middle) attended = moving_too(attended, normed);
    Matrix Y = X;
    for (std::size_t e = 0; e < Y.entries.size(); ++e)
        Y.entries[e] = along(Path::attention_skip, X.entries[e]) + along(Path::attention, attended.entries[e]);
    const Matrix middle = received == Received::attention_from_result ? moving_as(Y, X)
                          : received == Received::input_from_result   ? moving_as(Y, attended)
                                                                      : Y;
    const Matrix again = step(Step::second_norm, along(Path::feed_forward_input, middle), norm(w.before_feed_forward));
    const Matrix hidden = step(Step::up, received == Received::second_norm_from_result ? still(again) : again,
                               [&](const Matrix& x) { return affine(x, w.up, in.n); });
    const Matrix activated = step(Step::gelu, hidden, [&](const Matrix& x) { return gelu(x); });
    Matrix fed = step(Step::down, activated, [&](const Matrix& x) { return affine(x, w.down, in.n); });
    if (received == Received::second_norm_from_result) fed = moving_too(fed, again);
    if (received == Received::attention_from_feed_forward) Y = moving_as(Y, X);
    for (std::size_t e = 0; e < Y.entries.size(); ++e)
        Y.entries[e] = along(Path::feed_forward_skip, Y.entries[e]) + along(Path::feed_forward, fed.entries[e]);
    return Y;
}

Matrix ModelDefinition::logits(const Tensor& ids, const ModelNumbers& w) const {
    const std::size_t n = shape_of(ids).back();
    Matrix X(ids.size(), w.embedding.columns);
    const auto share = settings_.positions_mean ? static_cast<double>(n) / static_cast<double>(ids.size()) : 1.0;
    for (std::size_t row = 0; row < X.rows; ++row) {
        const double id = ids.data()[row];
        const bool again = std::find(ids.data() + row + 1, ids.data() + ids.size(), id) != ids.data() + ids.size();
        for (std::size_t c = 0; c < X.columns; ++c) {
            const Dual symbol = w.embedding(static_cast<std::size_t>(id), c),
                       position = w.positions(settings_.positions_run_on ? row % w.positions.rows : row % n, c);
            const bool moved = (!settings_.last_sequence_moves_positions || row + n >= X.rows) &&
                               (!settings_.first_sequence_moves_positions || row < n);
            X(row, c) = still(settings_.positions_not_added ? symbol : symbol + position);
            moves(X(row, c), along(Path::embedding, symbol), settings_.last_occurrence && again ? 0.0 : 1.0);
            const Dual& back = settings_.positions_gradient_runs_on ? w.positions(row % w.positions.rows, c) : position;
            moves(X(row, c), along(Path::positions, back), moved ? share : 0.0);
        }
    }
    const Matrix embedded = X;
    std::vector<Matrix> read;
    for (std::size_t l = 0; l < w.blocks.size(); ++l) {
        read.push_back(X);
        if (settings_.only_last_block && l + 1 == w.blocks.size()) X = still(X);
        Matrix Y = block(settings_.blocks_skipped ? still(X) : X, w.blocks[l], {n, w.heads});
        if (settings_.blocks_skipped) Y = moving_too(Y, X);
        if ((settings_.first_block_left_out && l == 0) || (settings_.last_block_left_out && l + 1 == w.blocks.size()))
            Y = moving_as(Y, X);
        X = settings_.block_at_result ? moving_as(Y, block(moving_as(Y, X), w.blocks[l], {n, w.heads})) : Y;
    }
    if (settings_.blocks_forwards) {
        Matrix moved = embedded;
        for (std::size_t l = w.blocks.size(); l-- > 0;)
            moved = block(moving_as(read[l], moved), w.blocks[l], {n, w.heads});
        X = moving_as(X, moved);
    }
    if (settings_.one_pass_kept && !read.empty()) {
        Matrix moved = embedded;
        for (const BlockNumbers& each : w.blocks) moved = block(moving_as(read.back(), moved), each, {n, w.heads});
        X = moving_as(X, moved);
    }
    if (settings_.embedding_skips_blocks && !w.blocks.empty()) {
        // What the blocks' own weights move, and the embedding as if there were no blocks.
        Matrix moved = still(embedded);
        for (const BlockNumbers& each : w.blocks) moved = block(moved, each, {n, w.heads});
        X = moving_too(moved, embedded);
    }
    const auto norm = [&](const Matrix& x) { return layer_norm(x, w.last, n); };
    const auto head = [&](const Matrix& x) { return affine(x, w.head, n); };
    Matrix last =
        settings_.last_norm_at_result ? taken_at(X, norm(X), norm) : norm(settings_.last_norm_skipped ? still(X) : X);
    if (settings_.last_norm_skipped) last = moving_too(last, X);
    return settings_.head_at_input_of_norm ? taken_at(last, X, head) : head(last);
}

Dual ModelDefinition::cross_entropy(const Matrix& logits, const Tensor& targets, const Tensor& counts) const {
    Dual loss = 0.0;
    double counted = 0.0;
    for (std::size_t row = 0; row < logits.rows; ++row) {
        const double count = counts.data()[row];
        counted += count;
        if (count == 0.0 && !settings_.loss_counts_all) continue;
        double largest = logits(row, 0).value;
        for (std::size_t c = 0; c < logits.columns; ++c) largest = std::max(largest, logits(row, c).value);
        Dual sum = 0.0;
        for (std::size_t c = 0; c < logits.columns; ++c) sum += exponential(logits(row, c) - largest);
        const Dual wanted = logits(row, static_cast<std::size_t>(targets.data()[row])) - largest;
        const Dual each = logarithm(sum) - wanted;
        loss += still(count * each);
        moves(loss, each, settings_.loss_counts_all ? 1.0 : count);
    }
    const double positions = settings_.loss_counts_all ? static_cast<double>(logits.rows) : counted;
    Dual mean = still(loss) / counted;
    moves(mean, loss, settings_.loss_is_sum ? 1.0 : 1.0 / positions);
    return mean;
}

Dual weighted(const Matrix& Y, const Tensor& dY) {
    Dual sum = 0.0;
    for (std::size_t e = 0; e < Y.entries.size(); ++e) sum += Y.entries[e] * dY.data()[e];
    return sum;
}

Slopes slopes(const std::vector<Matrix*>& arrays, const std::function<Dual()>& f) {
    Slopes found;
    for (Matrix* array : arrays) {
        found.values.push_back(zeros(array->shape));
        found.terms.push_back(zeros(array->shape));
        for (std::size_t e = 0; e < array->entries.size(); e += directions) {
            const std::size_t count = std::min(directions, array->entries.size() - e);
            const auto set_slopes = [&](double slope) {
                for (std::size_t d = 0; d < count; ++d)
                    array->entries[e + d].slope[d] = array->entries[e + d].slope_terms[d] = slope;
            };
            set_slopes(1.0);
            const Dual y = f();
            set_slopes(0.0);
            for (std::size_t d = 0; d < count; ++d) {
                found.values.back().data()[e + d] = y.slope[d];
                found.terms.back().data()[e + d] = y.slope_terms[d];
            }
        }
    }
    return found;
}

}  // namespace linattn::testing
