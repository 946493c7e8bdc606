"""A sentence about what people who know NumPy often write, and C++ refuses; with the words for it that we have.

A rule looks at the compiler's words, at the line of code that they are about, or at both. Compilers: g++ and clang.
"""

import re
from typing import NamedTuple

OF_A_TENSOR = "(?:Tensor|xarray)"
LITERAL = re.compile(r"//.*|\"(?:\\.|[^\"\\])*\"")  # a comment or a string holds no code
TABLE = " Lab 00 has a table of NumPy's words and ours."
PART = r"[\w)\]]\[[^\[\]?]*(?:(?<!:):(?!:)|\.\.\.)"  # x[:, i], x[..., i, :], x[a:b]
PARENTHESES = r"\((?:[^()]|\([^()]*\))*\)"
REDUCTION, REDUCED = r"linattn::(?:Sum|Mean|Amax|Cumsum)\b", r"\b(?:sum|mean|amax|cumsum)\("
ROW = re.compile(r"\b([QKV])\[\s*\w+\s*\]")  # C++ compiles it, as an entry


class Rule(NamedTuple):
    words: str
    code: str
    sentence: str


def _no_member(names: str, sentence: str) -> Rule:
    return Rule(rf"{OF_A_TENSOR}.* has no member named ['‘](?:{names})['’]|no member named '(?:{names})' in '.*{OF_A_TENSOR}", "",
                sentence)


def _unknown(names: str, sentence: str) -> Rule:
    """Also as a member: dot(x, y) and x.dot(y)."""
    return Rule(rf"['‘](?:{names})['’] (?:was not|has not been) declared|undeclared identifier '(?:{names})'|"
                + _no_member(names, "").words, "", sentence)


OF_A_CONST = (r"discards qualifiers|not marked const|assignment of (member|read-only)|returns a const value"
              r"|operator[-+*/]?=['’] \(operand types are [^a-z]*const ")
CONST_ADVICE = "What is const cannot be changed: make a copy, and change that."
SHAPE = "NumPy's x.shape is shape_of(x), as in zeros(shape_of(x)), and its x.shape[-1] is length(x, -1)."
COPY = "Tensor y = x; makes a copy."
LOOP = "A loop is written for (std::size_t i = 0; i < n; ++i) { … }."
RULES = (
    _no_member("T|mT|t|transpose", "NumPy's x.T and x.transpose() are matrix_transpose(x), which exchanges the last two axes."),
    Rule("declared", r"\b(?:np|numpy|torch)(?:\.|::)(?:copy|clone)\(", COPY),
    _unknown("np|numpy|torch", "NumPy and PyTorch are not here: the functions have no prefix, as in exp(x)." + TABLE),
    _unknown("dot|einsum|mm|bmm|matmul", "The product of two matrices is matmul(x, y)."),
    _unknown("outer", "An outer product is a broadcast product of a column (expand_dims(x, -1)) and a row."),
    _no_member("unsqueeze", "x.unsqueeze(-1) is expand_dims(x, -1), as NumPy's x[..., None]."),
    _no_member("view", "x.view(m, n) is reshape(x, {m, n})."),
    _no_member("ndim", "NumPy's x.ndim is x.dimension()."),
    _no_member("copy|clone", COPY),
    _no_member("max", "The largest along an axis is amax(x, axis)."),
    _no_member("exp|log|sqrt|abs|sin|cos|erf", "NumPy's methods are functions here: exp(x)." + TABLE),
    _unknown("len", "NumPy's len(x) is length(x, 0)."),
    Rule("", r"(?<!for)(?<!for )[(,]\s*(?:axis|dim|keep_?dims?|shape|dtype)\s*=(?!=)",
         "Arguments have no names in C++: x.sum(axis=1, keepdims=True) is sum(x, 1, keep_dims)."),
    _unknown("True|False", "C++ writes true and false with small letters."),
    _unknown("softmax", "No function is called softmax here: it is made of exp, amax and sum."),
    Rule("", r"(?<!\w)'[^'\\]{2,}'", 'A string has double quotes, as in "relu"; single quotes are for one character.'),
    Rule(r"reshape|linattn::Shape\b", r"\breshape\([^{]*\)",
         "A shape is written in braces: NumPy's x.reshape(m, n) is reshape(x, {m, n})."),
    Rule("narrow", r"\breshape\(.*-1", "No length is inferred from -1: length(x, axis) is the length of an axis."),
    Rule("", r"\bauto\b[\s&]*\[.*=\s*(?:shape_of\(|\w+\.shape\b)",
         "Ask for lengths one by one: const std::size_t n = length(x, -2), d = length(x, -1);"),
    Rule("", r"\{\s*\*?\s*(?:\w+\.)?leading\s*,|\b(?:zeros|ones|full)\(\s*(?:\w+\.)?leading\s*[,+]",
         "shape.leading is a Shape itself, and join adds lengths to it: zeros(join(shape.leading, {n, d}))."),
    Rule("", r"\[[^\]]*\bNone\b", "NumPy's x[..., None] is expand_dims(x, -1), and x[..., i, :] is token(x, i)." + TABLE),
    _unknown("None", "C++ has no None: a Tensor always has values, and an argument that is not needed is left out."),
    Rule("", rf"{PART}.*\]\s*[-+*/]?=(?!=)",
         "A token is written with set_token(x, i, value), tokens from a on with set_tokens(x, a, values)." + TABLE),
    Rule("", rf"{PART}|[(,]\s*:\s*[,)]",
         "A part of a Tensor is slice(x, axis, begin, end), a token token(x, i), tokens from a to b-1 tokens(x, a, b)." + TABLE),
    Rule("comma expression in array subscript", "",
         "C++ reads y[i, j] as y[j]. An entry has round brackets: y(i, j)."),
    Rule("invalid types ['‘].*double|subscripted value is not an array", r"\]\s*\[",
         "x[i] is one entry. NumPy's x[i][j] is x(i, j), its x[i] is token(x, i)."),
    Rule(rf"{OF_A_TENSOR}.* to ['‘]bool['’]", "",
         "A whole Tensor is neither true nor false: where(x > 0, a, b) chooses entry by entry, x(i) > 0 asks for one entry, and "
         "total(x != y) == 0 tests whether all entries are equal."),
    Rule(r"unary ['‘]\*['’]|indirection requires pointer", r"\*\*", "C++ has no power operator: write x * x."),
    Rule("", "@", "The product of two matrices is matmul(x, y)."),
    Rule("", r"\.shape\b(?!\()", SHAPE),
    Rule("['‘](?:zeros|ones|full)\\b", r"\.shape\(\)", SHAPE),
    Rule("", r"=\s*\[\s*[-\d\[]", "Values are written in braces: Tensor{{1, 2}, {3, 4}}."),
    Rule("", r"\bfor\b[\s(]+(?:\w+\s+)+in\b", LOOP),
    Rule("not declared|undeclared", r"\bfor\s*\(\s*\w+\s*=", LOOP),
    _unknown("range", LOOP),
    Rule("", r"\bconcatenate\(\s*[\[{]", "NumPy's concatenate([x, y], axis=0) is concatenate(x, y, 0)."),
    Rule("invalid preprocessing directive", r"#\s", "A comment begins with //."),
    _no_member(".*", "NumPy's methods are functions here: x.sum(axis=1) is sum(x, 1), x.mean(axis=1) is mean(x, 1)." + TABLE),
    Rule("Shape|no matching function for call to '(?:zeros|ones|full)'", r"\b(?:zeros|ones|full)\((?!\s*\{)",
         "A shape is written in braces: zeros({2, 3})."),
    _unknown("inf", "Infinity is std::numeric_limits<double>::infinity(), from <limits>."),
    _unknown("print", r"C++ prints with std::cout << x << '\n', from <iostream>."),
    Rule(REDUCTION, rf"{REDUCED}(?:[^(),]|{PARENTHESES})*\)",
         "sum, mean, amax and cumsum need an axis, as in sum(x, -1). total(x) is the sum of all entries."),
    Rule(REDUCTION, rf"{REDUCED}(?:[^(),]|{PARENTHESES})*,[^(),]*,\s*(?:true|false)\s*\)",
         "The third argument of sum, mean and amax is the word keep_dims, as in sum(x, -1, keep_dims), or is left out."),
    Rule(REDUCTION, rf"{REDUCED}(?:[^(),]|{PARENTHESES})*,\s*{{",
         "One axis at a time: sum(sum(x, -1), -1) is the sum over the last two."),
    Rule("call to ['‘](?:exp|log|sqrt|abs|sin|cos|erf)\\b", r"\bstd::(?:exp|log|sqrt|abs|sin|cos|erf)\(",
         "The functions of std are for numbers. For a Tensor they have no prefix, as in exp(x)."),
    Rule(r"call to ['‘]max\b", "", "The larger of two, entry by entry, is maximum(x, y); the largest along an axis, amax(x, axis)."),
    Rule(rf"(?:convert|conversion from) .*{OF_A_TENSOR}.* to ['‘](?:double|float|int)", "",
         "A Tensor is not a number, even with a single entry: x(0) is an entry, total(x) the sum of all."),
    Rule(OF_A_CONST, "", CONST_ADVICE),
    Rule("function.definition is not allowed here", "",
         "A function cannot begin inside another: a } is missing above, or this one has to be moved out of the other."),
    Rule("expected ['‘]}['’] at end of input|expected '}'$", "", "A } is missing: some { above is never closed."),
    Rule("expected declaration before ['‘]}|extraneous closing brace", "", "There is one } too many, here or above."),
    Rule("expected unqualified-id", r"^\s*(?:return|for|if|while|else)\b",
         "This line is in no function: the } of the one above comes too early."),
    Rule("['‘]Tensor['’] does not name a type|unknown type name 'Tensor'", "",
         "Tensor is known only after the #include and inside namespace linattn { … }: is there a } too many above?"),
)


def advice(words: str, code: str) -> str:
    """For one error and its line of code; "" where no rule knows it."""
    code = LITERAL.sub("", code)
    said = [next((rule.sentence for rule in RULES if re.search(rule.words, words) and re.search(rule.code, code)), "")]
    if row := ROW.search(code):
        said.append(f"{row[0]} is one entry of {row[1]}: a token is token({row[1]}, i).")
    return " ".join(filter(None, said))
