"""Code that the step counter does not see is found in what the compiler emitted, and nothing that a student may write is."""

import platform
import subprocess

import pytest

from author.judge import counted, one

HIDDEN = {
    "an attribute": "__attribute__((no_sanitize_coverage)) int f(int n) { int s = 0; for (; n > 0; --n) s += n; return s; }",
    "of C++": "[[gnu::no_sanitize_coverage]] int f(int n) { int s = 0; for (; n > 0; --n) s += n; return s; }",
    "put together": "#define JOIN(a, b) a##b\n__attribute__((JOIN(no_sanitize, _coverage))) int f(int n) { while (n--) {} return n; }",
    "recursion": "__attribute__((no_sanitize_coverage)) int f(int n) { return n == 0 ? 0 : f(n - 1) + n; }",
    "a name like the counter's": "extern volatile int like__sanitizer_cov_trace_pc;\n"
                                 "__attribute__((no_sanitize_coverage)) int f(int n) { while (n--) like__sanitizer_cov_trace_pc = n; return n; }",
    "assembler": 'int f(int n) { asm volatile("1: dec %0\\n\\tjne 1b" : "+r"(n)); return n; }',
    "assembler with a loop instruction": 'long f(long n) { asm volatile("1: loop 1b" : "+c"(n)); return n; }',
    "assembler that jumps into an instruction": 'int f(int n) { asm volatile("jmp 1f + 1\\n1: mov $0x90909090, %%eax" ::: "eax"); return n; }',
}
ALLOWED = """
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <valarray>
#include <vector>
struct Part { double values[9]; Part(); Part(const Part&); ~Part(); };
void use(const void*);
std::atomic<int> count;
std::atomic<unsigned char> bits;
thread_local std::vector<int> kept{1, 2, 3};
int retries(int n) { return count.fetch_or(n) + count.fetch_and(3) + bits.fetch_or(1); }
void large() { double all[20000]; use(all); std::array<Part, 100> parts; use(&parts); }
void by_length(int n) { auto* all = new Part[n]; use(all); delete[] all; }
double library(std::vector<double>& x) {
    std::sort(x.begin(), x.end());
    std::map<std::string, int> names{{"a", 1}};
    std::valarray<double> y(3.0, 9);
    return std::inner_product(x.begin(), x.end(), x.begin(), y.sum() + names["a"]);
}
int choose(int n) {
    switch (n) { case 0: return 7; case 1: return 9; case 2: return 1; case 3: return 4; case 4: return 77; case 5: use(nullptr); }
    for (int i = 0; i < n; ++i) try { use(&i); } catch (...) { continue; }
    return kept[0];
}
void thread() { std::jthread later([] { for (int i = 0; i < 9; ++i) use(nullptr); }); }
"""
FLAGS = ["g++", "-std=c++20", "-g1", "-ftrivial-auto-var-init=pattern", "-fsanitize=address", "-fsanitize-coverage=trace-pc"]


def uncounted(folder, text: str, *more: str) -> list:
    (folder / "a.cpp").write_text(text, encoding="utf-8")
    subprocess.run([*FLAGS, *more, "-c", "a.cpp", "-o", "a.o"], cwd=folder, check=True)
    said = subprocess.run([*counted.DISASSEMBLE.split(), "a.o"], cwd=folder, check=True, capture_output=True, text=True)
    return [name.partition("(")[0] for name in counted.uncounted(said.stdout)]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the assembler is of another processor")
@pytest.mark.parametrize("way", HIDDEN)
def test_what_is_hidden_is_found(way, tmp_path):
    assert uncounted(tmp_path, HIDDEN[way] + "\nint g(int n) { int s = 0; for (; n > 0; --n) s += f(n); return s; }") == ["f"]


@pytest.mark.parametrize("more", ["-O0", "-O2", "-fstack-clash-protection"])
def test_what_a_student_may_write_is_not(more, tmp_path):
    assert uncounted(tmp_path, ALLOWED, more) == []


@pytest.mark.parametrize("seconds, of_the_key, status", [(0.04, 0.0001, "pass"), (0.3, 0.02, "pass"), (0.6, 0.02, "fail"),
                                                         (0.06, 0.0001, "fail")])
def test_an_answer_may_take_many_times_as_long_as_the_key_but_not_any_time(seconds, of_the_key, status):
    found = {"status": "pass", "message": "", "mistakes": [], "times": [0.001, seconds]}
    assert one._beside_the_key(found, {"status": "pass", "times": [0.001, of_the_key]})["status"] == status
