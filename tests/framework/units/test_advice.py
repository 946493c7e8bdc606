"""What people who know NumPy write, and C++ refuses: the sentence that each line gets, from the words of the compilers that are here."""

import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

from course.build.ctest.advice import advice
from course.build.ctest.compiler_words import ECHO

COMPILERS = {"g++": ["-fmax-errors=0", "-Werror=comma-subscript"], "clang++": ["-ferror-limit=0", "-Werror=deprecated-comma-subscript"]}
INCLUDED = [f"-I{ROOT}/labs/{folder}" for folder in ("vocabulary", "vocabulary/xtensor_support", "")]
BEGIN = """#include "attention.hpp"
namespace linattn {
struct State { Tensor memory; };
"""
FUNCTION = """Tensor f%d(const Tensor& x, const Tensor& Q, const Tensor& K, const Tensor& V, Tensor S, AttentionShape shape, State state,
const std::string& method, FeatureMap phi, std::size_t i, std::size_t n, std::size_t d) {
%s
return x;
}
"""
# A line of code, and words of the sentence that it gets.
FROM_NUMPY = (
    ("S[0, 1] = 1;", "y(i, j)"), ("if (x > 0) return x;", "where(x > 0, a, b)"), ("return x ** 2;", "x * x"),
    ("return x @ x;", "matmul(x, y)"),
    ("return outer(phi(K[i]), V[i]);", "expand_dims(x, -1)) and a row. K[i] is one entry of K: a token is token(K, i)."),
    ("return matmul(Q, K.transpose());", "matrix_transpose(x)"), ("return x.dot(x);", "matmul(x, y)"),
    ("return zeros(Q.shape);", "zeros(shape_of(x))"), ("return zeros(Q.shape());", "zeros(shape_of(x))"),
    ("auto [n, d] = x.shape();", "d = length(x, -1);"),
    ("S = zeros({shape.leading, shape.n, d});", "zeros(join(shape.leading, {n, d}))"),
    ("return x.reshape(n, d);", "reshape(x, {m, n})"), ("return reshape(x, {-1, d});", "length(x, axis)"),
    ("return x[..., i, :, None];", "expand_dims(x, -1)"), ("S[..., i, :] = x;", "set_token(x, i, value)"),
    ("return x[i, :];", "token(x, i)"), ("return x[i][0];", "token(x, i)"),
    ("for (int j : range(n)) S += x;", "std::size_t i = 0"), ("for (j = 0; j < n; ++j) S += x;", "std::size_t i = 0"),
    ("for (dim = 0; dim < n; ++dim) S += x;", "std::size_t i = 0"),
    ("return concatenate([x, y], 0);", "concatenate(x, y, 0)"), ("# the state", "begins with //"),
    ("x[0] = 1;", "make a copy"), ("return x.T;", "matrix_transpose(x)"), ("n = x.shape[0];", "length(x, -1)"),
    ("return x[:, 0];", "slice(x, axis, begin, end)"), ("return x[..., 0];", "token(x, i)"),
    ("return x[1:n];", "tokens(x, a, b)"), ("Tensor y = [1, 2];", "Tensor{{1, 2}, {3, 4}}"),
    ("for i in range(3):", "std::size_t i = 0"), ("return sum(x, axis=1);", "sum(x, 1, keep_dims)"),
    ("return x.sum(1);", "sum(x, 1)"), ("return zeros(2, 3);", "zeros({2, 3})"), ("return zeros((2, 3));", "zeros({2, 3})"),
    ("return np.exp(x);", "exp(x)"), ("return np::exp(x);", "exp(x)"), ("return len(x);", "length(x, 0)"),
    ("bool b = True;", "true and false"), ("return x[None];", "expand_dims(x, -1)"), ("double m = -inf;", "infinity()"),
    ("return sum(x);", "total(x)"), ("return max(x, 0.0);", "maximum(x, y)"), ("double s = sum(x, 0);", "not a number"),
    ("return std::exp(x);", "no prefix, as in exp(x)"), ("return concatenate({x, y}, 0);", "concatenate(x, y, 0)"),
    ("return softmax(x, -1);", "exp, amax and sum"), ("return sum(x, None);", "C++ has no None"),
    ("return torch.clone(x);", "Tensor y = x;"), ("return sum(exp(x), -1, true);", "the word keep_dims"),
    ("return sum(x, {0, 1});", "One axis at a time"), ("return sum(x, -1, keep_dims=True);", "no names in C++"),
    ("return sum(x, dim=-1);", "no names in C++"), ("if (method == 'relu') return x;", "double quotes"))
# What is no slip of that kind, and gets none.
NOT_FROM_NUMPY = (
    'return x == "relu" ? x : x;', "return amax(x, -1, 1);", "std::size_t n = 1'000'000 + undefined;",
    "std::size_t axis = undefined;", "const Shape shape = shape_off(x);  // x[:, 0] @ y.T",
    "auto f = [&](int i) { return undefined; };", "for (double& e : y[undefined]) e = 0;",
    "return values[i > 0 ? undefined : 1];", "return zeros({undefined, 2});", "return state.t;", "T = zeros({2});",
    "return reshape(x, dims(shape.dk));", "state.zz = zeros(shape_of(x));", "if (std::string()) return x;")
BRACKETS = (("Tensor f();", "a } too many above?"), ("int f() {\nint g() { return 1; }\n}", "a } is missing above"),
            ("int f() {\n", "A } is missing"), ("}\n", "one } too many"), ("return 1;\n", "in no function"))

pytestmark = pytest.mark.parametrize("compiler", [compiler for compiler in COMPILERS if shutil.which(compiler)])


def said(compiler, source, text):
    """Line of the file → what is said of the errors that the compiler finds in it."""
    source.write_text(text)
    ran = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wconversion", *INCLUDED, *COMPILERS[compiler], source],
                         stderr=subprocess.PIPE, text=True, env=os.environ | {"LC_ALL": "C.UTF-8"})
    found, lines = {}, ran.stderr.splitlines()
    for words, code in zip(lines, lines[1:]):
        if place := re.match(rf"{re.escape(str(source))}:(\d+):\d+: (?:fatal )?error: ", words):
            found.setdefault(int(place[1]), []).append(advice(words, ECHO.sub("", code)))
    return found


def test_numpys_words_get_a_sentence_and_others_do_not(compiler, tmp_path):
    expected = [*FROM_NUMPY, *((code, None) for code in NOT_FROM_NUMPY)]
    functions = "".join(FUNCTION % (at, code) for at, (code, _) in enumerate(expected))
    found = said(compiler, tmp_path / "habits.cpp", f"{BEGIN}{functions}}}\n")
    first, step = BEGIN.count("\n") + 3, FUNCTION.count("\n")
    for at, (code, words) in enumerate(expected):
        sentences = found[first + step * at]
        assert any(words in each for each in sentences) if words else not any(sentences), (code, sentences)


@pytest.mark.parametrize("text, words", BRACKETS)
def test_brackets_that_do_not_match_get_a_sentence(compiler, tmp_path, text, words):
    assert words in str(said(compiler, tmp_path / "brackets.cpp", text))
