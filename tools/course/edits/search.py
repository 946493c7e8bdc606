"""Looks for one edit of a function, or two, that make every check of its exercise pass, and says what was wrong before.

All edits are built into one program (schemata.py), which runs the suite for each of them (grading/explain/edits.cpp). Where none is
enough, those that got furthest are first steps: each is made, and others are tried on what it gives.
"""

import contextlib
import itertools
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course.build import build_commands, process_group
from course.edits.schemata import FILE, VARIABLE, Schemata
from course.edits.usual import Edit, Editor
from course.errors import CourseError
from course.sources.manifest import Exercise, Lab
from course.sources.source_pieces import CannotSplit, Definition, definitions, visible_code

ROUNDS = 8  # of compiling; each drops the edits that the one before refused
MOST = 4000  # edits of one exercise
STEPS = 4  # first steps on which a second edit is tried
HELPFUL = 150  # edits that got further by themselves: these come second at first
MOST_SECOND = 1200  # other second edits, as many of the best first step's as there are, then of the next; MOST holds for all
CALL = re.compile(r"\w\(")  # what is put in by an edit, and may be refused wherever it is put
HEADERS = "#include <algorithm>\n#include <cmath>\n#include <limits>\n"  # of what edits call
# A kernel compiles in a fifth of the time.
NOT_OPTIMISED = "#ifdef __clang__\n#pragma clang optimize off\n#else\n#pragma GCC optimize(\"O0\")\n#endif\n"


@dataclass(frozen=True)
class Cure:
    """Edits with which, made together, every check passes: the line of each, and what is wrong there."""
    mistakes: tuple[tuple[int, str], ...]


Key = tuple[bool, int, float, float]
Told = Callable[[int, int], None]  # hears how many of how many were tried


@dataclass(frozen=True)
class Step:
    """How far an edit gets: `key` is larger for a better one, `digest` is that of what it gives then."""
    key: Key
    number: int
    digest: str

    @classmethod
    def told(cls, words: str) -> "Step":
        number, over, calls, share, error, digest = words.split()
        return cls((over == "1", int(calls), float(share), -float(error)), int(number), digest)


class NotSearched(CourseError):
    """Says why in words."""


class Part:
    """A function that may be edited."""

    def __init__(self, text: str, definition: Definition):
        self.name, self.start, self.end = definition.name, definition.start, definition.closing + 1
        self.begins = definition.opening + 1  # the body
        self.head = text[definition.start:definition.opening]
        self.body = Editor(self.head, text[self.begins:definition.closing], text.count("\n", 0, definition.opening) + 1)
        edits = self.body.edits()
        place_of = Schemata(self.head, self.name, self.body, {}).place_of
        self.edits = [edit for edit in edits if place_of(edit)] if definition.owner else edits  # no class holds copies of a member


Edits = dict[int, tuple[Part, Edit]]


class Search:
    """`source` is the graded file with the exercise, `build` the folder that its lab was built in. `text`: in place of the file's."""

    def __init__(self, lab: Lab, exercise: Exercise, source: Path | None, build: Path, place: Path, text: str = ""):
        if source is None:
            raise NotSearched(f"no file defines {exercise.function}")
        self.lab, self.exercise, self.source, self.build, self.place = lab, exercise, source, build, place
        self.text = text or source.read_text(encoding="utf-8")
        try:
            found = definitions(self.text, members=True)
            own = next(each for each in found if each.name == exercise.function)
        except (CannotSplit, StopIteration):
            raise NotSearched(f"{exercise.function} was not found in {source.name}") from None
        self.command = build_commands.graded(build)[source.name]
        exercises = {each.function for each in lab.exercises}
        helpers = _called([each for each in found if each.name not in exercises and each.name != each.owner], own, self.text)
        self.parts = [Part(self.text, each) for each in [own, *helpers]]
        own_part = self.parts[0]  # of helpers the usual edits, which come before its own rare ones
        self.edits = sorted(((part, edit) for part in self.parts for edit in part.edits if part is own_part or not edit.later),
                            key=lambda each: (each[1].later, each[0] is not own_part))[:MOST]
        self.steps: list[Step] = []
        self.environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "symbolize=0:detect_leaks=0"}

    def single(self, told: Told = lambda tried, of: None) -> list[Cure]:
        """One edit each. The usual edits first, then those of the functions that it calls, then the rare ones. `told` hears how many
        of how many were tried."""
        numbered = dict(enumerate(self.edits, 1))
        tried = 0
        for _, group in itertools.groupby(numbered.items(), key=lambda each: (each[1][1].later > 0, each[1][0] is self.parts[0])):
            stage = dict(group)
            if found := self._passing(stage, lambda n, before=tried: told(before + n, len(numbered))):  # type: ignore[misc]
                return list(dict.fromkeys(Cure(((part.body.line_at(edit.splices[0][0]), edit.mistake),)) for part, edit in found))
            tried += len(stage)
        return []

    def double(self, told: Told = lambda tried, of: None) -> list[Cure]:
        """Two edits, when `single` has found none. First those that help by themselves are put together, then the best of them and
        any other."""
        edits, tried = dict(enumerate(self.edits, 1)), len(self.edits)
        best: dict[tuple[Key, str], Step] = {}  # one of each that give the same
        for step in sorted(self.steps, key=lambda step: step.number):
            best.setdefault((step.key, step.digest), step)
        steps = sorted(best.values(), key=lambda step: step.key, reverse=True)
        helpful = {edits[step.number][1].alone for step in steps[:HELPFUL]}
        firsts = [(*edits[step.number], self._after(*edits[step.number])) for step in steps[:STEPS]]
        rounds = [(part, edit, then, [each for each in then.edits if each[1].alone in helpful]) for part, edit, then in firsts]
        left = min(MOST_SECOND, MOST - len(edits))
        for part, edit, then in firsts:
            others = [each for each in then.edits if each[0] is then.parts[0] and each[1].alone not in helpful][:left]
            rounds.append((part, edit, then, others))
            left -= len(others)
        for part, edit, then, some in filter(lambda each: each[3], rounds):
            with contextlib.suppress(NotSearched):
                found = then._passing(dict(enumerate(some, 1)), lambda n, before=tried: told(before + n, before + len(some)))  # type: ignore[misc]
                if found:
                    first = part.body.line_at(edit.splices[0][0]), edit.mistake
                    return [Cure((first, (self._line_before(part, edit, second.begins + later.splices[0][0]), later.mistake)))
                            for second, later in found]
            tried += len(some)
        return []

    def _after(self, part: Part, edit: Edit) -> "Search":
        changed = self.text[:part.begins] + edit.applied(part.body.text, 0, len(part.body.text)) + self.text[part.end - 1:]
        return Search(self.lab, self.exercise, self.source, self.build, self.place, changed)

    def _line_before(self, part: Part, edit: Edit, offset: int) -> int:
        """The line on which what stands at `offset` after the edit stood before it."""
        if offset > part.begins:
            offset = part.begins + edit.before(offset - part.begins)
        return self.text.count("\n", 0, offset) + 1

    def _passing(self, edits: Edits, told: Callable[[int], None]) -> list[tuple[Part, Edit]]:
        self.place.mkdir(parents=True, exist_ok=True)
        made = self.place / "edits.o"
        kept = self.compiled(edits, made)
        if not kept:
            return []
        program = self.linked(made)
        try:
            return [edits[number] for number in self.tried(program, min(kept), max(kept), told) if number in kept]
        finally:
            program.unlink()

    def compiled(self, edits: Edits, made: Path) -> set[int]:
        """The numbers of the edits that compile."""
        schemata = [(part, Schemata(part.head, part.name, part.body, {number: edit for number, (of, edit) in edits.items() if of is part}))
                    for part in sorted(self.parts, key=lambda part: part.start)]
        written, dropped = self.place / self.source.name, set[int]()
        command = [re.sub(r"^-f(max-errors|error-limit)=.*", r"-f\1=0", word) for word in
                   build_commands.compilation(self.command, written, made) if not word.startswith("-W")] + ["-w", "-g0", "-ftemplate-backtrace-limit=0"]
        lambdas = True
        for number in range(ROUNDS):
            pieces, done = [f'{HEADERS}{NOT_OPTIMISED}extern "C" int {VARIABLE};\n'], 0
            for part, of in schemata:
                pieces += [self.text[done:part.start], of.text(dropped, lambdas) if of.at or of.copies else self.text[part.start:part.end]]
                done = part.end
            written.write_text("".join([*pieces, self.text[done:]]), encoding="utf-8")
            words = self._run(command, may_fail=True)
            if not words:
                return set(edits) - dropped
            if lambdas and "reference to local binding" in words:
                lambdas = False
                continue
            refused = {int(number) for number in re.findall(rf"\b{FILE}-(\d+)\.:", words)} - dropped - {0}
            if not refused:
                raise NotSearched(f"with the choices between them, {self.exercise.function} does not compile")
            if dropped:  # of those with the same fault in a template, a compiler names one
                texts = set(filter(CALL.search, (edits[each][1].splices[0][2] for each in refused)))
                places = {(edits[each][0], edits[each][1].splices[0][:2]) for each in refused if number > 1}
                refused |= {each for each, (part, edit) in edits.items()
                            if edit.splices[0][2] in texts or (part, edit.splices[0][:2]) in places}
            dropped |= refused
        raise NotSearched(f"{ROUNDS} times, the compiler rejected some of them")

    def linked(self, made: Path) -> Path:
        """The lab's program, with the edits in the place of the answer."""
        program = self.place / f"{self.lab.name}_exercises"
        original = self.command[self.command.index("-o") + 1]
        self._run(build_commands.link(self.build, program.name, program, {original: made}))
        return program

    def _run(self, command: list[str], may_fail: bool = False) -> str:
        with process_group.started(command, cwd=self.build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=os.environ | {"LC_ALL": "C"}) as process:
            words = process.communicate()[0]
        if process.returncode and not may_fail:
            raise NotSearched(f"the edits of {self.exercise.name} do not link: {words}")
        return words if process.returncode else ""

    def tried(self, program: Path, first: int, last: int, told: Callable[[int], None]) -> list[int]:
        """The numbers of those with which the suite passes. Each core takes a share."""
        share = -(-(last - first + 1) // (os.cpu_count() or 1))
        found: list[int] = []
        tried = 0
        told_by_all, tells = os.pipe()  # each line is written at once
        with contextlib.ExitStack() as started:
            for begin in range(first, last + 1, share):
                command = [str(program), "--exercise", self.exercise.function, "--edits", f"{begin}-{min(begin + share - 1, last)}"]
                started.enter_context(process_group.started(command, env=self.environment, stdout=tells, stderr=subprocess.DEVNULL))
            os.close(tells)
            for line in started.enter_context(open(told_by_all, encoding="utf-8")):
                word, _, rest = line.partition(" ")
                if word == "edit":
                    found.append(int(rest))
                elif word == "step":
                    self.steps.append(Step.told(rest))
                else:
                    tried += int(rest)
                    told(tried)
        return sorted(found)


def _called(helpers: list[Definition], function: Definition, text: str) -> list[Definition]:
    """Those of the helpers that it calls, and those that they call."""
    called = [function]
    for each in called:  # which grows
        words = set(re.findall(r"\w+", visible_code(text)[each.opening:each.closing]))
        called += [helper for helper in helpers if {helper.name, helper.owner} & words and helper not in called]
    return called[1:]
