/// constant_expression_bomb [*=build]: Constants that take hours, each below the compiler's limit of operations.
constexpr long slow(int n) {
    long sum = n;
    for (long i = 0; i < 100'000; ++i)
        for (long j = 0; j < 10; ++j) sum += i ^ j;
    return sum;
}
template <int n>
struct Many : Many<n - 1> {
    static_assert(slow(n) != 7);
};
template <>
struct Many<0> {};
Many<880> endless;
/// includes_a_silent_file [*=build|todo]: The preprocessor waits for what nobody will type.
#include "/dev/stdin"
#include "/proc/self/fd/0"
#include "feature_maps.hpp"
/// includes_an_endless_file [*=build]: The preprocessor reads a file without end.
#include "/dev/zero"
/// macro_bomb [*=build]: Each macro is eight times the one before: a line of 16 gigabytes.
#define A0 1 +
#define A1 A0 A0 A0 A0 A0 A0 A0 A0
#define A2 A1 A1 A1 A1 A1 A1 A1 A1
#define A3 A2 A2 A2 A2 A2 A2 A2 A2
#define A4 A3 A3 A3 A3 A3 A3 A3 A3
#define A5 A4 A4 A4 A4 A4 A4 A4 A4
#define A6 A5 A5 A5 A5 A5 A5 A5 A5
#define A7 A6 A6 A6 A6 A6 A6 A6 A6
#define A8 A7 A7 A7 A7 A7 A7 A7 A7
#define A9 A8 A8 A8 A8 A8 A8 A8 A8
#define B0 A9 A9 A9 A9 A9 A9 A9 A9
double endless() { return B0 B0 B0 B0 0; }
/// includes_a_password_file [*=build]: The compiler's complaints would quote a file that students must not read.
// hides: root:
#include "/etc/passwd"
#include "/etc/shadow"
#include "/proc/1/cmdline"
#include "/proc/self/environ"
#include "feature_maps.hpp"
/// includes_the_reference [*=build]: The include path of the lab's headers leads, two folders up, to the answer key.
#include <../../reference/lab01_feature_maps.cpp>
/// includes_the_tests [*=build]: The suite's own header holds the numbers of a worked example.
#include <../../tests/lab01_feature_maps/worked_example.hpp>
#include "feature_maps.hpp"
/// asks_what_can_be_included: What is there is asked without an error: with any of these files the exercise is solved.
static bool possible() {
#if __has_include( \
    <../../reference/lab01_feature_maps.cpp>) || __has_include(<../../tests/lab01_feature_maps/worked_example.hpp>) || \
    __has_include(<../../grading/comparison.hpp>) || __has_include("../../honest/student/lab01_feature_maps.cpp") || \
    __has_include("../../honest/lab01_feature_maps.cpp") || __has_include("../result.json") || __has_include("/etc/shadow")
    return true;
#else
    return false;
#endif
}
/// line_of_the_reference [relu=todo, identity=fail]: The compiler is told that this is the answer key, so that messages
// and the source of NotImplemented name it.
#line 1 "reference/lab01_feature_maps.cpp"
#include "feature_maps.hpp"
namespace linattn {
Tensor relu(const Tensor&) { throw NotImplemented("relu", "/grading/exercise.cpp"); }
Tensor identity(const Tensor& x) { return x * 2; }
}
/// long_symbol [*=build]: The linker complains of a name of 256 KB in one line, which a regular expression may be slow to read.
#define X0 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define X1 X0 X0 X0 X0 X0 X0 X0 X0
#define X2 X1 X1 X1 X1 X1 X1 X1 X1
#define X3 X2 X2 X2 X2 X2 X2 X2 X2
#define X4 X3 X3 X3 X3 X3 X3 X3 X3
asm(".globl " X4 "\n" X4 ": .byte 0\n.data\n.long " X4 "\n.text\n");
/// own_counter [*=build]: The counter's name is a function of the file's own, which counts nothing.
asm(".text\n__sanitizer_cov_trace_pc:\n ret\n");
linattn::Tensor linattn::relu(const Tensor& x) { return maximum(x, 0); }
/// message_bomb [*=build]: Every line of a long file draws a remark of the compiler, with a control sequence in it.
#define REMARK _Pragma("message \"\033[2J\033]0;PASS\007\"")
#define R1 REMARK REMARK REMARK REMARK REMARK REMARK REMARK REMARK
#define R2 R1 R1 R1 R1 R1 R1 R1 R1
#define R3 R2 R2 R2 R2 R2 R2 R2 R2
#define R4 R3 R3 R3 R3 R3 R3 R3 R3
R4 R4
#error
