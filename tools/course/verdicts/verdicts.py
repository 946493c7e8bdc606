"""What the suites said: one result file per exercise. Without one, or without ctest's agreement, nothing passed."""

import json
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from course.sources.manifest import Exercise
from course.sources.plain_text import plain

WORDS = {"pass": "PASS", "fail": "FAIL", "todo": "TODO", "crash": "CRASH", "timeout": "TIMEOUT", "not_run": "NOT RUN"}


@dataclass(frozen=True)
class Verdict:
    exercise: Exercise
    status: str
    message: str  # plain text, whatever the result file held: every output is made from verdicts
    begin_with: str = ""  # the function to fix or write first, where this one waits for another
    counterexample: bool = False  # the message shows a smaller input for which it is wrong
    named: bool = False  # the message names a mistake
    place: str = ""  # the line that does not compile, or what else keeps it from being graded

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", plain(self.message).rstrip())

    @property
    def passed(self) -> bool:
        return self.status == "pass"

    @property
    def unexplained(self) -> bool:
        """Whether it is a function that is wrong by itself, and no mistake that the course knows does the same. One that does not end is
        not: many of its small changes would not end either."""
        return self.status in ("fail", "crash") and not (self.named or self.begin_with or self.exercise.tests)

    @property
    def points(self) -> float:
        return self.exercise.points if self.passed else 0

    @property
    def sentence(self) -> str:
        """What happened, in a line: of the message, without its title and what the student printed."""
        lines = self.message.splitlines()
        if lines and lines[0].endswith(f" {WORDS[self.status]}"):
            lines = lines[1:]
        lines = [line for line in _without_output(lines) if not line.strip().startswith("called with ")]
        what = next((line for line in lines if line.startswith("    ")), lines[0] if lines else "")  # not the case's name
        return what.strip().rstrip(":")

    def as_json(self) -> str:
        return json.dumps({"lab": self.exercise.lab, "exercise": self.exercise.function, "status": self.status,
                           "points": self.points, "max_points": self.exercise.points, "message": self.message},
                          ensure_ascii=False)


def total(verdicts: list[Verdict]) -> float:
    return whole(sum(verdict.points for verdict in verdicts))


def score(verdicts: list[Verdict], between: str = " of ") -> str:
    return f"{total(verdicts)}{between}{sum(verdict.exercise.points for verdict in verdicts)}"


def by_lab(verdicts: list[Verdict]) -> list[tuple[str, list[Verdict]]]:
    return [(lab, list(group)) for lab, group in groupby(verdicts, key=lambda verdict: verdict.exercise.lab)]


def whole(points: float) -> float:
    """2 for 2.0: an instructor may give parts of a point."""
    return int(points) if points == int(points) else round(points, 2)


def _without_output(lines: list[str]) -> list[str]:
    """Without what the student printed: the words "your output:" and what is indented further below them."""
    kept, heading = [], None
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if heading is not None and (indent > heading or not line.strip()):
            continue
        heading = indent if line.strip() == "your output:" else None
        if heading is None:
            kept.append(line)
    return kept


def forget(results: Path, exercises: list[Exercise]) -> None:
    """Removes what an earlier run left, so that nothing stale can pass."""
    for exercise in exercises:
        (results / f"{exercise.name}.json").unlink(missing_ok=True)
        (results / f"{exercise.lab}.not_built").unlink(missing_ok=True)


def read(results: Path, exercises: list[Exercise], not_passed: set[str], log: str) -> list[Verdict]:
    """The verdicts of a run that just ended. `not_passed` names the exercises that ctest does not call passed; `log` is the file
    to look into where the run left nothing else."""
    found = [_read_one(results, exercise, log) for exercise in exercises]
    return [_inconsistent(verdict, log) if verdict.passed and verdict.exercise.name in not_passed else verdict for verdict in found]


def _inconsistent(verdict: Verdict, log: str) -> Verdict:
    said = f"the result says PASS, but ctest reports a failure, so it does not count; read {log}"
    return Verdict(verdict.exercise, "not_run", f"{verdict.exercise.name}: {said}")


def _read_one(results: Path, exercise: Exercise, log: str) -> Verdict:
    path = results / f"{exercise.name}.json"
    try:
        data = _load(path)
        status, message = data["status"], data.get("message") or ""
        whose = data["lab"], data["exercise"]
    except FileNotFoundError:
        return _not_built(results, exercise, log)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Verdict(exercise, "not_run", f"{exercise.name} left a result that cannot be read: {path.name}")
    if status not in WORDS or whose != (exercise.lab, exercise.function):
        return Verdict(exercise, "not_run", f"{exercise.name} left a result that is not its own: {path.name}")
    return Verdict(exercise, status, str(message), str(data.get("begin_with", "")), bool(data.get("counterexample")),
                   bool(data.get("mistakes")), plain(str(data.get("place", ""))))


def _not_built(results: Path, exercise: Exercise, log: str) -> Verdict:
    try:
        data = _load(results / f"{exercise.lab}.not_built")
        return Verdict(exercise, "not_run", str(data["message"]), str(data["begin_with"]), place=plain(str(data.get("place", ""))))
    except (OSError, ValueError, KeyError, TypeError):
        return Verdict(exercise, "not_run", f"{exercise.name} left no result; ctest's output is in {log}", place=log)


def _load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8", errors="replace")))
