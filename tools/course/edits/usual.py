"""The edits that undo the usual slips: another operator, another variable, a bracket that closes later, a line moved.

Each is one change in one place. Whether it makes the function right is for the suite to say (search.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.edits.body import ASSIGNMENTS, KEYWORDS, WORD, Body, Name, Statement

Splices = tuple[tuple[int, int, str], ...]

OTHER_OPERATORS = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "<": ["<=", ">", "!="], "<=": ["<", ">=", ">"], ">": [">=", "<", "!="],
                   ">=": [">", "<="], "==": ["!=", "<=", ">="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
                   "+=": ["=", "-=", "*="], "-=": ["+=", "="], "*=": ["=", "+=", "/="], "/=": ["*=", "="]}
OTHER_WORDS = {"++": "--", "--": "++", "true": "false", "false": "true", "causal": "none", "none": "causal", "break": "continue",
               "continue": "break"}
ALIKE = [("exp", "log", "log1p", "expm1", "exp2", "log2", "log10"), ("expf", "__expf", "exp2f", "logf"), ("max", "min"), ("fmaxf", "fminf"),
         ("fmax", "fmin"), ("maximum", "minimum"), ("amax", "amin"), ("sum", "mean", "amax"), ("cos", "sin"), ("floor", "ceil"),
         ("sqrt", "square"), ("tanh", "erf"), ("cumsum", "cumprod")]
GROWS = ("exp", "expf", "__expf", "expm1")  # whose argument is cut off at 0 in many a definition
CUT_OFF = {"abs": "maximum({0}, 0.0)", "fabs": "(({0}) <= 0 ? 0 : ({0}))", "fabsf": "(({0}) <= 0 ? 0 : ({0}))"}  # |x| for max(x, 0)
SUMS = ("max", "fmax", "fmaxf", "maximum")  # which take the larger one of two where both count
FOLDS = ("accumulate", "reduce", "inner_product", "transform_reduce", "max", "min", "pow")  # that go by the type of an argument
RANGES = ("slice", "tokens")  # whose last two arguments are where it begins and ends
AXES = ("-1", "-2")  # of an argument, whose length may be the one that belongs
ALONG_AN_AXIS = ("sum", "mean", "amax", "amin", "cumsum", "cumprod", "flip", "concatenate", "expand_dims", "slice", "length")
BARRIER = "__syncthreads();"
MOST_ARGUMENT = 8  # tokens of one that may belong elsewhere, too
MOST_TERM = 12  # tokens of a factor or term that may be missing elsewhere
MADE_OF_VALUE = {"2.0 * ({})": "a factor of 2 is missing at {}", "0.5 * ({})": "a factor of 1/2 is missing at {}",
                 "1.0 - ({})": "{} should be 1 minus that", "1.0 / ({})": "{} should be 1 over that", "exp({})": "{} lacks an `exp`",
                 "sqrt({})": "{} lacks a root", "log({})": "{} lacks a `log`"}


@dataclass(frozen=True)
class Edit:
    splices: Splices  # (start, end, new text) in the body, apart and in order
    mistake: str  # what is wrong before it, in words
    later: int = 0  # 1 and 2 for rarer and ever rarer slips, tried when no usual one helped
    alike: str = ""  # edits with the same word here may be one slip in several places

    @property
    def alone(self) -> tuple[str, str]:
        """Which edit it is, also of a function that another has changed."""
        return self.splices[0][2], self.mistake

    def applied(self, text: str, start: int, end: int) -> str:
        """To text[start:end], in which all its changes are."""
        done, made = start, []
        for first, last, new in self.splices:
            made += [text[done:first], new]
            done = last
        return "".join(made) + text[done:end]

    def before(self, offset: int) -> int:
        """Where in the text before it stood what stands there after it."""
        longer = 0
        for first, last, new in self.splices:
            if offset < first + longer + len(new):
                return min(offset - longer, first)
            longer += len(new) - (last - first)
        return offset - longer


def edits_of(body: Body) -> list[Edit]:
    """Each once, the usual ones first. None leaves the function as it is."""
    length = len(body.text)
    found: dict[str, Edit] = {"".join(body.text.split()): Edit((), "")}
    for edit in (*Expressions(body).edits(), *Statements(body).edits()):
        found.setdefault("".join(edit.applied(body.text, 0, length).split()), edit)
    return sorted(list(found.values())[1:], key=lambda edit: edit.later)


class Editor:
    def __init__(self, body: Body):
        self.body = body

    def put(self, first: int, last: int, new: str, mistake: str, later: int = 0, alike: str = "") -> Edit:
        """Another text for these tokens."""
        tokens = self.body.tokens
        return Edit(((tokens[first].start, tokens[last].end, new),), mistake, later, alike)

    def over(self, statement: Statement, new: str, mistake: str, later: int = 0) -> Edit:
        return self.put(statement.first, statement.last, new, mistake, later)

    def _called_until(self, i: int) -> int | None:
        """The first token of the call that ends with this token."""
        return self.body.called(self.body.match[i]) if self.body.word(i) == ")" and i in self.body.match else None

    def _loop_begins(self, name: Name) -> str:
        """Of the number that a loop counts up or down: the first one; "" for other variables."""
        in_head = name.counts and name.initial and self.body.is_head(self.body.around[name.initial[0]])
        return self.body.source(*name.initial) if name.initial and in_head else ""

    def said(self, first: int, last: int) -> str:
        """Code in a sentence: on one line and not too long."""
        return "`" + shortened(" ".join(self.body.source(first, last).split())) + "`"


class Expressions(Editor):
    def edits(self) -> Iterator[Edit]:
        body = self.body
        self.members = sorted({body.word(i) for i in range(1, len(body.tokens)) if self._is_member(i)})
        self.paths = sorted({body.source(self._path(i), i) for i in range(1, len(body.tokens)) if self._is_member(i)})
        self.terms = {f"{body.word(i)} {body.source(i + 1, body.right(i))}": (body.tokens[i].start, body.tokens[body.right(i)].end)
                      for i in range(1, len(body.tokens))
                      if body.word(i) in ("+", "-", "*", "/") and body.is_binary(i) and body.right(i) - i <= MOST_TERM
                      and not re.search('"|string', body.source(i + 1, body.right(i)))}  # no part of a message
        self.arguments: dict[tuple[str, int], dict[str, None]] = {}  # of each call and index, in their order
        for opening in (i for i in range(len(body.tokens)) if body.word(i) in ("(", "[") and i in body.match):
            if (called := body.called(opening)) is not None:
                for k, (first, last) in enumerate(body.arguments(opening)):
                    if last - first < MOST_ARGUMENT:
                        self.arguments.setdefault((body.source(called, opening), k), {})[body.source(first, last)] = None
        everywhere, in_statement = dict[str, list[Edit]](), dict[str, list[Edit]]()
        for i in range(len(body.tokens)):
            for edit in self._at(i):
                yield edit
                if edit.alike:
                    everywhere.setdefault(edit.alike, []).append(edit)
                    in_statement.setdefault(f"{edit.alike} {self._begins(i)}", []).append(edit)
        for alike in (*everywhere.values(), *in_statement.values()):
            splices = tuple(sorted(edit.splices[0] for edit in alike))
            if len(alike) > 1 and all(a[1] <= b[0] for a, b in zip(splices, splices[1:])):
                yield Edit(splices, f"{alike[0].mistake}, here and in {len(alike) - 1} other place{'s' if len(alike) > 2 else ''}")

    def _at(self, i: int) -> Iterator[Edit]:
        word = self.body.word(i)
        if self.body.is_binary(i):
            yield from self._operator(i)
        elif word in ASSIGNMENTS:
            yield from self._assignment(i)
        elif word == "return":
            last = self.body.end_of_expression(i + 1)
            if last > i and self.body.word(i + 1) != "{":
                yield from self._value(i + 1, last)
        elif word in ("-", "!") and re.match(r"[\w(.]", self.body.word(i + 1)):
            yield self.put(i, i, "", f"the `{word}` before `{self.body.word(i + 1)}` is too much")
        elif word in OTHER_WORDS:
            yield self.put(i, i, OTHER_WORDS[word], f"`{OTHER_WORDS[word]}` belongs in the place of `{word}`")
        elif re.match(r"\.?\d", word):
            yield from self._number(i, word)
        elif WORD.fullmatch(word) and word not in KEYWORDS:
            yield from self._name(i, word)
        if word in ("(", "[") and i in self.body.match and (called := self.body.called(i)) is not None:
            yield from self._call(called, i)

    def _operator(self, i: int) -> Iterator[Edit]:
        body, operator = self.body, self.body.word(i)
        first, last = body.left(i), body.right(i)
        left, right, whole = body.source(first, i - 1), body.source(i + 1, last), self.said(first, last)
        for other in OTHER_OPERATORS.get(operator, []):
            yield self.put(i, i, other, f"`{operator}` is the wrong operator in {whole}")
        yield self.put(i, last, "", f"`{shortened(operator + ' ' + right)}` is too much in {whole}")
        if operator in ("+", "*", "&&", "||"):
            yield self.put(first, i, "", f"`{shortened(left + ' ' + operator)}` is too much in {whole}")
        if operator == "-":
            yield self.put(first, i, "-", f"`{shortened(left)}` is too much in {whole}")
        if operator in ("-", "/"):
            yield self.put(first, last, f"{right} {operator} ({left})", f"the two sides of `{operator}` are exchanged in {whole}")
        if operator == "/":
            yield self.put(i + 1, last, f"sqrt(1.0 * ({right}))", f"a root is missing in {whole}", later=1)
            yield self.put(i + 1, last, f"({right}) * ({right})", f"a square is missing in {whole}", later=1)
            for name in body.visible(i).values():
                if name.is_number and name.type != "auto":
                    yield self.put(i + 1, last, f"({right} + {name.text})", f"`+ {name.text}` is missing below the line in {whole}", later=1)
        if operator == "*" and left == right:
            for other in self._others(first, i - 1):
                yield self.put(first, last, f"({other}) * ({other})", f"{whole} is the square of the wrong thing", later=1)
        if operator == "*" and right in (names := body.visible(i)) and names[right].counts:
            for size in self._sizes(i):
                if not re.search(rf"\b{size}\b", body.source(first, last)):
                    yield self.put(i + 1, last, f"{right} * {size}", f"the factor `{size}` is missing in {whole}", later=1)
        if operator == "+" and self._is_in_an_index(i):
            for begin, end in ((first, i - 1), (i + 1, last)):
                yield from self._factor_of_counter(begin, end, whole)
        if operator in ("+", "-"):
            yield from self._brackets(first, i, last)
        yield from self._closed_too_late(i)
        yield from self._closed_too_early(i)

    def _is_in_an_index(self, i: int) -> bool:
        opening = self.body.around[i]
        while opening >= 0 and self.body.word(opening) == "(":
            opening = self.body.around[opening]
        return opening >= 0 and self.body.word(opening) == "["

    def _factor_of_counter(self, first: int, last: int, whole: str) -> Iterator[Edit]:
        counter, sizes, names = self.body.source(first, last), self._sizes(first), self.body.visible(first)
        if counter in names and names[counter].counts and counter not in sizes:
            for size in sizes:
                yield self.put(first, last, f"{counter} * {size}", f"the factor `{size}` is missing in {whole}", later=1)

    def _sizes(self, i: int) -> list[str]:
        """The whole numbers that can be used at this token and that no loop counts."""
        return [name.text for name in self.body.visible(i).values()
                if name.counts and name.type != "auto" and (name.is_const or name.text in self.body.parameters)]

    def _others(self, first: int, last: int) -> Iterator[str]:
        """What arguments of calls elsewhere are, and variables of the type of this one."""
        body, mine = self.body, self.body.source(first, last)
        names = body.visible(first)
        type_ = names[mine].type if mine in names else "auto"
        yield from (name.text for name in names.values() if name.type in (type_, "auto") and name.text != mine)
        for opening in (i for i in range(len(body.tokens)) if body.word(i) == "(" and body.called(i) is not None and i in body.match):
            for one, other in body.arguments(opening):
                if one < other <= one + MOST_TERM and not one <= first <= other and self._can_stand(body.source(one, other), first):
                    yield body.source(one, other)

    def _can_stand(self, code: str, i: int) -> bool:
        """Whether its variables can be used at this token."""
        known = {name.text for name in self.body.names}
        return known & set(re.findall(r"(?<![.>])\b[A-Za-z_]\w*", code)) <= self.body.visible(i).keys()

    def _path(self, i: int) -> int:
        """The first token of a.b.c, of which i is the last."""
        while self.body.word(i - 1) in (".", "->") and WORD.fullmatch(self.body.word(i - 2)):
            i -= 2
        return i

    def _brackets(self, first: int, i: int, last: int) -> Iterator[Edit]:
        """(a + b) * c for a + b * c, and a * (b + c) for a * b + c."""
        body = self.body
        products = [j for j in range(first, last) if body.word(j) in ("*", "/") and body.around[j] == body.around[i] and body.is_binary(j)]
        for one, other in [(first, j - 1) for j in products if j > i][:1] + [(j + 1, last) for j in products if j < i][-1:]:
            yield self.put(one, other, f"({body.source(one, other)})", f"brackets are missing around {self.said(one, other)} in {self.said(first, last)}")

    def _closed_too_late(self, i: int) -> Iterator[Edit]:
        """f(a, b * c) for f(a, b) * c, and f(a * b, c) for f(a, c) * b."""
        body, opening = self.body, self.body.around[i]
        if opening < 0 or body.word(opening) != "(" or (called := body.called(opening)) is None:
            return
        closing, last = body.match[opening], body.end_of_expression(i)
        if any(body.is_binary(j) and body.around[j] == opening and body.word(j) in ("+", "-", "<", ">") for j in range(i + 1, last)):
            return
        moved = f"{body.source(called, i - 1)}{body.text[body.tokens[last].end:body.tokens[closing].end]} {body.source(i, last)}"
        yield self.put(called, closing, f"({moved})" if body.word(i) in ("+", "-") else moved,
                       f"the bracket of {self.said(called, closing)} closes too late")

    def _closed_too_early(self, i: int) -> Iterator[Edit]:
        """f(a + b) for f(a) + b."""
        body, closing = self.body, i - 1
        if (called := self._called_until(closing)) is not None:
            last = body.right(i)
            yield self.put(closing, last, f" {body.source(i, last)})", f"the bracket of {self.said(called, closing)} closes too early")

    def _assignment(self, i: int) -> Iterator[Edit]:
        body, operator = self.body, self.body.word(i)
        last = body.end_of_expression(i + 1)
        if last <= i or body.word(i + 1) == "{":
            return
        declared = next((name for name in body.names if name.initial and name.initial[0] == i + 1), None)
        for other in [] if declared else OTHER_OPERATORS.get(operator, ["+=", "*="]):
            yield self.put(i, i, other, f"`{operator}` is the wrong assignment in {self.said(body.left_of_assignment(i), last)}")
        if not declared or declared.is_number or declared.type == "Tensor":
            yield from self._value(i + 1, last)

    def _value(self, first: int, last: int) -> Iterator[Edit]:
        """What is stored or returned: another sign, a factor or a term that is missing."""
        value, said = self.body.source(first, last), self.said(first, last)
        yield self.put(first, last, f"-({value})", f"the sign of {said} is wrong")
        for made, words in MADE_OF_VALUE.items():
            yield self.put(first, last, made.format(value), words.format(said), later=1)
        start, end = self.body.tokens[first].start, self.body.tokens[last].end
        for term, (begins, ends) in self.terms.items():
            if self._can_stand(term, first):
                yield self.put(first, last, f"({value}) {term}", f"`{shortened(term)}`, which stands elsewhere, is missing at {said}", later=1)
                if ends <= start or end <= begins:
                    splices = sorted([(begins, ends, ""), (start, end, f"({value}) {term}")])
                    yield Edit(tuple(splices), f"`{shortened(term)}` belongs to {said}", later=1)
        for name in self.body.visible(first).values():
            if name.is_number or name.type == "Tensor":
                for operator, words in (("*", "factor"), ("/", "division by"), ("+", "term"), ("-", "subtraction of")):
                    yield self.put(first, last, f"({value}) {operator} {name.text}", f"the {words} `{name.text}` is missing at {said}", later=2)

    def _number(self, i: int, word: str) -> Iterator[Edit]:
        sign = "-" if self.body.word(i - 1) == "-" and not self.body.is_binary(i - 1) else ""
        said = f"the number {sign}{word} is wrong in {self._around(i)}"
        if re.fullmatch(r"\d+[uUlLzZ]*", word):
            n = int(re.match(r"\d+", word)[0])  # type: ignore[index]
            for other in {n + 1, n - 1, 0, 1} - {-1}:
                yield self.put(i, i, str(other), said)
            for other in {2 * n, n // 2}:
                yield self.put(i, i, str(other), said, later=1)
            if self._makes_whole(i):
                yield self.put(i, i, f"{n}.0", f"{word} is a whole number in {self._around(i)}, and what it makes is one, too: {n}.0")
            names = [name for name in self.body.visible(i).values() if n <= 1 and name.counts]
        else:
            suffix = word[-1] if word[-1] in "fF" else ""
            try:
                value = float(word.rstrip("fFlL").replace("'", ""))
            except ValueError:  # a hexadecimal number
                return
            for number in {0.0, 1.0, 2.0, 0.5, -value, 2 * value, value / 2, value * value, abs(value) ** 0.5}:
                yield self.put(i, i, f"({number!r}{suffix})", said)
            if value == 0:
                yield self.put(i, i, "(-std::numeric_limits<double>::infinity())", said)
            names = [name for name in self.body.visible(i).values() if name.is_number]
        for name in names:
            yield self.put(i, i, name.text, f"a variable belongs in the place of {word} in {self._around(i)}")

    def _makes_whole(self, i: int) -> bool:
        """Whether what is computed with a whole number here would be another with a double."""
        opening = self.body.around[i]
        return "/" in (self.body.word(i - 1), self.body.word(i + 1)) or opening > 0 and self.body.word(opening - 1) in FOLDS

    def _name(self, i: int, word: str) -> Iterator[Edit]:
        body, after = self.body, self.body.word(i + 1)
        if after in ("(", "<") and body.word(i - 1) not in (".", "->"):
            for family in ALIKE:
                for other in family if word in family else ():
                    yield self.put(i, i, other, f"`{word}` is the wrong function")
        if self._is_member(i):
            for other in self.members:
                yield self.put(i, i, other, f"in place of `{word}`, in {self._around(i)}, another variable belongs", alike=f".{word} {other}")
            first = self._path(i)
            for path in self.paths:
                if path.endswith(f".{word}") and self._can_stand(path, first):
                    yield self.put(first, i, path, f"in place of {self.said(first, i)}, in {self._around(i)}, `{path}` belongs")
        elif body.word(i - 1) not in (".", "->", "::") and after != "::" and (mine := body.visible(i).get(word)):
            yield from self._variable(i, mine)

    def _variable(self, i: int, mine: Name) -> Iterator[Edit]:
        body = self.body
        if body.word(i - 1) in ("size_t", "int", "auto", "double", "Tensor", "&") or mine.type == "lambda":
            return
        for other in body.visible(i).values():
            if other.type == mine.type or (other.counts and mine.counts) or "auto" in (other.type, mine.type):
                yield self.put(i, i, other.text, f"in place of `{mine.text}`, in {self._around(i)}, another variable belongs",
                               int(bool(self._loop_begins(mine)) != bool(self._loop_begins(other))), f"{mine.text} {other.text}")
        is_read = body.word(i + 1) not in (*ASSIGNMENTS, "++", "--") and body.word(i - 1) not in ("++", "--")
        if is_read and (mine.type in ("double", "float") or mine.counts and mine.type != "auto"):
            for argument in (name for name, type_ in body.parameters.items() if type_ == "Tensor"):
                for axis in AXES:
                    length = f"length({argument}, {axis})"
                    yield self.put(i, i, length if mine.counts else f"static_cast<{mine.type}>({length})",
                                   f"in place of `{mine.text}`, in {self._around(i)}, `{length}` belongs", later=2)
        if mine.type in ("double", "float"):
            for number in ("0.0", "1.0"):
                yield self.put(i, i, number, f"`{mine.text}` is too much in {self._around(i)}", later=1)
        elif mine.type == "Tensor" and body.word(i + 1) not in (*ASSIGNMENTS, ".", "("):
            maps = [name.text for name in body.visible(i).values() if name.type == "FeatureMap"]
            for function in (*maps, "matrix_transpose", "exp"):
                yield self.put(i, i, f"{function}({mine.text})", f"`{function}` of `{mine.text}` is missing in {self._around(i)}", later=1)
        elif is_read and mine.counts and mine.type != "auto":
            for changed in ("+ 1", "- 1"):
                yield self.put(i, i, f"({mine.text} {changed})", f"`{mine.text}` is one off in {self._around(i)}", 1, f"{mine.text} {changed}")

    def _call(self, called: int, opening: int) -> Iterator[Edit]:
        body, arguments, name, closing = self.body, self.body.arguments(opening), self.body.word(opening - 1), self.body.match[opening]
        whole = self.said(called, closing)
        if body.word(opening) == "(" and arguments:
            inside = body.source(*arguments[0])
            yield self.put(called, closing, f"({inside})", f"`{name}` is too much in {whole}" if len(arguments) == 1 else
                           f"{self.said(*arguments[0])} belongs in the place of {whole}")
            if name in CUT_OFF:
                for part in (inside, f"-({inside})"):
                    yield self.put(called, closing, CUT_OFF[name].format(part), f"`{name}` is the wrong function in {whole}")
            if name in GROWS:
                for cut in (f"minimum({inside}, 0.0)", f"(({inside}) >= 0 ? 0 : ({inside}))"):
                    yield self.put(*arguments[0], cut, f"the argument of {whole} is not cut off at 0")
            if name in SUMS and len(arguments) == 2:
                yield self.put(called, closing, f"({inside} + {body.source(*arguments[1])})", f"{whole} should be a sum", later=1)
            if name == "length":
                yield self.put(called, closing, f"({inside}).size()", f"{whole} is not the length that belongs here")
        for k, ((first, middle), (second, last)) in enumerate(zip(arguments, arguments[1:])):
            yield self.put(first, last, body.source(second, last) + ", " + body.source(first, middle), f"arguments of `{name}` are exchanged",
                           alike=f"{name}({k}")
            for moved in ("+ 1", "- 1") if name in RANGES and k + 2 == len(arguments) else ():
                yield self.put(first, last, f"{body.source(first, middle)} {moved}, {body.source(second, last)} {moved}",
                               f"{whole} begins and ends at the wrong place", later=1)
        for first, last in arguments[1:] if name in ALONG_AN_AXIS else ():
            axis = body.source(first, last)
            for other in ("-1", "-2", "-3", "0", "1") if re.fullmatch(r"-?[0-3]", axis) else ():
                yield self.put(first, last, other, f"the axis should be {other} in {whole}", alike=f"axis {axis} {other}")
        for k, (first, last) in enumerate(arguments):
            for other in self.arguments.get((body.source(called, opening), k), ()):
                if other != body.source(first, last) and self._can_stand(other, first):
                    yield self.put(first, last, other, f"in place of {self.said(first, last)}, in {whole}, "
                                                       f"`{other}` belongs, as elsewhere")

    def _is_member(self, i: int) -> bool:
        return self.body.word(i - 1) in (".", "->") and self.body.word(i + 1) not in ("(", "<")

    def _around(self, i: int) -> str:
        """The call, the index, or the statement that a token is in."""
        body, opening = self.body, self.body.around[i]
        if opening >= 0 and body.word(opening) != "{" and (called := body.called(opening)) is not None:
            return self.said(called, body.match[opening])
        if body.is_head(opening):
            pieces = body.pieces_between(opening, body.match[opening])
            return self.said(*next(piece for piece in pieces if piece[0] <= i <= piece[1]))
        return self.said(self._begins(i), max(i, body.end_of_expression(i)))

    def _begins(self, i: int) -> int:
        """The first token of its statement."""
        body, first = self.body, i
        while first > 0 and body.word(first - 1) not in (";", "{", "}"):
            first -= 1
            if body.word(first) in ")]" and first in body.match:
                first = body.match[first]
        return first


class Statements(Editor):
    def edits(self) -> Iterator[Edit]:
        for statements in self.body.every_list():
            for k, statement in enumerate(statements):
                yield from self._removed(statement)
                yield from self._returned(statement)
                yield from self._moved(statements, k)
                yield from self._moved_out(statement)
                if statement.word in ("if", "while"):
                    yield from self._condition(statements, k)
                if statement.word == "for":
                    yield from self._other_way(statement)
                yield from self._reset(statements, k)
                yield from self._once(statement)
                yield from self._done_to_others(statement)

    def _name_of(self, statement: Statement) -> str:
        """What a sentence calls it: a loop by its head."""
        return self.said(statement.first, statement.head[1] if statement.head else statement.last)

    def _removed(self, statement: Statement) -> Iterator[Edit]:
        if not statement.is_block and self.body.word(statement.first) not in ("return", ";", "}"):
            yield self.over(statement, ";", f"{self._name_of(statement)} is too much")

    def _returned(self, statement: Statement) -> Iterator[Edit]:
        """What is computed and not used."""
        body, first, last = self.body, statement.first, statement.last
        if not statement.word and self._called_until(last - 1) == first and "return " in body.text:
            yield self.put(first, first, f"return {body.word(first)}", f"`return` is missing before {self.said(first, last - 1)}")

    def _to(self, statement: Statement, place: int, until: Statement | None = None) -> Splices:
        start, end = self.body.span(statement)[0], self.body.span(until or statement)[1]
        return tuple(sorted([(start, end, ""), (place, place, f" {self.body.text[start:end]} ")]))

    def _moved(self, statements: tuple[Statement, ...], k: int) -> Iterator[Edit]:
        """Past a neighbour or two, or into a loop beside it."""
        body, statement = self.body, statements[k]
        said = self._name_of(statement)
        if body.word(statement.first) == "return":
            return
        for other in statements[k + 1:k + 3]:
            if body.word(other.first) != "return":
                yield Edit(self._to(statement, body.span(other)[1]), f"{said} comes too early: it belongs behind {self._name_of(other)}")
        for other in statements[max(0, k - 2):max(0, k - 1)]:
            yield Edit(self._to(statement, body.span(other)[0]), f"{said} comes too late: it belongs before {self._name_of(other)}")
        if k + 1 < len(statements) and body.of(statements[k + 1]) == BARRIER:
            for other in statements[:k] + statements[k + 2:]:
                late, line = other.first < statement.first, body.line_at(body.tokens[other.first].start)
                yield Edit(self._to(statement, body.span(other)[0 if late else 1], statements[k + 1]),
                           f"{said} comes too {'late' if late else 'early'}: it belongs, with the barrier behind it, "
                           f"{'before' if late else 'behind'} {self._name_of(other)} in line {line}")
        if statement.word:
            return
        for other in statements[max(0, k - 2):k] + statements[k + 1:k + 4]:
            for loop in self._loops_in(other):
                for place, where in ((body.tokens[loop.first].end, "beginning"), (body.tokens[loop.last].start, "end")) if loop.is_block else ():
                    yield Edit(self._to(statement, place), f"{said} belongs into the loop, at its {where}")
                if not loop.is_block:
                    start, end = body.span(loop)
                    piece, own = body.text[start:end], body.text[slice(*body.span(statement))]
                    for new in (f"{{ {own} {piece} }}", f"{{ {piece} {own} }}"):
                        yield Edit(tuple(sorted([(*body.span(statement), ""), (start, end, new)])), f"{said} belongs into the loop")

    def _loops_in(self, statement: Statement) -> Iterator[Statement]:
        """The bodies of the loops and branches in it."""
        for inner in statement.inner:
            if statement.word in ("for", "while", "if"):
                yield inner
            for each in inner.inner if inner.is_block else [inner]:
                yield from self._loops_in(each)

    def _moved_out(self, statement: Statement) -> Iterator[Edit]:
        """From the body of a loop to the place before it or behind it."""
        if statement.word not in ("for", "while", "if"):
            return
        start, end = self.body.span(statement)
        kind = "branch" if statement.word == "if" else "loop"
        for inner in (part for body in statement.inner if body.is_block for part in body.inner if not part.word):
            yield Edit(self._to(inner, start), f"{self._name_of(inner)} belongs before the {kind} {self._name_of(statement)}")
            yield Edit(self._to(inner, end), f"{self._name_of(inner)} belongs behind the {kind} {self._name_of(statement)}")

    def _condition(self, statements: tuple[Statement, ...], k: int) -> Iterator[Edit]:
        statement = statements[k]
        opening, closing = statement.head or (0, 0)
        condition = self.body.source(opening + 1, closing - 1)
        said = self.said(opening + 1, closing - 1)
        yield self.put(opening + 1, closing - 1, f"!({condition})", f"the condition {said} is the wrong way round")
        if statement.word == "while":
            return
        yield self.put(opening + 1, closing - 1, "true", f"the condition {said} is too much")
        yield self.put(statement.first, statement.first, "while", f"the `if` of {said} runs once: it should be a loop")
        if k > 0 and statements[k - 1].word == "if":
            yield self.put(statement.first, statement.first, "else if", f"an `else` is missing before the `if` of {said}")
        if len(statement.inner) == 2:
            one, other = statement.inner
            yield self.put(one.first, other.last, f"{self.body.of(other)} else {self.body.of(one)}",
                           f"the branches of {said} are exchanged")

    def _other_way(self, statement: Statement) -> Iterator[Edit]:
        opening, closing = statement.head or (0, 0)
        head = self.body.source(opening + 1, closing - 1)
        said = f"the loop {self._name_of(statement)} runs in the wrong direction"
        if up := re.fullmatch(r"([\w:]+)\s+(\w+)\s*=\s*(.+?);\s*\w+\s*(<=?)\s*(.+?);\s*(?:\+\+\s*\w+|\w+\s*\+\+)", head, re.S):
            type_, name, begin, less, end = up.groups()
            behind = end if less == "<" else f"({end}) + 1"
            yield self.put(opening + 1, closing - 1, f"{type_} {name} = {behind}; {name}-- > {begin};", said)
        elif down := re.fullmatch(r"([\w:]+)\s+(\w+)\s*=\s*(.+?);\s*\w+\s*--\s*>\s*(.+?);\s*", head, re.S):
            type_, name, begin, end = down.groups()
            yield self.put(opening + 1, closing - 1, f"{type_} {name} = {end}; {name} < {begin}; ++{name}", said)

    def _once(self, statement: Statement) -> Iterator[Edit]:
        """Only in the first round of a loop around it."""
        body = self.body
        if statement.word or body.word(statement.first) in ("return", "break", "continue") or body.declares(statement):
            return
        for name in body.visible(statement.first).values():
            begin, loop = self._loop_begins(name), f"of the loop over `{name.text}`"
            for sign, when in (("==", f"again in each round {loop}"), ("!=", f"in the first round {loop}, too")) if begin else ():
                yield self.over(statement, f"if ({name.text} {sign} {begin}) {body.of(statement)}", f"{self._name_of(statement)} is done {when}", later=1)

    def _done_to_others(self, statement: Statement) -> Iterator[Edit]:
        """What a += b does to a, done to another variable as well; to a vector entry by entry."""
        body, first, last = self.body, statement.first, statement.last
        names = body.visible(first)
        operator = next((i for i in range(first, last) if body.word(i) in ASSIGNMENTS - {"="} and body.around[i] == body.around[first]), None)
        mine = names.get(body.word(first))
        if statement.word or operator is None or mine is None:
            return
        for other in names.values():
            if other.is_const or other == mine:
                continue
            if other.type == mine.type:
                more = f"{other.text}{body.text[body.tokens[first].end:body.tokens[last].end]}"
            elif operator == first + 1 and re.fullmatch(rf"std::(vector|array|span)<{mine.type}\b.*", other.type):
                more = f"for (auto& entry : {other.text}) entry {body.source(operator, last)}"
            else:
                continue
            yield self.put(first, last, f"{{ {body.source(first, last)} {more} }}",
                           f"what {self._name_of(statement)} does is missing for `{other.text}`", later=1)

    def _reset(self, statements: tuple[Statement, ...], k: int) -> Iterator[Edit]:
        """A variable that has its first value again at the beginning of each round of a later loop, or before a later statement;
        and, with those declared right before it, all of them."""
        body, statement = self.body, statements[k]
        names = [] if statement.word else self._set_in(statement)
        together = [[name] for name in names] + ([names] if len(names) > 1 else [])
        before = self._set_in(statements[k - 1]) if names and k and not statements[k - 1].word else []
        for some in [*together, before + names] if before else together:
            set_again = " ".join(f"{name.text} = {body.source(*name.initial)};" for name in some if name.initial)
            said = " and ".join(f"`{name.text}`" for name in some)
            said = f"{said} {'is' if len(some) == 1 else 'are'} not set back to the first value"
            for other in statements[k + 2:]:
                place = body.tokens[other.first].start
                yield Edit(((place, place, f"{set_again} "),), f"{said} before `{shortened(body.of(other))}`", later=1)
            said = f"{said} in each round of a loop"
            for loop in (loop for other in statements[k + 1:] if other.word in ("for", "while") for loop in self._loops_in(other)):
                if loop.is_block:
                    place = body.tokens[loop.first].end
                    yield Edit(((place, place, f" {set_again}"),), said)
                else:
                    yield self.over(loop, f"{{ {set_again} {body.of(loop)} }}", said)

    def _set_in(self, statement: Statement) -> list[Name]:
        """The variables that a declaration gives a value which another may follow."""
        return [name for name in self.body.names
                if name.initial and not name.is_const and statement.first < name.first <= statement.last + 1]


def shortened(code: str, most: int = 60) -> str:
    code = " ".join(code.split())
    return code if len(code) <= most else code[:most - 2].rstrip() + " …"
