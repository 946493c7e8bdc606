"""Points apart from what the suites say: parts of them, for answers of which some checks hold, and what a person gives, in a CSV
file with a row for a student and an exercise.

    student,exercise,points,comment
    s001,lab02.inclusive_scan,2,right but for the empty sequence
    s001,lab03.power_iteration,,see me about the proof

It is read anew each time, so it outlives a regrade.
"""

import csv
import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from author.judge.result import Result
from course.errors import CourseError
from course.sources.manifest import Lab
from course.sources.plain_text import plain
from course.verdicts.verdicts import Verdict, whole

NUMBER = re.compile(r"[0-9]+(\.[0-9]{1,2})?", re.ASCII)
COLUMNS = ["student", "exercise", "points", "comment"]


@dataclass(frozen=True)
class Points:
    points: float | None
    comment: str


@dataclass(frozen=True)
class WithPoints(Verdict):
    given: float | None = None

    @property
    def points(self) -> float:
        return super().points if self.given is None else whole(self.given)


Given = dict[str, dict[str, Points]]  # student, in small letters → exercise → what it is given


def read(path: Path, labs: list[Lab]) -> Given:
    known = {exercise.name: exercise for lab in labs for exercise in lab.exercises}
    found: Given = {}
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            if list(reader.fieldnames or []) != COLUMNS:
                raise CourseError(f"{path} has to begin with the line {','.join(COLUMNS)}")
            for row in reader:
                exercise = known.get((row["exercise"] or "").strip())
                points = (row["points"] or "").strip()
                if not exercise or points and not (NUMBER.fullmatch(points) and float(points) <= exercise.points):
                    raise CourseError(f"{path}, line {reader.line_num}: exercise is one that a labs/*/lab.json lists, as in lab01.relu, "
                                      "and points a number, not more than it is worth, or nothing")
                its = Points(float(points) if points else None, (row["comment"] or "").strip())
                found.setdefault((row["student"] or "").strip().casefold(), {})[exercise.name] = its
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CourseError(f"{path} cannot be read ({error})") from None
    return found


def applied(result: Result, given: dict[str, Points]) -> Result:
    """With the points that were given, and the comments."""
    verdicts: list[Verdict] = []
    comments = list(result.comments)
    for verdict in result.verdicts:
        if its := given.get(verdict.exercise.name):
            points = verdict.points if its.points is None else its.points
            fields: dict[str, Any] = vars(verdict) | {"given": points}
            verdict = WithPoints(**fields)
            comments.append(plain(f"{verdict.exercise.name}: {verdict.points} of {verdict.exercise.points} points"
                                  f"{f'; {its.comment}' if its.comment else ''}"))
        verdicts.append(verdict)
    return dataclasses.replace(result, verdicts=verdicts, comments=comments)


def partial(result: Result) -> dict[str, Points]:
    """For each exercise that was tried and did not pass, its points times the share of its checks that hold."""
    return {name: Points(round(verdict.exercise.points * share, 2), f"{share:.0%} of its checks hold")
            for verdict in result.verdicts for name in [verdict.exercise.name]
            if verdict.status == "fail" and (share := result.shares.get(name, 0.0)) > 0}
