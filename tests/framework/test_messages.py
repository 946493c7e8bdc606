"""Memory errors in a student's function end in a message with the student's own line (issue 2, item 9)."""

import unittest

from student_course import StudentCourse

SHAPE = "const Shape shape{a.size(), b.size()};\n    "
BEGIN = SHAPE + "Tensor y(shape);  // HERE\n    "
BY_LOOPS = "for (std::size_t i = 0; i < a.size(); ++i)\n        for (std::size_t j = 0; j < b.size(); ++j) "


class Line(StudentCourse):
    def said(self, status, body, *fragments, above=""):
        """Grades lab00 with this outer_product; the message holds the fragments and ends in the marked line."""
        self.put_stubs()
        self.answer("outer_product", body, above)
        run = self.ctest("lab00")
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("outer_product", run.results, run.words)
        self.assertEqual(run.results["outer_product"]["status"], status, run.words)
        for fragment in (*fragments, f"at {self.line('lab00')}"):
            self.assertIn(fragment, run.words)
        return run.words

    def test_indices_of_a_tensor(self):
        self.said("fail", "Tensor y = zeros({a.size(), b.size()});\n    y(a.size(), 0) = 1.0;  // HERE\n    return y;",
                  "threw an exception: index 3 is out of bounds for axis 0 with size 3\n")
        self.said("fail", "Tensor y = zeros({2, 2, 2, 2});\n    y(0, 0, 0, 9) = 1.0;  // HERE\n    return y;",
                  "index 9 is out of bounds for axis 3 with size 2\n")
        self.said("fail", "const Tensor y = zeros({a.size(), b.size()});\n    return token(y, 7);  // HERE",
                  "token 7 does not exist: the shape is (3, 2), so n = 3")
        self.said("fail", "return sum(a, 3);  // HERE", "axis 3 does not exist: the shape is (3,)")

    def test_arrays(self):
        self.said("crash", "std::vector<double> v(a.size());\n    v[a.size()] = 1.0;  // HERE\n    return a;",
                  "went outside an array: wrote 8 bytes")
        self.said("crash",
                  "volatile std::size_t n = 7;\n    double own[4] = {};\n    own[n] = a(0);  // HERE\n    return a;",
                  "went outside an array of fixed size")
        self.said("crash",
                  "std::array<double, 4> own{};\n    volatile std::size_t n = 7;\n    "
                  "own[n] = a(0);  // HERE\n    return a;",
                  "went outside an array of fixed size", above="#include <array>")

    def test_raw_pointers(self):
        self.said("crash",
                  "Tensor y = a;\n    y.data()[y.size()] = 1.0;  // HERE\n    return y;",
                  "outside an array: wrote 8 bytes")
        self.said("crash",
                  "Tensor y = a;\n    y(0) = y.data()[y.size()];  // HERE\n    return y;",
                  "outside an array: read 8 bytes")
        self.said("crash",
                  "Tensor y = a;\n    y(0) = a.data()[-1];  // HERE\n    return y;", "outside an array: read 8 bytes")
        self.said("crash", "Tensor y = a;\n    y.data()[1000000] = 1.0;  // HERE\n    return y;", "segmentation fault")
        self.said("crash",
                  "double* nowhere = nullptr;\n    *nowhere = a(0);  // HERE\n    return a;", "segmentation fault")

    def test_freed_memory(self):
        self.said("crash",
                  "const double* p = nullptr;\n    {\n        const Tensor y = a * 2.0;\n        p = y.data();\n    }\n"
                           "    return full({3, 2}, *p);  // HERE", "used memory that was already freed: read 8 bytes")
        self.said("crash", "double* p = new double[3];\n    delete[] p;\n    delete[] p;  // HERE\n    return a;",
                  "freed memory that was freed already")

    def test_memory_that_was_never_written(self):
        never = "some values were read from memory that was never written\n"
        self.said("fail",
                  BEGIN + "return y;", never, "got a value that was never written")
        self.said("fail",
                  BEGIN + BY_LOOPS + "if (i > 0) y(i, j) = a(i) * b(j);\n    return y;",
                  never, "2 of 6 values differ")
        self.said("fail",
                  BEGIN + BY_LOOPS + "y(i, j) += a(i) * b(j);\n    return y;", never)
        self.said("fail", SHAPE + "double* own = new double[6];  // HERE\n    Tensor y = zeros(shape);\n    "
                  + BY_LOOPS + "y(i, j) = own[i * b.size() + j] + 1.0;\n    delete[] own;\n    return y;", never)

    def test_a_variable_that_was_never_given_a_value(self):
        begin, end = SHAPE + "Tensor y = zeros(shape);\n    double total;  // HERE\n    ", "\n    return y;"
        loop = "for (std::size_t i = 0; i < a.size(); ++i) total += a(i);\n    "
        for read in (loop + "y(0, 0) = total;", loop + "y(0, 0) = total * 0.5;", "y += total;",
                     "if (b(0) > 1e9) total = 0.0;\n    y(0, 0) = total;"):
            with self.subTest(read):
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


if __name__ == "__main__":
    unittest.main()
