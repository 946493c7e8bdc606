"""What a lab's check program says of itself (labNN_check --list): its suites, and the mistakes that it recognises."""

import csv
import subprocess
from dataclasses import dataclass
from pathlib import Path

from course.build.build_tree import BuildTree
from course.errors import CourseError
from course.sources.manifest import Lab


@dataclass(frozen=True)
class Mistake:
    exercise: str
    name: str
    section: str  # without the §
    explanation: str


@dataclass(frozen=True)
class Listing:
    suites: list[str]
    mistakes: list[Mistake]  # in the order of the exercises; those of no exercise last


def tree(root: Path) -> BuildTree:
    """Whose programs are asked: those of the answer key, and of the student where there is none."""
    return BuildTree(root, "reference" if (root / "reference").is_dir() else "student")


def of_lab(tree: BuildTree, lab: Lab) -> Listing:
    program = tree.folder / f"{lab.name}_check"
    try:
        listing = subprocess.run([program, "--list"], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        raise CourseError(f"{lab.name} has no program that could list its mistakes, since it was not built; "
                          f"./course check {lab.name} --track {tree.track} says why") from None
    if listing.returncode != 0:
        said = " ".join(listing.stderr.split())
        raise CourseError(f"build/{tree.track}/{program.name} --list failed; {said}; build it again")
    rows = [line.split("\t") for line in listing.stdout.splitlines()]
    order = {exercise.function: place for place, exercise in enumerate(lab.exercises)}
    sections = {exercise.function: exercise.section for exercise in lab.exercises}  # where a mistake names none of its own
    known = [Mistake(row[1], row[2], row[3].lstrip("§") or sections.get(row[1], ""), row[4])
             for row in rows if row[0] == "mistake"]
    return Listing([row[1] for row in rows if row[0] == "suite"],
                   sorted(known, key=lambda mistake: order.get(mistake.exercise, len(order))))


def kill_matrix(root: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """(lab, exercise, mistake) → its row, from the last ./course test; empty before the first."""
    matrix = root / "build" / "reference" / "kill_matrix.csv"
    if not matrix.is_file():
        return {}
    with open(matrix, newline="", encoding="utf-8") as file:
        return {(row["lab"], row["exercise"], row["mistake"]): row for row in csv.DictReader(file)}
