// Random features by their definition, entry by entry, with everything that people get wrong as a setting. With the
// default settings they are the positive features; a mutation (mutations.cpp) turns one setting from right to wrong.
#pragma once

#include <optional>

#include "favor.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// Which exponents share a shift.
enum class ShiftOver {
    nothing,
    token,
    first_token,
    last_token,
    tokens_so_far,
    rows_so_far,  ///< … of all heads so far
    block,        ///< of settings.block tokens
    direction,
    head,
    heads_so_far,
    array
};
enum class ShiftBy { largest, smallest, mean, largest_without_norm, largest_absolute, largest_above_zero };
/// What the norm is of, and whether it is squared.
enum class NormOf {
    token,
    direction,
    head,
    token_not_squared,
    first_token,
    mean_of_squares,
    sum_of_entries,
    square_of_sum,
    square_of_sizes,  ///< (Σ |x̂_a|)²
    largest_square,
    projections,  ///< the mean of (w_r·x̂)² over the directions
};
/// The features of each direction, and in which order.
enum class Waves {
    none,
    cosines_sines,
    sines_cosines,
    alternating,
    cosines,
    sines,
    cosines_twice,
    opposite_sines,
    sines_of_cosines,
    added,
};
/// Which of them a factor is on.
enum class FactorOn { both, cosines, sines };
/// What becomes of the directions before they are used.
enum class Directions { as_given, reversed, of_length_1, over_root_d, reshaped };

/// Which features a loop does not reach.
enum class LeftOut { nothing, first_direction, last_direction, last_token };

/// What is taken for the width of a token.
enum class WidthTaken { width, directions, tokens, first_axis };

struct RandomFeatureSettings {
    Waves waves = Waves::none;  ///< none: positive features
    Directions directions = Directions::as_given;
    double scale = 0.25;                  ///< x̂ is d^(-scale) x
    WidthTaken d_is = WidthTaken::width;  ///< in that scale
    std::optional<double> norm_scale;     ///< the same in the norm, where that is another one
    double norm = -0.5;                   ///< how often the squared norm is added to the exponent
    double along = 1.0;                   ///< how often w·x̂ is
    bool unit_input = false;              ///< x divided by its length first
    bool relu = false;                    ///< max(0, w·x̂) in place of the exponential
    NormOf norm_of = NormOf::token;
    ShiftOver per_token = ShiftOver::token, per_sequence = ShiftOver::head;
    ShiftBy shift_by = ShiftBy::largest;
    std::size_t block = 1;
    double shift = 1.0;               ///< how often it is subtracted
    bool over_sum = false;            ///< divided by the sum over the directions, not √m
    bool divided_by_largest = false;  ///< e^shift divides after the exponential
    double exponent = 1.0;            ///< of every exponential
    FactorOn growth_on = FactorOn::both, factor_on = FactorOn::both;  ///< e^(‖x̂‖²/2), and 1/√m
    bool sines_unscaled = false;                                      ///< of w·x, not of w·x̂
    double over_m = 0.5, over_d = 0.0, factor = 1.0, added = 0.0,
           added_before = 0.0;  ///< it is divided by √m
    LeftOut left_out = LeftOut::nothing;
    std::optional<double> m, d;  ///< in place of the lengths of W
    bool operator==(const RandomFeatureSettings&) const = default;
};

RandomFeatureSettings trigonometric_settings();

Tensor random_features_by_settings(const Tensor& x, const Tensor& W, Stabilizer stabilizer,
                                   const RandomFeatureSettings& settings);

}  // namespace linattn::testing
