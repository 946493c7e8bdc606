// A running sum from the end, graded where the front is e²⁴ times larger than the end.
#include <cmath>

#include "cost_claims.hpp"
#include "gradients.hpp"
#include "sizes.hpp"
#include "suite.hpp"

namespace linattn::testing::reverse_cumsum_test {

// Every sum by itself, from the entries that belong to it.
Expected expected_sums(const Tensor& x, std::ptrdiff_t axis) {
    const Shape shape = shape_of(x);
    const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::ptrdiff_t>(shape.size()) : axis);
    std::size_t inner = 1;
    for (std::size_t later = at + 1; later < shape.size(); ++later) inner *= shape[later];
    const std::size_t n = shape[at];
    Tensor value = zeros(shape), size = zeros(shape);
    for (std::size_t e = 0; e < x.size(); ++e)
        for (std::size_t i = 0, line = e - e / inner % n * inner; i < n; ++i) {
            const std::size_t from = line + i * inner;
            if (from < e) continue;
            value.data()[e] += x.data()[from];
            size.data()[e] += std::fabs(x.data()[from]);
        }
    return to_rounding_of_terms(value, size, 2.0 * static_cast<double>(n), "2n·2^-53 of the sum of |x| from there on",
                                at + 2 == shape.size());
}

void equals(const Tensor& x, std::ptrdiff_t axis) { CALL(reverse_cumsum, x, axis).equals(expected_sums(x, axis)); }

TEST_SUITE("reverse_cumsum") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor x{{1, 2}, {3, 4}, {5, 6}};
    CALL(reverse_cumsum, x, 0).equals(exactly({{9, 12}, {8, 10}, {5, 6}}));
    CALL(reverse_cumsum, x, 1).equals(exactly({{3, 2}, {7, 4}, {11, 6}}, false));
}
TEST_CASE("rejects an axis that x does not have") {
    const Tensor x = zeros({2, 3});
    for (const std::ptrdiff_t axis : {2, 7, -3})
        CALL(reverse_cumsum, x, axis).rejects({"axis", "(2, 3)", std::to_string(axis)});
    const Tensor single = zeros({});
    CALL(reverse_cumsum, single, 0).rejects({"axis"});
}
TEST_CASE("equals the definition along every axis") {
    const Tensor x = random_tensor({2, 3, 4, 5}, 1);
    for (const std::ptrdiff_t axis : {-3, -2, -1, 0, 1, 2, 3, -4}) equals(x, axis);
}
TEST_CASE("loses nothing of small entries behind large ones") {
    for (const std::ptrdiff_t axis : {0, 1}) {
        const std::size_t n = 25;
        Tensor falling = 13.0 - cumsum(ones({n}), 0);  // 12, 11, …, -12
        const Shape shape = axis == 0 ? Shape{n, 3} : Shape{3, n};
        const Tensor x = random_tensor(shape, 10, 1.0, 2.0) * exp(expand_dims(falling, axis == 0 ? -1 : 0));
        equals(x, axis);
        const Tensor signed_x = x * random_tensor(shape, 11, -1.0, 1.0);
        equals(signed_x, axis);
    }
}
TEST_CASE("takes one entry, and none") {
    std::uint64_t stream = 20;
    for (const Shape& shape : {Shape{1}, Shape{0}, Shape{2, 1, 3}, Shape{2, 0, 3}, Shape{0, 4, 3}, Shape{4, 3, 0}}) {
        const Tensor x = random_tensor(shape, ++stream);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) equals(x, static_cast<std::ptrdiff_t>(axis));
    }
}
TEST_CASE("takes every size") {
    std::uint64_t stream = 30;
    for (const Size& size : all_sizes()) {
        const Tensor x = random_tensor(join(size.leading, {size.n, size.d_k}), ++stream);
        equals(x, -2);
        equals(x, -1);
    }
}
TEST_CASE("remembers nothing of an earlier call") {
    const Tensor x = random_tensor({2, 3, 4}, 90);
    CALL(reverse_cumsum, x, -2).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) {
            return CALL(reverse_cumsum, random_tensor({n, 3}, n), 0);
        },
        "entries", 128, "computed in O(n²)");
}
}

}  // namespace linattn::testing::reverse_cumsum_test
