// Where wrong values lie, and what they are of right ones and of arguments.
#include "error_pattern.hpp"
#include "expectations.hpp"
#include "random_inputs.hpp"

namespace linattn::testing {
namespace {

TEST_SUITE("wrong values") {
TEST_CASE("what all wrong values are of the right ones is told") {
    const Tensor right = random_tensor({2, 4, 3}, 5);
    const auto pattern = [&](const Tensor& got) { return error_pattern(got, exactly(right)); };
    CHECK(pattern(2.5 * right) == "every value is 2.5 times the right one");
    CHECK(pattern(-right) == "every value is the right one with the other sign");
    CHECK(pattern(right + 0.5) == "every value is the right one plus 0.5");
    CHECK(pattern(flip(right, -2)) == "the tokens are right, but in reverse order");
    Tensor later = right, earlier = right;
    set_tokens(later, 1, tokens(right, 0, 3));
    set_tokens(earlier, 0, tokens(right, 1, 4));
    CHECK(pattern(later).starts_with("token i has what belongs to token i - 1"));
    CHECK(pattern(earlier).starts_with("token i has what belongs to token i + 1"));
    CHECK(pattern(cumsum(right, -2)).starts_with("each token holds the sum of those up to it"));
    CHECK(pattern(cumsum(right, -1)).starts_with("each entry holds the sum of those up to it in its row"));
    CHECK(pattern(concatenate(slice(right, 0, 0, 1), slice(right, 0, 0, 1), 0))
              .starts_with("every leading index has what belongs to the first one"));
    CHECK(pattern(flip(right, -1)).starts_with("the entries of each row are right, but in reverse order"));
    CHECK(pattern(right * right).empty());
    CHECK_FALSE(contains(pattern(right + 1e-15 * (right + 1.0)), "leading index has"));
    Tensor some = right;
    set_tokens(some, 2, zeros({2, 2, 3}));
    CHECK(pattern(some).starts_with("every wrong value is 0\n"));
    set_tokens(some, 2, 3.0 * tokens(right, 2, 4));
    CHECK(pattern(some).starts_with("every wrong value is 3 times the right one\n"));
}
TEST_CASE("what wrong values are of arguments and of other results is told") {
    const Tensor right = random_tensor({2, 4, 3}, 5), X = random_tensor({2, 4, 3}, 6), beta = random_tensor({2, 4}, 7);
    const std::vector<KnownTensor> others{{"X", &X}, {"beta", &beta}};
    const auto told = [&](const Tensor& got) { return relation_to(got, exactly(right), others); };
    CHECK(told(X) == "every value is X");
    CHECK(told(right + X) == "every value is the right one plus X");
    CHECK(told(right - X) == "every value is the right one minus X");
    CHECK(told(right * X) == "every value is the right one times X");
    CHECK(told(right / expand_dims(beta, -1)) == "every value is the right one divided by its row's entry of beta");
    Tensor some = right;
    set_tokens(some, 2, tokens(right + X, 2, 4));
    CHECK(told(some) == "every wrong value is the right one plus X");
    CHECK(told(right + X * X).empty());
    CHECK(told(right).empty());
    // A rounding error more than is allowed, and arguments that are as small.
    const Tensor tiny = 1e-14 * X;
    const Expected loose{right, 1e-14 * ones({2, 4, 3}), ""};
    CHECK(relation_to(right + 3e-14, loose, {{"tiny", &tiny}}).empty());
}
TEST_CASE("the place of wrong values is told where it says more than the first of them") {
    const auto pattern = [](std::size_t n, std::size_t d, auto is_wrong) {
        Tensor value = ones({2, n, d}), got = value;
        for (std::size_t h = 0; h < 2; ++h)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t b = 0; b < d; ++b)
                    if (is_wrong(h, i, b)) got(h, i, b) = 7.0 + static_cast<double>(i + b);
        return error_pattern(got, exactly(value));
    };
    CHECK(pattern(20, 3, [](auto, auto i, auto) { return i >= 16; }) == "right before token 16, wrong from there on");
    CHECK(pattern(20, 3, [](auto, auto i, auto) { return i >= 5; }) == "right before token 5, wrong from there on");
    CHECK(pattern(9, 3, [](auto, auto i, auto) { return i % 2 == 1; }) == "every second token is wrong, from 1 on");
    CHECK(pattern(9, 3, [](auto, auto i, auto) { return i == 2 || i == 3 || i > 4; }) ==
          "right before token 2, mostly wrong from there on");
    CHECK(pattern(5, 3, [](auto, auto i, auto) { return i == 4; }) == "only the last token, 4, is wrong");
    CHECK(pattern(6, 3, [](auto, auto i, auto) { return i < 5; }) == "only the last token, 5, is right");
    CHECK(pattern(6, 3, [](auto h, auto, auto) { return h == 1; }) == "only the last leading index, 1, is wrong");
    CHECK(pattern(6, 17, [](auto, auto, auto b) { return b < 16; }) == "only the last column, 16, is right");
    CHECK(pattern(6, 19, [](auto, auto, auto b) { return b < 16; }) == "wrong before column 16, right from there on");
    CHECK(pattern(20, 3, [](auto h, auto i, auto) { return h == 1 && i >= 16; }) ==
          "only the last leading index, 1, is wrong\nright before token 16, wrong from there on");
    Expected mixed = exactly(ones({2, 2, 3}));
    mixed.has_columns = false;
    CHECK(error_pattern(ones({2, 2, 3}) + Tensor{0.0, 0.0, 1.0}, mixed).empty());
    Tensor batches = ones({3, 2, 4, 5});
    for (std::size_t i = 0; i < 4; ++i) batches(1, 0, i, 2) = batches(2, 0, i, 2) = 7.0 + static_cast<double>(i);
    CHECK(error_pattern(batches, exactly(ones({3, 2, 4, 5}))) ==
          "only the first index of the first axis is right\nonly the last index of the second axis, 1, is right\n"
          "only column 2 is wrong");
    for (const bool wrong : {true, false}) CHECK(pattern(6, 3, [=](auto, auto, auto) { return wrong; }).empty());
    const Tensor value = random_tensor({4, 5}, 31);
    CHECK(digits_of(value * 1.0, exactly(value)) == Digits::unknown);
    Tensor rounded = value;
    for (double& x : rounded) x = static_cast<double>(static_cast<float>(x));
    CHECK(digits_of(rounded, exactly(value)) == Digits::seven);
    Tensor few = value;
    few.data()[3] += 1e-8;
    for (const Tensor& got : {few, value + 1e-3, value + 1e-13, value + 1e-8})  // none of the last too small
        CHECK(digits_of(got, exactly(value)) == Digits::fewer);
    CHECK(digits_of(Tensor{nan}, exactly(Tensor{1e200})) == Digits::unknown);
    CHECK(digits_of(abs(value) * (1.0 + 0x1p-26), exactly(abs(value))) == Digits::seven);  // a constant was rounded
}
}

}  // namespace
}  // namespace linattn::testing
