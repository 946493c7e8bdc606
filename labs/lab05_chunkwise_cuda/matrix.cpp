#include "matrix.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "work_counter.hpp"
#include "xtensor_cxx20.hpp"

#include <xtensor-blas/xblas.hpp>

namespace linattn {
namespace {

std::string shape_text(const ConstMatrix& A) { return std::to_string(A.rows) + "x" + std::to_string(A.columns); }

}  // namespace

ConstMatrix transpose(const ConstMatrix& A) { return {A.entries, A.columns, A.rows, !A.transposed}; }

void add_product(const Matrix& C, const ConstMatrix& A, const ConstMatrix& B) {
    if (A.columns != B.rows || C.rows != A.rows || C.columns != B.columns)
        throw std::invalid_argument("add_product: a " + shape_text(C) + " matrix is not the product of " +
                                    shape_text(A) + " and " + shape_text(B));
    if (C.rows == 0 || C.columns == 0 || A.columns == 0) return;
    count_work(C.rows * C.columns * A.columns);
    const auto in_memory = [](const ConstMatrix& M) { return static_cast<int>(M.transposed ? M.rows : M.columns); };
    cxxblas::gemm<int>(cxxblas::RowMajor, A.transposed ? cxxblas::Trans : cxxblas::NoTrans,
                       B.transposed ? cxxblas::Trans : cxxblas::NoTrans, static_cast<int>(C.rows),
                       static_cast<int>(C.columns), static_cast<int>(A.columns), 1.0f, A.entries, in_memory(A),
                       B.entries, in_memory(B), 1.0f, C.entries, static_cast<int>(C.columns));
}

void exponentials(std::span<float> x) {
    for (float& entry : x) entry = std::exp(entry);
}

}  // namespace linattn
