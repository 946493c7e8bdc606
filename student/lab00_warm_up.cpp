// Lab 00: read labs/lab00_warm_up/README.md, write outer_product, run: ctest -L lab00
#include "warm_up.hpp"

namespace linattn {

// Solved, as an example: check the shape first, then compute.
Tensor row_sums(const Tensor& x) {
    if (x.dimension() != 2) reject("row_sums", "x", "(m, n)", "shape " + to_string(shape_of(x)));
    return sum(x, 1);
}

Tensor outer_product(const Tensor& a, const Tensor& b) {
    if (a.dimension() != 1) reject("outer_product", "a", "(m)", "shape " + to_string(shape_of(a)));
    if (b.dimension() != 1) reject("outer_product", "b", "(n)", "shape " + to_string(shape_of(b)));
    // Which shapes must the two have so that their product broadcasts to (m, n)?
    // YOUR CODE HERE
    throw NotImplemented("outer_product");
}

}  // namespace linattn
