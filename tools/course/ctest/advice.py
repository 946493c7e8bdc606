"""A sentence about what people who know NumPy often write, and C++ refuses; with the words for it that we have.

A rule looks at the compiler's words, at the line of code that they are about, or at both. Compilers: g++ and clang.
"""

import re
from typing import NamedTuple

OF_A_TENSOR = "(?:Tensor|xarray)"
LITERAL = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"")  # a comment or a string holds no code
TABLE = " Lab 00 has a table of NumPy's words and ours."


class Rule(NamedTuple):
    words: str
    code: str
    sentence: str


def _unknown(names: str, sentence: str) -> Rule:
    return Rule(rf"['‘](?:{names})['’] (?:was not|has not been) declared|undeclared identifier '(?:{names})'", "", sentence)


RULES = (
    Rule("comma expression in array subscript", "",
         "C++ reads y[i, j] as y[j]. An entry has round brackets: y(i, j)."),
    Rule(rf"{OF_A_TENSOR}.* to ['‘]bool['’]", "",
         "A whole Tensor is neither true nor false: where(x > 0, a, b) chooses entry by entry, x(i) > 0 asks for one entry, and "
         "total(x != y) == 0 tests whether all entries are equal."),
    Rule(r"unary ['‘]\*['’]|indirection requires pointer", r"\*\*", "C++ has no power operator: write x * x."),
    Rule("", "@", "The product of two matrices is matmul(x, y)."),
    Rule("", r"\.T\b", "NumPy's x.T is matrix_transpose(x)."),
    Rule("", r"\.shape\b(?!\()", "NumPy's x.shape is shape_of(x), and its x.shape[-1] is length(x, -1)."),
    Rule("", r"[\w)\]]\[[^\[\]?]*(?:(?<!:):(?!:)|\.\.\.)",
         "A part of a Tensor is slice(x, axis, begin, end), a token token(x, i), tokens from a to b-1 tokens(x, a, b)." + TABLE),
    Rule("", r"=\s*\[\s*[-\d\[]", "Values are written in braces: Tensor{{1, 2}, {3, 4}}."),
    Rule("", r"\bfor\s+\w+\s+in\b", "A loop is written for (std::size_t i = 0; i < n; ++i) { … }."),
    Rule("", r"[(,]\s*(?:axis|keep_?dims|shape|dtype)\s*=(?!=)",
         "Arguments have no names in C++: x.sum(axis=1, keepdims=True) is sum(x, 1, keep_dims)."),
    Rule(rf"{OF_A_TENSOR}.* has no member named|no member named .* in '.*{OF_A_TENSOR}", "",
         "NumPy's methods are functions here: x.sum(axis=1) is sum(x, 1), x.mean(axis=1) is mean(x, 1)." + TABLE),
    Rule("Shape|no matching function for call to '(?:zeros|ones|full)'", r"\b(?:zeros|ones|full)\((?!\s*\{)",
         "A shape is written in braces: zeros({2, 3})."),
    _unknown("np", "There is no np here: the functions have no prefix, as in exp(x)." + TABLE),
    _unknown("len", "NumPy's len(x) is length(x, 0)."),
    _unknown("True|False", "C++ writes true and false with small letters."),
    _unknown("None", "NumPy's x[..., None] is expand_dims(x, -1)."),
    _unknown("inf", "Infinity is std::numeric_limits<double>::infinity(), from <limits>."),
    _unknown("print", r"C++ prints with std::cout << x << '\n', from <iostream>."),
    _unknown("dot|einsum", "The product of two matrices is matmul(x, y)."),
    Rule("linattn::(?:Sum|Mean|Amax|Cumsum)\\b", "",
         "sum, mean, amax and cumsum need an axis, as in sum(x, -1); keep_dims may follow. total(x) is the sum of all entries."),
    Rule(r"call to ['‘]max\b", "", "The larger of two, entry by entry, is maximum(x, y); the largest along an axis, amax(x, axis)."),
    Rule(rf"(?:convert|conversion from) .*{OF_A_TENSOR}.* to ['‘](?:double|float|int)", "",
         "A Tensor is not a number, even with a single entry: x(0) is an entry, total(x) the sum of all."),
)


def advice(words: str, code: str) -> str:
    """For one error and its line of code; "" where no rule knows it."""
    code = LITERAL.sub("", code)
    return next((rule.sentence for rule in RULES if re.search(rule.words, words) and re.search(rule.code, code)), "")
