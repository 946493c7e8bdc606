// How a call and its arguments read in a message.
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "attention.hpp"
#include "recorded_calls.hpp"

namespace linattn::testing {

/// A digest of an argument that the function must not change.
std::size_t fingerprint(const Tensor& x);
template <class T>
std::size_t fingerprint(const T&) {
    return 0;
}

// How an argument reads in a message.
std::string describe(const Tensor& x);
std::string describe(double x);
std::string describe(Mask mask);
std::string describe(Stabilizer stabilizer);
std::string describe(const std::vector<std::string>& words);
std::string describe(const std::vector<float>& numbers);
std::string describe(const std::vector<int>& borders);
template <class T>
std::string describe(const T& value) {
    if constexpr (requires { value.name(); })
        return value.name();  // a feature map, a combine
    else if constexpr (std::integral<T>)
        return std::to_string(value);
    else if constexpr (std::floating_point<T>)
        return describe(static_cast<double>(value));
    else if constexpr (std::convertible_to<T, std::string>)
        return "\"" + std::string(value) + "\"";
    else
        return "";  // the argument's own text in the call says it
}

/// "Q (2, 3), phi relu" from the texts of the arguments and the arguments. Of its parameters, where they are known, the
/// names stand in place of the suite's own, and before a shape or a number.
std::string describe_call(const char* names, const std::vector<std::string>& values,
                          const std::vector<std::string>& parameters = {});
/// What the contract of an exercise calls its arguments.
const std::vector<std::string>& parameters_of(const char* exercise);

/// The arguments with their names, from the texts of them or from the contract.
std::vector<Input> inputs_of(const char* names, const std::vector<const Tensor*>& values,
                             const std::vector<std::string>& parameters);

}  // namespace linattn::testing
