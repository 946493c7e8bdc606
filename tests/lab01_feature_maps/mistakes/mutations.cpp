// Common mistakes in a feature map: the mutations of feature_definition.hpp, and the exercises to which each applies.
#include "mutations.hpp"

#include <cmath>

#include "feature_definition.hpp"

namespace linattn::testing::mutations {

using Settings = FeatureSettings;

/// What a map has that can go wrong.
namespace has {
enum : unsigned {
    one = 1u << 0,           ///< elu's plus one, and its exponential below 0
    cut = 1u << 1,           ///< a cut at 0
    neither = 1u << 2,       ///< nothing at all: x itself
    exponentials = 1u << 3,  ///< exponentials of a shifted token
    quotient = 1u << 4,      ///< … divided by their sum, in which the shift cancels
    shift = 1u << 5,         ///< … whose shift shows
    products = 1u << 6,      ///< products of two entries
    signs = 1u << 7,         ///< the sign of the entries shows
    absolute = 1u << 8,      ///< … and no other mutation is about it
    repeatable = 1u << 9,    ///< the map of a feature is another one
    length = 1u << 10,       ///< features whose length may be anything
    in_place = 1u << 11,     ///< as many features as entries, which they may replace one by one
    by_token = 1u << 12,     ///< a feature depends on the other entries of its token
};
}

const double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;

void share_shift(Settings& s, Group group) { s.shift_per_token = s.shift_per_sequence = group; }

const Mutations<Settings>& mutations() {
    using namespace has;
    static const Mutations<Settings> all{
        {"the one", "elu without the plus one",
         "Features must be positive: add 1 to elu, which gives x + 1 above 0 and e^x below.", one,
         SET(s.above.constant = 0.0, s.below.constant = -1.0)},
        {"the one", "plus one left out above 0", "Above 0 the map is x + 1, which equals the exponential at x = 0.",
         one, SET(s.above.constant = 0.0)},
        {"the one", "elu below 0", "Below 0 elu + 1 is the exponential itself: (e^x - 1) + 1 = e^x.", one,
         SET(s.below.constant = -1.0)},
        {"the one", "one added to both branches", "e^x - 1 + 1 is e^x: below 0 nothing is added.", one,
         SET(s.below.constant = 1.0)},
        {"the one", "one subtracted above 0", "Above 0 the map is x + 1, which equals the exponential at x = 0.", one,
         SET(s.above.constant = -1.0)},
        {"the one", "one subtracted from elu",
         "Features must be positive: add 1 to elu, which gives x + 1 above 0 and e^x below.", one,
         SET(s.above.constant = -1.0, s.below.constant = -2.0)},
        {"the digits", "exp(x) - 1 + 1 loses small values",
         "Return the exponential itself: subtracting 1 rounds its digits away, and adding 1 does not bring them back.",
         one, SET(s.digits_lost = true)},
        {"the exponential", "exp(-x) below 0", "The sign is wrong: take e^x, which is below 1 for negative x.", one,
         SET(s.below.sign = -1.0)},
        {"the branches", "condition without > 0",
         "`where(x, …)` tests whether x differs from 0, which is also true for negative entries: write x > 0. Without "
         "any "
         "condition the same comes out.",
         one, SET(s.choice = Choice::unless_zero)},
        {"the branches", "both branches, one after the other",
         "An entry that has just become e^x is above 0 and gets the 1, too: else keeps it from the second branch.", one,
         SET(s.choice = Choice::one_after_the_other)},
        {"the branches", "one branch for all entries",
         "Each entry has a branch of its own: where(x > 0, …), or an if inside the loop over the entries.", one,
         SET(s.choice = Choice::one_for_all)},
        {"the branches", "branches exchanged", "Exchange them: the line belongs to x > 0, the exponential to the rest.",
         one, SET(std::swap(s.above, s.below))},
        {"the branches", "branches exchanged, exponents cut off at 0",
         "The condition is turned round: the line belongs to x > 0, the exponential to the rest.", one,
         SET(s.above = Piece{0.0, 1.0}, s.below = Piece{1.0, 1.0})},
        {"the branches", "1 everywhere above 0",
         "Above 0 the map is the line x + 1: exp(minimum(x, 0)) is the part below 0 alone.", one,
         SET(s.above = Piece{0.0, 1.0})},
        {"the branches", "exponential added to the line above 0",
         "Above 0 the map is the line x + 1 alone: cut the argument of exp off at 0.", one,
         SET(s.above = Piece{1.0, 0.0, 1.0})},
        {"the branches", "line added to the exponential below 0",
         "Below 0 the map is e^x alone: cut the line off at 0.", one, SET(s.below = Piece{1.0, 0.0, 1.0})},
        {"the branches", "branches meet at x = 1",
         "The branches meet at x = 0: the line belongs to all x > 0, also to those below 1.", one,
         SET(s.threshold = 1.0)},
        {"the branches", "branches meet at x = -1",
         "The branches meet at x = 0: between -1 and 0 the map is the exponential.", one, SET(s.threshold = -1.0)},
        {"the branches", "exp of large x overflows",
         "0 times infinity is NaN: select a branch with where instead of multiplying, or cap the argument of exp at 0.",
         one, SET(s.choice = Choice::both_weighted)},
        {"the branches", "exponential above 0 as well", "Above 0 the map is the line x + 1: it grows no faster than x.",
         one, SET(s.above = s.below)},
        {"the branches", "relu plus one", "Below 0 the map falls off as e^x; it is not 1 everywhere.", one,
         SET(s.below = Piece{0.0, 1.0})},
        {"the exponential", "2^x below 0", "Below 0 the map is the exponential e^x, with the base e.", one,
         SET(s.below.sign = std::log(2.0))},
        {"the exponential", "base 2 below 0, exponent multiplied by ln 2 instead of divided",
         "e^x is 2^(x / ln 2): the exponent of 2 is x times 1.44, not times 0.69.", one,
         SET(s.below.sign = std::log(2.0) * std::log(2.0))},
        {"the exponential", "exponent divided by ln 2, but base e, below 0",
         "x / ln 2 is the exponent of 2, for exp2: exp takes x itself.", one, SET(s.below.sign = 1.0 / std::log(2.0))},
        {"the exponential", "softplus instead of elu",
         "log(1 + e^x) is another positive map: this one is x + 1 above 0 and e^x below.", one,
         SET(s.softplus = Softplus::with_log1p)},
        {"the exponential", "softplus as log(1 + e^x) instead of elu",
         "It is another positive map, and overflows: this one is x + 1 above 0 and e^x below.", one,
         SET(s.softplus = Softplus::naive)},
        {"the exponential", "softplus without overflow instead of elu",
         "It is another positive map: this one is x + 1 above 0 and e^x below.", one,
         SET(s.softplus = Softplus::without_overflow)},

        {"the exponential", "SELU plus one",
         "SELU has factors of its own, 1.05 and 1.67: this map is x + 1 above 0 and e^x below.", one,
         SET(s.above = Piece{selu_scale, 1.0},
             s.below = Piece{0.0, 1.0 - selu_scale * selu_alpha, selu_scale * selu_alpha})},
        {"the exponential", "SELU instead of elu plus one",
         "SELU has factors of its own, and may be negative: this map is x + 1 above 0 and e^x below.", one,
         SET(s.above = Piece{selu_scale}, s.below = Piece{0.0, -selu_scale * selu_alpha, selu_scale * selu_alpha})},
        {"the exponential", "elu plus one with the α of SELU", "α is 1: below 0 the map is (e^x - 1) + 1, e^x itself.",
         one, SET(s.below = Piece{0.0, 1.0 - selu_alpha, selu_alpha})},
        {"the exponential", "GELU plus one", "GELU is another activation: this map is x + 1 above 0 and e^x below.",
         one, SET(s.activation = Activation::gelu, s.added = 1.0)},
        {"the exponential", "SiLU plus one",
         "x times the sigmoid is another activation: this map is x + 1 above 0 and e^x below.", one,
         SET(s.activation = Activation::silu, s.added = 1.0)},
        {"the exponential", "sigmoid instead of elu plus one",
         "The sigmoid stays below 1: this map is x + 1 above 0 and e^x below.", one,
         SET(s.activation = Activation::sigmoid)},

        {"below 0", "leaky slope for negative x",
         "Negative entries become 0, not a small multiple of themselves: features may not be negative.", cut,
         SET(s.below.slope = 0.01)},
        {"below 0", "negative entries kept", "Negative entries become 0.", cut, SET(s.below.slope = 1.0)},
        {"below 0", "absolute value", "Set negative entries to 0 instead of changing their sign.", cut,
         SET(s.below.slope = -1.0)},
        {"below 0", "positive entries cut off", "The positive entries stay; the negative ones become 0.", cut,
         SET(std::swap(s.above, s.below))},
        {"below 0", "entries below 1 cut off", "The border is 0: entries between 0 and 1 stay as they are.", cut,
         SET(s.threshold = 1.0)},
        {"below 0", "entries below -1 cut off", "The border is 0: entries between -1 and 0 become 0.", cut,
         SET(s.threshold = -1.0)},
        {"below 0", "loop ends at the first positive entry",
         "Later entries may be negative again: skip the one, with continue, not break.", cut,
         SET(s.ends_at_positive = true)},
        {"below 0", "elu instead of relu", "Negative entries become 0, not e^x - 1: features may not be negative.", cut,
         SET(s.below = Piece{0.0, -1.0, 1.0})},
        {"below 0", "softplus instead of relu", "log(1 + e^x) is a smooth map: this one is x above 0, and 0 below.",
         cut, SET(s.softplus = Softplus::with_log1p)},
        {"below 0", "softplus without overflow instead of relu",
         "log(1 + e^x) is a smooth map: this one is x above 0, and 0 below.", cut,
         SET(s.softplus = Softplus::without_overflow)},
        {"below 0", "GELU instead of relu", "GELU is another activation: this one is x above 0, and 0 below.", cut,
         SET(s.activation = Activation::gelu)},
        {"below 0", "SiLU instead of relu",
         "x times the sigmoid is another activation: this one is x above 0, and 0 below.", cut,
         SET(s.activation = Activation::silu)},
        {"above 0", "clipped at one", "There is no ceiling: positive entries stay as they are.", cut,
         SET(s.ceiling = 1.0)},
        {"NaN", "where picks 0 for a NaN",
         "Every comparison with NaN is false, so where selects the other branch: use maximum.", cut,
         SET(s.nan_becomes_zero = true)},
        {"above 0", "1 where x is positive", "Positive entries stay as they are; a step function is another map.", cut,
         SET(s.above = Piece{0.0, 1.0})},

        {"", "constant one instead of x", "φ(x) = 1 is mean pooling, another map: return x itself.", neither,
         SET(s.above = s.below = Piece{0.0, 1.0})},
        {"", "relu instead of identity", "The identity keeps negative entries: return them as they are.", neither,
         SET(s.below.slope = 0.0)},
        {"", "absolute value", "The identity keeps negative entries: do not change their sign.", neither,
         SET(s.entries = Entries::absolute)},
        {"", "zeros instead of x", "The result is x itself, not zeros of its shape.", neither,
         SET(s.above = s.below = Piece{})},

        {"the shift", "no maximum subtracted",
         "Subtract the token's maximum before exp: the features stay the same, and no token overflows or becomes 0/0.",
         quotient, SET(share_shift(s, Group::none))},
        {"the shift", "maximum of the whole array subtracted",
         "Subtract each token's own maximum: otherwise the exponentials of a token far below another one are all 0.",
         quotient, SET(share_shift(s, Group::array))},
        {"the shift", "maximum over the tokens subtracted",
         "Take the maximum along the last axis, -1: that of a token cancels, one for each channel does not.", quotient,
         SET(share_shift(s, Group::channel))},
        {"the shift", "smallest entry subtracted", "Subtract the largest entry: then no exponent is positive.",
         exponentials, SET(s.shift_by = ShiftBy::smallest)},
        {"the shift", "maximum added instead of subtracted",
         "Subtract the maximum before exp: added, it cancels as well, but large entries overflow.", quotient,
         SET(s.shift = -1.0)},
        {"the shift", "maximum of the token starts at zero",
         "Start from -∞, or from the first entry: a token of entries far below 0 becomes 0/0.", quotient,
         SET(s.shift_by = ShiftBy::largest_above_zero)},
        {"the shift", "maximum subtracted twice",
         "Subtract the maximum once: twice, it cancels as well, but large tokens become 0/0.", quotient,
         SET(s.shift = 2.0)},
        {"the shift", "each entry shifted by the maximum so far",
         "All entries of a token share one shift: find the largest of them all first.", quotient,
         SET(share_shift(s, Group::token_so_far))},
        {"the sum", "sum not rescaled when the maximum grows",
         "When the maximum grows, multiply the sum so far by exp(before - largest).", quotient,
         SET(s.divide_by = DivideBy::sum_not_rescaled)},
        {"the sum", "divided by the sum so far",
         "Divide by the sum over all entries of the token: add them up first, then divide.", quotient,
         SET(s.divided_over = Group::token_so_far)},
        {"the sum", "multiplied by the sum", "Divide by the sum, so that a token sums to 1.", quotient,
         SET(s.divide_by = DivideBy::times_sum)},
        {"the sum", "first entry left out of the sum", "Sum over all entries of the token, from 0 on.", quotient,
         SET(s.divide_by = DivideBy::sum_without_first)},
        {"the sum", "own entry left out of the sum", "Sum over all entries of the token, the entry itself among them.",
         quotient, SET(s.divide_by = DivideBy::sum_of_others)},
        {"the sum", "divided by the number of entries", "Divide by the sum of the exponentials, not by their number.",
         quotient, SET(s.divide_by = DivideBy::count)},
        {"the sum", "divided by the sum of the squares", "Divide by the sum of the exponentials themselves.", quotient,
         SET(s.divide_by = DivideBy::squares)},
        {"the sum", "softmax over the tokens",
         "Sum along the last axis, -1: each token sums to 1 over its channels, not each channel over the tokens.",
         quotient, SET(share_shift(s, Group::channel), s.divided_over = Group::channel)},
        {"the sum", "softmax over the whole array",
         "Every token has a sum of its own: sum along the last axis only, with keep_dims.", quotient,
         SET(share_shift(s, Group::array), s.divided_over = Group::array)},
        {"the sum", "softmax over all tokens of a head", "Every token has a sum of its own: sum along the last axis.",
         quotient, SET(share_shift(s, Group::head), s.divided_over = Group::head)},
        {"the sum", "last entry left out of the sum", "Sum over all entries of the token.", quotient,
         SET(s.divide_by = DivideBy::sum_without_last)},
        {"the sum", "every token divided by the sum of the first",
         "Every token has a sum of its own: divide token i by that of token i, not of token 0.", quotient,
         SET(s.divided_over = Group::first_token)},
        {"the sum", "sums of the tokens before not reset", "Begin the sum of the exponentials anew for each token.",
         quotient, SET(s.divided_over = Group::token_and_earlier)},
        {"the shift", "maximum of the tokens before not reset",
         "Begin the maximum anew for each token: that of an earlier one may make all its exponentials 0.", quotient,
         SET(share_shift(s, Group::token_and_earlier))},
        {"the sum", "summed over the tokens", "Sum along the last axis, -1, the same as for the maximum.", quotient,
         SET(s.divided_over = Group::channel)},
        {"the sum", "summed over the whole array", "Sum along the last axis only, with keep_dims.", quotient,
         SET(s.divided_over = Group::array)},
        {"the sum", "exp without normalisation", "One step is missing: divide each token by its own sum.", quotient,
         SET(s.divided_over = Group::none)},
        {"the sum", "sum of the exponentials without their shift",
         "Divide by the sum of the same exponentials that are in the numerator.", quotient,
         SET(s.divide_by = DivideBy::sum_without_shift)},
        {"the sum", "mean of the exponentials instead of their sum", "Divide by the sum, so that a token sums to 1.",
         quotient, SET(s.divide_by = DivideBy::mean)},
        {"the sum", "divided by the length of the token",
         "Divide by the sum of the exponentials, not by the root of the sum of their squares.", quotient,
         SET(s.divide_by = DivideBy::length)},

        {"the shift", "per-token shift for every stabilizer",
         "Stabilizer::per_sequence means one shift for all tokens of a head: otherwise each key is reweighted.", shift,
         SET(s.shift_per_sequence = Group::token)},
        {"the shift", "per-sequence shift for every stabilizer",
         "Stabilizer::per_token means each token's own maximum, so that its largest feature is 1.", shift,
         SET(s.shift_per_token = Group::head)},
        {"the shift", "stabilizers exchanged",
         "per_token takes the maximum over a token; per_sequence over all tokens of a head as well.", shift,
         SET(std::swap(s.shift_per_token, s.shift_per_sequence))},
        {"the shift", "one shift for all heads",
         "Take the maximum within a head, not over leading axes: a head with large entries would make the others "
         "underflow to 0.",
         shift, SET(s.shift_per_sequence = Group::array)},
        {"the shift", "every token shifted by the maximum of the first",
         "Stabilizer::per_token means each token's own maximum, not that of token 0.", shift,
         SET(s.shift_per_token = Group::first_token)},
        {"the shift", "a head shifted by the maximum of its first token",
         "per_sequence means the largest entry of all tokens of the head, not that of token 0.", shift,
         SET(s.shift_per_sequence = Group::first_token)},
        {"the shift", "maximum of the tokens before not reset",
         "Stabilizer::per_token means each token's own maximum: begin it anew for each token.", shift,
         SET(s.shift_per_token = Group::token_and_earlier)},
        {"the shift", "running maximum instead of the head's",
         "All tokens of a head share one shift: find the largest entry of them all first.", shift,
         SET(s.shift_per_sequence = Group::head_so_far)},
        {"the shift", "one shift for each channel",
         "per_sequence means one number for a whole head: take the maximum over the tokens and over their channels.",
         shift, SET(s.shift_per_sequence = Group::channel)},
        {"the shift", "maximum over the tokens, for each channel",
         "Take the maximum along the last axis, -1, over the entries of a token; per_sequence also over the tokens.",
         shift, SET(share_shift(s, Group::channel))},
        {"the shift", "per token: one shift for each channel",
         "Stabilizer::per_token means each token's own maximum: along the last axis, -1.", shift,
         SET(s.shift_per_token = Group::channel)},
        {"the shift", "a head shifted by the maximum of its last token",
         "per_sequence means the largest entry of all tokens of the head, not that of the last one.", shift,
         SET(s.shift_per_sequence = Group::last_token)},
        {"the shift", "each entry shifted by the maximum so far, per token",
         "All entries of a token share one shift: find the largest of them all first.", shift,
         SET(s.shift_per_token = Group::token_so_far)},
        {"the shift", "divided by the largest exponential",
         "Subtract the maximum before exp: e^x / e^max is ∞/∞ for large entries, and 0/0 far below 0.", shift,
         SET(s.shift_at = ShiftAt::divided_after_exp)},
        {"the shift", "no shift at all", "Subtract the maximum before exp: entries of about 710 overflow without it.",
         shift, SET(share_shift(s, Group::none))},
        {"the shift", "shift added instead of subtracted", "Subtract the shift: no feature may exceed 1.", shift,
         SET(s.shift = -1.0)},
        {"the shift", "shift subtracted after the exponential",
         "Subtract the maximum from the entries, before exp: exp(x - shift).", shift,
         SET(s.shift_at = ShiftAt::subtracted_after_exp)},
        {"the shift", "shift subtracted twice", "Subtract the shift once: the largest feature is 1.", shift,
         SET(s.shift = 2.0)},
        {"the shift", "mean subtracted instead of the maximum", "Subtract the maximum: only then no feature exceeds 1.",
         exponentials, SET(s.shift_by = ShiftBy::mean)},
        {"the shift", "logarithm of the sum of exponentials subtracted",
         "That makes the features add up to 1, which is softmax_features: subtract the maximum.", shift,
         SET(s.shift_by = ShiftBy::log_of_sum)},
        {"the shift", "sum subtracted instead of the maximum", "Subtract the maximum: only then no feature exceeds 1.",
         exponentials, SET(s.shift_by = ShiftBy::sum)},
        {"the shift", "largest absolute value subtracted",
         "Subtract the largest entry: the size of a large negative one would make all features underflow to 0.", shift,
         SET(s.shift_by = ShiftBy::largest_absolute)},
        {"the shift", "maximum starts at zero", "Start from -∞, or from the first entry: a token may be negative.",
         shift, SET(s.shift_by = ShiftBy::largest_above_zero)},
        {"the sum", "divided by the token's sum", "That is softmax_features; here the feature is exp(x - shift).",
         shift, SET(s.divided_over = Group::token)},
        {"the sum", "divided by the head's sum", "Nothing is divided here: the feature is exp(x - shift).", shift,
         SET(s.divided_over = Group::head)},
        {"the exponential", "base 2 instead of e", "The features are powers of e: exp, not exp2.", exponentials,
         SET(s.exponent = std::log(2.0))},
        {"the exponential", "base 2, exponents multiplied by ln 2 instead of divided",
         "e^x is 2^(x / ln 2): the exponent of 2 is x times 1.44, not times 0.69.", exponentials,
         SET(s.exponent = std::log(2.0) * std::log(2.0))},
        {"the exponential", "exponents divided by ln 2, but base e",
         "x / ln 2 is the exponent of 2, for exp2: exp takes x itself.", exponentials,
         SET(s.exponent = 1.0 / std::log(2.0))},
        {"", "logarithm of the features", "Return the exponentials, not their exponents.", exponentials,
         SET(s.logarithm = true)},

        {"the pairs", "squares only",
         "The square of a dot product also contains products of different entries: list all d² products.", products,
         SET(s.pairs = Pairs::squares)},
        {"the pairs", "upper triangle without the factor sqrt 2",
         "With only a ≤ b, the mixed products count half: list both x_a x_b and x_b x_a, d² products in all.", products,
         SET(s.pairs = Pairs::upper)},
        {"the pairs", "products with a > b left at 0", "List all d² products: x_a x_b also where a > b.", products,
         SET(s.pairs = Pairs::upper_in_place)},
        {"the pairs", "upper triangle with the factor sqrt 2, not all d² products",
         "That has the same dot product, but the contract lists all d² products, x_a x_b and x_b x_a.", products,
         SET(s.pairs = Pairs::upper_weighted)},
        {"the pairs", "√2 times the products with a < b, those with a > b left at 0",
         "That has the same dot product, but the contract lists all d² products, x_a x_b and x_b x_a.", products,
         SET(s.pairs = Pairs::upper_in_place, s.of_different = std::sqrt(2.0))},
        {"the pairs", "products with a < b left at 0", "List all d² products: x_a x_b also where a < b.", products,
         SET(s.pairs = Pairs::lower_in_place)},
        {"the pairs", "products of different entries left at 0",
         "List all d² products: x_a x_b also where a differs from b.", products,
         SET(s.pairs = Pairs::squares_in_place)},
        {"the pairs", "products of token i stored from i·d on",
         "A token has d² products: those of token i begin at i·d², or the next token's overwrite them.", products,
         SET(s.tokens_overlap = true)},
        {"the pairs", "squares left at 0", "The squares x_a x_a belong to the list as well.", products,
         SET(s.pairs = Pairs::different_in_place)},
        {"the pairs", "lower triangle", "List all d² products, x_a x_b and x_b x_a.", products,
         SET(s.pairs = Pairs::lower)},
        {"the pairs", "products of different entries only", "The squares x_a x_a belong to the list as well.", products,
         SET(s.pairs = Pairs::different)},
        {"the pairs", "squares before the other products",
         "Feature a·d + b is x_a x_b: row by row, squares among them.", products, SET(s.pairs = Pairs::squares_first)},
        {"the pairs", "x itself before the products", "The features are the d² products and nothing else.", products,
         SET(s.pairs = Pairs::after_x)},
        {"the products", "absolute value of one factor", "Multiply the entries as they are, with their signs.",
         products, SET(s.product = Product::absolute_second)},
        {"the products", "sums instead of products", "Feature a·d + b is the product x_a x_b.", products,
         SET(s.product = Product::sum)},
        {"the products", "quotients instead of products", "Feature a·d + b is the product x_a x_b.", products,
         SET(s.product = Product::quotient)},
        {"the products", "square of the first factor, d times",
         "Feature a·d + b is x_a x_b: the second factor is that of b.", products,
         SET(s.product = Product::first_twice)},
        {"the products", "square of the second factor, d times",
         "Feature a·d + b is x_a x_b: the first factor is that of a.", products,
         SET(s.product = Product::second_twice)},
        {"the products", "second factor squared", "Feature a·d + b is x_a x_b: multiply each factor once.", products,
         SET(s.product = Product::second_squared)},
        {"the products", "differences instead of products", "Feature a·d + b is the product x_a x_b.", products,
         SET(s.product = Product::difference)},
        {"the products", "first factor squared", "Feature a·d + b is x_a x_b: multiply each factor once.", products,
         SET(s.product = Product::first_squared)},

        {"the entries", "sign of x turned", "Apply the map to x, not to -x.", signs, SET(s.entries = Entries::negated)},
        {"the entries", "map of |x|", "Negative entries keep their sign in the map.", absolute,
         SET(s.entries = Entries::absolute)},
        {"the entries", "products of absolute values", "Multiply the entries as they are, with their signs.", products,
         SET(s.entries = Entries::absolute)},
        {"the entries", "map of x²", "Apply the map to the entries themselves, not to their squares.", 0,
         SET(s.entries = Entries::squared)},
        {"the features", "features squared", "The feature is that of the formula, not its square.", cut,
         SET(s.squared = true)},
        {"the features", "features squared", "The feature is that of the formula, not its square.", one,
         SET(s.squared = true)},
        {"the features", "features squared", "The feature is that of the formula, not its square.", quotient,
         SET(s.squared = true)},
        {"the features", "sign of the features turned",
         "Features have the sign that the formula gives them: nothing turns it.", one, SET(s.factor = -1.0)},
        {"the features", "sign of the features turned",
         "Features have the sign that the formula gives them: nothing turns it.", cut, SET(s.factor = -1.0)},
        {"the features", "sign of the features turned",
         "Features have the sign that the formula gives them: nothing turns it.", exponentials, SET(s.factor = -1.0)},
        {"the features", "sign of the features turned",
         "Features have the sign that the formula gives them: nothing turns it.", products, SET(s.factor = -1.0)},
        {"the factor", "features scaled by 1/√d", "Nothing is scaled here: the map has no further factor.", 0,
         SET(s.over_d = 0.5)},
        {"the factor", "features scaled by 1/d", "Nothing is scaled here: the map has no further factor.", 0,
         SET(s.over_d = 1.0)},
        {"the factor", "exponents scaled by 1/√d", "The scale belongs to the scores of softmax attention, not here.",
         exponentials, SET(s.exponent_over_d = 0.5)},
        {"the factor", "exponents scaled by 1/d", "The scale belongs to the scores of softmax attention, not here.",
         exponentials, SET(s.exponent_over_d = 1.0)},
        {"the length", "normalised to unit length",
         "Do not divide by the token's length: that is cosine similarity, another map.", neither,
         SET(s.divided_over = Group::token, s.divide_by = DivideBy::length)},
        {"the length", "features normalised to unit length", "Nothing is divided here: the features keep their length.",
         length, SET(s.divided_over = Group::token, s.divide_by = DivideBy::length)},
        {"the length", "features divided by their sum", "Nothing is divided here.", one,
         SET(s.divided_over = Group::token)},
        {"", "map applied twice", "Apply the map once.", repeatable, SET(s.times = 2)},
        {"the loop", "last entry left as it is", "The last entry is x.size() - 1: the loop runs while e < x.size().",
         in_place, SET(s.left_out = LeftOut::last, s.left_out_at_0 = false)},
        {"the loop", "last entry left at 0", "The last feature has a value, too: the loop ends before y.size().", 0,
         SET(s.left_out = LeftOut::last)},
        {"the loop", "first entry left as it is", "Entries are counted from 0: the loop begins there.", in_place,
         SET(s.left_out = LeftOut::first, s.left_out_at_0 = false)},
        {"the loop", "first entry left at 0", "Entries are counted from 0: the loop begins there.", 0,
         SET(s.left_out = LeftOut::first)},
        {"the loop", "last entry of each token left as it is",
         "The last entry of a token is d - 1: the loop runs while a < d.", in_place,
         SET(s.left_out = LeftOut::last_of_each_token, s.left_out_at_0 = false)},
        {"the loop", "last feature of each token left at 0",
         "The last feature of a token has a value, too: the loop reaches it.", 0,
         SET(s.left_out = LeftOut::last_of_each_token)},
        {"the loop", "last token left as it is", "The last token is n - 1: the loop runs over all of them.",
         in_place | by_token, SET(s.left_out = LeftOut::last_token, s.left_out_at_0 = false)},
        {"the loop", "last token left at 0", "The last token is n - 1: the loop runs over all of them.", by_token,
         SET(s.left_out = LeftOut::last_token)},
        {"the loop", "all but the first row left as they are",
         "One index reaches the first row alone: a tensor of any shape has x.size() entries, in x.data().", in_place,
         SET(s.left_out = LeftOut::all_but_first_token, s.left_out_at_0 = false)},
        {"the loop", "all but the first row left at 0",
         "One index reaches the first row alone: a tensor of any shape has x.size() entries, in x.data().", 0,
         SET(s.left_out = LeftOut::all_but_first_token)},
        {"the digits", "rounded to float", "Compute in double, 2.0 and not 2.0f: float keeps 7 digits.", 0,
         SET(s.precision = Precision::as_float)},
        {"the digits", "rounded to whole numbers",
         "An int has no fraction: use double, and std::abs instead of abs for int.", 0,
         SET(s.precision = Precision::whole)},
    };
    return all;
}

const std::vector<NumberMutation<Settings>>& numbers() {
    using namespace has;
    static const std::vector<NumberMutation<Settings>> all{
        {"the line %s x + 1 below 0", "That is leaky relu plus one: below 0 the map is e^x, which stays above 0.", one,
         SET_TO(s.below = Piece{x, 1.0}), 1e-4, 10.0},
        {"the line %s x below 0", "That is leaky relu: below 0 the map is e^x, which stays above 0.", one,
         SET_TO(s.below = Piece{x}), 1e-4, 10.0},
        {"elu plus one with α = %s", "α is 1: below 0 the map is (e^x - 1) + 1, e^x itself.", one,
         SET_TO(s.below = Piece{0.0, 1.0 - x, x}), 1e-3, 1e3},
        {"e^x multiplied by %s below 0", "Below 0 the map is e^x as it is.", one, SET_TO(s.below.amount = x), 1e-3,
         1e3},
        {"e^(%s x) below 0", "Below 0 the map is e^x.", one, SET_TO(s.below.sign = x), 1e-2, 1e2},
        {"exponents cut off at -%s", "Nothing is cut off: e^x is small and right far below 0.", one,
         SET_TO(s.least_exponent = -x), 1.0, 700.0},
        {"%s added to x above 0", "Above 0 the map is x + 1.", one, SET_TO(s.above.constant = x), 1e-6, 1e3},
        {"%s x + 1 above 0", "Above 0 the map is x + 1.", one, SET_TO(s.above.slope = x), 1e-3, 1e3},
        {"slope of %s below 0", "Negative entries become 0.", cut, SET_TO(s.below.slope = x), 1e-6, 1e3},
        {"clipped at %s", "There is no ceiling: positive entries stay as they are.", cut, SET_TO(s.ceiling = x), 1e-3,
         1e6},
        {"exponents multiplied by %s", "The exponents are the entries minus the shift, without a factor.", exponentials,
         SET_TO(s.exponent = x), 1e-2, 1e2},
        {"%s added to the sum", "Nothing is added: the largest exponential is 1, so the sum is never 0.", quotient,
         SET_TO(s.epsilon = x), 1e-16, 1e3},
        {"products of different entries multiplied by %s",
         "Both x_a x_b and x_b x_a are listed, each without a factor: then the dot product has the mixed terms twice.",
         products, SET_TO(s.of_different = x), 1e-3, 1e3},
        {"squares multiplied by %s", "The squares x_a x_a have no factor.", products, SET_TO(s.of_squares = x), 1e-3,
         1e3},
        {"raised to at least %s", "Nothing is raised: the features are those of the formula, however small.", 0,
         SET_TO(s.floor = x), 1e-16, 1e3},
        {"%s added to every feature", "Nothing is added to the formula.", 0, SET_TO(s.added = x), 1e-16, 1e3},
        {"%s subtracted from every feature", "Nothing is subtracted from the formula.", 0, SET_TO(s.added = -x), 1e-16,
         1e3},
        {"every feature multiplied by %s", "The map has no further factor.", 0, SET_TO(s.factor = x), 1e-6, 1e6},
    };
    return all;
}

const MutationTable<Settings>& table() {
    static const MutationTable<Settings> both{mutations(), numbers()};
    return both;
}

// The exercises as definitions whose settings are changed --------------------------------------------------------------

Tensor of_entries(const Settings& settings, const Tensor& x) {
    return features_by_settings(x, Stabilizer::per_token, settings);
}
Tensor softmax(const Settings& settings, const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)", "softmax_features");
    return of_entries(settings, x);
}
Tensor shifted(const Settings& settings, const Tensor& x, Stabilizer stabilizer) {
    require_rank(x, "x", 2, "(…, n, d)", "exp_features");
    return features_by_settings(x, stabilizer, settings);
}
Tensor polynomial(const Settings& settings, const Tensor& x) {
    require_rank(x, "x", 1, "(…, d)", "polynomial_features");
    return of_entries(settings, x);
}

const MutationsOf elu_mutations("elu_plus_one", table(),
                                has::one | has::signs | has::absolute | has::repeatable | has::length | has::in_place,
                                elu_plus_one_settings(), &of_entries);
const MutationsOf relu_mutations("relu", table(), has::cut | has::signs | has::length | has::in_place, relu_settings(),
                                 &of_entries);
const MutationsOf identity_mutations("identity", table(), has::neither | has::signs, identity_settings(), &of_entries);
const MutationsOf softmax_mutations("softmax_features", table(),
                                    has::exponentials | has::quotient | has::signs | has::absolute | has::repeatable |
                                        has::in_place | has::by_token,
                                    softmax_settings(), &softmax);
const MutationsOf exp_mutations("exp_features", table(),
                                has::exponentials | has::shift | has::signs | has::absolute | has::repeatable |
                                    has::in_place | has::by_token | has::length,
                                exp_settings(), &shifted);
const MutationsOf polynomial_mutations("polynomial_features", table(), has::products | has::length | has::by_token,
                                       polynomial_settings(), &polynomial);

// Calls made for the diagnosis alone: all sizes different, several leading axes, entries of both signs.
const Tensor input() { return random_tensor({2, 3, 4, 5}, 901); }

template <class Map>
std::vector<Run> probes_of(Map* map) {
    return {probe(map, input())};
}
const Probes elu_probes("elu_plus_one", [] { return probes_of(&linattn::elu_plus_one); });
const Probes relu_probes("relu", [] { return probes_of(&linattn::relu); });
const Probes identity_probes("identity", [] { return probes_of(&linattn::identity); });
const Probes softmax_probes("softmax_features", [] { return probes_of(&linattn::softmax_features); });
const Probes polynomial_probes("polynomial_features", [] { return probes_of(&linattn::polynomial_features); });
const Probes exp_probes("exp_features", [] {
    return std::vector{probe(&linattn::exp_features, input(), Stabilizer::per_token),
                       probe(&linattn::exp_features, input(), Stabilizer::per_sequence)};
});

}  // namespace linattn::testing::mutations
