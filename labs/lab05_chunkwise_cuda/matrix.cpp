#include "matrix.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "work_counter.hpp"
#include "xtensor_support/xtensor_releases.hpp"

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

void elu_plus_one(std::span<const float> x, std::span<float> phi) {
    if (x.size() != phi.size())
        throw std::invalid_argument("elu_plus_one: there are " + std::to_string(x.size()) + " numbers, but room for " +
                                    std::to_string(phi.size()));
    // Without a branch, so that it vectorises. Compared with anything, a NaN is lost under -ffast-math; subtracted from,
    // it stays.
    for (std::size_t e = 0; e < x.size(); ++e) {
        const float positive = std::max(x[e], 0.0f);
        phi[e] = positive + std::exp(x[e] - positive);
    }
}

}  // namespace linattn
