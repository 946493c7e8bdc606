"""What a student reads of what went wrong in their function: what it is, first, and their own line."""

import re
import subprocess

from student_course import StudentCourse

SHAPE = "const Shape shape{a.size(), b.size()};\n    "
BEGIN = SHAPE + "Tensor y(shape);  // HERE\n    "
BY_LOOPS = "for (std::size_t i = 0; i < a.size(); ++i)\n        for (std::size_t j = 0; j < b.size(); ++j) "

SPOILT_FOURTH = "Tensor y = maximum(x, 0.0);\n    if (y.size() > 3) y.data()[3] += 7.0;\n    return y;"
NEVER = "some values are from memory that was never written after it was allocated\n    at student/lab"
NOWHERE = '("seven") where nothing can catch it: out of a noexcept function or a destructor, in '
# The status, what a function does with these, and words of the message.
A_AND_B = "const Tensor a{1, 2, 3}, b{4, 5};\n    "
FAULTS = (
    ("fail", "Tensor y(shape_of(x));  // HERE\n    "
     "for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] += x.data()[i];\n    return y;", NEVER),
    ("fail", "double* own = new double[x.size()];  // HERE\n    Tensor y = zeros(shape_of(x));\n    "
     "for (std::size_t i = 0; i < x.size(); ++i) y.data()[i] = own[i] + 1.0;\n    delete[] own;\n    return y;", NEVER),
    ("fail", "Tensor y = zeros({a.size(), b.size()});\n    y(a.size(), 0) = 1.0;  // HERE\n    return y;",
     "threw an exception: index 3 is out of bounds for axis 0 with size 3\n"),
    ("fail", "Tensor y = zeros({2, 2, 2, 2});\n    y(0, 0, 0, 9) = 1.0;  // HERE\n    return y;",
     "index 9 is out of bounds for axis 3 with size 2\n"),
    ("fail", "const Tensor y = zeros({a.size(), b.size()});\n    return token(y, 7);  // HERE",
     "token 7 does not exist: the shape is (3, 2), so n = 3"),
    ("fail", "return sum(a, 3);  // HERE", "axis 3 does not exist: the shape is (3,)"),
    ("crash", "std::vector<double> v(a.size());\n    v[a.size()] = 1.0;  // HERE\n    return a;",
     "went outside a std::vector: operator[] with an index that is not below its size, in "),
    ("crash", "std::vector<double> v;\n    v.pop_back();  // HERE\n    return a;", "called pop_back() on an empty std::vector"),
    ("crash", "volatile std::size_t n = 7;\n    double own[4] = {};\n    own[n] = a(0);  // HERE\n    return a;",
     "went outside an array of fixed size"),
    ("crash", "std::array<double, 4> own{};\n    volatile std::size_t n = 7;\n    own[n] = a(0);  // HERE\n    return a;",
     "went outside a std::array: operator[] with an index"),
    ("crash", "Tensor y = a;\n    y.data()[y.size()] = 1.0;  // HERE\n    return y;", "outside an array: wrote 8 bytes"),
    ("crash", "Tensor y = a;\n    y(0) = y.data()[y.size()];  // HERE\n    return y;", "outside an array: read 8 bytes"),
    ("crash", "Tensor y = a;\n    y(0) = a.data()[-1];  // HERE\n    return y;", "outside an array: read 8 bytes"),
    ("crash", "Tensor y = a;\n    y.data()[1000000] = 1.0;  // HERE\n    return y;", "segmentation fault"),
    ("crash", "const double* p = nullptr;\n    {\n        const Tensor y = a * 2.0;\n        p = y.data();\n    }\n"
     "    return full({3, 2}, *p);  // HERE", "used memory that was already freed: read 8 bytes"),
    ("crash", "double* p = new double[3];\n    delete[] p;\n    delete[] p;  // HERE\n    return a;",
     "freed memory that was freed already"),
    ("crash", "struct Last { ~Last() { throw std::runtime_error(\"seven\"); } } last;  // HERE\n    return a;",
     "threw std::runtime_error " + NOWHERE),
    ("crash", "const auto part = []() noexcept { throw std::runtime_error(\"seven\"); };  // HERE\n    part();\n    return a;",
     "threw std::runtime_error " + NOWHERE),
    ("fail", "const std::vector<double> v(a.size() - 4);  // HERE\n    return a;", "below 0?"),
    ("fail", "const std::vector<double> v(std::size_t{1} << 40);  // HERE\n    return a;",
     "std::bad_alloc: that much memory is not available"),
    ("crash", "std::exit(0);", "exit, _exit or quick_exit was called; a function must return or throw"),
    ("crash", "_exit(0);", "exit, _exit or quick_exit was called; a function must return or throw"),
    ("crash", "std::quick_exit(0);", "exit, _exit or quick_exit was called; a function must return or throw"),
    ("crash", "std::abort();  // HERE", "called abort"), ("crash", "std::terminate();  // HERE", "called std::terminate"),
    ("crash", "::raise(SIGKILL);\n    return a;", "was stopped by signal 9"),  # nobody can say where
    ("crash", "volatile int zero = 0;\n    zero = 7 / zero;  // HERE\n    return a;", "divided an integer by zero"),
    ("fail", "throw 7;  // HERE", "threw an exception: something that is not a std::exception\n"),
    ("fail", "throw std::runtime_error(\"seven\");  // HERE", "threw an exception: seven\n"))
ABOVE = "#include <unistd.h>\n#include <array>\n#include <csignal>\n#include <cstdlib>"


class Line(StudentCourse):
    def said(self, status, body, *fragments):
        """Grades lab00 with this outer_product; the message holds the fragments and ends in the marked line."""
        self.put_stubs()
        self.answer("outer_product", body)
        run = self.ctest("lab00")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("outer_product", run.results, run.words)
        self.assertEqual(run.results["outer_product"]["status"], status, run.words)
        for fragment in (*fragments, f"at {self.line('lab00')}"):
            self.assertIn(fragment, run.words)

    def test_each_fault_is_named_with_its_line_and_earns_nothing(self):
        graded = self.grade_together([A_AND_B + body for _, body, _ in FAULTS], ABOVE)
        for (status, body, words), run in zip(FAULTS, graded, strict=True):
            function = run.result["exercise"]
            self.assertEqual((run.returncode, run.result["status"], run.result["points"]), (1, status, 0), run.words)
            self.assertRegex(run.words, rf"^lab01 · {function} +{status.upper()}\n")
            self.assertIn(words, run.words)
            if run.line:
                self.assertRegex(run.words, rf"{re.escape(run.line)}(, called from line \d+)?\n")
            if status == "crash":
                self.assertIn(f" in {function} with x (", run.words)

    def test_memory_that_was_never_written(self):
        self.said("fail", BEGIN + "return y;", NEVER, "got a value that was never written")
        self.said("fail", BEGIN + BY_LOOPS + "if (i > 0) y(i, j) = a(i) * b(j);\n    return y;", NEVER, "2 of 6 values differ")

    def test_a_variable_that_was_never_given_a_value(self):
        begin, end = SHAPE + "Tensor y = zeros(shape);\n    double total;  // HERE\n    ", "\n    return y;"
        loop = "for (std::size_t i = 0; i < a.size(); ++i) total += a(i);\n    "
        for read in (loop + "y(0, 0) = total;", loop + "y(0, 0) = total * 0.5;", "y += total;",
                     "if (b(0) > 1e9) total = 0.0;\n    y(0, 0) = total;"):
            self.put_stubs()
            self.answer("outer_product", begin + read + end)
            run = self.ctest("lab00")
            self.assertNotEqual(run.returncode, 0)
            if run.results:
                self.assertIn("looks like a local variable that was read before it was given a value\n"
                              f"    at {self.line('lab00')}, where 'total' is declared\n", run.words)
            else:  # clang is sure of it already when it compiles
                self.assertRegex(run.words, r"student/lab00_warm_up\.cpp:\d+:\d+: error: "
                                            r".*'total' is (used )?uninitialized")

    def test_what_is_certainly_wrong_does_not_compile(self):
        for body, said in (("std::size_t n;\n    n += 1;  // HERE\n    return zeros({n});", "uninitialized"),
                           ("double s;\n    const double t = s + 1.0;  // HERE\n    return a * t;", "uninitialized"),
                           ("if (a.size() > 9) return a;\n", "non-void function")):
            self.put_stubs()
            self.answer("outer_product", body)
            run = self.ctest("lab00")
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(run.results, {})
            self.assertIn(said, run.words)
            self.assertIn(self.line("lab00") if "HERE" in body else "student/lab00_warm_up.cpp:", run.words)


class Words(StudentCourse):
    """What is said of a wrong answer, whatever the line."""

    def said(self, body, above=""):
        self.put_stubs()
        self.answer("outer_product", body, above)
        run = self.grade("lab00", "outer_product")
        self.assertEqual(run.words, run.result["message"])
        return run.words

    def test_a_helper_that_xtensor_is_preferred_to(self):
        remark = "your tril may not be what runs: this file uses xt::tril as well"
        helper = "namespace linattn {\n%s Tensor tril(const Tensor& x) { return x * 2.0; }\n}\n"
        for prefix in ("", "static", "inline"):
            self.assertIn(remark, self.said("return tril(a * 1.0);", helper % prefix))
        self.assertNotIn("xt::tril", self.said("return tril(a);", helper % ""))
        self.assertNotIn("xt::tril", self.said("return xt::tril(a);"))

    def test_nothing_but_text_reaches_the_terminal_and_the_result(self):
        spoilt = r'std::string("begin\0\x1b[31m\x07\xff\xc2\x9b", 15) + "end"'
        bodies = [f"throw std::runtime_error(({spoilt}).substr(6));", f"throw std::invalid_argument(({spoilt}).substr(6));",
                  f"std::cout << {spoilt} << std::endl;\n    return x * 2.0 + 1.0;",
                  f"std::cout << {spoilt} << std::endl;\n    std::abort();"]
        for body, run in zip(bodies, self.grade_together(bodies), strict=True):
            self.assertEqual(run.words, run.result["message"])
            self.assertIn(r"\x1b[31m", run.words)
            self.assertEqual([c for c in run.words if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160], [])

    def test_a_function_that_remembers_is_told_so_first(self):
        first = "    two calls with the same arguments gave different results: the function remembers something"
        right = "expand_dims(a, -1) * expand_dims(b, 0)"
        for body in (f"static Tensor y = zeros({{a.size(), b.size()}});\n    return y = y + {right};",
                     f"static int calls = 0;\n    if (++calls > 1) return a;\n    return {right};"):
            lines = self.said(body).splitlines()
            self.assertTrue(lines[2].startswith(first), lines)
        self.assertNotIn(first, self.said("return zeros({a.size(), b.size()});"))

    def test_an_error_of_cuda_stays_and_ends_the_exercise(self):
        right = "expand_dims(a, -1) * expand_dims(b, 0)"
        fault = """throw gpu::DeviceError(failed++ == 0 ? "kernel: an illegal memory access" : "cudaMalloc: the same");"""
        for body in (f"static int failed = 0;\n    {fault}",
                     f"static int calls = 0, failed = 0;\n    if (++calls > 2) {fault}\n    return {right};"):
            words = self.said(body, '#include "gpu/error.hpp"')
            self.assertIn("\n    CUDA refused to go on: kernel: an illegal memory access\n", words)
            for echo in ("cudaMalloc", "two calls with the same arguments", "checks failed"):
                self.assertNotIn(echo, words)

    def test_what_is_wrong_comes_first_and_the_tolerance_only_where_it_may_decide(self):
        lines = self.said("return zeros({a.size(), b.size()});").splitlines()
        self.assertEqual(lines[1], "  gives the chapter's worked example")
        self.assertTrue(lines[2].startswith("    first differs at [0, 0]: expected 10, got 0"), lines)
        self.assertNotIn("allowed there", "\n".join(lines))
        self.assertIn("    called with a (3,), b (2,)", lines)
        words = self.said("return expand_dims(a, -1) * expand_dims(b, 0) * (1.0 + 1e-9);")
        self.assertIn("    allowed there: 0 (exact)", words)

    def test_what_was_printed_stands_under_its_case(self):
        words = self.said('std::cout << "length " << a.size() << "\\n";\n    return zeros({a.size(), b.size()});')
        self.assertRegex(words, r"worked example\n    first differs (.*\n)+?    your output:\n      length 3\n  equals the")

    def test_the_last_lines_of_a_long_output_are_kept(self):
        words = self.said('for (int i = 1; i <= 1224; ++i) std::cout << "line " << i << "\\n";\n    return a;')
        self.assertIn("    your output:\n      … 1 204 lines before these\n      line 1205\n", words)
        self.assertIn("      line 1224\n", words)
        words = self.said('std::string lines;\n    while (lines.size() < 1 << 20) lines += "line\\n";\n'
                          "    for (;;) std::cout << lines;")
        self.assertIn("printed more than 16 MB, and was stopped, in outer_product", words)
        self.assertIn("      line\n", words)

    def test_a_small_input_is_shown_where_no_mistake_has_a_name(self):
        self.put_stubs()
        self.answer("relu", SPOILT_FOURTH)
        words = self.grade("lab01", "relu").words
        self.assertNotIn("looks like", words)
        self.assertRegex(words, r"    the smallest input found for which it is wrong:\n      x = .*\n      expected .*\n      got .* 7")
        self.put_stubs()
        self.answer("relu", "return maximum(x, 0.0) - 2.0 * (x > 1.0);")
        self.assertIn("wrong:\n      x = {2}\n      expected {2}\n      got      {0}\n", self.grade("lab01", "relu").words)

    def test_endless_recursion_is_told_and_in_a_single_process_too(self):
        words = self.said("return outer_product(a, b);")
        self.assertRegex(words, r"^lab00 · outer_product +CRASH\n")
        self.assertIn("called itself without end", words)
        self.assertRegex(words, r"at student/lab00_warm_up\.cpp:\d+")
        run = subprocess.run([self.build / "lab00_check", "--alone", "--exercise", "outer_product"], capture_output=True,
                             text=True, errors="replace")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("stack overflow", run.stderr)
