// The loss and its gradient.
#include <cmath>

#include "cost_claims.hpp"
#include "expected_gradients.hpp"

namespace linattn::testing::cross_entropy_test {

Tensor whole_numbers(const Shape& shape, std::size_t below, std::uint64_t stream) {
    Tensor x = random_tensor(shape, stream, 0.0, static_cast<double>(below));
    for (double& each : x) each = std::floor(each);
    return x;
}

void equals_the_definition(const Tensor& logits, const Tensor& targets, const Tensor& counts) {
    CALL(cross_entropy, logits, targets, counts).equals(expected_loss(logits, targets, counts));
}

TEST_SUITE("cross_entropy") {
TEST_CASE("gives the chapter's worked example") {
    // p = (1/4, 3/4) and (1/2, 1/2); the third position does not count.
    const Tensor logits{{0, 1.0986122886681098}, {5, 5}, {7, 1}}, targets{1, 0, 0}, counts{1, 1, 0};
    CALL(cross_entropy, logits, targets, counts)
        .equals(
            {to_rounding(Tensor(0.49041462650586309), 8, "a few roundings", false),
             to_rounding_of_terms({{0.125, -0.125}, {-0.25, 0.25}, {0, 0}}, ones({1, 1}), 4, "a few roundings of p")});
}
TEST_CASE("rejects what does not belong together") {
    const Tensor logits = zeros({2, 3, 4}), targets = zeros({2, 3}), counts = ones({2, 3});
    CALL(cross_entropy, zeros({4}), targets, counts).rejects({"(4,)"});
    CALL(cross_entropy, logits, zeros({3}), counts).rejects({"targets", "(2, 3)", "(3,)"});
    CALL(cross_entropy, logits, targets, ones({3, 2})).rejects({"counts", "(2, 3)", "(3, 2)"});
    CALL(cross_entropy, logits, targets, zeros({2, 3})).rejects({"counts"});
    CALL(cross_entropy, logits, targets, full({2, 3}, 0.5)).rejects({"counts", "0.5"});
}
TEST_CASE("refuses a target that is no symbol, at a position that does not count, too") {
    const Tensor logits = zeros({2, 4}), counts{1, 0};
    for (const double wrong : {4.0, -1.0, 1.5, std::nan("")}) {
        const Tensor targets{0, wrong};
        const auto call = CALL(cross_entropy, logits, targets, counts);
        call.rejects({"targets"});
    }
}
TEST_CASE("equals the slopes of the definition for every leading shape") {
    std::uint64_t stream = 0;
    for (const Shape& leading : {Shape{}, {1}, {2}, {3, 2}})
        for (const auto& [n, v] : {std::pair<std::size_t, std::size_t>{3, 4}, {1, 2}, {5, 1}, {17, 3}}) {
            const Shape shape = join(leading, {n});
            Tensor counts = whole_numbers(shape, 2, ++stream);
            counts.data()[0] = 1.0;
            equals_the_definition(random_tensor(join(shape, {v}), stream + 100, -3.0, 3.0),
                                  whole_numbers(shape, v, stream + 200), counts);
        }
}
TEST_CASE("equals the slopes of the definition on both sides of every border") {
    std::uint64_t stream = 100;
    for (const Size& size : small_sizes_around_borders()) {
        const Shape shape = join(size.leading, {size.n});
        const std::size_t v = std::max<std::size_t>(size.d_k, 2);
        if (size.n == 0) continue;
        const Tensor logits = random_tensor(join(shape, {v}), ++stream);
        equals_the_definition(logits, whole_numbers(shape, v, stream + 100), ones(shape));
    }
}
TEST_CASE("is stable for logits of ±1000") {
    const Tensor logits{{1000, 0, -1000}, {-1000, -1000, -999}, {1000, 1000, 1000}}, targets{0, 2, 1}, counts{1, 1, 1};
    equals_the_definition(logits, targets, counts);
    const Tensor wrong_targets{2, 0, 1};
    equals_the_definition(logits, wrong_targets, counts);
}
TEST_CASE("does not change when all logits of a position are shifted") {
    const Tensor logits = random_tensor({4, 5}, 1), targets = whole_numbers({4}, 5, 2), counts = ones({4});
    const Tensor shifted = logits + 64.0;
    CALL(cross_entropy, shifted, targets, counts).equals(expected_loss(shifted, targets, counts));
    const double before = CALL(cross_entropy, logits, targets, counts).result().loss;
    const auto after = CALL(cross_entropy, shifted, targets, counts);
    after.satisfies(std::fabs(after.result().loss - before) < 1e-12, "adding 64 to every logit changes the loss");
}
TEST_CASE("its cost grows in proportion to the symbols") {
    costs_no_more_than_in_proportion(
        [](std::size_t symbols) {
            return CALL(cross_entropy, random_tensor({3, symbols}, symbols), zeros({3}), ones({3}));
        },
        "symbols", 64);
}
TEST_CASE("remembers nothing") {
    const Tensor logits = random_tensor({4, 5}, 1), targets = zeros({4}), counts = ones({4});
    CALL(cross_entropy, logits, targets, counts).equals(expected_loss(logits, targets, counts));
    const Tensor others = random_tensor({4, 5}, 2);
    CALL(cross_entropy, others, targets, counts).equals(expected_loss(others, targets, counts));
    const auto again = CALL(cross_entropy, logits, targets, counts);
    again.equals(expected_loss(logits, targets, counts));
    again.remembers_nothing();
}
}
}  // namespace linattn::testing::cross_entropy_test
