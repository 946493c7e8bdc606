// What a kernel with a fault ends in, by its symptom (gpu::Error::symptoms), so that a student's kernel that ends in
// the same way is told which mistake that is. tests/framework/kernel_mutants.py puts each of these faults into the
// reference kernel and requires that the suite refuses it under this very name.
#pragma once

#include "arrays.hpp"
#include "chunkwise.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"  // a mistake may well ignore an argument

namespace linattn::testing {

[[noreturn]] inline void fault(const std::vector<std::string>& symptoms) {
    throw gpu::Error("a kernel with this mistake would end with: " + symptoms.front(), symptoms);
}

/// A symptom of any of the arrays.
inline std::vector<std::string> any_of(const std::vector<std::string>& arrays, const std::string& before,
                                       const std::string& after = "") {
    std::vector<std::string> symptoms;
    symptoms.reserve(arrays.size());
    for (const std::string& array : arrays) symptoms.push_back(before + array + after);
    return symptoms;
}

inline std::vector<std::string> joined(std::vector<std::string> some, const std::vector<std::string>& more) {
    some.insert(some.end(), more.begin(), more.end());
    return some;
}

}  // namespace linattn::testing
