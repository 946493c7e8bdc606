// Common mistakes in random features, in attention with them, and in the variance of their estimate.
#include "mutations.hpp"

#include <algorithm>
#include <cmath>

#include "attention_mutations.hpp"
#include "random_feature_definition.hpp"

namespace linattn::testing::mutations {

// The features --------------------------------------------------------------------------------------------------------

using Features = RandomFeatureSettings;

// Which of the two kinds of features has a mutation.
const unsigned positive = 1u << 0, trigonometric = 1u << 1;

const MutationTable<Features>& feature_mutations() {
    static const MutationTable<Features> table{
        {
            {"the scale", "input not scaled by d^(-1/4)", "Scale x first: q̂·k̂ must be q·k/√d, not q·k.", 0,
             SET(s.scale = 0.0)},
            {"the scale", "scaled by 1/√d instead of d^(-1/4)",
             "Query and key are both scaled, each by the root of 1/√d.", 0, SET(s.scale = 0.5)},
            {"the scale", "scaled by 1/d instead of d^(-1/4)",
             "Query and key are both scaled, each by the root of 1/√d.", 0, SET(s.scale = 1.0)},
            {"the scale", "directions scaled by d^(-1/4), too", "x̂ has the scale already: W is used as it is.", 0,
             SET(s.scale = 0.5, s.norm_scale = 0.25)},
            {"the scale", "multiplied by d^(1/4)", "Divide x by d^(1/4).", 0, SET(s.scale = -0.25)},
            {"the scale", "scaled with m in place of d",
             "The scale comes from the width of a token, d; m is the number of directions.", 0,
             SET(s.d_is = WidthTaken::directions)},
            {"the scale", "scaled with the length of the first axis in place of d",
             "The width of a token is the last axis: length(x, -1).", 0, SET(s.d_is = WidthTaken::first_axis)},
            {"the scale", "scaled with the number of tokens in place of d",
             "The width of a token is the last axis: length(x, -1).", 0, SET(s.d_is = WidthTaken::tokens)},
            {"the norm", "norm of the unscaled input",
             "The norm is that of x̂, the scaled input, as in the product with W.", 0, SET(s.norm_scale = 0.0)},
            {"the norm", "norm left out", "Subtract ‖x̂‖²/2: the mean of e^(w·x̂) is e^(‖x̂‖²/2), not 1.", positive,
             SET(s.norm = 0.0)},
            {"the norm", "norm left out",
             "Without e^(‖x̂‖²/2) the product estimates e^(-‖q̂-k̂‖²/2), the Gaussian kernel.", trigonometric,
             SET(s.norm = 0.0)},
            {"the norm", "norm added instead of subtracted", "Subtract ‖x̂‖²/2. Only sines and cosines add it.",
             positive, SET(s.norm = -s.norm)},
            {"the norm", "sign of the norm", "Here the norm is added: e^(+‖x̂‖²/2). Only positive features subtract it.",
             trigonometric, SET(s.norm = -s.norm)},
            {"the norm", "norm not squared", "The norm is squared: ‖x̂‖²/2 is half the sum of squares, without a root.",
             0, SET(s.norm_of = NormOf::token_not_squared)},
            {"the norm", "norm not halved", "The exponent contains half of ‖x̂‖².", 0, SET(s.norm *= 2.0)},
            {"the norm", "norm halved twice", "The exponent contains half of ‖x̂‖², not a quarter.", 0,
             SET(s.norm *= 0.5)},
            {"the norm", "mean of the squares instead of their sum",
             "‖x̂‖² is the sum of the squares of x̂: their mean is d times too small.", 0,
             SET(s.norm_of = NormOf::mean_of_squares)},
            {"the norm", "entries added up, not their squares",
             "‖x̂‖² is the sum of the squares of x̂: multiply each entry by itself.", 0,
             SET(s.norm_of = NormOf::sum_of_entries)},
            {"the norm", "square of the sum of the entries",
             "‖x̂‖² is the sum of the squares of x̂: square each entry, then add up.", 0,
             SET(s.norm_of = NormOf::square_of_sum)},
            {"the norm", "sum of the absolute entries as the norm",
             "‖x̂‖² is the sum of the squares of x̂, not the square of the sum of |x̂_a|.", 0,
             SET(s.norm_of = NormOf::square_of_sizes)},
            {"the norm", "largest entry as the norm", "‖x̂‖² is the sum of the squares of x̂, not the largest of them.",
             0, SET(s.norm_of = NormOf::largest_square)},
            {"the norm", "norm of the projections, not of x̂",
             "‖x̂‖² is that of the scaled input. The mean of (w_r·x̂)² is an estimate of it, and a rough one.", 0,
             SET(s.norm_of = NormOf::projections)},
            {"the norm", "norm doubled instead of halved", "The exponent contains half of ‖x̂‖².", 0,
             SET(s.norm *= 4.0)},
            {"the kind", "base 2 instead of e", "The features are powers of e: exp, not exp2.", 0,
             SET(s.exponent = std::log(2.0))},
            {"the kind", "base 2, exponents multiplied by ln 2 instead of divided",
             "e^x is 2^(x / ln 2): the exponent of 2 is x times 1.44, not times 0.69.", 0,
             SET(s.exponent = std::log(2.0) * std::log(2.0))},
            {"the kind", "exponents divided by ln 2, but base e",
             "x / ln 2 is the exponent of 2, for exp2: exp takes x itself.", 0, SET(s.exponent = 1.0 / std::log(2.0))},
            {"the norm", "norm of the direction", "The norm is that of the token x̂, not of w_r.", 0,
             SET(s.norm_of = NormOf::direction)},
            {"the norm", "norm of the whole head", "Each token has a norm of its own: sum along the last axis only.",
             trigonometric, SET(s.norm_of = NormOf::head)},
            {"the norm", "norm of the first token for all",
             "Each token has a norm of its own: sum along the last axis, for every token.", 0,
             SET(s.norm_of = NormOf::first_token)},
            {"the norm", "whole exponent halved", "w·x̂ is not halved: only ‖x̂‖² is, w·x̂ - ‖x̂‖²/2.", positive,
             SET(s.along = 0.5)},
            {"the norm", "halved outside the exponential",
             "The half belongs into the exponent: e^(‖x̂‖²/2), not e^(‖x̂‖²)/2.", trigonometric,
             SET(s.norm = 1.0, s.factor = 0.5)},
            {"the scale", "inputs divided by their length",
             "Queries and keys keep their lengths: the kernel is exp(q·k/√d), not of their directions alone.", 0,
             SET(s.unit_input = true)},
            {"the kind", "ReLU instead of the exponential",
             "That is another kernel: these features estimate exp(q·k/√d).", positive, SET(s.relu = true)},
            {"the directions", "directions in another order",
             "Feature r belongs to row r of W, for queries and keys alike.", 0,
             SET(s.directions = Directions::reversed)},
            {"the directions", "W reshaped in place of transposed",
             "A reshape leaves the numbers in their order, so that directions are mixed: matrix_transpose exchanges "
             "rows and columns.",
             0, SET(s.directions = Directions::reshaped)},
            {"the directions", "features of the last direction left at 0",
             "The last direction is m - 1: the loop runs while r < m.", 0, SET(s.left_out = LeftOut::last_direction)},
            {"the directions", "features of the first direction left at 0",
             "Directions are counted from 0: the loop begins there.", 0, SET(s.left_out = LeftOut::first_direction)},
            {"the directions", "last token left at 0", "The last token is n - 1: the loop runs over all of them.", 0,
             SET(s.left_out = LeftOut::last_token)},
            {"the directions", "directions made length 1", "Use the rows of W as they are, with their lengths.", 0,
             SET(s.directions = Directions::of_length_1)},
            {"the directions", "directions scaled by 1/√d", "Use the rows of W as they are: x̂ already has the scale.",
             0, SET(s.directions = Directions::over_root_d)},

            {"the factor", "1/√m left out",
             "The product of two features is a sum over m directions: divide each feature by √m for a mean.", 0,
             SET(s.over_m = 0.0)},
            {"the factor", "divided by m instead of √m", "Query and key both have the factor: 1/√m on each makes 1/m.",
             0, SET(s.over_m = 1.0)},
            {"the factor", "multiplied by √m", "Divide each feature by √m.", 0, SET(s.over_m = -0.5)},
            {"the factor", "divided by √d instead of √m",
             "The mean is over the m directions: divide by the root of their number, not of the width.", 0,
             SET(s.over_m = 0.0, s.over_d = 0.5)},
            {"the factor", "divided by their sum over the directions",
             "That is a softmax, whose products estimate no kernel: divide each feature by √m.", positive,
             SET(s.over_sum = true)},
            {"the factor", "divided by √(2m)",
             "There are 2m features but m directions: cos and sin of one direction count once.", trigonometric,
             SET(s.factor = std::sqrt(0.5))},
            {"the factor", "√(2/m) instead of 1/√m",
             "√(2/m) goes with cosines of random phases; with cosines and sines the factor is 1/√m.", trigonometric,
             SET(s.factor = std::sqrt(2.0))},

            {"the kind", "sines and cosines instead of exponentials",
             "Those are the features of 4.4, which can give negative weights.", positive,
             SET(s = trigonometric_settings())},
            {"the waves", "cosines only", "You need both: cos a cos b + sin a sin b = cos(a - b).", trigonometric,
             SET(s.waves = Waves::cosines)},
            {"the waves", "sines only", "You need both: cos a cos b + sin a sin b = cos(a - b).", trigonometric,
             SET(s.waves = Waves::sines)},
            {"the waves", "cosines in both halves", "The second half are the sines.", trigonometric,
             SET(s.waves = Waves::cosines_twice)},
            {"the waves", "sines before cosines", "First all cosines, then all sines.", trigonometric,
             SET(s.waves = Waves::sines_cosines)},
            {"the waves", "cosines and sines alternate", "First all cosines, then all sines.", trigonometric,
             SET(s.waves = Waves::alternating)},
            {"the waves", "-sin instead of sin", "The second half is sin w_r·x̂, with a plus.", trigonometric,
             SET(s.waves = Waves::opposite_sines)},

            {"the waves", "sines of the cosines",
             "The sine is that of the angle w_r·x̂: keep the angle until both are computed.", trigonometric,
             SET(s.waves = Waves::sines_of_cosines)},
            {"the waves", "cosines and sines added",
             "Each direction has two features: put the sines after the cosines.", trigonometric,
             SET(s.waves = Waves::added)},
            {"the norm", "e^(‖x̂‖²/2) on the cosines only",
             "Cosines and sines have the same factor: put it behind the brackets.", trigonometric,
             SET(s.growth_on = FactorOn::cosines)},
            {"the norm", "e^(‖x̂‖²/2) on the sines only",
             "Cosines and sines have the same factor: put the two in brackets.", trigonometric,
             SET(s.growth_on = FactorOn::sines)},
            {"the factor", "1/√m on the cosines only",
             "Cosines and sines have the same factor: put it behind the brackets.", trigonometric,
             SET(s.factor_on = FactorOn::cosines)},
            {"the factor", "1/√m on the sines only", "Cosines and sines have the same factor: put the two in brackets.",
             trigonometric, SET(s.factor_on = FactorOn::sines)},
            {"the waves", "angles times 2π", "The angle is w_r·x̂: W is drawn from N(0, 1), which has no 2π.",
             trigonometric, SET(s.along = 2.0 * 3.14159265358979323846)},
            {"the waves", "sines of the unscaled input", "Cosines and sines have the same angle, w_r·x̂.", trigonometric,
             SET(s.sines_unscaled = true)},

            {"the shift", "per-token shift for every stabilizer",
             "Stabilizer::per_sequence means one shift for all tokens of a head: otherwise each key is reweighted.",
             positive, SET(s.per_sequence = ShiftOver::token)},
            {"the shift", "per-sequence shift for every stabilizer",
             "Stabilizer::per_token means each token's own largest exponent.", positive,
             SET(s.per_token = ShiftOver::head)},
            {"the shift", "stabilizers exchanged",
             "per_token takes the maximum over a token's directions; per_sequence over all tokens as well.", positive,
             SET(std::swap(s.per_token, s.per_sequence))},
            {"the shift", "one shift for each direction, for every stabilizer",
             "Take the maximum along the last axis, -1, over the directions; per_sequence also over the tokens.",
             positive, SET(s.per_token = s.per_sequence = ShiftOver::direction)},
            {"the shift", "per token: one shift for each direction",
             "Stabilizer::per_token means each token's own largest exponent: along the last axis, -1.", positive,
             SET(s.per_token = ShiftOver::direction)},
            {"the shift", "a head shifted by the maximum of its first token",
             "per_sequence means the largest exponent of all tokens of the head, not that of token 0.", positive,
             SET(s.per_sequence = ShiftOver::first_token)},
            {"the shift", "a head shifted by the maximum of its last token",
             "per_sequence means the largest exponent of all tokens of the head: do not begin it anew for each token.",
             positive, SET(s.per_sequence = ShiftOver::last_token)},
            {"the shift", "running maximum instead of the head's",
             "All tokens of a head share one shift: find the largest exponent of them all first.", positive,
             SET(s.per_sequence = ShiftOver::tokens_so_far)},
            {"the shift", "maximum of the tokens before not reset",
             "Stabilizer::per_token means each token's own maximum: begin it anew for each token.", positive,
             SET(s.per_token = ShiftOver::tokens_so_far)},
            {"the shift", "maximum of the tokens and heads before not reset",
             "Each token, or with Stabilizer::per_sequence each head, has a maximum of its own: begin it anew.",
             positive, SET(s.per_token = ShiftOver::rows_so_far, s.per_sequence = ShiftOver::heads_so_far)},
            {"the shift", "maximum of the heads before not reset",
             "Stabilizer::per_sequence means each head's own maximum: begin it anew for each head.", positive,
             SET(s.per_sequence = ShiftOver::heads_so_far)},
            {"the shift", "maximum starts at zero",
             "Start from -∞, or from the first exponent: all of a token's may be negative.", positive,
             SET(s.shift_by = ShiftBy::largest_above_zero)},
            {"the shift", "largest absolute exponent subtracted",
             "Subtract the largest exponent: the size of a very negative one would make all features underflow to 0.",
             positive, SET(s.shift_by = ShiftBy::largest_absolute)},
            {"the shift", "shift subtracted twice", "Subtract the shift once: the largest feature is 1/√m.", positive,
             SET(s.shift = 2.0)},
            {"the shift", "divided by the largest exponential",
             "Subtract the largest exponent before exp: divided afterwards, large ones are ∞/∞ and small ones 0/0.",
             positive, SET(s.divided_by_largest = true)},
            {"the shift", "one shift for each direction",
             "per_sequence means one maximum for the whole head: over the directions, and then over the tokens.",
             positive, SET(s.per_sequence = ShiftOver::direction)},
            {"the shift", "shift without the norm",
             "The shift is the largest of the whole exponent, w·x̂ - ‖x̂‖²/2: then the largest feature is 1/√m.",
             positive, SET(s.shift_by = ShiftBy::largest_without_norm)},
            {"the shift", "one shift for all heads",
             "Take the maximum over the tokens and directions of one head, not over leading axes.", positive,
             SET(s.per_sequence = ShiftOver::array)},
            {"the shift", "no shift at all", "Subtract the largest exponent before exp.", positive,
             SET(s.per_token = s.per_sequence = ShiftOver::nothing)},
            {"the shift", "smallest exponent subtracted", "Subtract the largest exponent: no feature exceeds 1/√m.",
             positive, SET(s.shift_by = ShiftBy::smallest)},
            {"the shift", "mean exponent subtracted", "Subtract the largest exponent: no feature exceeds 1/√m.",
             positive, SET(s.shift_by = ShiftBy::mean)},
            {"the shift", "shift added instead of subtracted", "Subtract the shift: no feature exceeds 1/√m.", positive,
             SET(s.shift = -1.0)},
        },
        {
            {"‖x̂‖² times %s subtracted", "Half of ‖x̂‖² is subtracted.", positive, SET_TO(s.norm = -x), 1e-3, 1e2},
            {"‖x̂‖² times %s added", "Half of ‖x̂‖² is added.", trigonometric, SET_TO(s.norm = x), 1e-3, 1e2},
            {"%s in place of m", "m is the number of rows of W: length(W, 0).", 0, SET_TO(s.m = x), 1e-1, 1e9},
            {"%s in place of d", "d is the width of x: length(x, -1).", 0, SET_TO(s.d = x), 1e-1, 1e6},
            {"%s added to every feature", "Nothing is added: ε belongs in the denominator of the attention.", 0,
             SET_TO(s.added = x), 1e-16, 1e3},
            {"%s added to every exponential", "Nothing is added: ε belongs in the denominator of the attention.",
             positive, SET_TO(s.added_before = x), 1e-16, 1e3},
            {"every feature multiplied by %s", "1/√m is the only factor.", 0, SET_TO(s.factor = x), 1e-6, 1e6},
        }};
    return table;
}

void require_features(const Tensor& x, const Tensor& W, const char* caller) {
    require_rank(x, "x", 2, "(…, n, d)", caller);
    require_rank(W, "W", 2, "(m, d)", caller);
    require_shape(W, "W", {length(W, 0), length(x, -1)}, "(m, d), with the d of x,", caller);
}
Tensor positive_features_of(const Features& settings, const Tensor& x, const Tensor& W, Stabilizer stabilizer) {
    require_features(x, W, "positive_random_features");
    return random_features_by_settings(x, W, stabilizer, settings);
}
Tensor trigonometric_features_of(const Features& settings, const Tensor& x, const Tensor& W) {
    require_features(x, W, "trigonometric_random_features");
    return random_features_by_settings(x, W, Stabilizer::per_token, settings);
}

const MutationsOf positive_mutations("positive_random_features", feature_mutations(), positive, Features{},
                                     &positive_features_of);
const MutationsOf trigonometric_mutations("trigonometric_random_features", feature_mutations(), trigonometric,
                                          trigonometric_settings(), &trigonometric_features_of);

// Attention with them -------------------------------------------------------------------------------------------------

struct Favor {
    Features Q, K;
    bool K_from_Q = false, as_many_directions_as_d = false;
    double epsilon_of_Q = 0.0, epsilon_of_K = 0.0;  ///< how often ε is added to every feature …
    bool epsilon_of_exponentials = false;           ///< … before they are divided by √m
    AttentionSettings attention;
    bool operator==(const Favor&) const = default;
};

Favor divided() {
    Favor right;
    right.attention.divisor = Divisor::sum;
    return right;
}

MutationTable<Favor> own_and_of_attention() {
    MutationTable<Favor> table{
        {
            {"the shifts", "per-token shift on the keys",
             "A separate shift for each key reweights the keys. They need Stabilizer::per_sequence; per_token is for "
             "queries.",
             0, SET(s.K.per_sequence = ShiftOver::token)},
            {"the shifts", "per-sequence shift on the queries",
             "Queries need Stabilizer::per_token: with the head's shift, ε has more weight for queries with small "
             "exponents.",
             0, SET(s.Q.per_token = ShiftOver::head)},
            {"the shifts", "stabilizers exchanged",
             "Stabilizer::per_token is for queries, Stabilizer::per_sequence for keys.", 0,
             SET(std::swap(s.Q.per_token, s.K.per_sequence))},
            {"ε", "ε added to the features", "Add ε to the denominator: added to the features, it changes the weights.",
             0, SET(s.epsilon_of_Q = s.epsilon_of_K = 1.0, s.attention.epsilon = Epsilon::missing)},
            {"ε", "ε added to the keys' features, not to the sum",
             "Add ε to the denominator: added to the features, it changes the weights.", 0,
             SET(s.epsilon_of_K = 1.0, s.attention.epsilon = Epsilon::missing)},
            {"ε", "ε added to the queries' features, not to the sum",
             "Add ε to the denominator: added to the features, it changes the weights.", 0,
             SET(s.epsilon_of_Q = 1.0, s.attention.epsilon = Epsilon::missing)},
            {"ε", "ε added to the exponentials of the features, not to the sum",
             "performer-pytorch does so; here ε is added to the denominator, where it does not change the weights.", 0,
             SET(s.epsilon_of_Q = s.epsilon_of_K = 1.0, s.epsilon_of_exponentials = true,
                 s.attention.epsilon = Epsilon::missing)},
            {"ε", "ε added to the exponentials of the features, too",
             "performer-pytorch does so; here ε is added to the denominator alone, where it does not change the "
             "weights.",
             0, SET(s.epsilon_of_Q = s.epsilon_of_K = 1.0, s.epsilon_of_exponentials = true)},
            {"queries and keys", "features of the keys made of Q",
             "The second call takes K: the weights compare queries with keys.", 0, SET(s.K_from_Q = true)},
            {"the directions", "another W for the keys",
             "φ(q)·φ(k) estimates the kernel only if both use the same directions, in the same order.", 0,
             SET(s.K.directions = Directions::reversed)},
            {"the directions", "only the first d directions used", "W has m rows, and m need not be d: use them all.",
             0, SET(s.as_many_directions_as_d = true)},
            {"the features", "sines and cosines instead of positive features",
             "Their weights can be negative and their sum 0: use the features of 4.3.", 0,
             SET(s.Q = s.K = trigonometric_settings())},
            {"the features", "ReLU features instead of positive ones",
             "That is another kernel: positive_random_features estimates exp(q·k/√d).", 0,
             SET(s.Q.relu = s.K.relu = true)},
            {"the scale", "inputs divided by their length",
             "Queries and keys keep their lengths: the kernel is exp(q·k/√d), not of their directions alone.", 0,
             SET(s.Q.unit_input = s.K.unit_input = true)},
            {"the keys", "sums not rescaled when the running maximum grows",
             "A larger maximum makes later keys smaller: multiply S and z by e^(old - new), or take one maximum of "
             "all.",
             0, SET(s.K.per_sequence = ShiftOver::tokens_so_far)},
            {"the keys", "norm left out of the keys' features",
             "A key's norm does not cancel as a query's does: it says how much the key counts, e^(-‖k̂‖²/2).", 0,
             SET(s.K.norm = 0.0)},
            {"the keys", "norm of the keys added instead of subtracted", "The exponent is w·k̂ - ‖k̂‖²/2.", 0,
             SET(s.K.norm = 0.5)},
            {"the keys", "norm of the keys not halved", "The exponent is w·k̂ - ‖k̂‖²/2.", 0, SET(s.K.norm = -1.0)},
            {"the keys", "norm of the keys not squared", "‖k̂‖² is the sum of the squares of k̂, without a root.", 0,
             SET(s.K.norm_of = NormOf::token_not_squared)},
            {"the keys", "square of the sum of the keys' entries",
             "‖k̂‖² is the sum of the squares of k̂: square each entry, then add up.", 0,
             SET(s.K.norm_of = NormOf::square_of_sum)},
            {"the keys", "mean of the keys' squares instead of their sum",
             "‖k̂‖² is the sum of the squares of k̂: their mean is d times too small.", 0,
             SET(s.K.norm_of = NormOf::mean_of_squares)},
            {"the keys", "norm of the unscaled keys",
             "The norm is that of k̂, the scaled key, as in the product with W.", 0, SET(s.K.norm_scale = 0.0)},
            {"the scale", "queries and keys not scaled", "Scale both by d^(-1/4), so that q̂·k̂ is q·k/√d.", 0,
             SET(s.Q.scale = s.K.scale = 0.0)},
            {"the scale", "keys not scaled", "Scale the keys by d^(-1/4), too.", 0, SET(s.K.scale = 0.0)},
            {"the scale", "queries not scaled", "Scale the queries by d^(-1/4), too.", 0, SET(s.Q.scale = 0.0)},
            {"the scale", "scaled by 1/√d once more",
             "The features scale by d^(-1/4) on both sides already: that makes 1/√d.", 0, SET(s.Q.scale = 0.75)},
            {"the scale", "queries and keys scaled by d^(-1/4) once more",
             "The features scale by d^(-1/4) already: pass Q and K as they are.", 0, SET(s.Q.scale = s.K.scale = 0.5)},
            {"the scale", "queries and keys scaled by 1/√d once more",
             "The features scale by d^(-1/4) already: pass Q and K as they are.", 0, SET(s.Q.scale = s.K.scale = 0.75)},
        },
        {{"keys shifted in blocks of %s tokens, each by a maximum of its own",
          "All keys of a head share one shift, or those before are rescaled: otherwise a block counts for too much.", 0,
          SET_TO(s.K.per_sequence = ShiftOver::block, s.K.block = static_cast<std::size_t>(x))},
         {"%s added to every feature, no ε to the sum",
          "Nothing is added to the features: ε belongs in the denominator.", 0,
          SET_TO(s.Q.added = s.K.added = x, s.attention.epsilon = Epsilon::missing), 1e-16, 10.0},
         {"%s added to every feature", "Nothing is added to the features: ε belongs in the denominator.", 0,
          SET_TO(s.Q.added = s.K.added = x), 1e-16, 10.0},
         {"%s added to every exponential, no ε to the sum",
          "Nothing is added to the exponentials: ε belongs in the denominator.", 0,
          SET_TO(s.Q.added_before = s.K.added_before = x, s.attention.epsilon = Epsilon::missing), 1e-16, 10.0},
         {"%s added to every exponential", "Nothing is added to the exponentials: ε belongs in the denominator.", 0,
          SET_TO(s.Q.added_before = s.K.added_before = x), 1e-16, 10.0}}};
    add_mutations_of(table, attention_mutations(), &Favor::attention);
    return table;
}
const MutationTable<Favor>& favor_mutations() {
    static const MutationTable<Favor> table = own_and_of_attention();
    return table;
}

Tensor attention(const Favor& settings, const Tensor& Q, const Tensor& K, const Tensor& V, const Tensor& W, Mask mask,
                 double epsilon) {
    require_attention_shapes(Q, K, V, "favor_attention");
    require_rank(W, "W", 2, "(m, d)", "favor_attention");
    require_shape(W, "W", {length(W, 0), length(Q, -1)}, "(m, d), with the d of Q,", "favor_attention");
    const double added =
        settings.epsilon_of_exponentials ? epsilon / std::sqrt(static_cast<double>(length(W, 0))) : epsilon;
    const Tensor rows = settings.as_many_directions_as_d ? tokens(W, 0, std::min(length(W, 0), length(Q, -1))) : W;
    return attention_by_settings({.Q = random_features_by_settings(Q, rows, Stabilizer::per_token, settings.Q) +
                                       settings.epsilon_of_Q * added,
                                  .K = random_features_by_settings(settings.K_from_Q ? Q : K, rows,
                                                                   Stabilizer::per_sequence, settings.K) +
                                       settings.epsilon_of_K * added,
                                  .V = V,
                                  .epsilon = epsilon,
                                  .causal = mask == Mask::causal},
                                 settings.attention)
        .output;
}

const MutationsOf favor_attention_mutations(
    "favor_attention", favor_mutations(),
    has::products | has::values | has::sequence | has::mask | has::running | has::updates | has::divisor |
        has::epsilon | has::linear_cost,
    divided(), &attention,
    {.without = {"ε only where the sum is 0", "total instead of the running sum",
                 "scaled by 1/√d_k, which only ε shows", "queries scaled by 1/√d_k before φ",
                 "queries and keys scaled by d_k^(-1/4) before φ", "scaled by 1/√d_k above the line alone",
                 "scaled by 1/√d_k below the line alone", "features divided by their length",
                 "keys' features divided by their length", "keys' features divided by their sum",
                 "each weight divided by the lengths of φ(q) and φ(k)"}});

// The variance --------------------------------------------------------------------------------------------------------

/// e^(kernel q̂·k̂) (e^(norms (‖q̂‖² + ‖k̂‖²) + cross q̂·k̂) - subtracted) / m^over_m, with q̂ and k̂ scaled by these powers of 1/d.
struct Variance {
    double scale_of_q = 0.25, scale_of_k = 0.25, kernel = 2.0, norms = 1.0, cross = 2.0, subtracted = 1.0, over_m = 1.0,
           fewer = 0.0, factor = 1.0, root = 1.0, scale_of_norms = 0.25, kernel_over_d = 0.0, norms_over_d = 0.0,
           of_q = 1.0, of_k = 1.0;  ///< how often either norm counts
    bool trigonometric = false, subtracted_last = false, subtracted_inside = false, entries_added = false,
         mean_not_squared = false, norm_not_squared = false, sum_squared = false, product_of_sums = false,
         orthogonal = false, first_axis_for_d = false, first_left_out = false, last_left_out = false;
    enum class Twice { neither, query, key } twice = Twice::neither;  ///< in place of the other
    std::optional<double> m, d;
    bool operator==(const Variance&) const = default;
};

const MutationTable<Variance>& variance_mutations() {
    static const MutationTable<Variance> table{
        {
            {"m", "not divided by m",
             "The formula is m times the variance: the mean of m estimates varies m times less.", 0,
             SET(s.over_m = 0.0)},
            {"m", "multiplied by m", "The mean of m estimates has a variance m times smaller: divide by m.", 0,
             SET(s.over_m = -1.0)},
            {"m", "divided by m²", "The mean of m estimates has a variance m times smaller: divide once.", 0,
             SET(s.over_m = 2.0)},
            {"m", "divided by √m", "The variance is m times smaller; only the standard deviation has the root.", 0,
             SET(s.over_m = 0.5)},
            {"m", "divided by m - 1", "This is the exact variance, not one estimated from a sample: divide by m.", 0,
             SET(s.fewer = 1.0)},
            {"the scale", "scaled with the length of the first axis in place of d",
             "d is the width of q, its last axis: length(q, -1).", 0, SET(s.first_axis_for_d = true)},
            {"the scale", "only the query scaled", "Scale the key by d^(-1/4) too.", 0, SET(s.scale_of_k = 0.0)},
            {"the scale", "only the key scaled", "Scale the query by d^(-1/4) too.", 0, SET(s.scale_of_q = 0.0)},
            {"the scale", "query and key not scaled",
             "All products and norms are those of q̂ and k̂, scaled by d^(-1/4).", 0,
             SET(s.scale_of_q = s.scale_of_k = 0.0)},
            {"the scale", "query and key scaled by 1/√d", "Each takes d^(-1/4), so that q̂·k̂ is q·k/√d.", 0,
             SET(s.scale_of_q = s.scale_of_k = 0.5)},
            {"the formula", "divided by the squared kernel",
             "That is the square of the relative error. The variance itself has e^(2 q̂·k̂) in front.", 0,
             SET(s.kernel = 0.0)},
            {"the formula", "mean square instead of the variance",
             "Subtract the square of the mean: that is the -1 in the bracket.", 0, SET(s.subtracted = 0.0)},
            {"the formula", "difference instead of the sum",
             "The exponent is ‖q̂ + k̂‖²: φ(q)·φ(k) depends on w·(q̂ + k̂).", 0, SET(s.cross = -2.0)},
            {"the formula", "norms of query and key added", "‖q̂ + k̂‖² also contains 2 q̂·k̂.", 0, SET(s.cross = 0.0)},
            {"the formula", "exponent halved", "The exponent is ‖q̂ + k̂‖², not half of it.", 0,
             SET(s.norms = 0.5, s.cross = 1.0)},
            {"the formula", "kernel not squared", "A variance has the unit of the squared kernel: e^(2 q̂·k̂).", 0,
             SET(s.kernel = 1.0)},
            {"the formula", "kernel inverted", "The squared kernel multiplies the bracket: e^(2 q̂·k̂).", 0,
             SET(s.kernel = -2.0)},
            {"the formula", "one subtracted after the multiplication",
             "The bracket is e^(‖q̂ + k̂‖²) - 1: it is multiplied as a whole.", 0, SET(s.subtracted_last = true)},
            {"the formula", "mean subtracted without its square",
             "A variance is the mean square less the square of the mean: e^(2 q̂·k̂), not e^(q̂·k̂).", 0,
             SET(s.mean_not_squared = true)},
            {"the scale", "norm of the unscaled sum", "The norm is that of q̂ + k̂, scaled by d^(-1/4).", 0,
             SET(s.scale_of_norms = 0.0)},
            {"the formula", "one added instead of subtracted", "The bracket is e^(‖q̂ + k̂‖²) - 1.", 0,
             SET(s.subtracted = -1.0)},
            {"the formula", "one subtracted in the exponent", "The bracket is e^(‖q̂ + k̂‖²) - 1, not e^(‖q̂ + k̂‖² - 1).",
             0, SET(s.subtracted_inside = true)},
            {"the formula", "mean of the products instead of q̂·k̂",
             "q̂·k̂ is the sum of the products: their mean is d times too small.", 0, SET(s.kernel_over_d = 1.0)},
            {"the formula", "mean of the squares instead of ‖q̂ + k̂‖²",
             "‖q̂ + k̂‖² is the sum of the squares: their mean is d times too small.", 0, SET(s.norms_over_d = 1.0)},
            {"the formula", "means of products and squares instead of their sums",
             "q̂·k̂ and ‖q̂ + k̂‖² are sums over the entries: their means are d times too small.", 0,
             SET(s.kernel_over_d = s.norms_over_d = 1.0)},
            {"the formula", "entries of q̂ + k̂ not squared", "‖q̂ + k̂‖² is the sum of the squares of the entries.", 0,
             SET(s.entries_added = true)},
            {"the formula", "square of the sum of the entries of q̂ + k̂",
             "‖q̂ + k̂‖² is the sum of the squares: square each entry, then add up.", 0, SET(s.sum_squared = true)},
            {"the formula", "product of the sums instead of q̂·k̂",
             "q̂·k̂ is the sum of the products: multiply entry by entry, then add up.", 0, SET(s.product_of_sums = true)},
            {"the formula", "norm of q̂ + k̂ not squared", "The exponent is ‖q̂ + k̂‖²: no root of the sum of the squares.",
             0, SET(s.norm_not_squared = true)},
            {"the formula", "norm of the query alone", "The exponent is ‖q̂ + k̂‖²: φ(q)·φ(k) depends on w·(q̂ + k̂).", 0,
             SET(s.cross = s.of_k = 0.0)},
            {"the formula", "norm of the key alone", "The exponent is ‖q̂ + k̂‖²: φ(q)·φ(k) depends on w·(q̂ + k̂).", 0,
             SET(s.cross = s.of_q = 0.0)},
            {"the formula", "cross term left single", "‖q̂ + k̂‖² contains q̂·k̂ twice.", 0, SET(s.cross = 1.0)},
            {"the loop", "last entry left at 0", "Every pair has a variance: the loop ends before result.size().", 0,
             SET(s.last_left_out = true)},
            {"the loop", "first entry left at 0", "Pairs are counted from 0: the loop begins there.", 0,
             SET(s.first_left_out = true)},
            {"query and key", "the key in place of the query", "Query and key are two arguments: q̂ is made of q.", 0,
             SET(s.twice = Variance::Twice::key)},
            {"query and key", "the query in place of the key", "Query and key are two arguments: k̂ is made of k.", 0,
             SET(s.twice = Variance::Twice::query)},
            {"the formula", "variance of orthogonal directions",
             "The smaller variance is that of orthogonal directions; here they are independent.", 0,
             SET(s.orthogonal = true)},
            {"the formula", "standard deviation instead of the variance",
             "No root: the contract asks for the variance.", 0, SET(s.root = 0.5)},
            {"the formula", "variance of the trigonometric features",
             "Lemma 2 has a formula for each kind: use that of the positive features.", 0, SET(s.trigonometric = true)},
        },
        {
            {"%s in place of m", "m is an argument.", 0, SET_TO(s.m = x), 1e-1, 1e9},
            {"%s in place of d", "d is the width of q: length(q, -1).", 0, SET_TO(s.d = x), 1e-1, 1e6},
            {"e^(%s q̂·k̂) in front", "The squared kernel is e^(2 q̂·k̂).", 0, SET_TO(s.kernel = x), 1e-2, 1e2},
            {"‖q̂ + k̂‖² times %s", "The exponent is ‖q̂ + k̂‖² itself.", 0, SET_TO(s.norms = x, s.cross = 2.0 * x), 1e-2,
             1e2},
            {"%s subtracted in the bracket", "The bracket is e^(‖q̂ + k̂‖²) - 1.", 0, SET_TO(s.subtracted = x), 1e-3,
             1e3},
            {"every variance multiplied by %s", "1/m is the only factor.", 0, SET_TO(s.factor = x), 1e-6, 1e6},
        }};
    return table;
}

Tensor variance(const Variance& s, const Tensor& q, const Tensor& k, std::size_t m) {
    require_rank(q, "q", 1, "(…, d)", "kernel_variance");
    require_shape(k, "k", shape_of(q), "(…, d), the shape of q,", "kernel_variance");
    if (m == 0) reject("kernel_variance", "m", "at least 1", "0");
    const Shape shape = shape_of(q);
    Tensor result = zeros(Shape(shape.begin(), shape.end() - 1));
    const std::size_t width = shape.back();
    const double d = s.d.value_or(static_cast<double>(s.first_axis_for_d ? shape.front() : width)),
                 of_q = std::pow(d, -s.scale_of_q), of_k = std::pow(d, -s.scale_of_k);
    for (std::size_t i = 0; i < result.size(); ++i) {
        if ((s.first_left_out && i == 0) || (s.last_left_out && i + 1 == result.size())) continue;
        double product = 0.0, norms = 0.0, entries = 0.0, entries_of_q = 0.0;
        for (std::size_t a = 0; a < q.size(); ++a) {
            if (a / width != i) continue;
            const double from_q = of_q * (s.twice == Variance::Twice::key ? k : q).data()[a],
                         from_k = of_k * (s.twice == Variance::Twice::query ? q : k).data()[a];
            product += from_q * from_k;
            norms += s.of_q * from_q * from_q + s.of_k * from_k * from_k;
            entries += from_q + from_k;
            entries_of_q += from_q;
        }
        const double of_norms = std::pow(d, 2.0 * (0.25 - s.scale_of_norms));
        double size = of_norms * (s.norms * norms + s.cross * product) / std::pow(d, s.norms_over_d);
        if (s.entries_added) size = entries;
        if (s.sum_squared) size = entries * entries;
        if (s.product_of_sums) product = entries_of_q * (entries - entries_of_q);
        if (s.norm_not_squared) size = std::sqrt(size);
        double bracket = std::exp(size) - s.subtracted, kernel = s.kernel / std::pow(d, s.kernel_over_d);
        if (s.subtracted_last) bracket += s.subtracted - s.subtracted * std::exp(-kernel * product);
        if (s.mean_not_squared) bracket += s.subtracted - s.subtracted * std::exp((1.0 - kernel) * product);
        if (s.subtracted_inside) bracket = std::exp(size - 1.0);
        if (s.trigonometric) {
            const double apart = 1.0 - std::exp(2.0 * product - norms);
            bracket = std::exp(norms + 2.0 * product) * apart * apart / 2.0;
            kernel = -s.kernel;
        }
        if (s.orthogonal) {
            const double of_m = static_cast<double>(m);
            bracket *= 1.0 - 2.0 * (of_m - 1.0) / (of_m * (d + 2.0));
        }
        const double directions = std::pow(s.m.value_or(static_cast<double>(m)) - s.fewer, s.over_m);
        result.data()[i] = s.factor * std::pow(std::exp(kernel * product) * bracket / directions, s.root);
    }
    return result;
}

const MutationsOf kernel_variance_mutations("kernel_variance", variance_mutations(), 0, Variance{}, &variance);

// Calls made for the diagnosis alone: all sizes different, several leading axes, an ε that is large enough to see.
const Shape leading{2, 3};
const std::size_t n = 4, d = 3, d_v = 2, m = 5;
Tensor input(std::size_t width, std::uint64_t stream) { return random_tensor(join(leading, {n, width}), stream); }
Tensor directions() { return normal({m, d}, random_seed(905)); }

const Probes positive_probes("positive_random_features", [] {
    return std::vector{
        probe(&linattn::positive_random_features, input(d, 901), directions(), Stabilizer::per_token),
        probe(&linattn::positive_random_features, input(d, 901), directions(), Stabilizer::per_sequence)};
});
const Probes trigonometric_probes("trigonometric_random_features", [] {
    return std::vector{probe(&linattn::trigonometric_random_features, input(d, 901), directions())};
});
const Probes favor_probes("favor_attention", [] {
    const auto call = [](Mask mask) {
        return probe(&linattn::favor_attention, input(d, 901), input(d, 902), input(d_v, 903), directions(), mask, 0.5);
    };
    return std::vector{call(Mask::causal), call(Mask::none)};
});
const Probes variance_probes("kernel_variance", [] {
    return std::vector{probe(&linattn::kernel_variance, input(d, 901), input(d, 902), m)};
});

}  // namespace linattn::testing::mutations
