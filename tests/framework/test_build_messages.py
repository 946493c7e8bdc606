"""What a student reads when a lab could not be built: from recorded words of compilers and linkers, and from files that
no compiler should open."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from conftest import ROOT
from course_tree import own_folder, shell_script
from course.ctest.explain_build import FailedBuild

SOURCE = """#include "warm_up.hpp"

namespace linattn {

// Solved.
Tensor row_sums(const Tensor& x) {
    int rows = 3.5;
    return sum(x, 1);
}

Tensor helper() { return zeros({2}); }

Tensor outer_product(const Tensor& a, const Tensor& b) {
    if (a.size() > 3) {
        return a;
    }
    return expand_dim(a, -1) * b;
}

}  // namespace linattn
"""
MANIFEST = {"exercises": [{"function": "row_sums"}, {"function": "outer_product"}]}
FAILED = ("[1/2] Building CXX object\nFAILED: CMakeFiles/lab00_graded.dir/student/lab00_warm_up.cpp.o \n"
          "/usr/bin/c++ -std=c++20 -c X\n")

GCC_WARNING_FIRST = """X: In function ‘linattn::Tensor linattn::row_sums(const Tensor&)’:
X:7:16: warning: conversion from ‘double’ to ‘int’ changes value from ‘3.5e+0’ to ‘3’ [-Wfloat-conversion]
    7 |     int rows = 3.5;
      |                ^~~
X: In function ‘linattn::Tensor linattn::outer_product(const Tensor&, const Tensor&)’:
X:17:12: error: ‘expand_dim’ was not declared in this scope; did you mean ‘expand_dims’?
   17 |     return expand_dim(a, -1) * b;
      |            ^~~~~~~~~~
      |            expand_dims
ninja: build stopped: subcommand failed.
"""
CLANG_WARNING_FIRST = """X:7:16: warning: implicit conversion from 'double' to 'int' changes value from 3.5 to 3 [-Wliteral-conversion]
    int rows = 3.5;
        ~~~~   ^~~
X:17:12: error: use of undeclared identifier 'expand_dim'; did you mean 'xt::expand_dims'?
    return expand_dim(a, -1) * b;
           ^~~~~~~~~~
           xt::expand_dims
/usr/include/xtensor/xmanipulation.hpp:475:17: note: 'xt::expand_dims' declared here
    inline auto expand_dims(E&& e, std::size_t axis)
                ^
1 warning and 1 error generated.
ninja: build stopped: subcommand failed.
"""
GCC_IN_A_LIBRARY = """In file included from /usr/include/xtensor/xbuilder.hpp:32,
                 from X:1:
/usr/include/xtensor/xoperation.hpp: In instantiation of ‘constexpr auto xt::plus::operator()(T1&&, T2&&) const’:
/usr/include/xtensor/xfunction.hpp:145:83:   [ skipping 2 instantiation contexts, use -ftemplate-backtrace-limit=0 to disable ]
X:8:36:   required from here
/usr/include/xtensor/xoperation.hpp:107:9: error: no match for ‘operator+’ (operand types are ‘double’ and ‘std::string’)
  107 |         BINARY_OPERATOR_FUNCTOR(plus, +);
      |         ^
/usr/include/xtensor/xoperation.hpp:86:9: note: candidate: ‘constexpr auto xt::operator+(const std::complex<_Tp>&, const T2&)’
   86 |         DEFINE_COMPLEX_OVERLOAD(+);
      |         ^~~~~~~~~~~~~~~~~~~~~~~
compilation terminated due to -fmax-errors=3.
"""
CLANG_IN_A_LIBRARY = """In file included from X:1:
In file included from /usr/include/xtensor/xfunction.hpp:13:
/usr/include/xtensor/xoperation.hpp:107:39: error: invalid operands to binary expression ('double' and 'std::string')
        BINARY_OPERATOR_FUNCTOR(plus, +);
        ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~^~
X:8:22: note: in instantiation of template class 'xt::xfunction<xt::detail::plus>' requested here
    return sum(x, 1) + std::string();
                     ^
fatal error: too many errors emitted, stopping now [-ferror-limit=]
4 errors generated.
"""
GCC_BRACE = """X: In function ‘linattn::Tensor linattn::row_sums(const Tensor&)’:
X:13:56: error: a function-definition is not allowed here before ‘{’ token
   13 | Tensor outer_product(const Tensor& a, const Tensor& b) {
      |                                                        ^
"""
GCC_DETAILS = """X:17:17: error: no matching function for call to ‘zeros(<unresolved overloaded function type>)’
   17 |     return zeros(a.shape);
      |            ~~~~~^~~~~~~~~
/usr/include/xtensor/xbuilder.hpp:66:17: note: candidate: ‘template<class T, class S> auto xt::zeros(S)’
   66 |     inline auto zeros(S shape) noexcept
      |                 ^~~~~
X:17:17: note:   couldn’t deduce template parameter ‘T’
   17 |     return zeros(a.shape);
      |            ~~~~~^~~~~~~~~
X:11:8: note: candidate: ‘linattn::Tensor linattn::zeros(int)’
   11 | Tensor zeros(int n);
      |        ^~~~~
X:11:18: note:   no known conversion for argument 1 from ‘<unresolved overloaded function type>’ to ‘int’
   11 | Tensor zeros(int n);
      |              ~~~~^
"""
GCC_THREE = """X:7:11: error: stray ‘@’ in program
    7 |     y = x @ x;
      |           ^
X:11:34: error: ‘const linattn::Tensor’ has no member named ‘T’
   11 | Tensor helper() { return K.T; }
      |                            ^
X:17:13: error: ‘opaque’ was not declared in this scope
   17 |     return opaque(y, V) @ a;
      |            ^~~~~~
"""
CLANG_TWO = """X:7:9: error: use of undeclared identifier 'np'
    y = np.exp(x);
        ^
X:17:12: error: use of undeclared identifier 'np'
    return np.exp(a);
           ^
"""
GCC_OUTSIDE = """X:11:20: error: ‘zeros’ was not declared in this scope
   11 | Tensor helper() { return zeros({2}); }
      |                          ^~~~~
"""

OBJECT = "CMakeFiles/lab00_graded.dir/student/lab00_warm_up.cpp.o"
LINKERS = {  # what lacks a definition of row_sums, what uses `part` that nothing defines, what defines main
    "GNU ld": (
        "/usr/bin/ld.bfd: main.cpp.o: in function `main':\n"
        "main.cpp:(.text+0x10): undefined reference to `linattn::row_sums(linattn::Tensor const&)'\n",
        f"/usr/bin/ld.bfd: {OBJECT}: in function `linattn::row_sums(linattn::Tensor const&)':\n"
        "lab00_warm_up.cpp:(.text+0x12): undefined reference to `linattn::part(int)'\n",
        f"/usr/bin/ld.bfd: {OBJECT}: in function `main':\n"
        "lab00_warm_up.cpp:(.text+0xb): multiple definition of `main'; main.cpp.o:main.cpp:(.text+0x0): first defined here\n"),
    "gold": (
        "main.cpp.o:main.cpp:function main: error: undefined reference to 'linattn::row_sums(linattn::Tensor const&)'\n",
        f"{OBJECT}:lab00_warm_up.cpp:function linattn::row_sums(linattn::Tensor const&): error: "
        "undefined reference to 'linattn::part(int)'\n",
        f"/usr/bin/ld.gold: error: {OBJECT}: multiple definition of 'main'\n"
        "/usr/bin/ld.gold: main.cpp.o: previous definition here\n"),
    "lld": (
        "ld.lld: error: undefined symbol: linattn::row_sums(linattn::Tensor const&)\n>>> referenced by main.cpp\n"
        ">>>               main.cpp.o:(main)\n",
        "ld.lld: error: undefined symbol: linattn::part(int)\n>>> referenced by lab00_warm_up.cpp\n"
        f">>>               {OBJECT}:(linattn::row_sums(linattn::Tensor const&))\n",
        "ld.lld: error: duplicate symbol: main\n>>> defined at main.cpp\n>>>            main.cpp.o:(main)\n"
        f">>> defined at lab00_warm_up.cpp\n>>>            {OBJECT}:(.text+0xB)\n"),
    "mold": (
        "mold: error: undefined symbol: linattn::row_sums(linattn::Tensor const&)\n>>> referenced by main.cpp\n"
        ">>>               main.cpp.o:(main)\n",
        "mold: error: undefined symbol: linattn::part(int)\n>>> referenced by lab00_warm_up.cpp\n"
        f">>>               {OBJECT}:(linattn::row_sums(linattn::Tensor const&))\n",
        f"mold: error: duplicate symbol: {OBJECT}: main.cpp.o: main\n"),
    "Apple ld": (
        "Undefined symbols for architecture arm64:\n  \"linattn::row_sums(linattn::Tensor const&)\", referenced from:\n"
        "      _main in main.cpp.o\nld: symbol(s) not found for architecture arm64\n",
        "Undefined symbols for architecture arm64:\n  \"linattn::part(int)\", referenced from:\n"
        f"      linattn::row_sums(linattn::Tensor const&) in {OBJECT}\nld: symbol(s) not found for architecture arm64\n",
        f"duplicate symbol '_main' in:\n    main.cpp.o\n    {OBJECT}\nld: 1 duplicate symbols for architecture arm64\n"),
}


class StudentFolder(unittest.TestCase):
    def setUp(self):
        self.source = own_folder(self.enterContext) / "a course/student/lab00_warm_up.cpp"
        self.manifest = self.source.parents[1] / "labs/lab00_warm_up/lab.json"
        for path, text in ((self.source, SOURCE), (self.manifest, json.dumps(MANIFEST))):
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")


# A line of code, the error that g++ 12 and clang 14 report there, and words of the sentence that it gets.
T, GNU_T = "'linattn::Tensor' (aka 'xarray_container<uvector<double>>')", "‘linattn::Tensor’ {aka ‘xt::xarray_container<…>’}"
GNU_SHAPE = "invalid initialization of reference of type ‘const linattn::Shape&’ {aka ‘…’} from expression of type ‘int’"
NO_SUM = "no matching function for call to object of type 'const linattn::Sum'"
FROM_NUMPY = (
    ("y[0, 1] = 1;", "top-level comma expression in array subscript is deprecated [-Werror=comma-subscript]",
     "top-level comma expression in array subscript is deprecated [-Werror,-Wdeprecated-comma-subscript]", "y(i, j)"),
    ("if (x > 0) return x;", f"could not convert ‘linattn::operator>(A&&, B&&)’ from {GNU_T} to ‘bool’",
     f"value of type {T} is not contextually convertible to 'bool'", "where(x > 0, a, b)"),
    ("return x ** 2;", "invalid type argument of unary ‘*’ (have ‘int’)", "indirection requires pointer operand ('int' invalid)", "x * x"),
    ("return x @ x;", "stray ‘@’ in program", "expected ';' after return statement", "matmul(x, y)"),
    ("return outer(phi(K[i]), V[i]);", "‘outer’ was not declared in this scope; did you mean ‘opterr’?",
     "use of undeclared identifier 'outer'", "expand_dims(x, -1)) and a row. K[i] is one entry of K: a token is token(K, i)."),
    ("return matmul(Q, K.transpose());", "‘const linattn::Tensor’ has no member named ‘transpose’",
     "no member named 'transpose' in 'xt::xarray_container<…>'", "matrix_transpose(x)"),
    ("return x.dot(x);", "‘using Tensor = xt::xarray<double>’ has no member named ‘dot’",
     "no member named 'dot' in 'xt::xarray_container<…>'", "matmul(x, y)"),
    ("return zeros(Q.shape);", "no matching function for call to ‘zeros(<unresolved overloaded function type>)’",
     "reference to non-static member function must be called; did you mean to call it with no arguments?", "zeros(shape_of(x))"),
    ("return zeros(Q.shape());", "no matching function for call to ‘zeros(const xt::xcontainer<…>::inner_shape_type&)’",
     "no matching function for call to 'zeros'", "zeros(shape_of(x))"),
    ("auto [n, d] = x.shape();", "cannot decompose inaccessible member ‘xt::svector<…>::m_allocator’ of ‘xt::svector<…>’",
     "type 'inner_shape_type' decomposes into 5 elements, but only 2 names were provided", "d = length(x, -1);"),
    ("S = zeros({shape.leading, shape.n, d});", f"{GNU_SHAPE[:-5]}<brace-enclosed initializer list>’",
     "no matching function for call to 'zeros'", "zeros(join(shape.leading, {n, d}))"),
    ("return x.reshape(n, d);", "no matching function for call to ‘xt::xarray_container<…>::reshape(std::size_t&, std::size_t&)’",
     "no matching member function for call to 'reshape'", "reshape(x, {m, n})"),
    ("return reshape(x, {-1, d});", "narrowing conversion of ‘-1’ from ‘int’ to ‘long unsigned int’ [-Wnarrowing]",
     "constant expression evaluates to -1 which cannot be narrowed to type 'unsigned long' [-Wc++11-narrowing]", "length(x, axis)"),
    ("return x[..., i, :, None];", "expected primary-expression before ‘...’ token", "expected expression", "expand_dims(x, -1)"),
    ("S[..., i, :] = x;", "expected primary-expression before ‘...’ token", "expected expression", "set_token(x, i, value)"),
    ("return x[i, :];", "top-level comma expression in array subscript is deprecated [-Werror=comma-subscript]",
     "expected expression", "token(x, i)"),
    ("return x[i][0];", "invalid types ‘double[int]’ for array subscript",
     "subscripted value is not an array, pointer, or vector", "token(x, i)"),
    ("for (int j : range(n)) S += x;", "‘range’ was not declared in this scope",
     "use of undeclared identifier 'range'; did you mean 'arange'?", "std::size_t i = 0"),
    ("for (j = 0; j < n; ++j) S += x;", "‘j’ was not declared in this scope", "use of undeclared identifier 'j'", "std::size_t i = 0"),
    ("for (dim = 0; dim < n; ++dim) S += x;", "‘dim’ was not declared in this scope", "use of undeclared identifier 'dim'",
     "std::size_t i = 0"),
    ("return concatenate([x, y], 0);", "expected ‘{’ before ‘,’ token", "expected body of lambda expression", "concatenate(x, y, 0)"),
    ("# the state", "invalid preprocessing directive #the", "invalid preprocessing directive", "begins with //"),
    ("x[0] = 1;", "assignment of read-only location", "cannot assign to return value because function 'operator[]' returns a const value",
     "make a copy"),
    ("return x.T;", f"‘const {GNU_T} has no member named ‘T’", "no member named 'T' in 'xt::xarray_container<…>'", "matrix_transpose(x)"),
    ("n = x.shape[0];", "invalid types ‘<unresolved overloaded function type>[int]’ for array subscript",
     "reference to non-static member function must be called; did you mean to call it with no arguments?", "length(x, -1)"),
    ("return x[:, 0];", "expected primary-expression before ‘:’ token", "expected expression", "slice(x, axis, begin, end)"),
    ("return x[..., 0];", "expected primary-expression before ‘...’ token", "expected expression", "token(x, i)"),
    ("return x[1:n];", "expected ‘]’ before ‘:’ token", "expected ']'", "tokens(x, a, b)"),
    ("Tensor y = [1, 2];", "expected identifier before numeric constant", "expected variable name or 'this' in lambda capture list",
     "Tensor{{1, 2}, {3, 4}}"),
    ("for i in range(3):", "expected ‘(’ before ‘i’", "expected '(' after 'for'", "std::size_t i = 0"),
    ("return sum(x, axis=1);", "‘axis’ was not declared in this scope", "use of undeclared identifier 'axis'", "sum(x, 1, keep_dims)"),
    ("return x.sum(1);", f"‘const {GNU_T} has no member named ‘sum’", "no member named 'sum' in 'xt::xarray_container<…>'", "sum(x, 1)"),
    ("return zeros(2, 3);", GNU_SHAPE, "no matching function for call to 'zeros'", "zeros({2, 3})"),
    ("return zeros((2, 3));", GNU_SHAPE, "no matching function for call to 'zeros'", "zeros({2, 3})"),
    ("return np.exp(x);", "‘np’ was not declared in this scope", "use of undeclared identifier 'np'", "exp(x)"),
    ("return np::exp(x);", "‘np’ has not been declared", "use of undeclared identifier 'np'", "exp(x)"),
    ("return len(x);", "‘len’ was not declared in this scope", "use of undeclared identifier 'len'", "length(x, 0)"),
    ("bool b = True;", "‘True’ was not declared in this scope", "use of undeclared identifier 'True'", "true and false"),
    ("return x[None];", "‘None’ was not declared in this scope", "use of undeclared identifier 'None'", "expand_dims(x, -1)"),
    ("double m = -inf;", "‘inf’ was not declared in this scope; did you mean ‘ynf’?", "use of undeclared identifier 'inf'", "infinity()"),
    ("return sum(x);", "no match for call to ‘(const linattn::Sum) (const linattn::Tensor&)’",
     "no matching function for call to object of type 'const linattn::Sum'", "total(x)"),
    ("return max(x, 0.0);", "no matching function for call to ‘max(const linattn::Tensor&, double)’",
     "no matching function for call to 'max'", "maximum(x, y)"),
    ("double s = sum(x, 0);", f"cannot convert {GNU_T} to ‘double’ in initialization", f"no viable conversion from {T} to 'double'",
     "not a number"),
    ("return std::exp(x);", "no matching function for call to ‘exp(const linattn::Tensor&)’", "no matching function for call to 'exp'",
     "no prefix, as in exp(x)"),
    ("return concatenate({x, y}, 0);", f"{GNU_SHAPE.replace('Shape', 'Tensor')[:-5]}<brace-enclosed initializer list>’",
     "no matching function for call to 'concatenate'", "concatenate(x, y, 0)"),
    ("return softmax(x, -1);", "‘softmax’ was not declared in this scope; did you mean ‘fmax’?",
     "use of undeclared identifier 'softmax'", "exp, amax and sum"),
    ("return sum(x, None);", "‘None’ was not declared in this scope", "use of undeclared identifier 'None'", "C++ has no None"),
    ("return torch.clone(x);", "‘torch’ was not declared in this scope", "use of undeclared identifier 'torch'", "Tensor y = x;"),
    ("return sum(exp(x), -1, true);", "no match for call to ‘(const linattn::Sum) (linattn::Tensor, int, bool)’", NO_SUM,
     "the word keep_dims"),
    ("return sum(x, {0, 1});", "no match for call to ‘(const linattn::Sum) (const linattn::Tensor&, <brace-enclosed initializer list>)’",
     NO_SUM, "One axis at a time"),
    ("return sum(x, -1, keep_dims=True);", "‘True’ was not declared in this scope", "use of undeclared identifier 'True'",
     "no names in C++"),
    ("return sum(x, dim=-1);", "‘dim’ was not declared in this scope; did you mean ‘fdim’?", "use of undeclared identifier 'dim'",
     "no names in C++"),
    ("if (method == 'relu') return x;", "no match for ‘operator==’ (operand types are ‘const std::string’ and ‘int’)",
     "invalid operands to binary expression ('const std::string' and 'int')", "double quotes"),
    ("x *= 2;", f"no match for ‘operator*=’ (operand types are ‘const {GNU_T[1:]} and ‘int’)",
     "candidate function not viable: 'this' argument has type 'const Tensor', but method is not marked const", "make a copy"),
    ("Tensor relu(const Tensor& x) {", "‘Tensor’ does not name a type", "unknown type name 'Tensor'; did you mean 'linattn::Tensor'?",
     "a } too many above?"),
    ("Tensor relu(const Tensor& x) {", "a function-definition is not allowed here before ‘{’ token",
     "function definition is not allowed here", "a } is missing above"),
    ("}  // namespace linattn", "expected ‘}’ at end of input", "expected '}'", "A } is missing"),
    ("}  // namespace linattn", "expected declaration before ‘}’ token", "extraneous closing brace ('}')", "one } too many"),
    ("return x;", "expected unqualified-id before ‘return’", "expected unqualified-id", "in no function"))
NOT_FROM_NUMPY = (
    ('return x == "relu" ? x : x;', "no match for ‘operator==’ (operand types are ‘const linattn::Tensor’ and ‘const char [5]’)"),
    ("return amax(x, -1, 1);", "no match for call to ‘(const linattn::Amax) (const linattn::Tensor&, int, int)’"),
    ("std::size_t n = 1'000'000 + undefined;", "‘undefined’ was not declared in this scope"),
    ("std::size_t axis = undefined;", "‘undefined’ was not declared in this scope"),
    ("const Shape shape = shape_off(x);  // x[:, 0] @ y.T", "‘shape_off’ was not declared in this scope"),
    ("auto f = [&](int i) { return undefined; };", "‘undefined’ was not declared in this scope"),
    ("for (double& e : y[undefined]) e = 0;", "‘undefined’ was not declared in this scope"),
    ("return values[i > 0 ? undefined : 1];", "‘undefined’ was not declared in this scope"),
    ("return zeros({undefined, 2});", "‘undefined’ was not declared in this scope"),
    ("return state.t;", "‘struct State’ has no member named ‘t’"),
    ("T = zeros({2});", "‘T’ was not declared in this scope"),
    ("return reshape(x, dims(shape.dk));", "‘const struct linattn::AttentionShape’ has no member named ‘dk’; did you mean ‘d_k’?"),
    ("state.zz = zeros(x.shape());", "‘struct State’ has no member named ‘zz’"),
    ("if (std::string()) return x;", "could not convert ‘std::string()’ from ‘std::string’ to ‘bool’"))


class Recorded(StudentFolder):
    def explain(self, words):
        """The message and the function to begin with, for these words; X stands for the student's file."""
        words = words.replace("X", str(self.source))
        message, begin_with, self.place = FailedBuild("lab00", str(self.manifest), [str(self.source)]).explain(words)
        self.assertNotIn(str(self.source.parent), message, "the name within the course is enough")
        self.assertNotIn("-std=c++20", message, "a command line is noise")
        return message, begin_with

    def test_the_error_comes_before_warnings_of_other_lines(self):
        for words in (GCC_WARNING_FIRST, CLANG_WARNING_FIRST):
            message, begin_with = self.explain(FAILED + words)
            self.assertTrue(message.startswith("student/lab00_warm_up.cpp does not compile, so nothing of lab00 was graded "
                                               "(row_sums, outer_product):\n\n"))
            self.assertIn("return expand_dim(a, -1) * b;", message)
            self.assertLess(message.index("cpp:17:12: error"), message.index("cpp:7:16: warning"))
            self.assertNotIn("xmanipulation", message)
            self.assertNotIn("generated", message)
            self.assertEqual((begin_with, self.place), ("outer_product", "line 17 of student/lab00_warm_up.cpp"))

    def test_an_error_in_a_library_leads_to_the_students_line(self):
        for words in (GCC_IN_A_LIBRARY, CLANG_IN_A_LIBRARY):
            message, begin_with = self.explain(FAILED + words)
            self.assertRegex(message, r"student/lab00_warm_up\.cpp:8:\d+: ")
            self.assertRegex(message, "error: (no match for|invalid operands)")
            self.assertLess(len(message.splitlines()), 8, message)
            self.assertEqual((begin_with, self.place), ("row_sums", "line 8 of student/lab00_warm_up.cpp"))

    def test_where_brackets_do_not_match_the_function_above_is_to_blame(self):
        self.source.write_text(SOURCE.replace("    return sum(x, 1);\n}", "    if (rows) {\n    return sum(x, 1);\n}"))
        self.assertEqual(self.explain(FAILED + GCC_BRACE)[1], "row_sums")

    def test_a_file_of_the_course_that_fails_is_not_the_students_fault(self):
        redefined = "labs/vocabulary/attention.hpp:12:8: error: redefinition of ‘struct linattn::AttentionShape’\n"
        compiled = f"[2/9] Building {OBJECT}\n"
        for words in (compiled + "FAILED: CMakeFiles/lab00_suite.dir/tests/warm_up_test.cpp.o \n" + redefined,
                      "".join(FAILED.splitlines(True)[1:2]) + redefined):
            message, begin_with = self.explain(words)
            self.assertIn("student/lab00_warm_up.cpp is not the cause", message)
            self.assertIn(redefined, message)
            self.assertEqual(begin_with + self.place, "")
        message, _ = self.explain(f"{FAILED}X:11:8: error: redefinition of ‘linattn::Tensor linattn::helper()’\n")
        self.assertIn("student/lab00_warm_up.cpp does not compile", message)

    def test_a_file_that_is_not_as_handed_out_is_named_first(self):
        names = ("labs/lab00_warm_up/warm_up.hpp", "labs/lab01_more/README.md", "student/lab00_warm_up.cpp")
        self.source.parents[1].joinpath(".handout.sha256").write_text("".join(f"0123  {name}\n" for name in names))
        message, begin_with = self.explain(f"{FAILED}X:1:10: fatal error: warm_up.hpp: No such file or directory\n")
        self.assertTrue(message.startswith(f"not as handed out: {names[0]}; if you did not mean that"), message)
        self.assertEqual((begin_with, self.place), ("", f"{names[0]}, which is not as handed out"))
        self.assertEqual(self.explain(FAILED + GCC_WARNING_FIRST)[1], "outer_product")
        self.assertNotIn("a fault of the course", self.explain("FAILED: tests/x.cpp.o\ntests/x.cpp:3:1: error: no\n")[0])
        self.assertEqual(self.place, f"{names[0]}, which is not as handed out")

    def test_outside_of_the_exercises_no_function_is_named(self):
        self.assertEqual(self.explain(FAILED + GCC_OUTSIDE)[1], "")

    def test_numpys_words_get_a_sentence(self):
        for code, gnu, clang, sentence in FROM_NUMPY:
            for words, echo in ((gnu, "   17 |     "), (clang, "    ")):
                said = self.explain(f"{FAILED}X:17:12: error: {words}\n{echo}{code}\n            ^\n")[0]
                self.assertIn(sentence, said.rpartition("\n\n")[2])
        for code, words in NOT_FROM_NUMPY:
            self.assertTrue(self.explain(f"{FAILED}X:17:12: error: {words}\n   17 |     {code}\n")[0].endswith(code), code)

    def test_every_error_has_its_sentence_and_line(self):
        said = self.explain(FAILED + GCC_THREE)[0].rpartition("\n\n")[2].splitlines()
        self.assertEqual([line.partition(":")[0] for line in said], ["line 7 and line 17", "line 11"])
        self.assertEqual(self.place, "line 7 of student/lab00_warm_up.cpp")
        said = self.explain(FAILED + CLANG_TWO)[0].rpartition("\n\n")[2]
        self.assertTrue(said.startswith("line 7 and line 17: NumPy and PyTorch are not here"), said)
        tests = self.source.with_name("lab00_tests.cpp")
        words = (FAILED + GCC_BRACE).replace("X", str(self.source)) + GCC_THREE.replace("X", str(tests))
        message, _, place = FailedBuild("lab00", str(self.manifest), [str(self.source), str(tests)]).explain(words)
        first, second, *_ = message.rpartition("\n\n")[2].splitlines()
        self.assertTrue(first.startswith("line 13: A function cannot begin inside another"), first)
        self.assertTrue(second.startswith("lab00_tests.cpp, line 7 and lab00_tests.cpp, line 17: The product"), second)
        self.assertEqual(place, "line 13 of student/lab00_warm_up.cpp")

    def test_of_candidates_only_the_students_own_are_shown(self):
        message = self.explain(FAILED + GCC_DETAILS)[0]
        self.assertNotIn("deduce", message)
        self.assertIn("linattn::zeros(int)", message)
        self.assertIn("no known conversion", message)

    def test_long_words_are_cut(self):
        message = self.explain(FAILED + "".join(f"X:8:9: error: {'y' * 1000}\n" for _ in range(100)))[0]
        self.assertLess(len(message.splitlines()), 40)
        self.assertLess(max(map(len, message.splitlines())), 400)

    def test_every_linker_is_understood(self):
        for linker, (missing, unknown, twice) in LINKERS.items():
            link = f"FAILED: lab00_check\nc++ main.cpp.o {OBJECT} -o lab00_exercises libx.a\n"
            for words, begin_with, because in (
                    (missing, "row_sums", "does not define row_sums as labs/lab00_warm_up declares it"),
                    (unknown, "", "uses part, which nothing defines"),
                    (twice, "", "defines main, which the course defines")):
                message, function = self.explain(link + words)
                self.assertTrue(message.startswith(f"student/lab00_warm_up.cpp {because}"), message)
                self.assertIn("so nothing of lab00 was graded (row_sums, outer_product)", message)
                self.assertEqual(function, begin_with)

    def test_a_fault_of_the_course_is_called_one(self):
        message, _ = self.explain("FAILED: labs/linattn.dir/tensor.cpp.o\nlabs/tensor.cpp:3:1: error: no\n")
        self.assertIn("Remove the folder build and try again. If that does not help, it is a fault of the course", message)
        self.assertIn("tensor.cpp:3:1: error: no", message)


class BuildProgram(StudentFolder):
    """build_lab.py itself, with a ninja that does what the test tells it."""

    def build(self, script="exit 0"):
        ninja = self.source.parents[1] / "ninja"
        shell_script(ninja, f"echo \"$*\" >>'{ninja}.calls'\n{script}")
        self.folder = self.source.parents[1] / "build"
        self.folder.mkdir(exist_ok=True)
        program = ROOT / "tools/course/ctest/build_lab.py"
        command = [sys.executable, "-I", "-S", "-B", program, self.folder, ninja, "lab00", self.manifest, self.source]
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
        calls = Path(f"{ninja}.calls")
        self.called = calls.exists()
        calls.unlink(missing_ok=True)
        left = self.folder / "results/lab00.not_built"
        return ran.returncode, ran.stdout.decode(), json.loads(left.read_text(encoding="utf-8")) if left.exists() else None

    def test_a_lab_that_builds(self):
        self.assertEqual(self.build(), (0, "", None))

    def test_one_that_does_not(self):
        words = (FAILED + GCC_WARNING_FIRST).replace("X", str(self.source))
        status, printed, left = self.build(f"cat <<'END'\n{words}\nEND\nexit 1")
        self.assertEqual((status, left["begin_with"], left["place"]),
                         (1, "outer_product", "line 17 of student/lab00_warm_up.cpp"))
        self.assertEqual(printed, left["message"] + "\n")
        self.assertEqual(self.build()[2], None, "once it builds, nothing of that is left")

    def test_no_control_character_of_the_file_is_printed(self):
        words = (FAILED + "X:1:1: error: stray ‘\a\b\033[31m\x7f\u202e’\n").replace("X", str(self.source))
        _, printed, left = self.build(f"cat <<'END'\n{words}\nEND\nexit 1")
        for text in (printed, left["message"]):
            self.assertIn("error: stray ‘", text)
            self.assertNotRegex(text, "[\0-\x08\x0b-\x1f\x7f-\x9f\u202e]")

    def test_results_of_an_earlier_run_are_removed(self):
        self.build()
        for name in ("lab00.row_sums.json", "lab01.relu.json"):
            (self.folder / "results" / name).write_text("{}")
        self.build("exit 1")
        self.assertEqual({path.name for path in (self.folder / "results").iterdir()}, {"lab00.not_built", "lab01.relu.json"})

    def test_what_is_no_ordinary_file_is_never_opened(self):
        def fifo():
            os.mkfifo(self.source)
        for make in (fifo, self.source.mkdir, lambda: self.source.symlink_to("/dev/zero"),
                     lambda: self.source.symlink_to("/dev/stdin")):
            self.source.rmdir() if self.source.is_dir() else self.source.unlink()
            make()
            status, printed, left = self.build()
            self.assertEqual((status, self.called), (1, False))
            self.assertIn("student/lab00_warm_up.cpp is not an ordinary file", printed)
            self.assertEqual(left["message"], printed.rstrip())
        self.source.unlink()
        self.assertIn("student/lab00_warm_up.cpp is missing: put it back", self.build()[1])

    def test_a_header_of_ones_own_is_not_handed_in(self):
        self.source.write_text('#include "other_folders.hpp"\n  # include "mine.hpp"\n')
        self.assertTrue(self.build() and self.called)
        self.called = False
        self.source.with_name("mine.hpp").touch()
        self.assertIn("student/lab00_warm_up.cpp includes mine.hpp, which is not handed in", self.build()[1])
        self.assertFalse(self.called)

    def test_a_file_put_back_with_an_old_time_is_built_again(self):
        self.build()
        old = self.source.stat().st_mtime_ns
        self.build()
        self.assertEqual(self.source.stat().st_mtime_ns, old, "what did not change is left alone")
        self.source.write_text("other")
        os.utime(self.source, ns=(old - 10**9, old - 10**9))
        self.build()
        self.assertGreater(self.source.stat().st_mtime_ns, old)
