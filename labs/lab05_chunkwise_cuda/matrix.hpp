// Products of float32 matrices whose entries belong to other arrays, and φ of many numbers at once: the vocabulary of
// chunkwise_linear_attention. It is given, and compiled once, with xtensor-blas's interface to BLAS.
#pragma once

#include <cstddef>
#include <span>

namespace linattn {

/// Rows × columns entries, row by row, or the transpose of that.
struct ConstMatrix {
    const float* entries;
    std::size_t rows, columns;
    bool transposed = false;
};

struct Matrix {
    float* entries;
    std::size_t rows, columns;

    operator ConstMatrix() const { return {entries, rows, columns, false}; }
    float& operator()(std::size_t row, std::size_t column) const { return entries[row * columns + column]; }
};

/// The same entries read the other way: rows become columns. Nothing is copied.
ConstMatrix transpose(const ConstMatrix& A);

/// C ← C + A B. \throws std::invalid_argument when the shapes do not fit
void add_product(const Matrix& C, const ConstMatrix& A, const ConstMatrix& B);

/// phi ← elu(x) + 1, entry by entry, several at a time where the C library can. NaN where x is NaN or ∞.
/// \throws std::invalid_argument when x and phi are not of one length
void elu_plus_one(std::span<const float> x, std::span<float> phi);

}  // namespace linattn
