// One comparison for all suites: shapes first, then every entry against a derived tolerance. NaN equals only NaN.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tensor.hpp"

namespace linattn::testing {

/// What a correct answer is: a value for every entry, how far a result may be from it, and why that far.
struct Expected {
    Tensor value;
    Tensor tolerance;         ///< absolute, one for every entry
    std::string derivation;   ///< where the tolerance comes from, for the message
    bool has_tokens = true;   ///< whether the axis before the last counts tokens
    bool has_columns = true;  ///< whether a column says where it comes from: not behind a matrix that mixes them
};

/// Exactly these bits, except that -0 equals 0.
Expected exactly(const Tensor& value, bool has_tokens = true);
/// value, give or take `units` roundings of it: |got - value| ≤ units · 2⁻⁵³ · |value|, plus the smallest denormal.
Expected to_rounding(const Tensor& value, double units, const std::string& why, bool has_tokens = true);
/// The same for a sum whose terms may cancel: |got - value| ≤ units · 2⁻⁵³ · terms, where `terms` broadcasts to the shape
/// of value and is what the sum would be if all its terms had one sign. An expected 0 need not be met to the last bit.
Expected to_rounding_of_terms(const Tensor& value, const Tensor& terms, double units, const std::string& why,
                              bool has_tokens = true);

/// A part of a result: a Tensor, or words where the exercise computes with words.
struct Part {
    std::string name;  ///< empty when the result has one part only
    std::variant<Tensor, std::vector<std::string>> value;
    bool float32 = false;  ///< whether the function computed in float32, and a Tensor was made of it for the comparison
};
using Parts = std::vector<Part>;

inline Parts parts_of(const Tensor& result) { return {{"", result}}; }
inline Parts parts_of(const std::vector<std::string>& result) { return {{"", result}}; }
/// Patterns of bfloat16: the numbers that they stand for.
Parts parts_of(const std::vector<std::uint16_t>& patterns);

/// Whether some number of a result is of this kind.
bool any_number(const Parts& parts, bool (*kind)(double));

/// What is wrong with a Tensor that has a shape but not the numbers of that shape, or nothing.
std::optional<std::string> inconsistent_storage(const Tensor& got);

/// What is wrong with `got`, in words, or nothing.
std::optional<std::string> difference(const Tensor& got, const Expected& expected);
std::optional<std::string> difference(const std::vector<std::string>& got, const std::vector<std::string>& expected);

/// Whether a and b have one shape and equal entries; NaN equals nothing.
bool all_equal(const Tensor& a, const Tensor& b);

/// "[0, token 3, 1]": where an entry lies in an array of this shape; "" in a single number.
std::string place(const Shape& shape, std::size_t entry, bool has_tokens);
std::string number(double x);

/// Whether entry `at` of a result of the expected shape is right.
bool is_right(const Tensor& got, const Expected& expected, std::size_t at);
/// The entries of such a result that are not.
std::vector<std::size_t> wrong_entries(const Tensor& got, const Expected& expected);
/// The Tensor that a part is, if it has the expected shape; else null: then no values can be compared.
const Tensor* comparable(const Part& got, const Expected& expected);

/// The largest share of its tolerance that an entry uses up: 0 when all are exact, 1 at the limit.
double share_of_tolerance(const Tensor& got, const Expected& expected);

/// How far apart two results are when they are the same up to rounding, as a share of the largest finite entry; nothing when they
/// are not. They may differ by 1e-11 of it (float32: 1e-5): a wrong formula computed in another order, but no other formula.
/// Where `expected` is given, also by the tolerance of a right answer: terms that cancel leave nothing but their rounding.
std::optional<double> distance_if_alike(const Parts& a, const Parts& b, const std::vector<Expected>& expected = {});

/// The same for the entries that are finite in both, where both have some that are not, and some are finite or NaN in both: how
/// far a NaN spreads depends on how a sum is written, and 0 times NaN is NaN only where it is computed.
std::optional<double> distance_if_alike_where_finite(Parts a, Parts b, const std::vector<Expected>& expected = {});

}  // namespace linattn::testing
