// D, the mask of decays: what is left at token i of what token j wrote.

#include "gated_claims.hpp"
#include "worked_example.hpp"

namespace linattn::testing::decay_mask_test {

void equals_the_definition(const Tensor& log_decay) {
    CALL(decay_mask, log_decay).equals(expected_decay_mask(log_decay));
}

TEST_SUITE("decay_mask") {
TEST_CASE("gives the chapter's worked example") {
    CALL(decay_mask, worked_example::log_decay)
        .equals(worked_example::about(Tensor{{1, 0, 0}, {0.5, 1, 0}, {0.25, 0.5, 1}}));
}
TEST_CASE("rejects what has no axis of tokens, and decays that are no logarithms") {
    CALL(decay_mask, zeros({})).rejects({"log_decay", "(…, n)", "()"});
    for (const double wrong : {0.9, 1e-300, infinity, not_a_number})
        for (const std::size_t place : {0U, 7U}) {
            Tensor log_decay = random_decays({2, 4}, 2, Strength::middle);
            log_decay.data()[place] = wrong;
            CALL(decay_mask, log_decay).rejects({"log_decay", "pass log a, not a"});
        }
}
TEST_CASE("equals the definition for weak and strong decays") {
    std::uint64_t stream = 10;
    for (const Strength strength : all_strengths)
        for (const Shape& leading : {Shape{}, Shape{2}, Shape{2, 3}})
            equals_the_definition(random_decays(join(leading, {11}), ++stream, strength));
}
TEST_CASE("the weakest and the strongest decay leave 1 and 0") {
    const Tensor lower{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}};
    CALL(decay_mask, zeros({4})).equals(exactly(lower));
    const Tensor identity{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (const double strongest : {-1e4, -1e300, -infinity})
        CALL(decay_mask, full({4}, strongest)).equals(exactly(identity));
    CALL(decay_mask, Tensor{-1, 0, -infinity, 0})
        .equals(exactly(Tensor{{1, 0, 0, 0}, {1, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 1, 1}}));
}
TEST_CASE("a strong decay leaves no rounding in what comes after it") {
    // Behind the reset the exponents are as small as without it, but a running sum from the front is not.
    for (const double reset : {-infinity, -1e4, -745.0, -1e9}) {
        Tensor log_decay = random_decays({2, 64}, 30, Strength::weak);
        log_decay(0, 0) = log_decay(1, 20) = reset;
        equals_the_definition(log_decay);
    }
}
TEST_CASE("an entry depends on its own terms alone") {
    const std::size_t n = 9;
    const Tensor log_decay = random_decays({n}, 40, Strength::middle);
    const Tensor before = result_of_shape(CALL(decay_mask, log_decay), {n, n});
    for (std::size_t t = 0; t < n; ++t)
        for (const double other : {-infinity, -20.0, 0.0}) {
            Tensor changed = log_decay;
            changed(t) = other;
            const Call<Tensor> call = CALL(decay_mask, changed);
            const Tensor& after = result_of_shape(call, {n, n});
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j) {
                    const double allowed = t > i ? 0.0 : 1e-14 * before(i, j);
                    call.satisfies((j < t && t <= i) || std::fabs(after(i, j) - before(i, j)) <= allowed,
                                   "log_decay of token " + std::to_string(t) +
                                       " was changed, and D_ij changed for i = " + std::to_string(i) +
                                       ", j = " + std::to_string(j) +
                                       ": its terms are those of tokens j + 1 to i, and later ones change no bit");
                }
        }
}
TEST_CASE("equals the definition at every size") {
    std::uint64_t stream = 100;
    for (const Size& size : sizes_around_borders(200)) {
        ++stream;
        equals_the_definition(
            random_decays(join(size.leading, {size.n}), stream, stream % 2 == 0 ? Strength::weak : Strength::mixed));
    }
}
TEST_CASE("handles one token, no token and no head") {
    for (const Shape& shape : {Shape{1}, Shape{0}, Shape{2, 3, 1}, Shape{2, 0}, Shape{0, 5}, Shape{2, 0, 0}})
        equals_the_definition(random_decays(shape, 50, Strength::middle));
}
TEST_CASE("remembers nothing of an earlier call") {
    CALL(decay_mask, random_decays({2, 6}, 60, Strength::middle)).remembers_nothing();
}
TEST_CASE("costs no more than in proportion to n²") {
    costs_no_more_than_in_proportion_to_n_squared(
        [](std::size_t n) { return CALL(decay_mask, random_decays({n}, n, Strength::weak)); });
}
TEST_CASE("equals the definition beyond every round length") {
    with_long_calls([] {
        for (const Shape& shape :
             {Shape{long_width, 2}, Shape{600}})  // n² numbers, for each of which the definition takes O(n)
            equals_the_definition(random_decays(shape, 2000, Strength::weak));
    });
}
}

}  // namespace linattn::testing::decay_mask_test
