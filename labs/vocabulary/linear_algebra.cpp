#include "linear_algebra.hpp"

#include <algorithm>
#include <stdexcept>

#include "work_counter.hpp"

// LAPACK has no header of its own: these are its Fortran routines, with a matrix stored column by column.
extern "C" {
/// A = Q R: R in the upper triangle of a; below it and in tau, the reflections whose product is Q.
void dgeqrf_(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
             int* info);
/// The first n columns of the product of k such reflections, written over a.
void dorgqr_(const int* m, const int* n, const int* k, double* a, const int* lda, const double* tau, double* work,
             const int* lwork, int* info);
}

namespace linattn {

QR qr(const Tensor& A) {
    if (A.dimension() != 2)
        throw std::invalid_argument("qr: A must be a matrix, (m, n); got shape " + to_string(shape_of(A)));
    const std::size_t m = length(A, 0), n = length(A, 1), r = std::min(m, n);
    QR result{zeros({m, r}), zeros({r, n})};
    if (r == 0) return result;
    count_work(2 * m * n * r);

    const int rows = static_cast<int>(m), columns = static_cast<int>(n), rank = static_cast<int>(r);
    Tensor by_columns = matrix_transpose(A);  // row j is column j of A, as LAPACK wants it
    Tensor tau = zeros({r}), work = zeros({64 * n});
    const int work_size = static_cast<int>(work.size());
    int failed_at = 0, failed_then = 0;
    dgeqrf_(&rows, &columns, by_columns.data(), &rows, tau.data(), work.data(), &work_size, &failed_at);
    for (std::size_t i = 0; i < r; ++i)
        for (std::size_t j = i; j < n; ++j) result.R(i, j) = by_columns(j, i);
    dorgqr_(&rows, &rank, &rank, by_columns.data(), &rows, tau.data(), work.data(), &work_size, &failed_then);
    if (failed_at != 0 || failed_then != 0) throw std::logic_error("qr: LAPACK rejected an argument");
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < r; ++j) result.Q(i, j) = by_columns(j, i);
    return result;
}

}  // namespace linattn
