"""What changed between two gradings: for whom, in which exercise, and why that may be."""

from pathlib import Path

from author.judge import class_run, result
from author.judge.result import Result
from course.errors import CourseError
from course.manifest import Lab
from course.verdicts import WORDS


def lines(old: Path, new: Path, labs: list[Lab]) -> list[str]:
    before, after = _results(old, labs), _results(new, labs)
    found = [f"{student}: only in {old if student in before else new}" for student in sorted(before.keys() ^ after.keys())]
    for student in sorted(before.keys() & after.keys()):
        found += _of_one(before[student], after[student])
    return found


def _results(folder: Path, labs: list[Lab]) -> dict[str, Result]:
    students = folder / class_run.STUDENTS
    if not students.is_dir():
        raise CourseError(f"{folder} holds no results of a class; name two folders that --out named")
    return {found.student: found for path in sorted(students.iterdir()) if (found := result.read(path, labs))}


def _of_one(old: Result, new: Result) -> list[str]:
    if old.unusable or new.unusable:
        return [] if old.unusable == new.unusable else [f"{old.student}: {old.unusable or 'graded'} → {new.unusable or 'graded'}"]
    before = {verdict.exercise.name: verdict for verdict in old.verdicts}
    reasons = _reasons(old, new)
    return [f"{new.student}  {verdict.exercise.name}  {WORDS[before[name].status]} → {WORDS[verdict.status]}, "
            f"{before[name].points} → {verdict.points} of {verdict.exercise.points}  ({reasons})"
            for verdict in new.verdicts
            if (name := verdict.exercise.name) in before and before[name].status != verdict.status]


def _reasons(old: Result, new: Result) -> str:
    differ = {"the answer": _files(old) != _files(new), "the course": old.course != new.course, "the seed": old.seed != new.seed}
    changed = [what for what, other in differ.items() if other]
    return f"changed: {', '.join(changed)}" if changed else "nothing changed: the verdict depends on chance or on load"


def _files(of: Result) -> dict[str, bytes]:
    folder = of.folder / "files"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())} if folder.is_dir() else {}
