// @LAB_TITLE@
// One case of each kind. The suite's name is the exercise, the case's name is the claim.
#include "@NAME@.hpp"
#include "cost_claims.hpp"
#include "suite.hpp"

namespace linattn::testing::@NAME@_test {

// The definition, token by token and from the beginning each time. Both sides round: i additions and a division.
Expected expected_@NAME@(const Tensor& x) {
    Tensor mean = zeros(shape_of(x)), magnitude = mean;
    const std::size_t n = length(x, -2);
    for (std::size_t i = 0; i < n; ++i) {
        Tensor total = zeros(shape_of(token(x, i))), size = total;
        for (std::size_t j = 0; j <= i; ++j) {
            total += token(x, j);
            size += abs(token(x, j));
        }
        const double count = static_cast<double>(i + 1);
        set_token(mean, i, total / count);
        set_token(magnitude, i, size / count);
    }
    const double units = 2.0 * (static_cast<double>(n) + 1.0);
    return {mean, magnitude * (units * 0x1p-53) + 0x1p-1074, "2 (n + 1) 2^-53 mean |x_j|, plus the smallest denormal"};
}

TEST_SUITE("@NAME@") {
TEST_CASE("gives the chapter's worked example") {
    const Tensor x{{4, 0}, {2, 6}, {0, 3}};
    CALL(@NAME@, x).equals(exactly(Tensor{{4, 0}, {3, 3}, {2, 3}}));
}

TEST_CASE("rejects what has no axis of tokens") {
    CALL(@NAME@, zeros({3})).rejects({"x", "(…, n, d)", "(3,)"});
}

TEST_CASE("equals the definition for every leading shape and length") {
    std::uint64_t stream = 0;
    for (const Shape& shape :
         {Shape{5, 3}, Shape{2, 5, 3}, Shape{2, 4, 5, 3}, Shape{1, 3}, Shape{0, 3}, Shape{0, 5, 3}, Shape{200, 2}}) {
        const Tensor x = random_tensor(shape, ++stream);
        CALL(@NAME@, x).equals(expected_@NAME@(x));
    }
}

TEST_CASE("an output never depends on a later token") {
    const Tensor x = random_tensor({2, 6, 3}, 20);
    const Tensor before = CALL(@NAME@, x).result();
    for (std::size_t changed = 1; changed < 6; ++changed) {
        Tensor other = x;
        set_token(other, changed, random_tensor({2, 3}, 20 + changed));
        const Call<Tensor> call = CALL(@NAME@, other);
        for (std::size_t i = 0; i < changed; ++i)
            call.satisfies(all_equal(token(call.result(), i), token(before, i)),
                           "token " + std::to_string(changed) + " was changed, and the output of token " +
                               std::to_string(i) + " changed with it: it must be the same to the last bit");
    }
}

TEST_CASE("large and tiny numbers neither overflow nor vanish") {
    for (const double scale : {1e300, 1e-300}) {
        const Tensor x = random_tensor({7, 3}, 30) * scale;
        CALL(@NAME@, x).equals(expected_@NAME@(x));
    }
}

TEST_CASE("costs no more than in proportion to n") {
    costs_no_more_than_in_proportion(
        [](std::size_t n) -> Trial { return CALL(@NAME@, random_tensor({n, 3}, 40)); });
}

TEST_CASE("remembers nothing of an earlier call") {
    CALL(@NAME@, random_tensor({6, 3}, 50)).remembers_nothing();
}
}

}  // namespace linattn::testing::@NAME@_test
