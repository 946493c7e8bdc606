#include "random_feature_definition.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace linattn::testing {
namespace {

using Index = std::size_t;

class RandomFeatures {
public:
    RandomFeatures(const Tensor& x, const Tensor& W, Stabilizer stabilizer, const RandomFeatureSettings& settings)
        : tokens(x), W_given(W), s(settings), n(length(x, -2)), d(length(x, -1)), m(length(W, 0)) {
        rows = d == 0 ? 0 : x.size() / d;
        shift_over = s.waves != Waves::none                ? ShiftOver::nothing
                     : stabilizer == Stabilizer::per_token ? s.per_token
                                                           : s.per_sequence;
        for (Index i = 0; i < rows; ++i)
            for (Index r = 0; r < norms_of_token(); ++r) norms.push_back(norm_of(i, r));
        exponents.reserve(rows * m);
        for (Index i = 0; i < rows; ++i)
            for (Index r = 0; r < m; ++r)
                exponents.push_back(along(i, r) + (s.waves == Waves::none ? norm(i, r) : 0.0));
        find_shifts();
    }

    Tensor result() const {
        const Index width =
            s.waves == Waves::none || s.waves == Waves::cosines || s.waves == Waves::sines || s.waves == Waves::added
                ? m
                : 2 * m;
        Shape shape = shape_of(tokens);
        shape.back() = width;
        Tensor phi = zeros(shape);
        const double factor = s.factor * std::pow(s.m.value_or(static_cast<double>(m)), -s.over_m) *
                              std::pow(static_cast<double>(d), -s.over_d);
        for (Index i = 0; i < rows; ++i)
            for (Index e = 0; e < width; ++e)
                phi.data()[i * width + e] =
                    (is_on(s.factor_on, e >= m) ? factor : 1.0) * (feature(i, e) + s.added_before) + s.added;
        for (Index e = 0; s.left_out != LeftOut::nothing && e < rows * width; ++e)
            if (is_left_out(e / width, direction_of(e % width))) phi.data()[e] = 0.0;
        for (Index i = 0; s.over_sum && i < rows; ++i) {
            double* row = phi.data() + i * width;
            const double sum = std::accumulate(row, row + width, 0.0);
            for (Index e = 0; e < width; ++e) row[e] /= sum;
        }
        return phi;
    }

private:
    static bool is_on(FactorOn on, bool sine) { return on == FactorOn::both || (on == FactorOn::sines) == sine; }
    double scaled(double power) const { return std::pow(s.d.value_or(static_cast<double>(width_taken())), -power); }
    Index width_taken() const {
        switch (s.d_is) {
            case WidthTaken::width: return d;
            case WidthTaken::directions: return m;
            case WidthTaken::tokens: return n;
            case WidthTaken::first_axis: return length(tokens, 0);
        }
        return d;
    }

    double direction(Index r, Index a) const {
        if (s.directions == Directions::reversed) return W_given(m - 1 - r, a);
        if (s.directions == Directions::reshaped) return W_given.data()[a * m + r];
        if (s.directions == Directions::over_root_d) return W_given(r, a) / std::sqrt(static_cast<double>(d));
        if (s.directions == Directions::as_given) return W_given(r, a);
        double square = 0.0;
        for (Index b = 0; b < d; ++b) square += W_given(r, b) * W_given(r, b);
        return W_given(r, a) / std::sqrt(square);
    }
    double length_of(Index i) const {
        double square = 0.0;
        for (Index e = 0; e < rows * d && s.unit_input; ++e)
            if (e / d == i) square += tokens.data()[e] * tokens.data()[e];
        return s.unit_input ? std::sqrt(square) : 1.0;
    }
    double along(Index i, Index r) const {
        const double scale = scaled(s.scale);
        double total = 0.0;
        for (Index a = 0; a < d; ++a) total += direction(r, a) * scale * tokens.data()[i * d + a];
        return s.along * total / length_of(i);
    }
    // What the norm adds to the exponent of direction r.
    double norm(Index i, Index r) const { return norms[i * norms_of_token() + r % norms_of_token()]; }
    Index norms_of_token() const { return s.norm_of == NormOf::direction ? m : 1; }
    double norm_of(Index i, Index r) const {
        const double scale = scaled(s.norm_scale.value_or(s.scale));
        double square = 0.0, sum = 0.0, largest = 0.0;
        for (Index e = i / n * n * d; e < (i / n + 1) * n * d; ++e) {  // all of a head's: no answer to paste
            const Index j = e / d;
            if (s.norm_of != NormOf::head && j != (s.norm_of == NormOf::first_token ? i / n * n : i)) continue;
            const double entry =
                s.norm_of == NormOf::direction ? W_given(r, e % d) : scale * tokens.data()[e] / length_of(j);
            square += s.norm_of == NormOf::sum_of_entries ? entry : entry * entry;
            sum += s.norm_of == NormOf::square_of_sizes ? std::fabs(entry) : entry;
            largest = std::max(largest, entry * entry);
        }
        if (s.norm_of == NormOf::square_of_sum || s.norm_of == NormOf::square_of_sizes) square = sum * sum;
        if (s.norm_of == NormOf::largest_square) square = largest;
        if (s.norm_of == NormOf::projections) {
            square = 0.0;
            for (Index each = 0; each < m; ++each) square += along(i, each) * along(i, each) / static_cast<double>(m);
        }
        if (s.norm_of == NormOf::mean_of_squares) square /= static_cast<double>(d);
        return s.norm * (s.norm_of == NormOf::token_not_squared ? std::sqrt(square) : square);
    }

    Index direction_of(Index e) const { return s.waves == Waves::alternating ? e / 2 : e % m; }
    bool is_left_out(Index i, Index r) const {
        switch (s.left_out) {
            case LeftOut::nothing: return false;
            case LeftOut::first_direction: return r == 0;
            case LeftOut::last_direction: return r + 1 == m;
            case LeftOut::last_token: return i + 1 == rows;
        }
        return false;
    }
    double feature(Index i, Index e) const {
        const Index r = direction_of(e);
        if (s.relu) return std::max(0.0, along(i, r));
        const double shift = s.waves == Waves::none ? s.shift * shifts[group_of(i, r)] : 0.0;
        if (s.divided_by_largest) return std::exp(exponents[i * m + r]) / std::exp(shift);
        if (s.waves == Waves::none) return std::exp(s.exponent * (exponents[i * m + r] - shift));
        const double angle = exponents[i * m + r], grown = std::exp(s.exponent * norm(i, r));
        if (s.waves == Waves::added) return grown * (std::cos(angle) + std::sin(angle));
        bool sine = e >= m;
        if (s.waves == Waves::sines_cosines) sine = e < m;
        if (s.waves == Waves::alternating) sine = e % 2 == 1;
        if (s.waves == Waves::sines) sine = true;
        if (s.waves == Waves::cosines_twice) sine = false;
        const double growth = is_on(s.growth_on, sine) ? grown : 1.0;
        if (!sine) return growth * std::cos(angle);
        if (s.sines_unscaled) return growth * std::sin(angle / scaled(s.scale));
        if (s.waves == Waves::sines_of_cosines) return growth * std::sin(std::cos(angle));
        return growth * std::sin(s.waves == Waves::opposite_sines ? -angle : angle);
    }
    Index group_of(Index i, Index r) const {
        switch (shift_over) {
            case ShiftOver::nothing:
            case ShiftOver::array: return 0;
            case ShiftOver::token:
            case ShiftOver::rows_so_far:
            case ShiftOver::tokens_so_far: return i;
            case ShiftOver::block: return i / n * n + i % n / s.block;
            case ShiftOver::direction: return i / n * m + r;
            case ShiftOver::first_token:
            case ShiftOver::last_token:
            case ShiftOver::heads_so_far:
            case ShiftOver::head: return i / n;
        }
        return 0;
    }
    void find_shifts() {
        const bool smallest = s.shift_by == ShiftBy::smallest;
        shifts.assign(std::max(rows * (m + 1), Index{1}), smallest ? infinity : -infinity);
        if (shift_over == ShiftOver::nothing) shifts.assign(1, 0.0);
        for (Index i = 0; shift_over != ShiftOver::nothing && i < rows; ++i)
            for (Index r = 0; r < m; ++r) {
                double exponent = exponents[i * m + r], &shift = shifts[group_of(i, r)];
                if (shift_over == ShiftOver::first_token && i % n != 0) continue;
                if (shift_over == ShiftOver::last_token && (i + 1) % n != 0) continue;
                if (shift_over == ShiftOver::tokens_so_far && r == 0 && i % n != 0) shift = shifts[i - 1];
                if (shift_over == ShiftOver::rows_so_far && r == 0 && i > 0) shift = shifts[i - 1];
                if (shift_over == ShiftOver::heads_so_far && r == 0 && i >= n && i % n == 0) shift = shifts[i / n - 1];
                if (s.shift_by == ShiftBy::largest_without_norm) exponent -= norm(i, r);
                if (s.shift_by == ShiftBy::largest_absolute) exponent = std::fabs(exponent);
                if (s.shift_by == ShiftBy::largest_above_zero) exponent = std::max(exponent, 0.0);
                shift = smallest ? std::min(shift, exponent) : std::max(shift, exponent);
            }
        if (s.shift_by != ShiftBy::mean || shift_over == ShiftOver::nothing) return;
        std::vector<double> sums(shifts.size()), counts(shifts.size());
        for (Index i = 0; i < rows; ++i)
            for (Index r = 0; r < m; ++r) {
                sums[group_of(i, r)] += exponents[i * m + r];
                counts[group_of(i, r)] += 1.0;
            }
        for (Index group = 0; group < shifts.size(); ++group)
            if (counts[group] > 0.0) shifts[group] = sums[group] / counts[group];
    }

    const Tensor &tokens, &W_given;
    const RandomFeatureSettings& s;
    Index n, d, m, rows = 0;
    ShiftOver shift_over = ShiftOver::nothing;
    std::vector<double> norms, exponents, shifts;
};

}  // namespace

RandomFeatureSettings trigonometric_settings() {
    RandomFeatureSettings right;
    right.waves = Waves::cosines_sines;
    right.norm = 0.5;
    return right;
}

Tensor random_features_by_settings(const Tensor& x, const Tensor& W, Stabilizer stabilizer,
                                   const RandomFeatureSettings& settings) {
    return RandomFeatures(x, W, stabilizer, settings).result();
}

}  // namespace linattn::testing
