"""What ./course train recall and ./course train text --memory do: train memories of labs 08 and 09, one beside the other."""

import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path

from course import line_plot, training_program
from course.errors import CourseError
from course.training_program import Event, Settings
from course.verdicts import Verdict

LAB = "lab09"
LABELS = {"sum": "plain sum", "decay": "decay", "delta": "delta rule", "both": "both"}
SOFTMAX = {"softmax": "softmax"}  # beside them, for a text
RULES = ("delta", "both")
# What the programs need of lab 09: for the sums, of which lab 08 gives others; for the delta rule; for its gradient, of which
# another is given; and to continue from a state.
PARTS = {"sums": {"gated_attention_chunkwise", "gated_attention_backward"}, "rule": {"gated_delta_rule_chunkwise"},
         "gradient": {"gated_delta_rule_backward"}, "resume": {"gated_delta_rule_resume"}}
HELPERS = {"decay_mask", "solve_unit_lower"}  # which the rule calls
COLUMNS = {"all": "recall", "of the last 4 writes": "last 4", "of the 8 before": "last 12", "older": "before", "void": "void"}
BARS = "▁▂▃▄▅▆▇█"
GATES = {"mean a": "decay", "mean β": "strength", "a of a clear": "decay of clear"}
CLEAR = dict(keys=32, writes=96, clears=1, once=0)
LAST = dict(keys=8, writes=32, clears=0, once=0)
MOST = {"width": 256, "keys": 1024, "writes": 4096}  # of what the user may choose


@dataclass
class Runs:
    """What was measured: of each memory, for each seed, the events that hold a measurement, in their order."""
    of: dict[str, list[list[Event]]] = field(default_factory=dict)
    continued: dict[str, Event] = field(default_factory=dict)

    def last(self, memory: str, key: str) -> list[float]:
        return [run[-1][key] for run in self.of[memory] if key in run[-1]]


def own_parts(verdicts: list[Verdict]) -> set[str]:
    """Which of PARTS are written, right or wrong."""
    unwritten = {v.exercise.function for v in verdicts if v.exercise.lab == LAB and v.status in ("todo", "not_run")}
    return {part for part, functions in PARTS.items() if not functions & unwritten}


def of_recall(own: set[str], wanted: str | None) -> list[str]:
    """Those that are trained: the one that is wanted, else all that can be."""
    return [wanted] if wanted else [name for name in LABELS if name not in RULES or "rule" in own]


def of_text(own: set[str], wanted: str) -> list[str]:
    """The one that is wanted, and beside it the plain sum, where it is written, and softmax."""
    beside = [name for name in ("sum", "softmax") if name != wanted and (name != "sum" or "sums" in own)]
    return [wanted, *beside]


def needed(own: set[str], names: list[str], is_text: bool) -> set[str]:
    """The functions of lab 09 that these memories run. Of a text no sum is given."""
    rules, sums = set(names) & set(RULES), set(names) - set(RULES) - set(SOFTMAX)
    parts = {"sums"} & (own | ({"sums"} if is_text else set())) if sums else set()
    if rules:
        parts |= {"rule"} | {"gradient"} & own | ({"resume"} if is_text else set())
    functions = {function for part in parts for function in PARTS[part]}
    return functions | (HELPERS if parts - own else set())


def recall(root: Path, program: Path, settings: Settings, names: list[str], seeds: range, folder: Path) -> int:
    runs = Runs()
    for seed in seeds:
        if status := _train(program, settings | {"seed": seed}, names, runs, f"seed {seed}, " if len(seeds) > 1 else ""):
            return status
    print(table(runs))
    print(f"recalled while it learns, 0 to {settings['steps']} steps; █ is everything")
    for name, each in runs.of.items():
        print(_bars(LABELS[name], [statistics.mean(event["recall"] for event in events) for events in zip(*each)]))
    title = (f"last values recalled over the steps: {settings['keys']} keys, {settings['writes']} writes"
             + (", each key once" if settings["once"] else "")
             + (", one of them a clear" if settings["clears"] else ""))
    _write(root, folder, "recall", runs, seeds, title, 1.0)
    if not set(names) & set(RULES):
        print("What is lost, and what would a memory have to do to lose nothing? The chapter asks the same.")
    return 0


def text(root: Path, program: Path, settings: Settings, names: list[str], folder: Path) -> int:
    runs = Runs()
    if status := _train(program, settings, names, runs, ""):
        return status
    event = runs.continued[names[0]]
    print(f"  from the text: {event['prompt']!r}\n  continued by {_label(names[0])}, from its state: {event['got']!r}")
    print("bits per byte of unseen text")
    for name in names:
        print(f"  {_label(name):10}  {runs.last(name, 'bits')[0]:.3f}")
    _write(root, folder, "bits", runs, range(1), "bits per byte of unseen text over the steps",
           max(event["bits"] for each in runs.of.values() for run in each for event in run))
    return 0


def _write(root: Path, folder: Path, key: str, runs: Runs, seeds: range, title: str, highest: float) -> None:
    """All that was measured, and a line for each memory through the means over the seeds."""
    rows = [f"{_label(name)},{seed},{event['step']},{event[key]!r}" for name, each in runs.of.items()
            for seed, run in zip(seeds, each) for event in run]
    curves: dict[str, line_plot.Curve] = {
        _label(name): [(events[0]["step"], [event[key] for event in events]) for events in zip(*each)]
        for name, each in runs.of.items()}
    steps = max(step for curve in curves.values() for step, _ in curve)
    svg = line_plot.svg(curves, title, line_plot.from_zero("step", steps, lambda step: f"{step:.0f}"),
                        line_plot.from_zero("", highest, lambda value: f"{value:.0%}" if highest == 1 else f"{value:.1f}"))
    training_program.write_plot(root, folder, key, "\n".join([f"memory,seed,step,{key}", *rows]) + "\n", svg)


def _bars(label: str, shares: list[float]) -> str:
    """A measurement a column: its height is the share."""
    bars = "".join(BARS[min(len(BARS) - 1, int(share * len(BARS)))] for share in shares)
    return f"{label:10}  {bars}  {100 * shares[-1]:.1f}%" if shares else label


def _label(name: str) -> str:
    return (LABELS | SOFTMAX)[name]


def _train(program: Path, settings: Settings, names: list[str], runs: Runs, prefix: str) -> int:
    """All memories, one after the other. Returns an exit status."""
    events: dict[str, Event] = {}
    current: list[Event] = []

    def on_event(event: Event) -> None:
        nonlocal current
        events[event["event"]] = event
        if event["event"] == "memory":
            current = []
            runs.of.setdefault(event["name"], []).append(current)
        elif event["event"] == "continued":
            runs.continued[events["memory"]["name"]] = event
        elif words := _measured(event):
            current.append(event)
            print(f"{prefix}{_label(events['memory']['name']):10}  step {event['step']:4}/{settings['steps']}  "
                  f"loss {event['loss']:.4f}  {words}  {event['seconds']:6.1f} s", flush=True)

    status = training_program.listen(program, settings | {"memories": ",".join(names)}, None, on_event)
    if training_program.is_missing(events.values()):
        return 1
    if "end" not in events:
        raise CourseError(f"the training stopped unexpectedly ({training_program.fate(status)}); ./course check may say what is "
                          "wrong")
    if events["end"]["stopped"]:
        print("stopped; this training saves no weights, so begin again")
        return 130
    return 0


def _measured(event: Event) -> str:
    if "recall" in event:
        return f"{100 * event['recall']:.1f}% of last values recalled"
    return f"{event['bits']:.3f} bits per byte of unseen text" if "bits" in event else ""


def table(runs: Runs) -> str:
    """A memory a line: what it recalls, in percent, and what its gates let pass."""
    columns = {title: key for title, key in COLUMNS.items() if any(runs.last(name, key) for name in runs.of)}
    of_lab08 = not set(runs.of) & set(RULES) and "void" not in columns
    gates = {title: key for title, key in GATES.items() if not of_lab08 and any(_gates(runs, name, key) for name in runs.of)}
    rows = [["recalled", *columns, *gates]]
    for name in runs.of:
        shares = [share(runs.last(name, key)) for key in columns.values()]
        passes = [_gate(_gates(runs, name, key)) for key in gates.values()]
        rows.append([LABELS[name], *shares, *passes])
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [f"{row[0]:{widths[0]}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:])) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _gates(runs: Runs, memory: str, key: str) -> list[float]:
    has_gate = memory in RULES if key == "strength" else memory in ("decay", "both")
    return runs.last(memory, key) if has_gate else []


def share(values: list[float]) -> str:
    spread = f" ± {100 * statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{100 * statistics.mean(values):.1f}{spread}%"


def _gate(values: list[float]) -> str:
    if not values:
        return ""
    value = statistics.mean(values)
    return f"{value:.3f}" if value >= 0.01 else f"{value:.1e}"


def say_what_is_given(own: set[str], names: list[str], is_text: bool) -> None:
    """What of lab 09 does not run since it is not written."""
    rules, sums = set(names) & set(RULES), set(names) - set(RULES) - set(SOFTMAX)
    for part, is_asked, sentence in (
            ("sums", bool(sums), "the two sums are given, not yours"),
            ("sums", is_text and not sums, "there is no plain sum beside it"),
            ("gradient", bool(rules), "the gradient of the delta rule is given, not yours"),
            ("rule", not rules and len(sums) > 1, "the delta rule is not trained")):
        if is_asked and part not in own:
            print(f"{sentence}: {LAB}.{' or '.join(sorted(PARTS[part]))} is not written", file=sys.stderr)
