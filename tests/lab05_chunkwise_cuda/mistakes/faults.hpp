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

/// The symptom `what` of any of the arrays.
inline std::vector<std::string> any_of(const std::vector<std::string>& arrays, const std::string& before,
                                       const std::string& after = "") {
    std::vector<std::string> symptoms;
    symptoms.reserve(arrays.size());
    for (const std::string& array : arrays) symptoms.push_back(before + array + after);
    return symptoms;
}

inline Array by_definition(Values Q, Values K, Values V, const Sizes& sizes, float epsilon, const Count& count,
                           const Count& counted, Mapped mapped = {}) {
    return array_of(output_by_definition(Q, K, V, sizes, epsilon, count, counted, mapped));
}

// Which pairs (i, j) a mistake counts, and how often; up_to_itself() is right.

inline Count none() {
    return [](int, int) { return 0.0; };
}
inline Count before_itself() {
    return [](int i, int j) { return j < i ? 1.0 : 0.0; };
}

inline bool same_chunk(int i, int j, int chunk) { return i / chunk == j / chunk; }

inline Count of_the_chunk(int chunk) {
    return [chunk](int i, int j) { return j <= i && same_chunk(i, j, chunk) ? 1.0 : 0.0; };
}
inline Count before_the_chunk(int chunk) {
    return [chunk](int i, int j) { return j <= i && !same_chunk(i, j, chunk) ? 1.0 : 0.0; };
}
inline Count to_the_end_of_the_chunk(int chunk) {
    return [chunk](int i, int j) { return j <= i || same_chunk(i, j, chunk) ? 1.0 : 0.0; };
}
/// The whole chunk comes in with the state, and once more as it should.
inline Count with_the_chunk_in_the_state(int chunk) {
    return [chunk](int i, int j) { return (j <= i ? 1.0 : 0.0) + (same_chunk(i, j, chunk) ? 1.0 : 0.0); };
}
inline Count of_the_chunk_and_the_last_one(int chunk) {
    return [chunk](int i, int j) { return j <= i && i / chunk - j / chunk <= 1 ? 1.0 : 0.0; };
}

/// The sum times the normaliser: from the sum and the quotient.
inline Array multiplied_by_normalizer(Values Q, Values K, Values V, const Sizes& sizes, float epsilon) {
    Array product = by_definition(Q, K, V, sizes, 1.0f, up_to_itself(), none());
    const Array quotient = by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself());
    for (std::size_t e = 0; e < product.values.size(); ++e)
        if (quotient.values[e] != 0.0f) product.values[e] *= product.values[e] / quotient.values[e];
    return product;
}

}  // namespace linattn::testing
