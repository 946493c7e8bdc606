// What the suites do to see whether an answer remembers, and the sizes that they use.
#include <doctest/doctest.h>

#include <set>

#include "changed_arguments.hpp"
#include "sizes.hpp"

namespace linattn::testing {
namespace {

struct Lengths {
    int heads, n;
};

TEST_SUITE("changed arguments") {
TEST_CASE("arrays are changed whatever their type, but for the first entry, and nothing else is") {
    std::tuple<Tensor, std::vector<float>, std::vector<std::uint16_t>, std::vector<std::string>, double> arguments{
        Tensor{1, 2, 3}, {1.0f, 2.0f}, {0x3F80, 0x4000}, {"a", "b"}, 4.0};
    const ChangeScope scope(all_but_the_first_entry());
    change_arguments(arguments);
    const auto& [tensor, floats, bfloats, words, number] = arguments;
    CHECK(tensor(0) == 1.0);
    CHECK(tensor(1) != 2.0);
    CHECK(tensor(2) != 3.0);
    CHECK(floats[1] != 2.0f);
    CHECK(bfloats == std::vector<std::uint16_t>{0x3F80, 0xBE80});  // 0.75 - 2/2 in place of 2
    CHECK(words[1] != "b");
    CHECK(number == 4.0);
}
TEST_CASE("an array without a shape gets that of the lengths beside it") {
    std::tuple<std::vector<float>, Lengths> arguments{std::vector<float>(12), {2, 3}};
    Shape seen;
    const ChangeScope scope([&](const std::string&, Tensor& x) { seen = shape_of(x); });
    change_arguments(arguments);
    CHECK(seen == Shape{2, 3, 2});
}
}

TEST_SUITE("the sizes that suites use") {
TEST_CASE("never have two lengths alike, and lie on both sides of every border") {
    for (const Size& size : sizes_around_borders()) {
        CAPTURE(size.n);
        CHECK((size.n != size.d_k && size.n != size.d_v && size.d_k != size.d_v));
    }
    std::set<std::size_t> lengths;
    for (const Size& size : lengths_around_borders(200)) lengths.insert(size.n);
    for (const std::size_t border : {16u, 32u, 64u, 128u})
        CHECK((lengths.contains(border - 1) && lengths.contains(border + 1)));
}
}

}  // namespace
}  // namespace linattn::testing
