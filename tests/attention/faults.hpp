// What a kernel with a fault ends in, by its symptom (gpu::Error::symptoms), so that a student's kernel that ends in
// the same way is told which mistake that is. Cases in tests/labNN_*/refused/ put each of these faults into the reference
// kernel: the suite must refuse it under this very name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/error.hpp"

#pragma GCC diagnostic ignored "-Wunused-parameter"  // a mistake may well ignore an argument

namespace linattn::testing {

using gpu::Fault;
using Symptoms = std::vector<gpu::Symptom>;

[[noreturn]] inline void fault(const Symptoms& symptoms) {
    throw gpu::Error("what a kernel with this mistake ends in", symptoms);
}

/// The fault in any of the arrays.
inline Symptoms any_of(const std::vector<std::string>& arrays, Fault fault) {
    Symptoms symptoms;
    for (const std::string& array : arrays) symptoms.push_back({fault, array});
    return symptoms;
}

template <class List>
List joined(List some, const List& more) {
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
