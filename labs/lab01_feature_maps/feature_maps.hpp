// Lab 01: feature maps φ, the functions that replace the exponential of softmax attention by a product φ(q)·φ(k).
// For an infinite entry the result is that of the formula in IEEE arithmetic. A NaN affects only results whose formula
// contains it: its own entry, its own token, or, with Stabilizer::per_sequence, its own head.
#pragma once

#include <string>

#include "attention.hpp"

namespace linattn {

/// elu(x) + 1: x + 1 where x > 0, eˣ elsewhere. Positive wherever eˣ does not underflow; 0 at -∞, ∞ at ∞.
/// \param x any shape
/// \return the shape of x; relative error at most 1e-12 down to x = -700, finite at x = 1e4
/// \throws nothing, whatever the shape and the numbers
/// \complexity{1, 1} per entry   \paper{katharopoulos2020, equation 7}   \solves{1,1}
Tensor elu_plus_one(const Tensor& x);

/// max(0, x); NaN where x is NaN.
/// \param x any shape
/// \return the shape of x
/// \throws nothing, whatever the shape and the numbers
/// \complexity{1, 1} per entry   \solves{1,2}
Tensor relu(const Tensor& x);

/// x itself, bit for bit: linear attention without a feature map. Its weights can be negative.
/// \param x any shape
/// \return the shape of x
/// \throws nothing, whatever the shape and the numbers
/// \complexity{1, 1} per entry   \solves{1,3}
Tensor identity(const Tensor& x);

/// Softmax over the last axis: e^{x_a} / Σ_b e^{x_b}. Each token's features are positive and sum to 1. An entry of -∞
/// gets the feature 0. A token that holds NaN or ∞, or nothing but -∞, has no softmax: all its features are NaN.
/// \param x \shape{(…, d)}
/// \return \shape{(…, d)}; exact to rounding for entries up to ±1e4
/// \throws std::invalid_argument when x has no axis
/// \complexity{d, d} per token   \solves{1,4}
Tensor softmax_features(const Tensor& x);

/// exp(x - shift), where shift is the maximum over a token, or over all tokens of a head. An entry of -∞ gets the
/// feature 0. A NaN makes the whole token or head that shares its shift NaN. An entry of ∞ gets NaN, since ∞ - ∞ is NaN;
/// finite entries that share its shift get 0.
/// \param x \shape{(…, n, d)}
/// \param stabilizer which maximum
/// \return \shape{(…, n, d)}, entries in [0, 1], the largest of each token or head exactly 1
/// \throws std::invalid_argument when x has fewer than two axes
/// \complexity{n\,d, n\,d} per head   \solves{1,5}
Tensor exp_features(const Tensor& x, Stabilizer stabilizer);

/// All products of two entries of a token: φ(x)_{a·d+b} = x_a x_b, so that φ(q)·φ(k) = (q·k)².
/// \param x \shape{(…, d)}
/// \return \shape{(…, d²)}
/// \throws std::invalid_argument when x has no axis
/// \complexity{d^2, d^2} per token   \solves{1,6}
Tensor polynomial_features(const Tensor& x);

/// The feature map of that name, applied to x: elu_plus_one, relu, identity, softmax, exp (with
/// Stabilizer::per_sequence) or polynomial.
/// \param x \shape{(…, n, d)}; "exp" needs the token axis, since all tokens of a head share its shift: applied token by
/// token it would be a different map
/// \param method the name
/// \return \shape{(…, n, d)}, or \shape{(…, n, d²)} for polynomial
/// \throws std::invalid_argument when there is no such name (the message lists the names), or when the map rejects x
/// \complexity{1, 1} besides the feature map itself   \solves{1,7}
Tensor feature_map(const Tensor& x, const std::string& method = "elu_plus_one");

}  // namespace linattn
