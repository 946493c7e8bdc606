"""The edits that undo the usual slips: another operator, another variable, a bracket that closes later, a line moved.

Each is one change in one place. Whether it makes the function right is for the suite to say (search.py).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from course.edits.body import ASSIGNMENTS, KEYWORDS, WORD, Body, Name, Statement

Splice = tuple[int, int, str]

OTHER_OPERATORS = {"+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "<": ["<=", ">", "!="], "<=": ["<", ">=", ">"], ">": [">=", "<", "!="],
                   ">=": [">", "<="], "==": ["!=", "<=", ">="], "!=": ["=="], "&&": ["||"], "||": ["&&"],
                   "=": ["+=", "*="], "+=": ["=", "-=", "*="], "-=": ["+=", "="], "*=": ["=", "+=", "/="], "/=": ["*=", "="]}
OTHER_WORDS = {"++": "--", "--": "++", "true": "false", "false": "true", "causal": "none", "none": "causal", "break": "continue",
               "continue": "break"}
ALIKE = [("exp", "log", "log1p", "expm1", "exp2", "log2", "log10"), ("expf", "__expf", "exp2f", "logf"), ("max", "min"), ("fmaxf", "fminf"),
         ("fmax", "fmin"), ("maximum", "minimum"), ("amax", "amin"), ("sum", "mean", "amax"), ("cos", "sin"), ("floor", "ceil"),
         ("sqrt", "square"), ("tanh", "erf"), ("cumsum", "cumprod")]
GROWS = ("exp", "expf", "__expf", "expm1")  # whose argument is cut off at 0 in many a definition
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
    splices: tuple[Splice, ...]  # (start, end, new text) in the body, apart and in order
    mistake: str  # what is wrong before it, in words
    later: bool = False  # a rarer slip, tried when no usual one helped
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


class Editor(Body):
    """A body and its edits."""

    def edits(self) -> list[Edit]:
        """Each once, the usual ones first. None leaves the function as it is."""
        found = {"".join(self.text.split()): Edit((), "")}
        self.made: list[Edit] = []
        self._of_expressions()
        self._of_statements()
        for edit in self.made:
            found.setdefault("".join(edit.applied(self.text, 0, len(self.text)).split()), edit)
        return sorted(list(found.values())[1:], key=lambda edit: edit.later)

    def _add(self, mistake: str, *splices: Splice, later: bool = False, alike: str = "") -> None:
        self.made.append(Edit(tuple(sorted(splices)), mistake, later, alike))

    def _put(self, first: int, last: int, new: str, mistake: str, later: bool = False, alike: str = "") -> None:
        """Another text for these tokens."""
        self._add(mistake, (self.tokens[first].start, self.tokens[last].end, new), later=later, alike=alike)

    def _over(self, statement: Statement, new: str, mistake: str, later: bool = False) -> None:
        self._put(statement.first, statement.last, new, mistake, later)

    def _said(self, first: int, last: int) -> str:
        return quoted(self.source(first, last))

    def _calls(self) -> Iterator[tuple[int, int]]:
        """First token and opening bracket of all that is called or indexed."""
        for i in range(len(self.tokens)):
            if self.word(i) in ("(", "[") and i in self.match and (called := self.called(i)) is not None:
                yield called, i

    def _called_until(self, i: int) -> int | None:
        """The first token of the call that ends with this token."""
        return self.called(self.match[i]) if self.word(i) == ")" and i in self.match else None

    def _loop_begins(self, name: Name) -> str:
        """Of the number that a loop counts up or down: the first one; "" for other variables."""
        in_head = name.counts and name.initial and self.is_head(self.around[name.initial[0]])
        return self.source(*name.initial) if name.initial and in_head else ""

    # Expressions

    def _of_expressions(self) -> None:
        members = [i for i in range(1, len(self.tokens)) if self._is_member(i)]
        self.members = sorted({self.word(i) for i in members})
        self.paths = sorted({self.source(self._path(i), i) for i in members})
        self.terms: dict[str, tuple[int, int]] = {}
        for i in range(1, len(self.tokens)):
            if self.word(i) in ("+", "-", "*", "/") and self.is_binary(i) and (last := self.right(i)) - i <= MOST_TERM:
                if not re.search('"|string', term := self.source(i + 1, last)):  # no part of a message
                    self.terms[f"{self.word(i)} {term}"] = self.tokens[i].start, self.tokens[last].end
        self.given: dict[tuple[str, int], dict[str, None]] = {}  # arguments of each call and index, in their order
        for called, opening in self._calls():
            for k, (first, last) in enumerate(self.arguments(opening)):
                if last - first < MOST_ARGUMENT:
                    self.given.setdefault((self.source(called, opening), k), {})[self.source(first, last)] = None
        everywhere, in_statement = dict[str, list[Edit]](), dict[str, list[Edit]]()
        for i in range(len(self.tokens)):
            before = len(self.made)
            self._at(i)
            for edit in self.made[before:]:
                if edit.alike:
                    everywhere.setdefault(edit.alike, []).append(edit)
                    in_statement.setdefault(f"{edit.alike} {self._begins(i)}", []).append(edit)
        for alike in (*everywhere.values(), *in_statement.values()):
            splices = sorted(edit.splices[0] for edit in alike)
            if len(alike) > 1 and all(a[1] <= b[0] for a, b in zip(splices, splices[1:])):
                self._add(f"{alike[0].mistake}, here and in {len(alike) - 1} other place{'s' if len(alike) > 2 else ''}", *splices)

    def _at(self, i: int) -> None:
        word = self.word(i)
        if self.is_binary(i):
            self._operator(i)
        elif word in ASSIGNMENTS:
            self._assignment(i)
        elif word == "return":
            last = self.end_of_expression(i + 1)
            if last > i and self.word(i + 1) != "{":
                self._value(i + 1, last)
        elif word in ("-", "!") and re.match(r"[\w(.]", self.word(i + 1)):
            self._put(i, i, "", f"the `{word}` before `{self.word(i + 1)}` is too much")
        elif word in OTHER_WORDS:
            self._put(i, i, OTHER_WORDS[word], f"`{OTHER_WORDS[word]}` should replace `{word}`")
        elif re.match(r"\.?\d", word):
            self._number(i, word)
        elif WORD.fullmatch(word) and word not in KEYWORDS:
            self._name(i, word)
        if word in ("(", "[") and i in self.match and (called := self.called(i)) is not None:
            self._call(called, i)

    def _operator(self, i: int) -> None:
        operator, first, last, names = self.word(i), self.left(i), self.right(i), self.visible(i)
        left, right, whole = self.source(first, i - 1), self.source(i + 1, last), self._said(first, last)
        for other in OTHER_OPERATORS.get(operator, []):
            self._put(i, i, other, f"`{operator}` is the wrong operator in {whole}")
        self._put(i, last, "", f"{quoted(f'{operator} {right}')} is too much in {whole}")
        if operator in ("+", "*", "&&", "||"):
            self._put(first, i, "", f"{quoted(f'{left} {operator}')} is too much in {whole}")
        if operator == "-":
            self._put(first, i, "-", f"{quoted(left)} is too much in {whole}")
        if operator in ("-", "/"):
            self._put(first, last, f"{right} {operator} ({left})", f"the two sides of `{operator}` are exchanged in {whole}")
        if operator == "/":
            self._put(i + 1, last, f"sqrt(1.0 * ({right}))", f"a root is missing in {whole}", later=True)
            for name in (name.text for name in names.values() if name.is_number and name.type != "auto"):
                self._put(i + 1, last, f"({right} + {name})", f"`+ {name}` is missing below the line in {whole}", later=True)
        if operator == "*" and left == right:
            for other in self._others(first, i - 1):
                self._put(first, last, f"({other}) * ({other})", f"{whole} is the square of the wrong thing", later=True)
        for begin, end in [(i + 1, last)] * (operator == "*") + [(first, i - 1), (i + 1, last)] * (operator == "+" and self._is_in_an_index(i)):
            self._factor_of_counter(begin, end, self.source(first, last), operator)
        if operator in ("+", "-"):
            self._brackets(first, i, last)
        self._closed_too_late(i)
        if (called := self._called_until(i - 1)) is not None:  # f(a) + b for f(a + b)
            self._put(i - 1, last, f" {self.source(i, last)})", f"the bracket of {self._said(called, i - 1)} closes too early")

    def _is_in_an_index(self, i: int) -> bool:
        opening = self.around[i]
        while opening >= 0 and self.word(opening) == "(":
            opening = self.around[opening]
        return opening >= 0 and self.word(opening) == "["

    def _factor_of_counter(self, first: int, last: int, whole: str, operator: str) -> None:
        """A whole number that no loop counts may be missing at one that is counted."""
        counter, names = self.source(first, last), self.visible(first)
        sizes = [name.text for name in names.values()
                 if name.counts and name.type != "auto" and (name.is_const or name.text in self.parameters)]
        for size in sizes if counter in names and names[counter].counts else []:
            if not re.search(rf"\b{size}\b", whole) if operator == "*" else counter not in sizes:
                self._put(first, last, f"{counter} * {size}", f"the factor `{size}` is missing in {quoted(whole)}", later=True)

    def _others(self, first: int, last: int) -> Iterator[str]:
        """What arguments of calls elsewhere are, and variables of the type of this one."""
        mine, names = self.source(first, last), self.visible(first)
        type_ = names[mine].type if mine in names else "auto"
        yield from (name.text for name in names.values() if name.type in (type_, "auto") and name.text != mine)
        for _, opening in self._calls():
            for one, other in self.arguments(opening) if self.word(opening) == "(" else ():
                if one < other <= one + MOST_TERM and not one <= first <= other and self._can_stand(self.source(one, other), first):
                    yield self.source(one, other)

    def _can_stand(self, code: str, i: int) -> bool:
        """Whether its variables can be used at this token."""
        known = {name.text for name in self.names}
        return known & set(re.findall(r"(?<![.>])\b[A-Za-z_]\w*", code)) <= self.visible(i).keys()

    def _path(self, i: int) -> int:
        """The first token of a.b.c, of which i is the last."""
        while self.word(i - 1) in (".", "->") and WORD.fullmatch(self.word(i - 2)):
            i -= 2
        return i

    def _brackets(self, first: int, i: int, last: int) -> None:
        """(a + b) * c for a + b * c, and a * (b + c) for a * b + c."""
        products = [j for j in range(first, last) if self.word(j) in ("*", "/") and self.around[j] == self.around[i] and self.is_binary(j)]
        for one, other in [(first, j - 1) for j in products if j > i][:1] + [(j + 1, last) for j in products if j < i][-1:]:
            self._put(one, other, f"({self.source(one, other)})",
                      f"brackets are missing around {self._said(one, other)} in {self._said(first, last)}")

    def _closed_too_late(self, i: int) -> None:
        """f(a, b * c) for f(a, b) * c, and f(a * b, c) for f(a, c) * b."""
        opening = self.around[i]
        if opening < 0 or self.word(opening) != "(" or (called := self.called(opening)) is None:
            return
        closing, last = self.match[opening], self.end_of_expression(i)
        if any(self.is_binary(j) and self.around[j] == opening and self.word(j) in ("+", "-", "<", ">") for j in range(i + 1, last)):
            return
        moved = f"{self.source(called, i - 1)}{self.text[self.tokens[last].end:self.tokens[closing].end]} {self.source(i, last)}"
        self._put(called, closing, f"({moved})" if self.word(i) in ("+", "-") else moved,
                  f"the bracket of {self._said(called, closing)} closes too late")

    def _assignment(self, i: int) -> None:
        operator, last = self.word(i), self.end_of_expression(i + 1)
        if last <= i or self.word(i + 1) == "{":
            return
        declared = next((name for name in self.names if name.initial and name.initial[0] == i + 1), None)
        for other in [] if declared else OTHER_OPERATORS[operator]:
            self._put(i, i, other, f"`{operator}` is the wrong assignment in {self._said(self.left_of_assignment(i), last)}")
        if not declared or declared.is_number or declared.type == "Tensor":
            self._value(i + 1, last)

    def _value(self, first: int, last: int) -> None:
        """What is stored or returned: another sign, a factor or a term that is missing."""
        value, said = self.source(first, last), self._said(first, last)
        self._put(first, last, f"-({value})", f"the sign of {said} is wrong")
        for made, words in MADE_OF_VALUE.items():
            self._put(first, last, made.format(value), words.format(said), later=True)
        start, end = self.tokens[first].start, self.tokens[last].end
        for term, (begins, ends) in self.terms.items():
            if self._can_stand(term, first):
                more = start, end, f"({value}) {term}"
                self._add(f"{quoted(term)}, which stands elsewhere, is missing at {said}", more, later=True)
                if ends <= start or end <= begins:
                    self._add(f"{quoted(term)} belongs to {said}", (begins, ends, ""), more, later=True)

    def _number(self, i: int, word: str) -> None:
        sign = "-" if self.word(i - 1) == "-" and not self.is_binary(i - 1) else ""
        where, names = self._around(i), self.visible(i).values()
        said = f"the number {sign}{word} is wrong in {where}"
        if re.fullmatch(r"\d+[uUlLzZ]*", word):
            n = int(re.match(r"\d+", word)[0])  # type: ignore[index]
            for other in {n + 1, n - 1, 0, 1} - {-1}:
                self._put(i, i, str(other), said)
            if self._makes_whole(i):
                self._put(i, i, f"{n}.0", f"{word} is a whole number in {where}, and what it makes is one, too: {n}.0")
            fitting = [name for name in names if n <= 1 and name.counts]
        else:
            suffix = word[-1] if word[-1] in "fF" else ""
            try:
                value = float(word.rstrip("fFlL").replace("'", ""))
            except ValueError:  # a hexadecimal number
                return
            for number in {0.0, 1.0, 2.0, 0.5, -value, 2 * value, value / 2, value * value, abs(value) ** 0.5}:
                self._put(i, i, f"({number!r}{suffix})", said)
            if value == 0:
                self._put(i, i, "(-std::numeric_limits<double>::infinity())", said)
            fitting = [name for name in names if name.is_number]
        for name in fitting:
            self._put(i, i, name.text, f"a variable should replace {word} in {where}")

    def _makes_whole(self, i: int) -> bool:
        """Whether what is computed with a whole number here would be another with a double."""
        opening = self.around[i]
        return "/" in (self.word(i - 1), self.word(i + 1)) or opening > 0 and self.word(opening - 1) in FOLDS

    def _name(self, i: int, word: str) -> None:
        before, after = self.word(i - 1), self.word(i + 1)
        if after in ("(", "<") and before not in (".", "->"):
            for other in (other for family in ALIKE if word in family for other in family):
                self._put(i, i, other, f"`{word}` is the wrong function")
        if self._is_member(i):
            for other in self.members:
                self._put(i, i, other, f"`{word}` should be another variable in {self._around(i)}", alike=f".{word} {other}")
            first = self._path(i)
            for path in self.paths:
                if path.endswith(f".{word}") and self._can_stand(path, first):
                    self._put(first, i, path, f"{self._said(first, i)} should be `{path}` in {self._around(i)}")
        elif before not in (".", "->", "::") and after != "::" and (mine := self.visible(i).get(word)):
            if before not in ("size_t", "int", "auto", "double", "Tensor", "&") and mine.type != "lambda":
                self._variable(i, mine)

    def _variable(self, i: int, mine: Name) -> None:
        name, where, after = mine.text, self._around(i), self.word(i + 1)
        is_double, is_whole = mine.type in ("double", "float"), mine.counts and mine.type != "auto"
        for other in self.visible(i).values():
            if other.type == mine.type or (other.counts and mine.counts) or "auto" in (other.type, mine.type):
                self._put(i, i, other.text, f"`{name}` should be another variable in {where}",
                          bool(self._loop_begins(mine)) != bool(self._loop_begins(other)), f"{name} {other.text}")
        is_read = after not in (*ASSIGNMENTS, "++", "--") and self.word(i - 1) not in ("++", "--")
        if is_read and (is_double or is_whole):
            for length in (f"length({argument}, {axis})" for argument, type_ in self.parameters.items() if type_ == "Tensor" for axis in AXES):
                self._put(i, i, length if is_whole else f"static_cast<{mine.type}>({length})",
                          f"`{name}` should be `{length}` in {where}", later=True)
        if mine.type == "Tensor" and after not in (*ASSIGNMENTS, ".", "("):
            maps = [name.text for name in self.visible(i).values() if name.type == "FeatureMap"]
            for function in (*maps, "matrix_transpose", "exp"):
                self._put(i, i, f"{function}({name})", f"`{function}` of `{name}` is missing in {where}", later=True)
        elif is_read and is_whole:
            for changed in (f"{name} + 1", f"{name} - 1"):
                self._put(i, i, f"({changed})", f"`{name}` is one off in {where}", True, changed)

    def _call(self, called: int, opening: int) -> None:
        arguments, name, closing = self.arguments(opening), self.word(opening - 1), self.match[opening]
        whole, inside = self._said(called, closing), [self.source(*each) for each in arguments]
        if self.word(opening) == "(" and arguments:
            only = inside[0]
            self._put(called, closing, f"({only})", f"`{name}` is too much in {whole}" if len(arguments) == 1 else
                      f"{quoted(only)} should replace {whole}")
            if name in GROWS:
                for cut in (f"minimum({only}, 0.0)", f"(({only}) >= 0 ? 0 : ({only}))"):
                    self._put(*arguments[0], cut, f"the argument of {whole} is not cut off at 0")
            if name in SUMS and len(arguments) == 2:
                self._put(called, closing, f"({only} + {inside[1]})", f"{whole} should be a sum", later=True)
            if name == "length":
                self._put(called, closing, f"({only}).size()", f"{whole} is not the length that belongs here")
        for k, ((first, _), (_, last)) in enumerate(zip(arguments, arguments[1:])):
            one, other = inside[k:k + 2]
            self._put(first, last, f"{other}, {one}", f"arguments of `{name}` are exchanged", alike=f"{name}({k}")
            for moved in ("+ 1", "- 1") if name in RANGES and k + 2 == len(arguments) else ():
                self._put(first, last, f"{one} {moved}, {other} {moved}", f"{whole} begins and ends at the wrong place", later=True)
        for each, axis in zip(arguments[1:], inside[1:]):
            for other in ("-1", "-2", "-3", "0", "1") if name in ALONG_AN_AXIS and re.fullmatch(r"-?[0-3]", axis) else ():
                self._put(*each, other, f"the axis should be {other} in {whole}", alike=f"axis {axis} {other}")
        for k, (each, mine) in enumerate(zip(arguments, inside)):
            for other in self.given.get((self.source(called, opening), k), ()):
                if other != mine and self._can_stand(other, each[0]):
                    self._put(*each, other, f"{quoted(mine)} should be `{other}` in {whole}, as elsewhere")

    def _is_member(self, i: int) -> bool:
        return self.word(i - 1) in (".", "->") and self.word(i + 1) not in ("(", "<")

    def _around(self, i: int) -> str:
        """The call, the index, or the statement that a token is in."""
        opening = self.around[i]
        if opening >= 0 and self.word(opening) != "{" and (called := self.called(opening)) is not None:
            return self._said(called, self.match[opening])
        if self.is_head(opening):
            pieces = self.pieces_between(opening, self.match[opening])
            return self._said(*next(piece for piece in pieces if piece[0] <= i <= piece[1]))
        return self._said(self._begins(i), max(i, self.end_of_expression(i)))

    def _begins(self, first: int) -> int:
        """The first token of the statement that a token is in."""
        while first > 0 and self.word(first - 1) not in (";", "{", "}"):
            first -= 1
            if self.word(first) in ")]" and first in self.match:
                first = self.match[first]
        return first

    # Statements

    def _of_statements(self) -> None:
        for statements in self.every_list():
            for k, statement in enumerate(statements):
                if not statement.is_block and self.word(statement.first) not in ("return", ";", "}"):
                    self._over(statement, ";", f"{self._name_of(statement)} is too much")
                if not statement.word and self._called_until(statement.last - 1) == statement.first and "return " in self.text:
                    what = self.source(statement.first, statement.last - 1)
                    self._over(statement, f"return {what};", f"`return` is missing before {quoted(what)}")
                self._moved(statements, k)
                if statement.word in ("if", "while") and statement.head:
                    condition = statement.head[0] + 1, statement.head[1] - 1
                    said = f"the condition {self._said(*condition)} is"
                    self._put(*condition, f"!({self.source(*condition)})", f"{said} the wrong way round")
                    if statement.word == "if":
                        self._put(*condition, "true", f"{said} too much")
                self._reset(statements, k)
                if not statement.word:
                    self._once(statement)
                    self._done_to_others(statement)

    def _name_of(self, statement: Statement) -> str:
        """What a sentence calls it: a loop by its head."""
        return self._said(statement.first, statement.head[1] if statement.head else statement.last)

    def _past(self, statement: Statement, other: Statement, barrier: Statement | None = None) -> None:
        """Moves a statement, and the barrier behind it."""
        late, (begin, line) = other.first < statement.first, (self.span(statement)[0], self.line_at(self.span(other)[0]))
        end, place = self.span(barrier or statement)[1], self.span(other)[0 if late else 1]
        where = f"{'before' if late else 'behind'} {self._name_of(other)}"
        self._add(f"{self._name_of(statement)} comes too {'late' if late else 'early'}: it belongs"
                  + (f", with the barrier behind it, {where} in line {line}" if barrier else f" {where}"),
                  (begin, end, ""), (place, place, f" {self.text[begin:end]} "))

    def _within(self, part: Statement, code: str, at_end: bool = False) -> Splice:
        """Code put at the beginning or the end of the body of a loop or branch."""
        if part.is_block:
            place = self.tokens[part.last].start if at_end else self.tokens[part.first].end
            return place, place, f" {code} "
        return (*self.span(part), f"{{ {self.of(part)} {code} }}" if at_end else f"{{ {code} {self.of(part)} }}")

    def _moved(self, statements: tuple[Statement, ...], k: int) -> None:
        """Past a neighbour or two, or into a loop next to it."""
        statement, said = statements[k], self._name_of(statements[k])
        if self.word(statement.first) == "return":
            return
        for other in statements[k + 1:k + 3] + statements[max(0, k - 2):max(0, k - 1)]:
            if other.first < statement.first or self.word(other.first) != "return":
                self._past(statement, other)
        if k + 1 < len(statements) and self.of(statements[k + 1]) == BARRIER:
            for other in statements[:k] + statements[k + 2:]:
                self._past(statement, other, statements[k + 1])
        for part in (part for other in statements[max(0, k - 2):k] + statements[k + 1:k + 4] for part in self._parts_of(other)):
            for at_end in (False, True) if not statement.word else ():
                where = f", at its {'end' if at_end else 'beginning'}" if part.is_block else ""
                self._add(f"{said} belongs in the loop{where}", (*self.span(statement), ""), self._within(part, self.of(statement), at_end))

    def _parts_of(self, statement: Statement) -> Iterator[Statement]:
        """The bodies of the loops and branches in it."""
        for inner in statement.inner:
            if statement.word in ("for", "while", "if"):
                yield inner
            for each in inner.parts():
                yield from self._parts_of(each)

    def _once(self, statement: Statement) -> None:
        """Only in the first round of a loop around it, or only in the others."""
        if self.word(statement.first) in ("return", "break", "continue") or self.declares(statement):
            return
        for name in self.visible(statement.first).values():
            begin, loop = self._loop_begins(name), f"of the loop over `{name.text}`"
            for sign, when in (("==", f"again in each round {loop}"), ("!=", f"in the first round {loop}, too")) if begin else ():
                self._over(statement, f"if ({name.text} {sign} {begin}) {self.of(statement)}", f"{self._name_of(statement)} is done {when}", later=True)

    def _done_to_others(self, statement: Statement) -> None:
        """What a += b does to a, done to another variable as well; to a vector entry by entry."""
        first, last = statement.first, statement.last
        names = self.visible(first)
        operator = next((i for i in range(first, last) if self.word(i) in ASSIGNMENTS - {"="} and self.around[i] == self.around[first]), None)
        mine = names.get(self.word(first))
        if operator is None or mine is None:
            return
        for other in names.values():
            if other.is_const or other == mine:
                continue
            if other.type == mine.type:
                more = f"{other.text}{self.text[self.tokens[first].end:self.tokens[last].end]}"
            elif operator == first + 1 and re.fullmatch(rf"std::(vector|array|span)<{mine.type}\b.*", other.type):
                more = f"for (auto& entry : {other.text}) entry {self.source(operator, last)}"
            else:
                continue
            self._over(statement, f"{{ {self.of(statement)} {more} }}",
                       f"what {self._name_of(statement)} does is missing for `{other.text}`", later=True)

    def _reset(self, statements: tuple[Statement, ...], k: int) -> None:
        """A variable that has its first value again at the beginning of each round of a later loop, or before a later statement;
        and, with those declared right before it, all of them."""
        names = self._set_in(statements[k])
        together = [[name] for name in names] + [names] * (len(names) > 1)
        if names and k and (before := self._set_in(statements[k - 1])):
            together.append(before + names)
        for some in together:
            again = " ".join(f"{name.text} = {self.source(*name.initial)};" for name in some if name.initial)
            said = " and ".join(f"`{name.text}`" for name in some)
            said = f"{said} {'is' if len(some) == 1 else 'are'} not set back to the first value"
            for other in statements[k + 2:]:
                place = self.span(other)[0]
                self._add(f"{said} before {quoted(self.of(other))}", (place, place, f"{again} "), later=True)
            for part in (part for other in statements[k + 1:] if other.word in ("for", "while") for part in self._parts_of(other)):
                self._add(f"{said} in each round of a loop", self._within(part, again))

    def _set_in(self, statement: Statement) -> list[Name]:
        """The variables that a declaration gives a value which another may follow."""
        return [] if statement.word else [name for name in self.names
                                          if name.initial and not name.is_const and statement.first < name.first <= statement.last + 1]


def quoted(code: str, most: int = 60) -> str:
    """Code in a sentence: on one line and not too long."""
    code = " ".join(code.split())
    return f"`{code if len(code) <= most else code[:most - 2].rstrip() + ' …'}`"
