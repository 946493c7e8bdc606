"""What ./course train recall and ./course train text --memory do: train memories of labs 08 and 09, one next to the other."""

import csv
import statistics
import sys
from pathlib import Path

from course.training import line_plot, training_program
from course.training.training_program import Settings
from course.verdicts.verdicts import Verdict

LAB = "lab09"
NAMES = ("sum", "decay", "delta", "both")
RULES = ("delta", "both")
# What the programs need of lab 09: for the sums, of which lab 08 gives others; for the delta rule; for its gradient, of which
# another is given; and to continue from a state.
NEEDED = {"sums": {"gated_attention_chunkwise", "gated_attention_backward"}, "rule": {"gated_delta_rule_chunkwise"},
          "gradient": {"gated_delta_rule_backward"}, "resume": {"gated_delta_rule_resume"}}
HELPERS = {"decay_mask", "solve_unit_lower"}  # which the rule calls
COLUMNS = {"all": "recall", "of the last 4 writes": "last 4", "of the 8 before": "last 12", "older": "before", "void": "void"}
GATES = {"mean a": "decay", "mean β": "strength", "a of a clear": "decay of clear"}
HAVE = {"decay": ("decay", "both"), "strength": ("delta rule", "both"), "decay of clear": ("decay", "both")}  # such a gate
BARS = "▁▂▃▄▅▆▇█"
CLEAR = dict(keys=32, writes=96, clears=1, once=0)
LAST = dict(keys=8, writes=32, clears=0, once=0)
MOST = {"width": 256, "keys": 1024, "writes": 4096}  # of what the user may choose

Measured = dict[str, dict[int, list[dict[str, str]]]]  # of each memory, at each step, a row of the CSV for each seed


def own_groups(verdicts: list[Verdict]) -> set[str]:
    """Which groups of NEEDED are written, right or wrong."""
    unwritten = {v.exercise.function for v in verdicts if v.exercise.lab == LAB and v.status in ("todo", "not_run")}
    return {group for group, functions in NEEDED.items() if not functions & unwritten}


def of_recall(own: set[str], wanted: str | None) -> list[str]:
    """Those that are trained: the one that is wanted, else all that can be."""
    return [wanted] if wanted else [name for name in NAMES if name not in RULES or "rule" in own]


def of_text(own: set[str], wanted: str) -> list[str]:
    """The one that is wanted, the plain sum where it is written, and softmax."""
    return [wanted, *(name for name in ("sum", "softmax") if name != wanted and (name != "sum" or "sums" in own))]


def needed(own: set[str], names: list[str], is_text: bool) -> set[str]:
    """The functions of lab 09 that these memories run. Of a text no sum is given."""
    groups = {"sums"} if {"sum", "decay"} & set(names) and (is_text or "sums" in own) else set()
    if set(names) & set(RULES):
        groups |= {"rule"} | {"gradient"} & own | ({"resume"} if is_text else set())
    functions = {function for group in groups for function in NEEDED[group]}
    return functions | (HELPERS if groups - own else set())


def train(root: Path, program: Path, settings: Settings, names: list[str], folder: Path) -> int:
    status = training_program.run(program, settings | {"memories": ",".join(names), "out": folder}, "the training",
                                  "./course check may say what is wrong")
    if status == 0:
        (_show_text if settings["task"] == "text" else _show_recall)(root, settings, names, folder)
    return status


def _show_recall(root: Path, settings: Settings, names: list[str], folder: Path) -> None:
    measured = _read(folder / "recall.csv")
    print(table(measured))
    print(f"recalled while it learns, 0 to {settings['steps']} steps; █ is everything")
    for memory, steps in measured.items():
        shares = [statistics.mean(_numbers(rows, "recall")) for rows in steps.values()]
        print(f"{memory:10}  {''.join(BARS[min(len(BARS) - 1, int(share * len(BARS)))] for share in shares)}  {100 * shares[-1]:.1f}%")
    title = (f"last values recalled over the steps: {settings['keys']} keys, {settings['writes']} writes"
             + (", each key once" if settings["once"] else "") + (", one of them a clear" if settings["clears"] else ""))
    _plot(root, folder, "recall", measured, title, line_plot.from_zero("", 1.0, lambda value: f"{value:.0%}"))
    if not set(names) & set(RULES):
        print("What is lost, and what would a memory have to do to lose nothing? The chapter asks the same.")


def _show_text(root: Path, settings: Settings, names: list[str], folder: Path) -> None:
    measured = _read(folder / "bits.csv")
    highest = max(number for steps in measured.values() for rows in steps.values() for number in _numbers(rows, "bits"))
    _plot(root, folder, "bits", measured, "bits per byte of unseen text over the steps",
          line_plot.from_zero("", highest, lambda value: f"{value:.1f}"))


def _read(file: Path) -> Measured:
    measured: Measured = {}
    with open(file, encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            measured.setdefault(row["memory"], {}).setdefault(int(row["step"]), []).append(row)
    return measured


def _numbers(rows: list[dict[str, str]], column: str) -> list[float]:
    return [float(row[column]) for row in rows if row[column]]


def _plot(root: Path, folder: Path, column: str, measured: Measured, title: str, y: line_plot.Axis) -> None:
    """A line for each memory through the means over the seeds."""
    curves: dict[str, line_plot.Curve] = {memory: [(step, _numbers(rows, column)) for step, rows in steps.items()]
                                          for memory, steps in measured.items()}
    x = line_plot.from_zero("step", max(step for steps in measured.values() for step in steps), lambda step: f"{step:.0f}")
    rows = (folder / f"{column}.csv").read_text(encoding="utf-8")
    training_program.write_plot(root, folder, column, rows, line_plot.svg(curves, title, x, y))


def table(measured: Measured) -> str:
    """A memory a line: what it recalls, in percent, and what its gates let pass, after the last step."""
    last = {memory: steps[max(steps)] for memory, steps in measured.items()}
    columns = {title: key for title, key in COLUMNS.items() if any(_numbers(rows, key) for rows in last.values())}
    of_lab08 = set(last) <= {"plain sum", "decay"} and "void" not in columns
    gates = {title: key for title, key in GATES.items()
             if not of_lab08 and any(memory in HAVE[key] and _numbers(rows, key) for memory, rows in last.items())}
    lines = [["recalled", *columns, *gates]]
    for memory, rows in last.items():
        lines.append([memory, *(_share(_numbers(rows, key)) for key in columns.values()),
                      *(_gate(_numbers(rows, key)) if memory in HAVE[key] else "" for key in gates.values())])
    widths = [max(map(len, column)) for column in zip(*lines)]
    return "\n".join("  ".join([f"{line[0]:{widths[0]}}", *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines)


def _share(values: list[float]) -> str:
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread}%"


def _gate(values: list[float]) -> str:
    value = statistics.mean(values) if values else 0.0
    return "" if not values else f"{value:.3f}" if value >= 0.01 else f"{value:.1e}"


def say_what_is_given(own: set[str], names: list[str], is_text: bool) -> None:
    """What of lab 09 does not run since it is not written."""
    rules, sums = set(names) & set(RULES), set(names) & {"sum", "decay"}
    for group, is_asked, sentence in (
            ("sums", bool(sums), "the two sums are given, not yours"),
            ("sums", is_text and not sums, "the plain sum is not trained"),
            ("gradient", bool(rules), "the gradient of the delta rule is given, not yours"),
            ("rule", not rules and len(sums) > 1, "the delta rule is not trained")):
        if is_asked and group not in own:
            print(f"{sentence}: {LAB}.{' or '.join(sorted(NEEDED[group]))} is not written", file=sys.stderr)
