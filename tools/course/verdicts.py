"""What the suites said: one result file per exercise. Without one nothing passed."""

import json
from dataclasses import dataclass
from pathlib import Path

from course.manifest import Exercise

WORDS = {"pass": "PASS", "fail": "FAIL", "todo": "TODO", "crash": "CRASH", "timeout": "TIMEOUT", "not_run": "NOT RUN"}


@dataclass(frozen=True)
class Verdict:
    exercise: Exercise
    status: str
    message: str
    begin_with: str = ""  # the function to fix or write first, where this one waits for another

    @property
    def passed(self) -> bool:
        return self.status == "pass"

    @property
    def points(self) -> int:
        return self.exercise.points if self.passed else 0

    def as_json(self) -> str:
        return json.dumps({"lab": self.exercise.lab, "exercise": self.exercise.function, "status": self.status,
                           "points": self.points, "max_points": self.exercise.points, "message": self.message},
                          ensure_ascii=False)


def forget(results: Path, exercises: list) -> None:
    """Removes what an earlier run left, so that nothing stale can pass."""
    for exercise in exercises:
        (results / f"{exercise.name}.json").unlink(missing_ok=True)
        (results / f"{exercise.lab}.build.txt").unlink(missing_ok=True)


def read(results: Path, exercises: list, log: str) -> list:
    """The verdicts of a run that just ended; `log` names the file to look into where the run left nothing else."""
    return [_read_one(results, exercise, log) for exercise in exercises]


def _read_one(results: Path, exercise: Exercise, log: str) -> Verdict:
    path = results / f"{exercise.name}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8", errors="replace"))
        status, message = data["status"], data.get("message") or ""
        whose, begin_with = (data["lab"], data["exercise"]), str(data.get("begin_with", ""))
    except FileNotFoundError:
        build = results / f"{exercise.lab}.build.txt"
        if build.is_file():
            return Verdict(exercise, "not_run", build.read_text(encoding="utf-8", errors="replace").rstrip())
        return Verdict(exercise, "not_run", f"{exercise.name} left no result; ctest's own words are in {log}")
    except (ValueError, KeyError, TypeError, AttributeError):
        return Verdict(exercise, "not_run", f"{exercise.name} left a result that cannot be read: {path.name}")
    if status not in WORDS or whose != (exercise.lab, exercise.function):
        return Verdict(exercise, "not_run", f"{exercise.name} left a result that is not its own: {path.name}")
    return Verdict(exercise, status, str(message).rstrip(), begin_with)
