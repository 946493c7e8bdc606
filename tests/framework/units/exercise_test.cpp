// What a call of an answer is watched for, and how it reads.
#include <bit>
#include <cmath>

#include "argument_lengths.hpp"
#include "call.hpp"
#include "expectations.hpp"
#include "memory_watch.hpp"
#include "work_counter.hpp"

namespace linattn::testing {
namespace {

TEST_SUITE("memory") {
TEST_CASE("the peak is counted, not the sum") {
    {
        const MemoryWatch watch;
        for (int i = 0; i < 10; ++i) zeros({1000});
    }
    CHECK(peak_bytes() >= 8000);
    CHECK(peak_bytes() < 3 * 8000);
    { const MemoryWatch watch; }
    CHECK(peak_bytes() == 0);
}
TEST_CASE("a value that was never written is recognised, also after arithmetic") {
    const Shape shape{4};
    Tensor y;
    {
        const MemoryWatch watch;
        y = Tensor(Tensor::shape_type(shape.begin(), shape.end()));
    }
    const double value = y(2);
    REQUIRE(unwritten_origin(value));
    for (const double computed : {value + 1.0, 3.0 * value, -value, value / 7.0, value - value, std::sqrt(value)})
        CHECK(unwritten_origin(computed) == unwritten_origin(value));
    for (const double ordinary : {0.0, 1.0, -1e308, inf, nan, -nan, 5e-324}) CHECK_FALSE(unwritten_origin(ordinary));
}
TEST_CASE("what was allocated outside a watch is left alone") {
    const Tensor x = zeros({3});
    const MemoryWatch watch;
    CHECK_FALSE(unwritten_origin(x(0)));
}
TEST_CASE("an unset local is recognised by the pattern of either compiler") {
    const double gcc = std::bit_cast<double>(0xFEFE'FEFE'FEFE'FEFE),
                 clang = std::bit_cast<double>(0xFFFF'FFFF'FFFF'FFFF);
    const double in_a_kernel = static_cast<double>(std::bit_cast<float>(0xFEFE'FEFEu));
    for (const double value : {gcc, -gcc, gcc + 1e6, clang, -clang, clang * 2.0, in_a_kernel, -in_a_kernel})
        CHECK(is_unset_local(value));
    CHECK(may_come_from_unset_local(gcc * 0.5));
    for (const double ordinary : {0.0, 1.0, 1e200, nan, -nan, inf, -inf}) {
        CHECK_FALSE(is_unset_local(ordinary));
        CHECK_FALSE(may_come_from_unset_local(ordinary));
    }
}
}

TEST_SUITE("cost") {
TEST_CASE("the vocabulary counts its work") {
    const Tensor a = ones({3, 4}), b = ones({4, 5});
    const std::size_t before = work_done;
    matmul(a, b);
    const std::size_t product = work_done - before;
    CHECK(product >= 3 * 4 * 5);
    CHECK(product <= 3 * 4 * 5 + 2 * 3 * 5);
    const std::size_t then = work_done;
    for (int i = 0; i < 10; ++i) a + 1.0;
    CHECK(work_done - then >= 10 * a.size());
}
}

TEST_SUITE("call") {
TEST_CASE("an argument that changes has another fingerprint") {
    Tensor x{1, 2, 3};
    const std::size_t before = fingerprint(x);
    CHECK(fingerprint(Tensor{1, 2, 3}) == before);
    x(1) = std::nextafter(2.0, 3.0);
    CHECK(fingerprint(x) != before);
}
TEST_CASE("a call reads as it was written") {
    CHECK(describe_call("in.Q, Mask::causal, phi", {"(2, 3)", "Mask::causal", "relu"}) ==
          "Q (2, 3), Mask::causal, phi relu");
    CHECK(describe_call("zeros({2, 3}), \"x\"", {"(2, 3)", "\"x\""}) == "(2, 3), \"x\"");
    CHECK(describe_call("worked_example::sizes, gpu::Run{}, quick", {"(1 head)", "forward, checked", "shuffled(3)"}) ==
          "sizes (1 head), forward, checked, shuffled(3)");
    CHECK(describe_call("in.V, phi, state", {"", "pairs (c = d_k^2)", "S (2, 3), z (3,)"}) ==
          "V, phi pairs (c = d_k^2), S (2, 3), z (3,)");
    CHECK(describe_call("letters(n), token(Q, 1)", {describe(std::vector<std::string>(4)), ""}) == "n = 4");
    CHECK(describe_call("epsilon", {describe(1e-6f)}) == "epsilon 1e-06");
    CHECK(describe_call("relu_map, 1e-12, 0.0", {"relu", describe(1e-12), describe(0.0)}) == "relu, 1e-12, 0");
    CHECK(describe_call("log(P), Mask::none, 0.5, Run{}", {"(4, 2)", "Mask::none", "0.5", "(1 head)"},
                        {"Q", "mask", "epsilon", "run"}) == "Q (4, 2), Mask::none, epsilon 0.5, (1 head)");
}
TEST_CASE("a message about shapes tells which arguments have the lengths in it") {
    const Tensor Q = zeros({4, 2}), V = zeros({4, 3});
    const std::vector<Input> inputs{{"Q", &Q}, {"K", &Q}, {"V", &V}, {"phi", nullptr}, {"", &V}};
    CHECK(lengths_in("has shape (4, 2), expected shape (4, 3)", inputs) ==
          "2 is the width of Q and K, 3 that of V: does one of them stand where the other should?");
    CHECK(lengths_in("matmul of (4, 2) and (4, 2): 2 and 4 must be equal", inputs) ==
          "2 is the width of Q and K, 4 the number of rows of Q, K and V: is a transpose missing, or one too many?");
    CHECK(lengths_in("token 4 does not exist", {}) == "");
    for (const char* other :
         {"axis 2 does not exist: the shape is (4, 7), so n = 4", "cannot reshape (4, 3) with 12 entries into (2, 3)",
          "shapes (2, 3) and (9, 3) do not broadcast: axis -2 has lengths 2 and 9",
          "token 2 does not exist: the shape is (4, 2, 3), so n = 2",
          "set_token: a token of (4, 3) has shape (3,), got (1, 3)"})
        CHECK(lengths_in(other, inputs) == "");
}
}

}  // namespace
}  // namespace linattn::testing
