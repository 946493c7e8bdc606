"""What may keep steps from being counted is found among a file's tokens, and nothing that a student needs is."""

import subprocess

import pytest

from author.judge import grade_submission, uncounted

LOOP = "int f(int n) { while (n--) {} return n; }"
REFUSED = {
    "an attribute": (f"__attribute__((no_sanitize_coverage)) {LOOP}", "__attribute__"),
    "an attribute behind a harmless one": (f"__attribute__((unused, no_sanitize_coverage)) {LOOP}", "__attribute__"),
    "of C++": (f"[[ gnu // \n\n\n\n\n\n\n\n\n\n\n\n :: no_sanitize_coverage]] {LOOP}", "gnu::no_sanitize_coverage"),
    "with using": (f"[[using __gnu__: no_sanitize_coverage]] {LOOP}", "using __gnu"),
    "with digraphs": (f"<:<:gnu::optimize(0):>:> {LOOP}", "gnu::optimize"),
    "put together": (f"#define JOIN(a, b) a##b\n[[JOIN(gn, u)::naked]] {LOOP}", "gnu::naked"),
    "of a header's macro": ("#include <cstdio>\n#define AND_MORE (read_only, 1), no_sanitize_coverage\n__attr_access(AND_MORE) int f(const int*);", "__attribute__"),
    "assembler": ('int f(int n) { asm volatile("1: dec %0\\n\\tjne 1b" : "+r"(n)); return n; }', "asm"),
    "assembler behind strings": ('const char* a = "\\""; auto b = R"x(")" )x"; int c = 1\'0; void f() { __asm__(""); }', "__asm__"),
    "a pragma": (f'#pragma GCC optimize("O0")\n{LOOP}', "#pragma GCC optimize"),
    "a pragma's operator": (f'_Pragma("GCC push_options") {LOOP}', "#pragma GCC push_options"),
    "the counter": ('namespace { extern "C" void __sanitizer_cov_trace_pc() {} }', "__sanitizer_cov_trace_pc"),
    "another file that is handed in": ('#define HIDDEN\n#include "./b.cpp"', "__attribute__"),
    "by a way around": ('#define HIDDEN\n#include "/usr/..{folder}/b.cpp"', "__attribute__"),
    "another line": ('# \\\n 7 "/usr/include/math.h"\nint f();', "#line"),
    "another line behind a comment": ('/*\n*/ %: line 7 "/usr/include/math.h"\nint f();', "#line"),
    "a line in a string": ('auto text = R"(\n# 1 "/usr/include/math.h"\n)"; void f() { asm(""); }', "#line"),
    "too much": ("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(x)))))))\nint n = B(1 +) 0;", "more than 4 MiB after preprocessing"),
}
ALLOWED = r"""
#include <atomic>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <thread>
#pragma GCC diagnostic ignored "-Wconversion"
#pragma unroll
// asm, __attribute__ and
/* #pragma GCC optimize
*/
[[maybe_unused, nodiscard]] static int gnu(int asm_ /* # 1 */) { return asm_; }
[[gnu::noinline]] __attribute__((unused)) static double nothing() { return NAN; }
const char* words() { return "asm __attribute__((naked)) [[gnu::naked]] #1" R"(__asm__)"; }
int choose(int n) {
    assert(n > 0);
    if (n == 1) [[likely]] return __builtin_popcount(1'000u);
    return n > 1 ? gnu(n) : -1;
}
"""


def found(folder, text: str) -> list:
    """The folders of the system hold headers; this one holds what is handed in."""
    (folder / "a.cpp").write_text(text.replace("{folder}", str(folder)))
    (folder / "b.cpp").write_text(f"#ifdef HIDDEN\n__attribute__((no_sanitize_coverage)) {LOOP}\n#endif\n")
    said = subprocess.run(["g++", "-std=c++20", "-E", folder / "a.cpp"], cwd=folder, check=True, capture_output=True)
    return uncounted.found((folder / "a.cpp").read_bytes(), said.stdout.decode(), ("<", "/usr/"))


@pytest.mark.parametrize("way", REFUSED)
def test_what_is_hidden_is_found(way, tmp_path):
    text, name = REFUSED[way]
    assert found(tmp_path, text) == [name]


def test_what_a_student_may_write_is_not(tmp_path):
    assert found(tmp_path, ALLOWED) == []


@pytest.mark.parametrize("seconds, of_the_key, status", [(0.04, 0.0001, "pass"), (0.3, 0.02, "pass"), (0.6, 0.02, "fail"),
                                                         (0.06, 0.0001, "fail")])
def test_an_answer_may_take_many_times_as_long_as_the_key_but_not_any_time(seconds, of_the_key, status):
    found = {"status": "pass", "message": "", "mistakes": [], "times": [0.001, seconds]}
    assert grade_submission._beside_the_key(found, {"status": "pass", "times": [0.001, of_the_key]})["status"] == status
