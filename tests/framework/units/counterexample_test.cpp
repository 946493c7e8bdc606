// The search for a small input that shows what is wrong, and that nothing a function does there does any harm.
#include <doctest/doctest.h>

#include <cstdlib>
#include <stdexcept>

#include "call.hpp"
#include "counterexample.hpp"
#include "random_inputs.hpp"

namespace linattn::testing {
namespace {

using Binary = Tensor(const Tensor& a, const Tensor& b);

Tensor product(const Tensor& a, const Tensor& b) {
    if (shape_of(a) != shape_of(b)) throw std::invalid_argument("a and b have different shapes");
    return a * b;
}

const Shape shape{2, 9, 4};
bool is_whole(const Tensor& a) { return shape_of(a) == shape; }

std::string counterexample_of(Binary* function, const Tensor& right) {
    static const Tensor a = random_tensor(shape, 1), b = random_tensor(shape, 2);
    register_not_offered("counterexample", [] { return NotOffered{subject(&product), {}}; });
    ComparedCall call{.exercise = "counterexample", .subject = subject(function), .run = probe(function, a, b)};
    call.inputs = {{"a", &a}, {"", &b}};
    call.outcome = call.run(call.subject);
    call.check = [&](const Outcome& outcome) {
        return difference(std::get<Tensor>(outcome.parts.front().value), to_rounding(right, 2, "a product"));
    };
    return smallest_counterexample(call);
}
std::string counterexample_of(Binary* function) {
    return counterexample_of(function, random_tensor(shape, 1) * random_tensor(shape, 2));
}

TEST_SUITE("a counterexample") {
TEST_CASE("has the fewest tokens, columns and heads, and small integers") {
    CHECK(counterexample_of([](const Tensor& a, const Tensor& b) {
              Tensor y = product(a, b);
              for (std::size_t i = 2; i < length(y, -2); ++i) set_token(y, i, -1.0 * token(y, i));
              return y;
          }) ==
          "\n    the smallest input found for which it is wrong:\n"
          "      a = {{0}, {0}, {1}}\n"
          "      argument 2 = {{0}, {0}, {1}}\n"
          "      expected {{0}, {0}, {1}}\n"
          "      got      {{0}, {0}, {-1}}");
}
TEST_CASE("has lost the tokens before those that matter, too") {
    const std::string text = counterexample_of([](const Tensor& a, const Tensor& b) {
        static const double last = a.data()[a.size() - 1];
        Tensor y = product(a, b);
        if (a.data()[a.size() - 1] == last) y.data()[y.size() - 1] += 1.0;
        return y;
    });
    CHECK(text.find("a = {{") != std::string::npos);
    CHECK(text.find("}, {") == std::string::npos);
}
TEST_CASE("may have another shape than the right result") {
    const std::string text = counterexample_of([](const Tensor& a, const Tensor& b) { return sum(product(a, b), 0); });
    CHECK(text.find("got      {0} of shape (1,)") != std::string::npos);
}
TEST_CASE("is not told where nothing smaller is wrong, or where what is right is not known") {
    CHECK(counterexample_of([](const Tensor& a, const Tensor& b) { return is_whole(a) ? a : product(a, b); }) == "");
    CHECK(counterexample_of([](const Tensor& a, const Tensor&) { return a; }, zeros(shape)) == "");
}
TEST_CASE("is looked for where a function can do no harm") {
    static int calls = 0;
    CHECK(counterexample_of([](const Tensor& a, const Tensor&) -> Tensor {
              ++calls;
              return is_whole(a) ? a : throw std::runtime_error("no");
          }) == "");
    CHECK(calls == 1);
    static void (*const harm[])(){[] { std::exit(0); }, [] { std::abort(); },
                                  [] {
                                      for (volatile bool on = true; on;) {
                                      }
                                  }};
    static std::size_t which;
    for (which = 0; which < std::size(harm); ++which)
        CHECK(counterexample_of([](const Tensor& a, const Tensor&) {
                  if (!is_whole(a)) harm[which]();
                  return a;
              }) == "");
}
}

}  // namespace
}  // namespace linattn::testing
