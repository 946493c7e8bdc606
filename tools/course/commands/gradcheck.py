"""Check your gradients of lab 06 by your own central differences, and see how the error depends on the step.

Prints how far each gradient is from the differences of your 6.1, and at which entry; what 6.1 finds for the gates of section
6.6; draws the error against the step, from 10^-1 to 10^-13; and measures the four forms of the gradient of attention. What is not written is TODO.

Exit status: 0 when all gradients that are written agree, 1 when one does not or none could be checked, 2 when your functions
do not build or the command cannot be used so, 130 when it was stopped.
"""

import signal
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass, field
from pathlib import Path

from course import line_plot, manifest, training_program
from course.commands import check
from course.errors import CourseError
from course.training_program import Event

LAB, JUDGE = "lab06", "central_differences"
ARGUMENTS = {JUDGE: ["x"], "elu_plus_one_backward": ["x"], "reverse_cumsum": ["x"]}
OF_ATTENTION = ["φ(Q)", "φ(K)", "V"]
AGREES = 1e-6
STEPS = line_plot.Axis("step h", 1e-13, 1e-1, {10.0 ** -e: f"1e-{e}" for e in range(1, 14, 3)}, is_log=True)
ERRORS = line_plot.Axis("relative error", 1e-12, 1.0, {10.0 ** -e: f"1e-{e}" if e else "1" for e in range(0, 13, 2)}, is_log=True)
ROW = "{:37}  {:8}  {:>13}  {:10}  {:>13}  {:>13}  {}"


@dataclass
class Found:
    """What the program reports of one function."""
    parts: dict[str, Event] = field(default_factory=dict)  # of each argument, of the curve and of the cost
    curve: line_plot.Curve = field(default_factory=list)
    fate: str = ""  # why it ended before its end


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("functions", nargs="*", metavar="function", help="a function of lab 06 (default: all)")
    parser.add_argument("--out", metavar="DIR", help="where the plot goes (default: build/train/gradcheck)")
    check.track_argument(parser, "functions")


def run(root: Path, options: Namespace) -> int:
    functions = _functions(root, options.functions)
    folder = training_program.folder_for(options.out, root / "build/train/gradcheck")
    tree = training_program.prepared(root, options.track, LAB)
    program = training_program.build(tree, f"{LAB}_gradcheck", LAB)
    print(ROW.format("function", "argument", "largest error", "at entry", "yours", "differences", "").rstrip(), flush=True)
    found: dict[str, Found] = {}
    for function in functions:
        found[function] = _check(program, function, JUDGE in found and _is_wrong(found[JUDGE]))
    gates = found[JUDGE].parts.get("gates", {})
    if gates.get("event") == "gates":
        print(f"\nda_1, da_2, da_3 of section 6.6 by your 6.1: {', '.join(map(_number, gates['differences']))}")
    curves = {function: each.curve for function, each in found.items() if each.curve}
    if curves:
        print("\nthe largest error against the step; each is the largest over all arguments\n" + line_plot.in_terminal(curves, STEPS, ERRORS))
        training_program.write_plot(
            root, folder, "error",
            "function,h,error\n" + "".join(f"{name},{h!r},{error!r}\n" for name, curve in curves.items() for h, [error] in curve),
            line_plot.svg(curves, "relative error of gradients against the step of central differences", STEPS, ERRORS))
    _print_costs(found)
    return _verdict(found)


def _functions(root: Path, names: list[str]) -> list[str]:
    labs = [lab for lab in manifest.load(root) if lab.name == LAB]
    if not labs:
        raise CourseError(f"there is no {LAB} here, whose gradients this command checks")
    selected = manifest.select(labs, names)
    chosen = [each.function for each in selected if not each.tests]
    if not chosen:
        raise CourseError(f"{selected[0].name} is a test and has no gradient of its own; ./course check {selected[0].name} checks it")
    return chosen if JUDGE in chosen else [JUDGE, *chosen]


def _check(program: Path, function: str, wrong_judge: bool) -> Found:
    """Runs the program for one function, and prints a row for each argument as it comes."""
    found = Found()
    names = ARGUMENTS.get(function, OF_ATTENTION)

    def on_event(event: Event) -> None:
        if event["event"] == "curve":
            found.curve.append((event["h"], [event["error"]]))
        elif "part" in event:
            found.parts[event["part"]] = event
            if event["part"] in names:
                print(_row(function, event, wrong_judge), flush=True)

    status = training_program.listen(program, {"function": function}, None, on_event)
    if status in (-signal.SIGTERM, -signal.SIGINT):
        raise KeyboardInterrupt
    if status:
        found.fate = "TIMEOUT" if status == -signal.SIGALRM else f"CRASH: {training_program.fate(status)}"
        for name in names:
            if name not in found.parts:
                print(ROW.format(function, name, "", "", "", "", found.fate), flush=True)
    return found


def _row(function: str, event: Event, wrong_judge: bool) -> str:
    if event["event"] != "checked":
        return ROW.format(function, event["part"], "", "", "", "", _why(function, event)).rstrip()
    numbers = [_number(event[name]) for name in ("own", "differences")]
    error = "no number" if event["error"] is None else f"{event['error']:.1e}"
    verdict = "NOT CHECKED: 6.1 is wrong" if wrong_judge else "ok" if _agrees(event) else "WRONG"
    return ROW.format(function, event["part"], error, event["at"], *numbers, verdict)


def _why(function: str, event: Event) -> str:
    if event["event"] == "failed":
        return f"FAILED: {event['why']}"
    return "TODO" if event["function"] == function else f"TODO: waits for {event['function']}"


def _number(value: float | None) -> str:
    return "no number" if value is None else f"{value:.7g}"


def _agrees(event: Event) -> bool:
    return event["event"] == "checked" and event["error"] is not None and event["error"] <= AGREES


def _is_wrong(judge: Found) -> bool:
    x = judge.parts.get("x")
    return bool(judge.fate) or x is not None and x["event"] != "unwritten" and not _agrees(x)


def _print_costs(found: dict[str, Found]) -> None:
    forms = {function: each for function, each in found.items() if function not in ARGUMENTS}
    if not forms:
        return
    rows = []
    for function, each in forms.items():
        cost = each.parts.get("cost")
        if cost is None:
            rows.append(f"{function:37}  {each.fate}")
        elif cost["event"] != "cost":
            rows.append(f"{function:37}  {_why(function, cost)}")
        else:
            rows.append(f"{function:37}  {_seconds(cost['seconds']):>8}  {_bytes(cost['bytes']):>8}")
    print(f"\n{'n = 2048, c = d_v = 64, one head':37}  {'time':>8}  {'memory':>8}   (of a processor; beside the arguments and the gradients)")
    print("\n".join(rows))


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def _bytes(count: float) -> str:
    return f"{count / 1e6:.0f} MB" if count >= 1e6 else f"{count / 1e3:.0f} KB"


def _verdict(found: dict[str, Found]) -> int:
    checked = [event for each in found.values() for event in each.parts.values() if event["event"] == "checked"]
    fails = any(each.fate or any(event["event"] == "failed" for event in each.parts.values()) for each in found.values())
    if not checked and not fails:
        print(f"nothing can be checked yet: write 6.1, {JUDGE}, first; ./course hint {LAB}.{JUDGE} helps", file=sys.stderr)
    elif _is_wrong(found[JUDGE]):
        print(f"your 6.1 is wrong, so the other rows say nothing yet; ./course check {LAB}.{JUDGE} says more", file=sys.stderr)
    elif fails or not all(map(_agrees, checked)):
        print(f"not all gradients agree with the differences (to {AGREES:.0e}); ./course check {LAB} says more", file=sys.stderr)
    return 0 if checked and not fails and all(map(_agrees, checked)) else 1
