// What a kernel with a fault ends in, by its symptom (gpu::Error::symptoms), so that a student's kernel that ends in
// the same way is told which mistake that is. tests/framework/kernel_mutants.py puts each of these faults into the
// reference kernel and requires that the suite refuses it under this very name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/error.hpp"

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

/// What a kernel loads for a chunk and what else it keeps for it in shared memory, what it keeps there for a head, and what
/// it reads and writes in device memory.
struct ArraysOfKernel {
    std::vector<std::string> loaded, computed, state, read, written;

    std::vector<std::string> tiles() const { return joined(loaded, computed); }
    std::vector<std::string> shared() const { return joined(tiles(), state); }
    /// Those of which no device array has the name, too.
    std::vector<std::string> only_shared() const {
        std::vector<std::string> names = shared();
        std::erase_if(names, [this](const std::string& name) { return std::ranges::count(read, name) > 0; });
        return names;
    }
};

}  // namespace linattn::testing
