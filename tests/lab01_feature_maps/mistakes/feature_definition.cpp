#include "feature_definition.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace linattn::testing {
namespace {

using Index = std::size_t;

class FeatureMapOf {
public:
    FeatureMapOf(const Tensor& x, Stabilizer stabilizer, const FeatureSettings& settings)
        : s(settings),
          shape(shape_of(x)),
          entries(x.data(), x.data() + x.size()),
          d(shape.empty() ? 1 : shape.back()),
          n(shape.size() < 2 ? 1 : shape[shape.size() - 2]),
          shift_over(stabilizer == Stabilizer::per_token ? s.shift_per_token : s.shift_per_sequence) {
        for (double& entry : entries) {
            if (s.entries == Entries::negated) entry = -entry;
            if (s.entries == Entries::absolute) entry = std::fabs(entry);
            if (s.entries == Entries::squared) entry *= entry;
        }
    }

    Tensor result() const {
        std::vector<double> features = s.form == Form::products ? products() : one_by_one();
        const std::vector<double> undivided = features;
        const Index width = s.form == Form::products ? width_of_products() : d;
        for (Index i = 0; i < features.size(); ++i) {
            double& feature = features[i];
            if (s.divided_over != Group::none) {
                const double by = divisor(undivided, i, width) + s.epsilon;
                feature = s.divide_by == DivideBy::times_sum ? feature * by : feature / by;
            }
            if (s.logarithm) feature = std::log(feature);
            if (s.squared) feature *= feature;
            feature = s.factor * feature * std::pow(static_cast<double>(d), -s.over_d) + s.added;
            if (s.floor) feature = std::max(feature, *s.floor);
            if (s.precision == Precision::as_float) feature = static_cast<double>(static_cast<float>(feature));
            if (s.precision == Precision::whole) feature = std::trunc(feature);
            if (is_left_out(i, width, features.size())) feature = s.left_out_at_0 ? 0.0 : entries[i];
        }
        Shape made = shape;
        if (!made.empty()) made.back() = width;
        Tensor y = zeros(made);
        std::copy(features.begin(), features.end(), y.data());
        return y;
    }

private:
    bool is_left_out(Index i, Index width, Index size) const {
        switch (s.left_out) {
            case LeftOut::nothing: return false;
            case LeftOut::first: return i == 0;
            case LeftOut::last: return i + 1 == size;
            case LeftOut::last_of_each_token: return (i + 1) % width == 0;
            case LeftOut::last_token: return i + width >= size;
            case LeftOut::all_but_first_token: return i >= width;
        }
        return false;
    }
    // Whether the group that entry i is in has entries in this row.
    bool reaches(Group group, Index row, Index row_of_i) const {
        const bool one_head = row / n == row_of_i / n;
        switch (group) {
            case Group::none: return false;
            case Group::token:
            case Group::token_so_far: return row == row_of_i;
            case Group::last_token: return one_head && (row + 1) % n == 0;
            case Group::first_token: return one_head && row % n == 0;
            case Group::token_and_earlier: return row <= row_of_i;
            case Group::head_so_far: return one_head && row <= row_of_i;
            case Group::channel:
            case Group::head: return one_head;
            case Group::array: return true;
        }
        return false;
    }
    // Calls function(j) for every entry j of the group that entry i is in, among `size` entries in rows of this width. Looks at
    // all rows, of which few count: no answer to paste.
    template <class Function>
    void for_each_of(Group group, Index i, Index width, Index size, Function function) const {
        for (Index row = 0; row * width < size; ++row) {
            if (!reaches(group, row, i / width)) continue;
            const Index begin = row * width, end = group == Group::token_so_far ? i + 1 : begin + width;
            for (Index j = begin; j < end; ++j)
                if (group != Group::channel || j % width == i % width) function(j);
        }
    }

    // Maps of single entries and exponentials -------------------------------------------------------------------------

    std::vector<double> one_by_one() const {
        std::vector<double> features(entries.size());
        for (Index i = 0; i < entries.size(); ++i)
            features[i] = s.form == Form::exponentials ? exponential(i, shift_over) : piecewise(entries[i]);
        const auto end = std::ranges::find_if(entries, [](double x) { return x > 0.0; });
        if (s.ends_at_positive) std::copy(end, entries.end(), features.begin() + (end - entries.begin()));
        return features;
    }
    double value_of(const Piece& piece, double x) const {
        double y = piece.constant;
        if (piece.slope != 0.0) y += piece.slope * x;
        if (piece.amount != 0.0) {
            const double e = std::exp(x < s.least_exponent ? s.least_exponent : piece.sign * x);
            y += piece.amount * (s.digits_lost ? (e - 1.0) + 1.0 : e);
        }
        return y;
    }
    double piecewise(double x) const {
        if (s.softplus == Softplus::with_log1p) return std::log1p(std::exp(x));
        if (s.softplus == Softplus::naive) return std::log(1.0 + std::exp(x));
        if (s.softplus == Softplus::without_overflow) return std::max(x, 0.0) + std::log(1.0 + std::exp(-std::fabs(x)));
        const double sigmoid = 1.0 / (1.0 + std::exp(-x));
        if (s.activation == Activation::sigmoid) return sigmoid;
        if (s.activation == Activation::gelu) return x * std::erfc(-x / std::sqrt(2.0)) / 2.0;
        if (s.activation == Activation::silu) return x * sigmoid;
        const double share = x > 0.0 ? 1.0 : 0.0;
        double y = x > s.threshold ? value_of(s.above, x) : value_of(s.below, x);
        for (const Piece& piece : {s.above, s.below})
            if (std::isnan(x) && (piece.slope != 0.0 || piece.amount != 0.0)) y = x;
        if (s.choice == Choice::unless_zero) y = x != 0.0 ? value_of(s.above, x) : value_of(s.below, x);
        if (s.choice == Choice::one_for_all)
            y = std::ranges::any_of(entries, [](double each) { return each > 0.0; }) ? value_of(s.above, x)
                                                                                     : value_of(s.below, x);
        if (s.choice == Choice::one_after_the_other && x <= s.threshold && y > s.threshold) y = value_of(s.above, y);
        if (s.choice == Choice::both_weighted) y = share * value_of(s.above, x) + (1.0 - share) * value_of(s.below, x);
        if (s.nan_becomes_zero && std::isnan(x)) y = 0.0;
        return s.ceiling && y > *s.ceiling ? *s.ceiling : y;
    }
    double exponential(Index i, Group group) const {
        if (s.shift_at == ShiftAt::subtracted_after_exp) return std::exp(entries[i]) - std::exp(shift_of(group, i));
        if (s.shift_at == ShiftAt::divided_after_exp) return std::exp(entries[i]) / std::exp(shift_of(group, i));
        const double scale = s.exponent * std::pow(static_cast<double>(d), -s.exponent_over_d);
        return std::exp(scale * (group == Group::none ? entries[i] : entries[i] - s.shift * shift_of(group, i)));
    }
    double shift_of(Group group, Index i) const {
        const bool adds = s.shift_by == ShiftBy::mean || s.shift_by == ShiftBy::sum;
        double shift = s.shift_by == ShiftBy::smallest             ? infinity
                       : s.shift_by == ShiftBy::largest_above_zero ? 0.0
                       : adds                                      ? 0.0
                                                                   : -infinity;
        double count = 0.0;
        for_each_of(group, i, d, entries.size(), [&](Index j) {
            const double x = s.shift_by == ShiftBy::largest_absolute ? std::fabs(entries[j]) : entries[j];
            ++count;
            if (adds)
                shift += x;
            else if (s.shift_by == ShiftBy::smallest ? !(x >= shift) : !(x <= shift))
                shift = x;
        });
        if (s.shift_by == ShiftBy::log_of_sum) {
            double sum = 0.0;
            for_each_of(group, i, d, entries.size(), [&](Index j) { sum += std::exp(entries[j] - shift); });
            return shift + std::log(sum);
        }
        return s.shift_by == ShiftBy::mean ? shift / count : shift;
    }
    double divisor(const std::vector<double>& features, Index i, Index width) const {
        double total = 0.0, squares = 0.0, count = 0.0;
        for_each_of(s.divided_over, i, width, features.size(), [&](Index j) {
            const double y = s.divide_by == DivideBy::sum_without_shift  ? exponential(j, Group::none)
                             : s.divide_by == DivideBy::sum_not_rescaled ? exponential(j, Group::token_so_far)
                                                                         : features[j];
            const bool left_out = (s.divide_by == DivideBy::sum_without_last && (j + 1) % width == 0) ||
                                  (s.divide_by == DivideBy::sum_without_first && j % width == 0) ||
                                  (s.divide_by == DivideBy::sum_of_others && j == i);
            if (!left_out) total += y;
            squares += y * y;
            count += 1.0;
        });
        switch (s.divide_by) {
            case DivideBy::mean: return total / count;
            case DivideBy::count: return count;
            case DivideBy::squares: return squares;
            case DivideBy::length: return std::sqrt(squares);
            default: return total;
        }
    }

    // Products of two entries -----------------------------------------------------------------------------------------

    bool is_listed(Index a, Index b) const {
        switch (s.pairs) {
            case Pairs::squares: return a == b;
            case Pairs::different: return a != b;
            case Pairs::upper:
            case Pairs::upper_weighted: return a <= b;
            case Pairs::lower: return a >= b;
            case Pairs::squares_first: return a != b;  // the squares stand before them
            default: return true;
        }
    }
    Index width_of_products() const {
        Index width = s.pairs == Pairs::squares_first || s.pairs == Pairs::after_x ? d : 0;
        for (Index pair = 0; pair < d * d; ++pair) width += is_listed(pair / d, pair % d);
        return width;
    }
    double product(Index i, Index j) const {
        const double x = entries[i], y = entries[j];
        if ((s.pairs == Pairs::upper_in_place && i > j) || (s.pairs == Pairs::lower_in_place && i < j) ||
            (s.pairs == Pairs::squares_in_place && i != j) || (s.pairs == Pairs::different_in_place && i == j))
            return 0.0;
        switch (s.product) {
            case Product::product: {
                const double weight = s.pairs == Pairs::upper_weighted && i != j ? std::sqrt(2.0) : 1.0;
                return (i == j ? s.of_squares : s.of_different) * weight * x * y;
            }
            case Product::absolute_second: return x * std::fabs(y);
            case Product::sum: return x + y;
            case Product::difference: return x - y;
            case Product::quotient: return x / y;
            case Product::first_squared: return x * x * y;
            case Product::second_squared: return x * y * y;
            case Product::first_twice: return x * x;
            case Product::second_twice: return y * y;
        }
        return x * y;
    }
    std::vector<double> products() const {
        std::vector<double> features;
        features.reserve(entries.size() * d);
        for (Index i = 0; i < entries.size(); ++i) {
            for (Index first = i; i % d == 0 && first < i + d; ++first) {  // what stands before the products of a token
                if (s.pairs == Pairs::after_x) features.push_back(entries[first]);
                if (s.pairs == Pairs::squares_first) features.push_back(product(first, first));
            }
            for_each_of(Group::token, i, d, entries.size(), [&](Index j) {
                if (is_listed(i % d, j % d)) features.push_back(product(i, j));
            });
        }
        const std::vector<double> apart = features;
        if (s.tokens_overlap) std::fill(features.begin(), features.end(), 0.0);
        for (Index i = 0; s.tokens_overlap && i < apart.size(); ++i) features[i / (d * d) * d + i % (d * d)] = apart[i];
        return features;
    }

    const FeatureSettings& s;
    Shape shape;
    std::vector<double> entries;
    Index d, n;
    Group shift_over;
};

}  // namespace

Tensor features_by_settings(const Tensor& x, Stabilizer stabilizer, const FeatureSettings& settings) {
    Tensor y = x;
    for (int time = 0; time < settings.times; ++time) y = FeatureMapOf(y, stabilizer, settings).result();
    return y;
}

FeatureSettings elu_plus_one_settings() {
    FeatureSettings right;
    right.above.constant = right.below.amount = 1.0;
    right.below.slope = 0.0;
    return right;
}
FeatureSettings relu_settings() {
    FeatureSettings right;
    right.below.slope = 0.0;
    return right;
}
FeatureSettings identity_settings() { return {}; }
FeatureSettings exp_settings() {
    FeatureSettings right;
    right.form = Form::exponentials;
    return right;
}
FeatureSettings softmax_settings() {
    FeatureSettings right = exp_settings();
    right.shift_per_sequence = Group::token;
    right.divided_over = Group::token;
    return right;
}
FeatureSettings polynomial_settings() {
    FeatureSettings right;
    right.form = Form::products;
    return right;
}

}  // namespace linattn::testing
