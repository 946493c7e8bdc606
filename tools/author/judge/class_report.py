"""report.html: a class at a glance, for its instructor."""

from collections import Counter
from typing import TypeVar
from urllib.parse import quote

from author.judge import pages
from author.judge.class_run import STUDENTS
from author.judge.feedback import NOT_GRADED
from author.judge.result import Result
from course.sources.manifest import Exercise, Lab
from course.verdicts.verdicts import WORDS

T = TypeVar("T", str, tuple[str, str])
MOST = 30  # rows of a list
BINS = 12


def html(labs: list[Lab], results: list[Result], notes: list[str]) -> str:
    graded = [result for result in results if not result.unusable]
    mistakes = Counter((name, exercise) for result in graded for exercise, names in result.mistakes.items() for name in set(names))
    todo = Counter(verdict.exercise.name for result in graded for verdict in result.verdicts if verdict.status == "todo")
    return pages.render(
        "class_report.html", graded=graded, notes=[*_handouts(graded), *notes], histogram=_histogram(graded),
        labs=[(lab, exercises) for lab in labs if (exercises := _exercises(lab, graded))], words=WORDS,
        mistakes=[(name, exercise, count) for (name, exercise), count in _most(mistakes)], left=_most(todo),
        unusable=[(result.student, result.unusable) for result in results if result.unusable], not_graded=NOT_GRADED,
        left_out=[(result.student, line) for result in graded for line in result.left_out][:MOST],
        folders={result.student: quote(f"{STUDENTS}/{result.folder.name}/feedback.html") for result in results})


def _handouts(graded: list[Result]) -> list[str]:
    """Who has another handout than most, where submissions say which."""
    versions: dict[str, list[str]] = {}
    for result in graded:
        if result.handout:
            versions.setdefault(result.handout, []).append(result.student)
    common, *others = sorted(versions, key=lambda version: (-len(versions[version]), version)) or [""]
    return [f"from handout {version}, where most are from {common}: {', '.join(versions[version])}" for version in others[:MOST]]


def _histogram(graded: list[Result]) -> list[tuple[str, int]]:
    whole = max((result.points for result in graded), default=0)
    width = max(1, -(-(whole + 1) // BINS))
    counts = Counter(result.earned // width for result in graded)
    ranges = [(low, min(low + width - 1, whole)) for low in range(0, whole + 1, width)]
    return [(f"{low}–{high}" if low < high else str(low), counts[low // width]) for low, high in ranges]


def _exercises(lab: Lab, graded: list[Result]) -> list[tuple[Exercise, dict[str, int]]]:
    """Each with how many students have which verdict; empty where nobody was graded."""
    of_lab = [verdict for result in graded for verdict in result.of_lab(lab.name)]
    found = []
    for exercise in lab.exercises if of_lab else ():
        counts = Counter(verdict.status for verdict in of_lab if verdict.exercise == exercise)
        found.append((exercise, {status: counts[status] for status in WORDS if counts[status]}))
    return found


def _most(counts: Counter[T]) -> list[tuple[T, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST]
