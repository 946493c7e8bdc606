"""The body of a C++ function as tokens, statements and names: as much of the language as an exercise is written in.

What it does not understand it takes for one statement; an edit that does not compile is left out later.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.sources.source_pieces import visible_code

TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d(?:'?[\w.]|(?<=[eEpP])[+-])*|\.\d\w*|->|\+\+|--|[-+*/%&|^<>=!]=|&&|\|\||::|<<|\S")
WORD = re.compile(r"[A-Za-z_]\w*")
PRECEDENCE = {"*": 5, "/": 5, "%": 5, "+": 6, "-": 6, "<": 9, ">": 9, "<=": 9, ">=": 9, "==": 10, "!=": 10, "&&": 14, "||": 15}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/="}
NO_OPERAND = {"return", "else", "case", "throw"}  # a sign after it is no operator between two
NO_TYPE = NO_OPERAND | {"break", "continue", "if", "for", "while", "do", "switch", "using", "delete", "goto"}
KEYWORDS = NO_TYPE | {"const", "auto", "double", "float", "int", "std", "size_t", "bool", "char", "new", "sizeof", "this", "unsigned",
                      "long", "struct", "static", "constexpr", "template", "typename", "true", "false", "nullptr"}
BEFORE_TEMPLATE = re.compile(r"\w+_cast|vector|array|span|numeric_limits|function|pair|tuple|max|min|initializer_list")


@dataclass(frozen=True)
class Token:
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Statement:
    """`first` and `last` are its tokens. `word` is for, if, while, do, else, or { for a block; `head` the brackets after it."""
    first: int
    last: int
    word: str = ""
    head: tuple[int, int] | None = None
    inner: tuple["Statement", ...] = ()

    @property
    def is_block(self) -> bool:
        return self.word == "{"

    def parts(self) -> tuple["Statement", ...]:
        """What runs in it one after another: of a block, or of a single statement in its place."""
        return self.inner if self.is_block else (self,)


@dataclass(frozen=True)
class Name:
    """A variable, and the tokens between which it can be used. `initial`: first and last token of its value after =."""
    text: str
    type: str
    first: int
    last: int
    initial: tuple[int, int] | None = None
    is_reference: bool = False
    is_const: bool = False

    @property
    def counts(self) -> bool:
        return self.type in ("std::size_t", "size_t", "int", "unsigned", "long", "std::ptrdiff_t", "auto")

    @property
    def is_number(self) -> bool:
        return self.type in ("double", "float", "auto")


class Body:
    """`text` stands between the braces, `head` before them; `line` is that of the opening brace in the file."""

    def __init__(self, head: str, text: str, line: int):
        self.text, self.line = text, line
        self.tokens = [Token(found[0], found.start(), found.end()) for found in TOKEN.finditer(visible_code(text, "\"'"))]
        self.match: dict[int, int] = {}  # bracket → the other one
        self.around: list[int] = []  # token → the opening bracket around it, or -1
        self._match_brackets()
        self.statements = tuple(self._list(0, len(self.tokens)))
        self.parameters = parameters_of(head)
        self.names = [Name(name, type_, 0, len(self.tokens)) for name, type_ in self.parameters.items()]
        self._find_names(self.statements, len(self.tokens))

    def word(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def source(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def of(self, statement: Statement) -> str:
        return self.source(statement.first, statement.last)

    def span(self, statement: Statement) -> tuple[int, int]:
        return self.tokens[statement.first].start, self.tokens[statement.last].end

    def line_at(self, offset: int) -> int:
        return self.line + self.text.count("\n", 0, offset)

    def visible(self, i: int) -> dict[str, Name]:
        """The variables that can be used at a token."""
        return {name.text: name for name in self.names if name.first <= i <= name.last}

    def _match_brackets(self) -> None:
        opened: list[int] = []
        for i, token in enumerate(self.tokens):
            if token.text in ")]}" and opened:
                self.match[i] = opened.pop()
                self.match[self.match[i]] = i
            self.around.append(opened[-1] if opened else -1)
            if token.text in "([{":
                opened.append(i)

    # Statements

    def _list(self, i: int, end: int) -> Iterator[Statement]:
        while i < end:
            statement = self._statement(i, end)
            yield statement
            i = statement.last + 1

    def _statement(self, i: int, end: int) -> Statement:
        word = self.word(i)
        if word == "{" and i in self.match:
            return Statement(i, self.match[i], "{", None, tuple(self._list(i + 1, self.match[i])))
        if word in ("for", "while", "if") and i + 2 < end:
            opening = i + 1 + (self.word(i + 1) == "constexpr")
            closing = self.match.get(opening, end)
            if closing + 1 < end:
                branches = [self._statement(closing + 1, end)]
                if word == "if" and self.word(branches[0].last + 1) == "else" and branches[0].last + 2 < end:
                    branches.append(self._statement(branches[0].last + 2, end))
                return Statement(i, branches[-1].last, word, (opening, closing), tuple(branches))
        if word in ("else", "do") and i + 1 < end:
            inner = self._statement(i + 1, end)
            return Statement(i, inner.last, word, None, (inner,))
        last = i
        while last < end - 1 and self.word(last) != ";":
            last = self.skip(last) + 1
        return Statement(i, min(last, end - 1))

    def skip(self, i: int) -> int:
        """The closing bracket for an opening one."""
        return self.match.get(i, i) if self.word(i) in "([{" else i

    def every_list(self, statements: tuple[Statement, ...] | None = None) -> Iterator[tuple[Statement, ...]]:
        """The lists of statements: of the function, and of every block and loop in it."""
        statements = self.statements if statements is None else statements
        yield statements
        for statement in statements:
            for inner in [statement] if statement.is_block else statement.inner:
                yield from self.every_list(inner.parts())

    def pieces_between(self, opening: int, closing: int) -> list[tuple[int, int]]:
        """First and last token of what semicolons part in the brackets of a loop; (i, i - 1) for nothing."""
        pieces, first, i = [], opening + 1, opening + 1
        while i < closing:
            if self.word(i) == ";":
                pieces.append((first, i - 1))
                first = i + 1
            i = self.skip(i) + 1
        return [*pieces, (first, closing - 1)]

    # Names

    def _find_names(self, statements: tuple[Statement, ...], end: int) -> None:
        for statement in statements:
            if statement.head:
                self._declared_in(statement.head[0] + 1, statement.last)
                for inner in statement.inner:
                    self._find_names(inner.parts(), inner.last)
            elif statement.word:
                self._find_names(statement.inner, statement.last)
            else:
                self._declared_in(statement.first, end)

    def _declared_in(self, i: int, end: int) -> None:
        """Of a declaration that begins at token i, if one does: all its variables, which live up to `end`."""
        begin = i
        while self.word(i) in ("const", "static", "constexpr", "__shared__"):
            i += 1
        is_const = self.word(begin) in ("const", "constexpr")
        type_ = self.word(i)
        if not WORD.fullmatch(type_) or type_ in NO_TYPE:
            return
        i += 1
        while self.word(i) == "::":
            type_ += "::" + self.word(i + 1)
            i += 2
        depth = int(self.word(i) == "<")
        while depth and i < end:
            type_ += " " * bool(re.search(r"\w$", type_) and WORD.match(self.word(i))) + self.word(i)
            i += 1
            depth += (self.word(i) == "<") - (self.word(i - 1) == ">")
        while True:
            stars = ""
            while self.word(i) in ("*", "&", "&&", "const", "__restrict__"):
                stars += self.word(i) if self.word(i) in "*&&" else ""
                i += 1
            name, after = self.word(i), self.word(i + 1)
            if not WORD.fullmatch(name) or name in KEYWORDS or after not in ("=", "{", "(", ";", ",", ":", "["):
                return
            last, choices = i + 1, 0  # a ? b : c
            while last < end and self.word(last) not in (",", ";", ")") and (self.word(last) != ":" or choices):
                choices += (self.word(last) == "?") - (self.word(last) == ":")
                last = self.skip(last) + 1
            initial = (i + 2, last - 1) if after == "=" and last > i + 2 else None
            if initial and self.word(i + 2) == "[":
                type_ = "lambda"
            self.names.append(Name(name, type_ + stars.replace("&", ""), last, end, initial, "&" in stars, is_const and not stars))
            if self.word(last) != ",":
                return
            i = last + 1

    def declares(self, statement: Statement) -> bool:
        """Whether it is one statement that declares variables (or anything else that later ones need)."""
        if statement.word:
            return False
        begins = self.word(statement.first)
        return begins in ("const", "static", "constexpr", "auto", "using", "struct", "__shared__", "extern") or any(
            statement.first < name.first - 1 <= statement.last for name in self.names)

    # Expressions

    def is_binary(self, i: int) -> bool:
        before = self.word(i - 1) if i else ""
        if self.word(i) not in PRECEDENCE or not re.match(r"[\w)\]\"']", before) or before in NO_OPERAND:
            return False
        if self.word(i) == ">":  # which may end a template, as < may begin one
            i -= 1
            while WORD.fullmatch(self.word(i)) or self.word(i) in ("::", "*", "&", ","):
                i -= 1
        return self.word(i) != "<" or not BEFORE_TEMPLATE.fullmatch(self.word(i - 1))

    def left(self, i: int) -> int:
        """The first token of the left operand of the operator i."""
        binds, j = PRECEDENCE[self.word(i)], i - 1
        while True:
            j = self.match.get(j, j) if self.word(j) in ")]}" else j
            before = self.word(j - 1)
            if j == 0 or before in ("(", "[", "{", ",", ";", "}", "?", ":", "return") or before in ASSIGNMENTS:
                return j
            if self.is_binary(j - 1) and PRECEDENCE[before] > binds:
                return j
            j -= 1

    def right(self, i: int) -> int:
        """The last token of the right operand of the operator i."""
        binds, j = PRECEDENCE[self.word(i)], i + 1
        while self.word(j) in ("-", "+", "!", "*", "&"):
            j += 1
        while True:
            j = self.skip(j)
            after = self.word(j + 1)
            if after in (")", "]", "}", ",", ";", "?", ":", "") or (self.is_binary(j + 1) and PRECEDENCE[after] >= binds):
                return j
            j += 1

    def left_of_assignment(self, i: int) -> int:
        """The first token of what the = or += at i stores into."""
        while i > 0 and self.word(i - 1) not in (";", "{", "}", ",") and not (self.word(i - 1) == ")" and self.is_head(self.match.get(i - 1, -1))):
            i = self.match.get(i - 1, i - 1) if self.word(i - 1) in ")]" else i - 1
        return i

    def is_head(self, opening: int) -> bool:
        return self.word(opening - 1) in ("for", "while", "if")

    def end_of_expression(self, i: int) -> int:
        """The last token before the comma, semicolon or bracket that ends it."""
        while self.word(i) not in (",", ";", ")", "]", "}", ""):
            i = self.skip(i) + 1
        return i - 1

    def arguments(self, opening: int) -> list[tuple[int, int]]:
        """First and last token of each argument between these brackets."""
        closing, found, i = self.match[opening], [], opening + 1
        while i < closing:
            last = self.end_of_expression(i)
            found.append((i, last))
            i = last + 2
        return [(first, last) for first, last in found if first <= last]

    def called(self, opening: int) -> int | None:
        """The first token of what is called or indexed with these brackets: std::max, token, d.phi_Q; None if nothing is."""
        i = opening - 1
        if not WORD.fullmatch(self.word(i)) or self.word(i) in KEYWORDS:
            return None
        while self.word(i - 1) in ("::", ".", "->"):
            i -= 2
        before = self.word(i - 1)
        return None if i < 0 or (WORD.fullmatch(before) and before not in NO_TYPE) else i  # Tensor y(…) declares


def parameters_of(head: str) -> dict[str, str]:
    """Name → type of the parameters, in their order, from the text before the brace."""
    found: dict[str, str] = {}
    depth, piece = 0, ""
    for c in head[head.index("(") + 1:head.rindex(")")] + ",":
        depth += (c in "<({[") - (c in ">)}]")
        if c != "," or depth > 0:
            piece += c
            continue
        *type_, name = [word for word in re.findall(r"[A-Za-z_][\w:]*(?:<[^>]*>)?|\*", piece)
                        if word not in ("const", "struct", "__restrict__")] or [""]
        if type_:
            found[name] = "".join(type_)
        piece = ""
    return found
