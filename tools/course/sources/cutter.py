"""Cuts a student's stub out of a reference source.

    Tensor twice(const Tensor& x) {             Tensor twice(const Tensor& x) {
        // How often does it add up?                // How often does it add up?
        // BEGIN SOLUTION                    →      // YOUR CODE HERE
        return x + x;                               throw NotImplemented("twice");
        // END SOLUTION                         }
    }

Markers that are not indented enclose what only the solution needs (helpers, includes, a remark): it is dropped.
`// BEGIN SOLUTION: statement;` puts that statement in the place of the throw, for code that cannot throw.
"""

import re
from difflib import SequenceMatcher
from pathlib import Path
from typing import NoReturn

from course.errors import CourseError
from course.sources.manifest import Lab
from course.sources.source_pieces import CannotSplit, Definition, definitions

MARKER = re.compile(r"^(?P<indent>[ \t]*)// (?P<which>BEGIN|END) SOLUTION(?:: (?P<instead>\S.*))?[ \t]*$")
COMMENT = re.compile(r"(?://|/\*)(.*)")


class Cut:
    """One source, cut. `stubs` are the functions whose bodies were taken out, `functions` all that it defines."""

    def __init__(self, text: str, file: str, exercises: set[str]):
        self.file = file
        self.exercises = exercises
        self.stubs: dict[str, int] = {}  # function → line of its marker
        self.functions: dict[str, Definition] = {}
        self._kept: list[str] = []
        self._function: str | None = None  # whose definition we are in
        self._begin: tuple[int, str] | None = None  # (line, indent) of the open marker
        self._number = 0
        self._cut(text.splitlines(), self._definitions(text))
        self.text = "\n".join(self._kept).rstrip() + "\n"

    def _definitions(self, text: str) -> list[Definition]:
        try:
            return definitions(text)
        except CannotSplit as reason:
            raise CourseError(f"{self.file}: {reason}; fix that") from None

    def _cut(self, lines: list[str], found: list[Definition]) -> None:
        rest = iter(found)
        definition = next(rest, None)
        for self._number, line in enumerate(lines, start=1):
            if definition and self._number == definition.first_line and not self._begin:
                self._enter_function(definition)
            marker = MARKER.match(line)
            if marker:
                self._on_begin(marker) if marker["which"] == "BEGIN" else self._on_end(marker)
            else:
                self._refuse_misspelt(line)
                if not self._begin:
                    self._keep(line)
            while definition and self._number >= definition.last_line:
                self._leave_function()
                definition = next(rest, None)
        if self._begin:
            self._fail(f"BEGIN SOLUTION of line {self._begin[0]} is never closed; add `// END SOLUTION`")

    def _on_begin(self, marker: re.Match[str]) -> None:
        if self._begin:
            self._fail(f"BEGIN SOLUTION inside the one of line {self._begin[0]}; close that first")
        self._begin = (self._number, marker["indent"])
        if not marker["indent"]:
            if self._function:
                self._fail(f"this marker stands in the body of {self._function} but is not indented; indent it like its neighbours")
            return
        if not self._function:
            self._fail("this marker is indented but in no function's body; unindent it to drop what it encloses")
        if self._function not in self.exercises:
            self._fail(f"{self._function} is not an exercise of this lab; add it to lab.json, or enclose the whole function")
        if self._function in self.stubs:
            self._fail(f"a second BEGIN SOLUTION in {self._function}; join it with the one of line {self.stubs[self._function]}")
        self.stubs[self._function] = self._number
        self._kept.append(f"{marker['indent']}// YOUR CODE HERE")
        self._kept.append(marker["indent"] + (marker["instead"] or f'throw NotImplemented("{self._function}");'))

    def _on_end(self, marker: re.Match[str]) -> None:
        if not self._begin:
            self._fail("END SOLUTION without a BEGIN SOLUTION; remove it, or add the other")
        if marker["indent"] != self._begin[1]:
            self._fail(f"END SOLUTION is not indented like its BEGIN SOLUTION of line {self._begin[0]}; indent both alike")
        if marker["instead"]:
            self._fail("END SOLUTION takes no statement; move it to BEGIN SOLUTION")
        self._begin = None

    def _keep(self, line: str) -> None:
        """Never two blank lines in a row: where something was dropped between two, one is left."""
        if line.strip() or (self._kept and self._kept[-1].strip()):
            self._kept.append(line)

    def _enter_function(self, definition: Definition) -> None:
        earlier = self.functions.get(definition.name)
        if earlier and definition.name in self.exercises:
            self._fail(f"{definition.name} is defined a second time; line {earlier.first_line} has it already; keep one")
        self.functions.setdefault(definition.name, definition)
        self._function = definition.name

    def _leave_function(self) -> None:
        if self._function and self._begin:
            self._fail(f"{self._function} ends before the BEGIN SOLUTION of line {self._begin[0]} is closed; add `// END SOLUTION`")
        self._function = None

    def _refuse_misspelt(self, line: str) -> None:
        comment = COMMENT.search(line)
        if comment and _resembles_marker(comment[1]):
            self._fail("this looks like a solution marker, but is not one; write `// BEGIN SOLUTION` or `// END SOLUTION`, "
                       "so spelt and alone on its line")

    def _fail(self, what: str) -> NoReturn:
        raise CourseError(f"{self.file}:{self._number}: {what}")


def regions(text: str) -> list[tuple[str, list[tuple[int, str]]]]:
    """(indent, [(number, line), …]) of what each pair of markers encloses, in a source that can be cut."""
    found: list[tuple[str, list[tuple[int, str]]]] = []
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        marker = MARKER.match(line)
        if marker:
            inside = marker["which"] == "BEGIN"
            if inside:
                found.append((marker["indent"], []))
        elif inside:
            found[-1][1].append((number, line))
    return found


def solutions(root: Path, lab: Lab) -> tuple[dict[str, str], str]:
    """Function → its text, for the exercises that are there; and what the solutions share: the regions at top level."""
    exercises = {exercise.function for exercise in lab.exercises}
    functions: dict[str, str] = {}
    shared: list[str] = []
    for source in (source for source in lab.sources if (root / "reference" / source).is_file()):
        text = (root / "reference" / source).read_text(encoding="utf-8")
        for name, definition in Cut(text, f"reference/{source}", exercises).functions.items():
            if name in exercises:
                lines = text.splitlines()[definition.first_line - 1:definition.last_line]
                functions[name] = "\n".join(line for line in lines if not MARKER.match(line))
        shared += ["\n".join(line for _, line in lines).strip("\n") for indent, lines in regions(text) if not indent]
    return functions, "\n\n".join(filter(None, shared))


def _resembles_marker(comment: str) -> bool:
    words = re.findall(r"[a-z]+", comment.partition(":")[0].lower())
    if not words or len(words) > 4:
        return False  # a sentence
    joined = "".join(words)
    if any(_is_end(joined[:split]) and _alike(joined[split:], "solution") for split in range(2, len(joined))):
        return True
    return any(map(_is_end, words)) and any(_alike(word, "solution") for word in words)


def _is_end(word: str) -> bool:
    return _alike(word, "begin") or _alike(word, "end")


def _alike(word: str, other: str) -> bool:
    return SequenceMatcher(None, word, other).ratio() >= 0.75
