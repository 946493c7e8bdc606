"""One function that holds many edits of itself, and a number, linattn_edit, that chooses which of them it does.

Mutant schemata (Untch, Offutt and Harrold, 1993): a hundred versions of a statement compile in little more time than one.
The number 0 chooses none. Edits that no single statement holds get a copy of the whole function.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass

from course.edits.body import Body, Statement
from course.edits.usual import Edit

VARIABLE = "linattn_edit"  # grading/explain/edits.cpp sets it
FILE = "edit"  # the compiler's words then name the edit that they are about: edit-17.


@dataclass(frozen=True)
class Place:
    """Code that may have versions: a statement, a condition, the step of a loop, or the value that a variable begins with."""
    start: int
    end: int
    kind: str  # statement, step, or the type of a value


class Schemata:
    def __init__(self, head: str, name: str, body: Body, edits: dict[int, Edit]):
        self.head, self.name, self.body = head, name, body
        self.places: list[Place] = []
        self._find(body.statements)
        self.places.sort(key=lambda place: place.start)
        self.at: dict[Place, dict[int, Edit]] = {}
        self.copies: dict[int, Edit] = {}
        for number, edit in edits.items():
            place = self.place_of(edit)
            (self.copies if place is None else self.at.setdefault(place, {}))[number] = edit

    def text(self, dropped: Collection[int], lambdas: bool = True) -> str:
        """The function, behind its copies, without the edits that were dropped. Between values it chooses in lambdas, so that no
        error in one spoils what is declared; clang before 16 lets none use a structured binding, and needs `lambdas` to be False."""
        copies = {number: edit for number, edit in self.copies.items() if number not in dropped}
        made = [self._copy(number, edit) for number, edit in copies.items()]
        arguments = ", ".join(f"static_cast<decltype({name})&&>({name})" for name in self.body.parameters)
        calls = "".join(f"case {number}: return {self.name}_{number}({arguments}); " for number in copies)
        made += [_line(self.body.line, 0), self.head, f"{{ switch ({VARIABLE}) {{ {calls}default: break; }}{_line(self.body.line, 0)}"]
        done = 0
        for place in self.places:
            versions = {number: edit for number, edit in self.at.get(place, {}).items() if number not in dropped}
            if versions:
                made += [self.body.text[done:place.start], self._choice(place, versions, lambdas)]
                done = place.end
        return "".join([*made, self.body.text[done:], "}"])

    def _copy(self, number: int, edit: Edit) -> str:
        head = re.sub(rf"\b{self.name}\b", f"{self.name}_{number}", self.head, count=1)
        text = edit.applied(self.body.text, 0, len(self.body.text))
        return f"namespace {{{_line(self.body.line, number)}{head}{{{text}}}\n}}"

    def _choice(self, place: Place, versions: dict[int, Edit], lambdas: bool) -> str:
        line = self.body.line_at(place.start)
        original = self.body.text[place.start:place.end]
        texts = {number: edit.applied(self.body.text, place.start, place.end) for number, edit in versions.items()}
        if place.kind == "statement":
            return self._switch(line, texts, original, "{", "} break;")
        if place.kind == "step" and lambdas:
            return f"[&] {{ {self._switch(line, texts, original, '', '; break;')} }}()"
        type_ = ("void" if place.kind == "step" else f"std::decay_t<decltype({original})>" if place.kind.startswith("auto") or "*" in place.kind
                 else place.kind)
        if lambdas:
            return f"[&]() -> {type_} {{ {self._switch(line, texts, original, 'return', ';')} }}()"
        chosen = "".join(f"{_line(line, number)}{VARIABLE} == {number} ? static_cast<{type_}>({text}) : " for number, text in texts.items())
        return f"({chosen}{_line(line, 0)}static_cast<{type_}>({original}))"

    def _switch(self, line: int, texts: dict[int, str], original: str, before: str, after: str) -> str:
        cases = "".join(f"{_line(line, number)}case {number}: {before} {text} {after}" for number, text in texts.items())
        return f"switch ({VARIABLE}) {{ {cases}{_line(line, 0)}default: {before} {original} {after} }}"

    def _find(self, statements: tuple[Statement, ...]) -> None:
        body = self.body
        for statement in statements:
            if statement.head:
                pieces = body.pieces_between(*statement.head)
                if statement.word == "for" and len(pieces) == 3:
                    self._initial_values(*pieces[0])
                    self._add(*pieces[1], "bool")
                    self._add(*pieces[2], "step")
                elif len(pieces) == 1 and not body.declares(Statement(pieces[0][0], pieces[0][1])):
                    self._add(*pieces[0], "bool")
            if statement.inner:
                self._find(statement.inner)
            elif body.declares(statement):
                self._initial_values(statement.first, statement.last)
            elif not statement.word and body.word(statement.last) == ";" and body.word(statement.first) not in ("break", "continue", ";"):
                self._add(statement.first, statement.last, "statement")

    def _initial_values(self, first: int, last: int) -> None:
        if self.body.word(first) in ("static", "constexpr", "extern", "__shared__"):
            return
        for name in self.body.names:
            if name.initial and first < name.initial[0] <= last and not name.is_reference and self.body.word(name.initial[0]) not in "{[":
                self._add(*name.initial, name.type)

    def _add(self, first: int, last: int, kind: str) -> None:
        if first <= last:
            self.places.append(Place(self.body.tokens[first].start, self.body.tokens[last].end, kind))

    def place_of(self, edit: Edit) -> Place | None:
        """None where no single statement holds it."""
        first, last = edit.splices[0][0], edit.splices[-1][1]
        return next((place for place in self.places if place.start <= first < last <= place.end), None)


def _line(line: int, number: int) -> str:
    return f'\n#line {line} "{FILE}-{number}."\n'
