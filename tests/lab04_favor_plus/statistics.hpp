// How far a random quantity may lie from what it should be. Every bound here is a theorem, not an approximation by a
// normal curve: a correct answer exceeds it with a probability below false_alarm, whatever the seed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

/// Of one comparison. A test makes fewer than ten, so that it stays below 1e-9.
constexpr double false_alarm = 1e-10;

/// Largest distance between the cdf of the samples and the one they should have (Kolmogorov and Smirnov).
double distance_from(std::vector<double> samples, const std::function<double(double)>& cdf);
/// Its bound for n independent samples: √(ln(2/α)/2n), by Dvoretzky, Kiefer, Wolfowitz and Massart.
double largest_distance(std::size_t n);

/// Bound for the mean of n independent variables in [-1, 1] whose expectation is 0: √(2 ln(2/α)/n), by Hoeffding.
double largest_mean(std::size_t n);

/// How far below 1 the mean of n independent positive variables with expectation 1 may lie, by Bernstein's inequality
/// towards the side where such variables are bounded. Towards the other side they are not, and no such bound exists.
double deepest_mean(std::size_t n, double variance);

double normal_cdf(double x);
/// Of the squared length of d independent N(0, 1); d even.
double chi_square_cdf(double x, std::size_t d);

/// Every row divided by its length.
Tensor unit_rows(const Tensor& x);
/// The largest |cosine| between two different ones of the rows `first` to `last`, which have length 1.
double largest_cosine(const Tensor& unit, std::size_t first, std::size_t last);
/// The same of all rows, of any length.
double largest_cosine_of_rows(const Tensor& x);

/// "0.9876".
std::string decimals(double x, int digits = 4);

}  // namespace linattn::testing
