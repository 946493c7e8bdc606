#include "system_definition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "forgetting_arguments.hpp"
#include "oracle.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

using Index = std::size_t;
using Row = std::vector<double>;
using Matrix = std::vector<Row>;

Matrix matrix_of(const Tensor& x, Index head) {
    const Index rows = length(x, -2), columns = length(x, -1);
    Matrix all(rows);
    for (Index i = 0; i < rows; ++i)
        all[i].assign(x.data() + (head * rows + i) * columns, x.data() + (head * rows + i + 1) * columns);
    return all;
}

class System {
public:
    System(const SystemSettings& asked, Matrix of, Matrix right) : s(asked), A(std::move(of)), B(std::move(right)) {}

    // Row `last` of X, from the first row on.
    Row row(Index last) const {
        Matrix X(last + 1);
        for (Index i = 0; i <= last; ++i) X[i] = substituted(i, X);
        return X[last];
    }

    // B times (I - L)(I + L²)(I + L⁴)…, from the last factor on.
    Matrix by_powers() const {
        const Index C = A.size();
        std::vector<Matrix> powers{Matrix(C, Row(C))};
        for (Index i = 0; i < C; ++i)
            for (Index j = 0; j < i; ++j) powers[0][i][j] = A[i][j];
        for (Index p = 2; p < C; p *= 2) powers.push_back(product(powers.back(), powers.back()));
        Matrix X = B;
        for (Index p = powers.size(); p-- > 0;) {
            const Matrix more = product(powers[p], X);
            for (Index i = 0; i < C; ++i)
                for (Index c = 0; c < X[i].size(); ++c) X[i][c] += (p == 0 ? -1.0 : 1.0) * more[i][c];
        }
        return X;
    }

    // The terms of (I - L + L² - …)B that so many rounds make.
    Matrix by_rounds() const {
        Matrix X = B;
        for (Index round = rounds(A.size()); round > 0; --round) {
            const Matrix before = X;
            for (Index i = 0; i < A.size(); ++i) {
                X[i] = B[i];
                for (Index j = 0; j < i; ++j)
                    for (Index c = 0; c < X[i].size(); ++c) X[i][c] -= A[i][j] * before[j][c];
            }
        }
        return X;
    }

private:
    Index rounds(Index C) const {
        Index up = 0, down = 0, power = 1;
        for (; power < C; power *= 2) ++up;
        for (Index rest = C; rest > 1; rest /= 2) ++down;
        switch (s.rounds) {
            case Rounds::log2_rounded_up: return up;
            case Rounds::log2_rounded_down: return down;
            case Rounds::half: return C / 2;
            case Rounds::three: return 3;
            case Rounds::without_last_power: return std::max<Index>(power / 2, 2) - 1;
            case Rounds::all: break;
        }
        return C;
    }
    static Matrix product(const Matrix& a, const Matrix& b) {
        Matrix c(a.size(), Row(b.empty() ? 0 : b[0].size()));
        for (Index i = 0; i < a.size(); ++i)
            for (Index j = 0; j < b.size(); ++j)
                for (Index e = 0; e < c[i].size(); ++e) c[i][e] += a[i][j] * b[j][e];
        return c;
    }
    Row substituted(Index i, const Matrix& X) const {
        Row x = B[i];
        const auto subtract = [&](double times, const Row& other) {
            for (Index c = 0; c < x.size(); ++c) x[c] -= times * other[c];
        };
        const Row nothing(x.size());
        for (Index j = 0; j < A.size(); ++j) {
            const double entry = s.transposed ? A[j][i] : A[i][j];
            if (j > i && s.above != AboveDiagonal::unread)
                subtract(entry, s.above == AboveDiagonal::times_zero ? nothing : B[j]);
            const bool left_out = (s.without_row_before && j + 1 == i) || (s.without_first_row && j == 0);
            if (j < i && !left_out && (s.rows_back == 0 || i - j <= s.rows_back))
                subtract(s.sign * entry, earlier(j, X));
        }
        for (Index row = 0; s.kept_by_rows && row < i; ++row)
            for (Index j = 0; j < row; ++j) subtract(A[row][j], X[j]);
        double kept = 0.0;  // sums of the columns so far
        for (Index c = 0; s.kept_by_columns && c < x.size(); ++c) {
            kept += B[i][c] - x[c];
            x[c] = B[i][c] - kept;
        }
        const double own = A[i][i];
        if (s.diagonal == Diagonal::times_zero) subtract(own, nothing);
        if (s.diagonal == Diagonal::times_right_side || (s.diagonal == Diagonal::times_right_side_after_first && i > 0))
            subtract(own, B[i]);
        for (double& entry : x) {
            if (s.diagonal == Diagonal::divides) entry /= own;
            if (s.diagonal == Diagonal::added_to_one) entry /= 1.0 + own;
        }
        return x;
    }
    Row earlier(Index j, const Matrix& X) const {
        if (s.multiplied) {  // B_i + Σ L_ij B_j
            Row negative = B[j];
            for (double& x : negative) x = -x;
            return negative;
        }
        if (s.earlier == EarlierRow::solved) return X[j];
        Row x = B[j];
        for (Index l = 0; l < j && s.earlier == EarlierRow::two_terms; ++l)
            for (Index c = 0; c < x.size(); ++c) x[c] -= A[j][l] * B[l][c];
        return x;
    }

    const SystemSettings& s;
    const Matrix A, B;
};

bool is_written(RowsWritten written, Index head, Index i, Index C) {
    switch (written) {
        case RowsWritten::all_but_first: return i > 0;
        case RowsWritten::all_but_last:
        case RowsWritten::last_as_in_B: return i + 1 < C;
        case RowsWritten::only_last: return i + 1 == C;
        case RowsWritten::only_first_head: return head == 0;
        case RowsWritten::all: break;
    }
    return true;
}

}  // namespace

Tensor system_by_settings(const SystemSettings& settings, const Tensor& A, const Tensor& B) {
    require_system(A, B);
    const Index C = length(A, -1), m = length(B, -1), H = heads_of(B);
    Tensor X = settings.written == RowsWritten::last_as_in_B ? B : zeros(shape_of(B));
    for (Index h = 0; h < H; ++h) {
        const System system(settings, matrix_of(A, h), matrix_of(B, h));
        const bool at_once = settings.by_powers || settings.rounds != Rounds::all;
        const Matrix whole = settings.by_powers ? system.by_powers() : at_once ? system.by_rounds() : Matrix();
        for (Index i = 0; i < C; ++i) {
            if (!is_written(settings.written, h, i, C)) continue;
            const Row row = at_once ? whole[i] : system.row(i);
            std::copy(row.begin(), row.end(), X.data() + (h * C + i) * m);
        }
    }
    count_work(H * C * C * C * m);  // so that an answer in O(C³) is seen as one
    return X;
}

Expected expected_solution(const Tensor& A, const Tensor& B) {
    const Index C = length(A, -1), m = length(B, -1), H = heads_of(B);
    Tensor X = C < 500 ? system_by_settings({}, A, B) : B;
    for (Index row = 0; C >= 500 && row < C; ++row)  // of many rows, one head: by the recurrence
        for (Index j = 0; j < row; ++j)
            for (Index c = 0; c < m; ++c) X(row, c) -= A(row, j) * X(j, c);
    Tensor size = zeros(shape_of(B));
    for (Index h = 0; h < H; ++h) {
        const Matrix a = matrix_of(A, h), b = matrix_of(B, h), x = matrix_of(X, h);
        Matrix residual(C, Row(m));  // what rounding may add to a row, before later rows enlarge it
        for (Index i = 0; i < C; ++i)
            for (Index c = 0; c < m; ++c) {
                residual[i][c] = std::fabs(b[i][c]) + std::fabs(x[i][c]);
                for (Index j = 0; j < i; ++j) residual[i][c] += std::fabs(a[i][j] * x[j][c]);
            }
        for (Index i = 0; i < C; ++i) {
            Row inverse(i + 1);  // row i of it, from T(I + L) = I
            inverse[i] = 1.0;
            for (Index l = i; l-- > 0;)
                for (Index j = l + 1; j <= i; ++j) inverse[l] -= inverse[j] * a[j][l];
            for (Index l = 0; l <= i; ++l)
                for (Index c = 0; c < m; ++c)
                    size.data()[(h * C + i) * m + c] += std::fabs(inverse[l]) * residual[l][c];
        }
    }
    return to_rounding_of_terms(X, size, 4.0 * static_cast<double>(C + 2),
                                "4 (C + 2) 2^-53 |(I + L)^-1| (|L| |X| + |X| + |B|)", false);
}

}  // namespace linattn::testing
