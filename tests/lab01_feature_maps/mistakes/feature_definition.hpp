// The feature maps of this lab by their definitions, entry by entry, with everything that people get wrong as a setting.
// An exercise says which settings make its map (mutations.cpp), and a mutation sets one of them to a wrong value.
#pragma once

#include <cstddef>
#include <optional>

#include "feature_maps.hpp"
#include "suite.hpp"

namespace linattn::testing {

/// What a feature is made of: an entry by itself, an exponential with a shift, or products of two entries of a token.
enum class Form { pieces, exponentials, products };

/// One of the two pieces of a map of single entries: slope·x + constant + amount·e^(sign·x), without terms of factor 0.
struct Piece {
    double slope = 0.0, constant = 0.0, amount = 0.0, sign = 1.0;
    bool operator==(const Piece&) const = default;
};
/// Which piece an entry takes; or that of 0 and below, and then what that has made may take the other one.
enum class Choice { above_zero, unless_zero, both_weighted, one_for_all, one_after_the_other };
/// What is done to the entries before anything else.
enum class Entries { as_they_are, negated, absolute, squared };
/// Which entries share a shift or a divisor.
enum class Group {
    none,
    token,
    token_so_far,
    first_token,
    last_token,
    token_and_earlier,
    head_so_far,
    channel,
    head,
    array
};
/// Which number of a group is the shift.
enum class ShiftBy { largest, smallest, mean, sum, log_of_sum, largest_absolute, largest_above_zero };
/// Where the shift enters.
enum class ShiftAt { exponent, subtracted_after_exp, divided_after_exp };
/// What of a group divides a feature.
enum class DivideBy {
    sum,
    times_sum,
    sum_without_shift,
    sum_not_rescaled,  ///< each term with the shift of the entries up to it
    sum_without_first,
    sum_without_last,
    sum_of_others,
    mean,
    count,
    squares,
    length
};
/// Which products of two entries are listed, and how.
enum class Pairs {
    all,
    squares,
    squares_in_place,
    different,
    different_in_place,
    upper,
    upper_weighted,
    upper_in_place,
    lower,
    lower_in_place,
    squares_first,
    after_x
};
enum class Product {
    product,
    absolute_second,
    sum,
    difference,
    quotient,
    first_squared,
    second_squared,
    first_twice,
    second_twice
};
enum class Softplus { none, with_log1p, naive, without_overflow };
/// Another activation in place of the pieces.
enum class Activation { pieces, gelu, silu, sigmoid };
enum class Precision { as_double, as_float, whole };
/// Which features a loop does not reach.
enum class LeftOut { nothing, first, last, last_of_each_token, last_token, all_but_first_token };

struct FeatureSettings {
    Form form = Form::pieces;
    Entries entries = Entries::as_they_are;
    Piece above{1.0}, below{1.0};
    Choice choice = Choice::above_zero;
    double threshold = 0.0;  ///< where the pieces meet
    Softplus softplus = Softplus::none;
    Activation activation = Activation::pieces;
    bool digits_lost = false, nan_becomes_zero = false;
    double least_exponent = -infinity;  ///< of the pieces
    bool ends_at_positive = false;      ///< entries from the first positive one on stay as they are
    std::optional<double> ceiling, floor;
    Group shift_per_token = Group::token, shift_per_sequence = Group::head;
    ShiftBy shift_by = ShiftBy::largest;
    double shift = 1.0;                            ///< how often the shift is subtracted
    double exponent = 1.0, exponent_over_d = 0.0;  ///< exponents times the first, over d to the power of the second
    Group divided_over = Group::none;
    DivideBy divide_by = DivideBy::sum;
    double epsilon = 0.0;  ///< added to the divisor
    Pairs pairs = Pairs::all;
    Product product = Product::product;
    bool tokens_overlap = false;                     ///< the products of token i begin at i·d
    double of_different = 1.0, of_squares = 1.0;     ///< what a product is multiplied by
    double factor = 1.0, over_d = 0.0, added = 0.0;  ///< of every feature in the end
    bool logarithm = false, squared = false;
    ShiftAt shift_at = ShiftAt::exponent;
    int times = 1;  ///< how often the map is applied
    Precision precision = Precision::as_double;
    LeftOut left_out = LeftOut::nothing;
    bool left_out_at_0 = true;  ///< or as the entries of x are
    bool operator==(const FeatureSettings&) const = default;
};

Tensor features_by_settings(const Tensor& x, Stabilizer stabilizer, const FeatureSettings& settings);

// The right settings of each map.
FeatureSettings elu_plus_one_settings();
FeatureSettings relu_settings();
FeatureSettings identity_settings();
FeatureSettings softmax_settings();
FeatureSettings exp_settings();
FeatureSettings polynomial_settings();

}  // namespace linattn::testing
