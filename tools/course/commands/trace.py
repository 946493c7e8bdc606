"""Follow a function token by token: state and output after each, yours next to the right ones.

For functions that take a step, and for some others that go token by token, on the worked example of their chapter or on
a small input. The next step begins with the state that yours returned. If a function returns no state, the rows of S
are what it answers to queries that are unit vectors.

Exit status: 0 when all these steps are right, 1 when one is not, 2 when nothing could be traced.
"""

import re
import shutil
import signal
import subprocess
import textwrap
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from course.build import process_group
from course.build.build_tree import BuildTree
from course.commands import check
from course.errors import CourseError
from course.sources import manifest
from course.sources.plain_text import plain
from course.training import training_program
from course.verdicts import messages

TRACED = re.compile(r"^TRACED\((\w+)\)", re.M)  # grading/call/trace.hpp
CRASH = re.compile(r"(?<=AddressSanitizer: )[\w-]+|called itself without end")
FIRST = "   ← first difference"
LABEL = 12  # characters


@dataclass
class Array:
    shape: list[int]
    entries: list[str]

    def rows(self) -> list[list[str]]:
        width = max([1, *self.shape[-1:]])
        return [self.entries[at:at + width] for at in range(0, len(self.entries), width)]

    def place(self, entry: int) -> str:
        """As in [1, 0]; nothing for a number."""
        index: list[int] = []
        for length in reversed(self.shape):
            entry, at = divmod(entry, length)
            index.insert(0, at)
        return str(index) if index else ""


@dataclass
class Step:
    input: dict[str, Array] = field(default_factory=dict)
    yours: dict[str, Array] = field(default_factory=dict)
    right: dict[str, Array] = field(default_factory=dict)
    wrong: dict[str, set[int]] = field(default_factory=dict)
    printed: list[str] = field(default_factory=list)
    call: str = ""  # its arguments, as the messages of ./course check tell them

    def parts(self) -> list[str]:
        """The state first: the output is made of it."""
        return sorted(self.yours, key=lambda name: name == "output")


def arguments(parser: ArgumentParser) -> None:
    check.track_argument(parser, "function")
    parser.add_argument("exercise", metavar="labNN.function", help="as in lab02.linear_attention_step")


def run(root: Path, options: Namespace) -> int:
    lab, exercise = manifest.find_exercise(manifest.load(root), options.exercise)
    traced = functions(root)
    if exercise.function not in traced:
        own = [each.function for each in lab.exercises]
        can = ", ".join(sorted(traced, key=lambda function: function not in own))
        raise CourseError(f"trace cannot follow {exercise.name}; it can follow {can}")
    tree = BuildTree(root, options.track)
    if tree.build([lab]):
        raise CourseError(f"{lab.name} does not build; ./course check {lab.name} says why")
    command = [str(tree.folder / f"{lab.name}_exercises"), "--trace", "--exercise", exercise.function]
    steps, ending = follow(command, tree.folder / "trace.log")
    print(f"{lab.name} · {exercise.function}: yours, and next to it what is right (on a narrow screen below, if it differs)")
    first = ""
    for number, step in enumerate(steps):
        name = _name(step, number)
        print("\n" + "\n".join(_shown(name, step, bool(first))))
        first = first or _first_difference(name, step)
    if ending:
        whole = not exercise.function.endswith(("_step", "_resume"))
        place = "in a call with all tokens" if whole else _name(steps[-1] if steps else Step(), len(steps))
        print(messages.coloured(f"\n{place}: {ending}", messages.RED))
        print(f"./course check {exercise.name} says more")
    if first:
        output_only = all(part == "output" or step.wrong.get(part) == set() for step in steps for part in step.parts())
        print(f"\nfirst difference: {first}\n" + ("the state is right; only the output differs" if output_only else
                                                 "the steps after it go on from what yours returned, so begin there"))
    if not first and not ending:
        print(messages.coloured(f"\nthese {len(steps)} steps are right, with {steps[0].call}", messages.GREEN))
        print(f"that does not mean that the exercise is: ./course check {exercise.name}")
    return 1 if first or ending else 0


def functions(root: Path) -> list[str]:
    """Those that have a trace, in the order of the labs."""
    return [name for suite in sorted((root / "tests").glob("lab*/*.cpp")) for name in TRACED.findall(suite.read_text(encoding="utf-8"))]


def follow(command: list[str], log: Path) -> tuple[list[Step], str]:
    """The steps, and in words why there are no more, if that has a reason."""
    steps: list[Step] = []
    printed: list[str] = []
    call, ending, ended = "", "", False
    with open(log, "w", encoding="utf-8") as said, process_group.started(command, stdout=subprocess.PIPE, stderr=said) as program:
        for line in program.stdout or ():
            if not line.startswith("@trace "):
                printed += [plain(line.rstrip("\n"))] * bool(line.strip())
                continue
            _, kind, name, lengths, *entries = line.split()
            if kind == "end":
                ended = True
            elif kind == "step":
                steps.append(Step(printed=printed, call=call))
                printed = []
            elif kind == "call":
                call = plain(" ".join(entries))
            elif kind in ("todo", "failed"):
                ending = plain(" ".join(entries))
            elif kind == "wrong":
                steps[-1].wrong[name.rpartition(".")[2]] = {int(entry) for entry in entries}  # S of memory.S
            else:
                array = Array([int(length) for length in lengths.split(",") if length], entries)
                getattr(steps[-1], kind)[name.rpartition(".")[2]] = array
        status = program.wait()
    if status == -signal.SIGXCPU:
        ending = "it did not return within 10 seconds"
    elif not ended and status == 0:
        ending = "it ended the program"
    elif status:
        report = CRASH.search(log.read_text(encoding="utf-8", errors="replace"))
        ending = f"it crashed ({report[0] if report else training_program.fate(status)})"
    return steps, ending


def _name(step: Step, number: int) -> str:
    return f"step {number + 1}" if "g" in step.input else f"token {number}"


def _first_difference(name: str, step: Step) -> str:
    for part in step.parts():
        yours, right = step.yours[part], step.right[part]
        if part not in step.wrong:
            return f"{name}, the shape of {part}"
        if step.wrong[part]:
            at = min(step.wrong[part])
            return f"{name}, {part}{right.place(at)}: yours {yours.entries[at]}, right {right.entries[at]}"
    return ""


def _shown(name: str, step: Step, marked: bool) -> list[str]:
    """A line for each row: yours, and what is right. `marked`: the first difference was in an earlier step."""
    inputs = "   ".join(f"{each} {' '.join(array.entries)}" for each, array in step.input.items())
    lines = textwrap.wrap(f"{name}   {inputs}", max(20, shutil.get_terminal_size().columns), subsequent_indent="  ")
    lines += [f"  printed: {line}" for line in step.printed]
    for part in step.parts():
        yours, right = step.yours[part], step.right[part]
        if part not in step.wrong:
            lines.append(f"  {part}  has shape {tuple(yours.shape)}, should have {tuple(right.shape)}" + (FIRST if not marked else ""))
            marked = True
            continue
        widest = max(map(len, yours.entries + right.entries), default=0)
        for number, (mine, theirs) in enumerate(zip(yours.rows(), right.rows())):
            begin = number * len(theirs)
            wrong = [begin + at in step.wrong[part] for at in range(len(theirs))]
            label = _label(part, right.shape, number)
            lines += _beside(label, [each.rjust(widest) for each in mine], [each.rjust(widest) for each in theirs], wrong,
                             FIRST if any(wrong) and not marked else "")
            marked = marked or any(wrong)
    return lines


def _beside(label: str, mine: list[str], theirs: list[str], wrong: list[bool], remark: str) -> list[str]:
    """Two rows in one line, or below each other where a terminal is too narrow."""
    columns = shutil.get_terminal_size().columns
    width = sum(map(len, mine)) + len(mine) - 1
    sign = "≠" if any(wrong) else " "
    if LABEL + 2 * width + 5 <= columns:
        row = f"  {label:{LABEL - 2}}{_coloured(mine, wrong)}  {sign}  {' '.join(theirs)}"
        return [row + remark] if LABEL + 2 * width + 5 + len(remark) <= columns else [row, " " * LABEL + remark.strip()]
    fit = max(1, (columns - LABEL - 8) // (len(mine[0]) + 1))
    more = " …" if fit < len(mine) else ""
    rows = [f"  {label:{LABEL - 2}}{_coloured(mine[:fit], wrong)}{more}"]
    if any(wrong):
        rows.append(f"{'≠ ':>{LABEL}}{' '.join(theirs[:fit])}{more}")
    return [*rows, " " * LABEL + remark.strip()] if remark else rows


def _coloured(cells: list[str], wrong: list[bool]) -> str:
    return " ".join(messages.coloured(cell, messages.RED) if bad else cell for cell, bad in zip(cells, wrong))


def _label(part: str, shape: list[int], row: int) -> str:
    """Which row of which part: the name stands at the first row of each head alone."""
    rows = shape[-2] if len(shape) > 1 else 1
    if row % rows:
        return ""
    return f"{part}[{row // rows}]" if len(shape) > 2 else part
