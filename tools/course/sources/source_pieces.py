"""Takes a C++ source apart: the functions one asks for, and the text between them. Put together again it is the same text.

Whoever wants to know something of a C++ source asks here. It reads brackets, strings, comments and #if 0, which is
enough for functions at namespace level; templates and overloads of other functions are text like any other.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

KEYWORDS = """alignas alignof and asm auto bool break case catch char class concept const constexpr continue decltype default
delete do double else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept
not nullptr operator or private protected public register requires return short signed sizeof static struct switch template
this throw true try typedef typeid typename union unsigned using virtual void volatile while xor""".split()
HIDDEN = re.compile(  # what may hold brackets that do not count
    r"^[ \t]*#[ \t]*if[ \t]+0\b.*?^[ \t]*#[ \t]*(?:endif|else|elif)[^\n]*"
    r"|^[ \t]*#(?:\\\n|[^\n])*"
    r"|//(?:\\\n|[^\n])*"
    r"|/\*.*?\*/"
    r'|R"(?P<end>[^()\\\s]*)\(.*?\)(?P=end)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|\b\d(?:'?\w)*"  # 1'000: no beginning of a character
    r"|'(?:\\.|[^'\\\n])*'", re.S | re.M)
BRACKET = re.compile(r"[;(){}]")
NAMESPACE = re.compile(r"\bnamespace\b[\w\s:]*$|\bextern\s*$")
CLASS = re.compile(r"\b(?:struct|class)\s+(\w+)[^=(]*$")
NAME = re.compile(r"\b(?!__|(?:alignas|decltype|requires)\b)([A-Za-z_]\w*)\s*\(")
TEMPLATE = re.compile(r"(?:template\s*<[^(){}]*>)?")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)', re.M)
START, END = "the beginning", "the end"  # the keys of the text before the first function and after the last


class CannotSplit(Exception):
    """Says in words why."""


@dataclass(frozen=True)
class Definition:
    """Of a function: where in the text it begins, and where its braces are. `owner`: the class of a member function."""
    name: str
    start: int
    opening: int
    closing: int
    first_line: int
    last_line: int
    owner: str = ""


@dataclass(frozen=True)
class Function:
    remark: str  # the comment right above it
    head: str  # up to and including the opening brace
    body: str  # from there to the end of the closing brace's line

    @property
    def text(self) -> str:
        return self.remark + self.head + self.body

    @property
    def signature(self) -> str:
        return " ".join(visible_code(self.head).rstrip("{ \n").split())


@dataclass(frozen=True)
class Pieces:
    functions: dict[str, Function]  # name → Function, in the order of the file
    between: dict[str, str]  # START, then name → the text between the function before and this one, then END


def definitions(text: str, members: bool = False) -> list[Definition]:
    """Of functions at namespace level; with `members`, also of those that stand in a class there."""
    visible = visible_code(text)
    found = []
    for start, opening, closing, owner in _blocks(visible, members):
        template = TEMPLATE.match(visible, start, opening)
        head = template.end() if template else start
        called = NAME.search(visible, head, opening)
        if called and "=" not in visible[head:called.start()]:  # else it is the initial value of a variable
            found.append(Definition(called[1], start, opening, closing, _line(visible, start), _line(visible, closing), owner))
    return found


def function_at(text: str, names: Collection[str], line: int) -> str:
    """Which of the functions `names` holds this line (counted from 1); "" where none does. Where brackets do not match,
    the last that begins above the line: its closing brace is what is missing."""
    try:
        return next((found.name for found in definitions(text)
                     if found.name in names and found.first_line <= line <= found.last_line), "")
    except CannotSplit:
        heads = [(number, name) for number, words in enumerate(visible_code(text).split("\n"), 1) for name in names
                 if re.match(rf"\w.*\b{name}\s*\(", words)]
        return max([head for head in heads if head[0] < line], default=(0, ""))[1]


def declares(text: str, function: str) -> bool:
    return bool(re.search(rf"\b{function}\s*\(", visible_code(text)))


def defines(text: str, function: str) -> bool:
    """False as well where brackets do not match."""
    try:
        return any(found.name == function for found in definitions(text))
    except CannotSplit:
        return False


def split(text: str, names: Collection[str]) -> Pieces:
    visible = visible_code(text)
    functions: dict[str, Function] = {}
    between: dict[str, str] = {}
    done = 0
    for definition in definitions(text):
        name, start, opening, closing = definition.name, definition.start, definition.opening, definition.closing
        if name not in names:
            continue
        if name in functions:
            raise CannotSplit(f"it defines {name} twice")
        begin = _line_start(text, start)
        if begin < done or visible[begin:start].strip():  # something else stands before it on its line
            begin = start
        remark = begin
        while remark > done and _is_remark(text, visible, _line_start(text, remark - 1), remark):
            remark = _line_start(text, remark - 1)
        end = visible.find("\n", closing) + 1 or len(text)
        end = closing + 1 if visible[closing + 1:end].strip() else end
        between[name if functions else START] = text[done:remark]
        functions[name] = Function(text[remark:begin], text[begin:opening + 1], text[opening + 1:end])
        done = end
    between.setdefault(START, "")
    between[END] = text[done:]
    return Pieces(functions, between)


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _is_remark(text: str, visible: str, begin: int, end: int) -> bool:
    line = text[begin:end].strip()
    return bool(line) and not visible[begin:end].strip() and not line.startswith("#")


def _blocks(visible: str, members: bool) -> Iterator[tuple[int, int, int, str]]:
    """(first character, {, }, class) of each definition that stands in nothing but namespaces, or in a class in them."""
    opened: list[tuple[str, int, bool]] = []  # (bracket, its place, whether it opens a namespace)
    owner = ""
    start = 0
    for match in BRACKET.finditer(visible):
        bracket, at = match[0], match.start()
        at_namespace_level = all(namespace for _, _, namespace in opened)
        if bracket in "({":
            of_class = CLASS.search(visible, start, at) if members and bracket == "{" and at_namespace_level else None
            namespace = bracket == "{" and at_namespace_level and bool(NAMESPACE.search(visible, start, at) or of_class)
            owner = of_class[1] if of_class else owner
            opened.append((bracket, at, namespace))
            if namespace:
                start = at + 1
        elif bracket in ")}":
            if not opened or opened[-1][0] + bracket not in ("()", "{}"):
                raise CannotSplit(f"line {_line(visible, at)} has a {bracket} too many")
            _, opening, namespace = opened.pop()
            if bracket == "}" and all(outer for _, _, outer in opened):
                if not namespace:
                    yield start + len(visible[start:]) - len(visible[start:].lstrip()), opening, at, owner
                owner = "" if namespace else owner
                start = at + 1
        elif at_namespace_level:
            start = at + 1
    if opened:
        raise CannotSplit(f"the {opened[-1][0]} of line {_line(visible, opened[-1][1])} is never closed")


@lru_cache
def visible_code(text: str, also: str = "") -> str:
    """The text with blanks for everything whose brackets do not count; every character keeps its place. `also`: the quotation
    marks of literals that stay."""
    return HIDDEN.sub(lambda hidden: hidden[0] if hidden[0][0].isdigit() or hidden[0][0] in also else re.sub(r"[^\n]", " ", hidden[0]), text)


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
