"""What the judge left of one submission: RESULTS/<student>/result.json, and beside it files/ with what was graded."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.errors import CourseError
from course.sources.manifest import Lab
from course.sources.plain_text import plain
from course.verdicts.verdicts import WORDS, Verdict, total

FILE = "result.json"
MEANINGS = {"build": "not_run"}  # what a file that does not compile is called at home


@dataclass(frozen=True)
class Result:
    folder: Path
    student: str
    handout: str
    unusable: str  # why nothing could be graded; empty where it could
    left_out: list[str]  # "file: why", where not everything was graded
    seed: int
    verdicts: list[Verdict]
    mistakes: dict[str, list[str]]  # exercise's name → the mistakes that its suite named
    shares: dict[str, float]  # exercise's name → of its checks that a null answer fails, how many hold
    course: str = ""  # the version that graded it
    when: str = ""
    comments: list[str] = field(default_factory=list)  # a person's

    @property
    def earned(self) -> float:
        return total(self.verdicts)

    @property
    def points(self) -> int:
        return sum(verdict.exercise.points for verdict in self.verdicts)

    def of_lab(self, lab: str) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.exercise.lab == lab]


def read(folder: Path, labs: list[Lab]) -> Result | None:
    """None where there is no result."""
    path = folder / FILE
    try:
        return parse(folder, json.loads(path.read_text(encoding="utf-8")), labs)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise CourseError(f"{path} cannot be read ({error}); remove {folder} and grade again with --resume") from None


def parse(folder: Path, data: dict[str, Any], labs: list[Lab]) -> Result:
    """What the folder's file holds. A result that is not of this course, or does not add up, is an error."""
    path = folder / FILE
    known = {exercise.name: exercise for lab in labs for exercise in lab.exercises}
    try:
        found: list[Verdict] = []
        mistakes: dict[str, list[str]] = {}
        shares: dict[str, float] = {}
        for lab in data["labs"]:
            for each in lab["exercises"]:
                exercise = known[f"{lab['lab']}.{each['exercise']}"]
                status = MEANINGS.get(each["status"], each["status"])
                found.append(Verdict(exercise, status if status in WORDS else "not_run", str(each["message"])))
                mistakes[exercise.name] = [plain(str(name)) for name in each["mistakes"]]
                shares[exercise.name] = float(each["share"])
        unusable = plain(str(data["reason"])) or "it cannot be graded" if data["status"] == "unusable" else ""
        left_out = [plain(str(line)) for line in data.get("left_out", [])]
        result = Result(folder, plain(str(data["student"])), plain(str(data["handout"] or "")), unusable, left_out, data["seed"],
                        found, mistakes, shares, str(data.get("course", "")), str(data.get("when", "")))
        if not unusable and (result.earned, result.points) != (data["earned"], data["points"]):
            raise CourseError(f"{path} does not add up: {data['earned']} of {data['points']} points, but the exercises make "
                              f"{result.earned} of {result.points}; remove {folder} and grade again with --resume")
        return result
    except (KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{path} is not of this version of the course ({error!r}); remove {folder} and grade again") from None
