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
                           const Count& counted) {
    return array_of(output_by_definition(Q, K, V, sizes, epsilon, count, counted));
}

inline bool same_chunk(int i, int j, int chunk) { return i / chunk == j / chunk; }

inline Array partly_mapped(Values Q, Values K, Values V, const Sizes& sizes, float epsilon, Mapped mapped) {
    return array_of(output_by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself(), mapped));
}

/// Σ_{j≤i} φ(q_i)·φ(k_j) v_j, divided by nothing.
inline Array not_normalized(Values Q, Values K, Values V, const Sizes& sizes) {
    return by_definition(Q, K, V, sizes, 1.0f, up_to_itself(), [](int, int) { return 0.0; });
}

/// The sum times the normaliser: from the sum and the quotient.
inline Array multiplied_by_normalizer(Values Q, Values K, Values V, const Sizes& sizes, float epsilon) {
    Array product = not_normalized(Q, K, V, sizes);
    const Array quotient = by_definition(Q, K, V, sizes, epsilon, up_to_itself(), up_to_itself());
    for (std::size_t e = 0; e < product.values.size(); ++e)
        if (quotient.values[e] != 0.0f) product.values[e] *= product.values[e] / quotient.values[e];
    return product;
}

inline Array without_diagonal(Values Q, Values K, Values V, const Sizes& sizes, float epsilon) {
    const Count count = [](int i, int j) { return j < i ? 1.0 : 0.0; };
    return by_definition(Q, K, V, sizes, epsilon, count, count);
}

/// Each chunk sees itself and the one before it.
inline Array state_replaced(Values Q, Values K, Values V, const Sizes& sizes, int chunk, float epsilon) {
    const Count count = [chunk](int i, int j) { return j <= i && i / chunk - j / chunk <= 1 ? 1.0 : 0.0; };
    return by_definition(Q, K, V, sizes, epsilon, count, count);
}

}  // namespace linattn::testing
