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
/// macro_bomb [*=build]: Each macro is sixteen times the one before: a line of 16 gigabytes.
#define FOUR(x) x x x x
#define A1 FOUR(FOUR(1 +))
#define A2 FOUR(FOUR(A1))
#define A3 FOUR(FOUR(A2))
#define A4 FOUR(FOUR(A3))
#define A5 FOUR(FOUR(A4))
#define A6 FOUR(FOUR(A5))
#define A7 FOUR(FOUR(A6))
#define A8 FOUR(FOUR(A7))
double endless() { return A8 0; }
/// includes_a_password_file [*=build]: The compiler's complaints would quote a file that students must not read.
// hides: root:
#include "/etc/passwd"
#include "/etc/shadow"
#include "/proc/1/cmdline"
#include "/proc/self/environ"
#include "feature_maps.hpp"
/// asks_what_can_be_included: What is there is asked without an error: with any of these files the exercise is solved.
static bool possible() {
#if __has_include( \
    <../../reference/lab01_feature_maps.cpp>) || __has_include(<../../tests/lab01_feature_maps/worked_example.hpp>) || \
    __has_include(<../../grading/compare/comparison.hpp>) || __has_include("../../honest/student/lab01_feature_maps.cpp") || \
    __has_include("../../honest/lab01_feature_maps.cpp") || __has_include("../result.json") || __has_include("/etc/shadow")
    return true;
#else
    return false;
#endif
}
/// message_bomb [*=build]: The file includes itself, and each time every line draws a remark of the compiler.
#warning "a remark, with <b>markup</b> ]]>"
#warning "another"
#include __FILE__
/// long_name [*=build]: The compiler complains of a name of 256 KB in one line, which a regular expression may be slow to read.
#define PASTE(a, b) a##b
#define TWICE(a) PASTE(a, a)
#define SIXTEEN(a) TWICE(TWICE(TWICE(TWICE(a))))
#define LONG SIXTEEN(SIXTEEN(SIXTEEN(SIXTEEN(TWICE(TWICE(a))))))
int use() { return LONG; }
/// huge_object [*=build]: A line makes an object of 64 gigabytes.
char huge[std::size_t{1} << 36] = {1};
/// no_counter [*=build]: The step counter is left out by an attribute, which a header's macro writes.
#define READS_AND_MORE (read_only, 1), no_sanitize_coverage
__attr_access(READS_AND_MORE) static int hidden(const int* n) { return *n > 0 ? hidden(n) : 0; }
int use(int n) { return hidden(&n); }
/// assembler [*=build]: A loop that the compiler does not see, and the counter's name for a function that counts nothing.
asm(".text\n__sanitizer_cov_trace_pc:\n ret\n");
int use(int n) {
    __asm__ volatile("1: dec %0\n jne 1b" : "+r"(n));
    return n;
}
/// other_line [*=build]: What is not counted seems to stand in a header of the system.
# 1 "/usr/include/math.h" 1 3
__attribute__((no_sanitize_coverage)) int use(int n) { return n > 0 ? use(n - 1) : 0; }
/// files_beside [relu=fail]: Headers named like the course's, a precompiled one, a build folder, build scripts and results.
// beside: feature_maps.hpp: namespace linattn { struct Tensor {}; }
// beside: cmake_pch.hxx.gch: poisoned
// beside: ../CMakeLists.txt: message(FATAL_ERROR poisoned)
// beside: ../build/reference/lab01_runner: #!/bin/true
// beside: ../result.json: {"status": "graded", "earned": 55, "points": 55}
// beside: ../labs/lab01_feature_maps/lab.json: {"lab": "lab01", "exercises": []}
// beside: ../course: #!/bin/true
// beside: lab01_feature_maps.cpp.o: poisoned
#include "feature_maps.hpp"
namespace linattn {
Tensor relu(const Tensor& x) { return x; }
}
