"""Check your gradients from lab 06 with your central differences, and see how the error depends on the step.

Prints how far each gradient is from the differences of your 6.1, and at which entry; what 6.1 finds for the gates of section
6.6; draws the error against the step, from 10^-1 to 10^-13; and measures the four forms of the gradient of attention. What is
not written is TODO.

Exit status: 0 when all gradients that are written agree, 1 when one does not or none could be checked, 2 when your functions
do not build or the command is misused, 130 when it was stopped.
"""

import csv
import signal
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from course.commands import check
from course.errors import CourseError
from course.sources import manifest
from course.training import line_plot, training_program

LAB, JUDGE = "lab06", "central_differences"
RIGHT, WRONG, UNWRITTEN = 0, 1, 3  # exit statuses of the program
STEPS = line_plot.Axis("step h", 1e-13, 1e-1, {10.0 ** -e: f"1e-{e}" for e in range(1, 14, 3)}, is_log=True)
ERRORS = line_plot.Axis("relative error", 1e-12, 1.0, {10.0 ** -e: f"1e-{e}" if e else "1" for e in range(0, 13, 2)}, is_log=True)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("functions", nargs="*", metavar="function", help="a function of lab 06 (default: all)")
    parser.add_argument("--out", metavar="DIR", help="where the plot goes (default: build/train/gradcheck)")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    functions = _functions(root, options.functions)
    folder = training_program.folder_for(options.out, root / "build/train/gradcheck")
    tree = training_program.prepared(root, options.track, LAB)
    program = training_program.build(tree, f"{LAB}_gradcheck", LAB)
    print(f"{'function':37}  {'argument':8}  {'largest error':>13}  {'at entry':10}  {'yours':>13}  {'differences':>13}")
    statuses: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as scratch:
        curves = Path(scratch, "error.csv")
        for function in functions:
            is_wrong = statuses.get(JUDGE, RIGHT) not in (RIGHT, UNWRITTEN)
            statuses[function] = _part(program, "gradients", function, judge_is_wrong=int(is_wrong), curves=curves)
        _part(program, "gates", JUDGE)
        if curves.exists():
            _plot(root, folder, curves.read_text(encoding="utf-8"))
    if forms := [function for function in functions if "attention" in function]:
        print(f"\n{'n = 2048, c = d_v = 64, one head':37}  {'time':>8}  {'memory':>8}   "
              "(processor time; not counting arguments and gradients)")
    costs = [_part(program, "cost", form) for form in forms]
    return _verdict(statuses, all(cost in (RIGHT, UNWRITTEN) for cost in costs))


def _part(program: Path, part: str, function: str, **settings: Any) -> int:
    """Each in a process of its own, since it may crash or not end."""
    status = training_program.status_of(program, {"part": part, "function": function} | settings)
    if status not in (RIGHT, WRONG, UNWRITTEN):
        print(f"{function:37}  {'TIMEOUT' if status == -signal.SIGALRM else f'CRASH: {training_program.fate(status)}'}")
    return status


def _verdict(statuses: dict[str, int], costs_are_known: bool) -> int:
    if set(statuses.values()) == {UNWRITTEN} and costs_are_known:
        print(f"nothing can be checked yet: write 6.1, {JUDGE}, first; ./course hint {LAB}.{JUDGE} helps", file=sys.stderr)
    elif statuses[JUDGE] not in (RIGHT, UNWRITTEN):
        print(f"your 6.1 is wrong, so the other rows say nothing yet; ./course check {LAB}.{JUDGE} says more", file=sys.stderr)
    elif not costs_are_known or not set(statuses.values()) <= {RIGHT, UNWRITTEN}:
        print(f"not all gradients agree with the differences (to 1e-06); ./course check {LAB} says more", file=sys.stderr)
    else:
        return 0
    return 1


def _functions(root: Path, names: list[str]) -> list[str]:
    labs = [lab for lab in manifest.load(root) if lab.name == LAB]
    if not labs:
        raise CourseError(f"there is no {LAB} here, whose gradients this command checks")
    selected = manifest.select(labs, names)
    chosen = [each.function for each in selected if not each.tests]
    if not chosen:
        raise CourseError(f"{selected[0].name} is a test and has no gradient of its own; ./course check {selected[0].name} checks it")
    return [JUDGE, *(each for each in chosen if each != JUDGE)]


def _plot(root: Path, folder: Path, errors: str) -> None:
    curves: dict[str, line_plot.Curve] = {}
    for function, step, error in csv.reader(errors.splitlines()):
        curves.setdefault(function, []).append((float(step), [float(error)]))
    print("\nthe largest error against the step; each is the largest over all arguments\n" + line_plot.in_terminal(curves, STEPS, ERRORS))
    svg = line_plot.svg(curves, "relative error of gradients against the step of central differences", STEPS, ERRORS)
    training_program.write_plot(root, folder, "error", "function,h,error\n" + errors, svg)
