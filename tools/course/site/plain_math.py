"""Finds the formulas in a contract's words, such as `o_i = φ(q_i)ᵀS / (φ(q_i)·z + ε)`, and writes them as TeX.

A formula is the longest piece that the reader below can parse and that is more than a number or an English word: it has an
operator, an index, a Greek letter, or is a letter of its own. What cannot be parsed stays prose.
"""

import re
from collections.abc import Callable, Iterator

LETTERS = {"φ": r"\varphi", "ε": r"\varepsilon", "β": r"\beta", "χ": r"\chi", "ρ": r"\rho", "π": r"\pi", "Φ": r"\Phi",
           "∞": r"\infty", "…": r"\dots"}
OPERATORS = {"=": "=", "←": r"\leftarrow", "→": r"\to", "≤": r"\le", "≥": r"\ge", "<": "<", ">": ">", "+": "+", "-": "-",
             "−": "-", "·": r"\cdot", "⊙": r"\odot", "×": r"\times", "/": "/"}
SIGNS = {"-": "-", "−": "-", "±": r"\pm"}
HATS = {"": "", "\u0302": r"\hat ", "\u0303": r"\tilde "}
SCRIPTS = dict(zip("²³ˣᵗ⁺⁻ᵀ′₀₁₂∞", ("^2", "^3", "^x", "^t", "^+", "^-", r"^\top", r"^\prime", "_0", "_1", "_2", r"_\infty")))
BRACKETS = {"(": (")", "(", ")"), "[": ("]", "[", "]"), "‖": ("‖", r"\lVert ", r"\rVert "), "|": ("|", "|", "|"),
            "⌈": ("⌉", r"\lceil ", r"\rceil "), "⌊": ("⌋", r"\lfloor ", r"\rfloor ")}
ENGLISH = {"a", "A", "I"}

SYMBOL = re.compile(r"(?<![.'])(d[A-Zbwxy](?![A-Za-z'])|[A-Za-z](?![A-Za-z]|'\w|\+\+|_[a-z]{3})|[A-Z](?=[A-Z](?![A-Za-z]))|[φεβχρπΦ∞…])"
                    r"([\u0302\u0303]?)")
NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:e(-?\d+))?(?![\d.]\d)")
FUNCTION = re.compile(r"(exp|log|max|min|cos|sin)(?![A-Za-z])|(softmax|diag|mean|GELU)(?=[(_′])")
NAME = re.compile(r"([a-z]+(?:_[a-z]{2,})+)_([a-z])(?![a-z])")  # log_decay_i
WORD = re.compile(r"(?!(?:and|or|the|is|are|to|for|of|exp|log|max|min|cos|sin|d[A-Zbwxy]|[A-Z]{2})\b)[A-Za-z]{2,}(?:_[a-z]{2,})*(?![\w′'])")
INDEX = re.compile(r"([_^])(?:\{((?:[^{}]|\{[^{}]*\})*)\}|\(([^()]*)\)|(-?\d+|[a-z0-9]{1,2}(?![A-Za-z0-9])))")
STEP = re.compile(r"\w[\w:]*'?\w*|.", re.S)  # to where the next formula may begin
SPACE = re.compile(r"\s*")


class _NoFormula(Exception):
    pass


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with its TeX, which is empty for prose."""
    at = begin = 0
    while at < len(text):
        reader = _Reader(text, at)
        tex = reader.attempt(lambda: reader.expression(named=True))
        alone = text[at] != "…" and SYMBOL.fullmatch(text, at, reader.at) and (tex not in ENGLISH or text[reader.at:reader.at + 1] in (",", "."))
        if tex and (reader.strong or alone):
            yield text[begin:at], ""
            yield text[at:reader.at], tex
            at = begin = reader.at
        elif step := STEP.match(text, at):
            at = step.end()
    yield text[begin:], ""


class _Reader:
    def __init__(self, text: str, at: int = 0):
        self.text, self.at, self.depth, self.strong = text, at, 0, False

    def attempt(self, read: Callable[[], str]) -> str:
        """What it reads; where that is no part of a formula, nothing, and nothing is passed over."""
        before = self.at, self.depth, self.strong
        try:
            return read()
        except _NoFormula:
            self.at, self.depth, self.strong = before
            return ""

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        if not found:
            raise _NoFormula
        self.at = found.end()
        return found

    def one_of(self, known: dict[str, str]) -> str:
        letter = self.text[self.at:self.at + 1]
        if letter not in known or not letter:
            raise _NoFormula
        self.at += 1
        return known[letter]

    def expression(self, named: bool = False) -> str:
        """`named`: it may begin with a word, as in `loss = …`."""
        out = (self.attempt(self.first_word) if named else "") or self.attempt(self.sign) + self.term()
        while more := self.attempt(self.operation):
            out += more
        return out

    def first_word(self) -> str:
        word = self.word()
        if not re.match(r" [-−+·/=] |[)\]]" if self.depth else r" [=←>≥≤] ", self.text[self.at:]) and word[-1] not in ")]":
            raise _NoFormula
        return word

    def sign(self) -> str:
        sign = self.one_of(SIGNS)
        self.strong |= sign == r"\pm"
        return sign

    def operation(self) -> str:
        spaced = bool(self.accept(SPACE)[0])
        operator = self.one_of(OPERATORS)
        if spaced != bool(self.accept(SPACE)[0]):  # a dash, or the end of a line
            raise _NoFormula
        sign = self.attempt(self.sign)
        operand = self.term(named=spaced or operator in (r"\cdot", "/"))
        self.strong = True
        if spaced and operator == "/":
            operator = r"/\allowbreak"  # as TeX breaks after the others
        return f" {operator} {sign}{operand}"

    def term(self, named: bool = False) -> str:
        out = (self.attempt(self.word) if named else "") or self.factor()
        while (self.depth or out not in ENGLISH) and (more := self.attempt(self.next_factor)):
            out += f" {more}"
        return out

    def next_factor(self) -> str:
        spaced = bool(self.accept(SPACE)[0])
        begin = self.at
        factor = self.factor()
        if spaced and (factor in ENGLISH and not self.depth or self.text[begin].isdigit() and "^" not in factor):
            raise _NoFormula
        self.strong |= not spaced
        return factor

    def factor(self) -> str:
        for read in (self.sum, self.root, self.group, self.function, self.indexed_name, self.number, self.symbol):
            if found := self.attempt(read):
                return found
        raise _NoFormula

    def sum(self) -> str:
        sign = self.one_of({"Σ": r"\sum"}) + self.scripts()
        self.accept(SPACE)
        self.strong = True
        return f"{sign} {self.attempt(self.word) or self.factor()}"

    def root(self) -> str:
        self.one_of({"√": ""})
        self.strong = True
        of = self.attempt(self.group) or self.factor()
        if len(of) > 70:  # no line can break under a root
            return f"{of}^{{1/2}}"
        return rf"\sqrt{{{of[1:-1] if of[0] == '(' and of[-1] == ')' else of}}}"

    def group(self) -> str:
        self.one_of({letter: letter for letter in BRACKETS})
        close, left, right = BRACKETS[self.text[self.at - 1]]
        self.depth += 1
        inside = self.list()
        self.one_of({close: close})
        self.depth -= 1
        self.strong |= right not in ")]|"
        return left + inside + right + self.scripts()

    def list(self) -> str:
        out = self.expression(named=True)
        while self.text[self.at:self.at + 1] == ",":
            self.at += 1
            self.accept(SPACE)
            out += ", " + self.expression(named=True)
        return out

    def function(self) -> str:
        known, named = self.accept(FUNCTION).groups()
        function = (f"\\{known}" if known else rf"\operatorname{{{named}}}") + self.scripts()
        if self.text[self.at:self.at + 1] != "(":
            self.accept(SPACE)
        self.strong = True
        return f"{function} {self.factor()}"

    def indexed_name(self) -> str:
        name, index = self.accept(NAME).groups()
        self.strong = True
        return _text(name) + f"_{index}"

    def number(self) -> str:
        digits, power = self.accept(NUMBER).groups()
        if power:
            self.strong = True
            digits = f"10^{{{power}}}" if digits == "1" else rf"{digits} \cdot 10^{{{power}}}"
        return digits + self.scripts()

    def symbol(self) -> str:
        letter, hat = self.accept(SYMBOL).groups()
        self.strong |= letter in LETTERS and letter != "…"
        return HATS[hat] + LETTERS.get(letter, letter) + self.scripts()

    def scripts(self) -> str:
        out = ""
        while more := self.attempt(self.script):
            out += more
            self.strong = True
        return out

    def script(self) -> str:
        if self.text.startswith("'(", self.at):
            self.at += 1
            return "'"
        if self.text[self.at:self.at + 1] in SCRIPTS:
            return self.one_of(SCRIPTS)
        place, *inside = self.accept(INDEX).groups()
        return f"{place}{{{_index(next(text for text in inside if text is not None))}}}"

    def word(self) -> str:
        word = _text(self.accept(WORD)[0])
        if (bracket := self.text[self.at:self.at + 1]) in ("(", "["):
            self.strong |= bracket == "["
            word += self.group()
        return word


def _index(text: str) -> str:
    if re.fullmatch("[a-z0-9]+", text):
        return text
    reader = _Reader(text.replace("..", " … "))
    tex = reader.attempt(reader.list)
    return tex if reader.at == len(reader.text) else _text(text)


def _text(words: str) -> str:
    return rf"\text{{{words.replace('_', chr(92) + '_')}}}"
