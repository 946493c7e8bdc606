#include "suite.hpp"
#include "warm_up.hpp"

namespace linattn::testing::outer_product_mistakes {

MISTAKE(outer_product, (const Tensor& a, const Tensor& b), "entries multiplied pairwise", "§0.2",
        "Without new axes, vectors of equal length are multiplied entry by entry: give a the shape (m, 1) and b the "
        "shape (1, n).") {
    if (a.size() != b.size() && a.size() != 1 && b.size() != 1) throw std::invalid_argument("shapes do not broadcast");
    Tensor y = zeros({std::max(a.size(), b.size()) * (a.size() && b.size())});
    for (std::size_t i = 0; i < y.size(); ++i) y(i) = a(a.size() == 1 ? 0 : i) * b(b.size() == 1 ? 0 : i);
    return y;
}
MISTAKE(outer_product, (const Tensor& a, const Tensor& b), "result transposed", "§0.2",
        "Rows belong to a: the new axis of a comes last, that of b first.") {
    Tensor y = zeros({b.size(), a.size()});
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) y(j, i) = a(i) * b(j);
    return y;
}
MISTAKE(outer_product, (const Tensor& a, const Tensor& b), "sum instead of product", "§0.2",
        "Entry (i, j) is a_i times b_j.") {
    Tensor y = zeros({a.size(), b.size()});
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j) y(i, j) = a(i) + b(j);
    return y;
}

}  // namespace linattn::testing::outer_product_mistakes
